"""A run of one target: the corpus, then inputs without end, each from the seed of the run and its own number."""

import itertools
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tests.fuzz.commands import Commands
from tests.fuzz.letor import Letor
from tests.fuzz.models import Models
from tests.fuzz.scores import Scores
from tests.fuzz.tables import Tables
from tests.fuzz.target import Target
from tests.fuzz.traces import Traces
from tests.fuzz.trec import Trec

TARGETS: dict[str, type[Target]] = {kind.name: kind for kind in (Models, Letor, Scores, Tables, Trec, Traces, Commands)}
MEASURED = 16  # the memory of one input in so many is measured
MOST_FAILURES = 20  # then a run ends
MOST_MEMORY = 4 << 30  # of the process, where the system can hold it to that


@dataclass
class Run:
    """Inputs that a run has tried, and failures."""

    target: Target
    folder: Path
    seed: int
    n_inputs: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    def repeat(self, n_inputs: int | None, seconds: float | None) -> None:
        """Try the corpus and so many inputs, or as many as there is time for."""
        start = time.monotonic()
        for number in itertools.count():
            self.seconds = time.monotonic() - start
            late = seconds is not None and self.seconds >= seconds
            if late or number == n_inputs or len(self.failures) == MOST_FAILURES:
                return
            if number < len(self.target.seeds):
                content = self.target.seeds[number]
            else:
                content = self.target.make(
                    np.random.default_rng([self.seed, zlib.crc32(self.target.name.encode()), number])
                )
            self.try_one(f"{self.target.name}-{self.seed}-{number}", content, number % MEASURED == 0)

    def try_one(self, name: str, content: bytes, measure: bool = True) -> None:
        """Try an input; keep it if it fails."""
        fault = self.target.try_input(content, measure)
        self.n_inputs += 1
        if fault is not None:
            kept = self.folder / name
            kept.write_bytes(content)
            kept.with_name(f"{name}.fault").write_text(fault, errors="backslashreplace")
            self.failures.append(f"{kept}: {fault}")

    def describe(self) -> str:
        """Report what was done, and what failed."""
        rate = f", {self.n_inputs / self.seconds:,.0f} per second" if self.seconds else ""
        lines = [f"{self.target.name}: {self.n_inputs:,} inputs{rate}, {len(self.failures)} failures", *self.failures]
        return "\n  ".join("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)


def bound_memory() -> None:
    """Limit the memory of the process, so that a number in a file cannot ask for the machine's."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
