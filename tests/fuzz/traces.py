"""Records of a trace: lines of JSON, compared with those of refrank."""

import json
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from refrank.estimators.registry import RANKERS
from tests.fuzz.target import Refusal, Target, flip, pick
from yardstick.divergence.comparing import Mode, compare_traces
from yardstick.divergence.reporting import write_json, write_junit, write_text
from yardstick.numbers.encoding import FLOATS, INTEGERS
from yardstick.traces.reader import open_trace
from yardstick.traces.stages import STAGES, LabelledRows, Place
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import MANIFEST, RECORDS, TraceWriter

X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 0.25], [3.0, -0.0]])
Y, QID = np.array([0, 1, 2, 1]), np.array([0, 0, 1, 1])
SMALL = {"n_rounds": 2, "n_trees": 1, "n_leaves": 3, "max_depth": 2, "n_bins": 4}
NUMBERS = (0, 1, -1, 3, 2**31, 2**63, 0.5, 1e308, "nan", "inf", "0x1p-1074", None, True, [], {}, "x")
PIECES = (b"null", b"[", b"]", b"{", b"}", b"1e999", b"-0.0", b'"nan"', b"\n", b"9" * 30, b'"values":', b'"stage":')


class Traces(Target):
    """`compare_traces`: it ends in a comparison, which can be told, or in a refusal."""

    name = "traces"
    factor = 512  # an entry of a few characters becomes one of a list, and of an array

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.golden = {}
        for name in ("softmax", "gbrt", "rf"):
            self.golden[name] = open_trace(write_golden(folder / f"golden-{name}", name))
        self.folder = folder / "trace"
        self.folder.mkdir(exist_ok=True)
        self.path = self.folder / RECORDS

    def make(self, rng: np.random.Generator) -> bytes:
        """Change a trace: bytes of it, or numbers, places, shapes and types of some records."""
        content = (pick(rng, [*self.golden.values()]).folder / RECORDS).read_bytes()
        if rng.integers(0, 3) == 0:
            return flip(content, rng, PIECES)
        lines = [json.loads(line) for line in content.splitlines()]
        for _ in range(rng.integers(1, 4)):
            change(pick(rng, lines), rng)
        if rng.integers(0, 4) == 0:
            del lines[int(rng.integers(0, len(lines)))]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    def check(self, content: bytes) -> None:
        """Compare it with each trace of refrank."""
        for name, golden in self.golden.items():
            head = {"format": "refrank-trace", "version": 1, "algorithm": name}
            (self.folder / MANIFEST).write_text(json.dumps(head))
            mode = Mode("float32" if len(content) % 2 else "bitwise")
            compare = partial(compare_traces, golden, mode=mode)
            with patch("yardstick.divergence.hints.SECONDS", 0.02):  # mistakes that are tried make the same judges
                outcome = self.refuse_or_return(lambda compare=compare: compare(open_trace(self.folder)))
            if not isinstance(outcome, Refusal):
                assert all(line.isprintable() for line in write_text(outcome).splitlines())
                json.loads(write_json(outcome))
                assert write_junit(outcome).startswith("<testsuite")


def write_golden(place: Path, name: str) -> Path:
    """Write the trace of a small training, if it is not there; return its folder."""
    ranker = RANKERS[name]()
    ranker.set_params(**{key: size for key, size in SMALL.items() if key in ranker.get_params()})
    if not place.exists():
        rows = LabelledRows(X, Y, QID)
        with TraceWriter(place, "json", describe_training(ranker, rows)) as writer:
            record_training(ranker, rows, writer.keep, writer.write)
    return place


def change(record: dict, rng: np.random.Generator) -> None:
    """Change something of a record that its form allows, or forbids."""
    field = pick(rng, [*record["fields"].values()])
    for key in ("digest", "hex"):
        field.pop(key, None)
    match rng.integers(0, 6):
        case 0 if field["values"]:
            field["values"][int(rng.integers(0, len(field["values"])))] = pick(rng, NUMBERS)
        case 1:
            field["dtype"] = pick(rng, (*FLOATS, *INTEGERS, "object", 3))
        case 2:
            field["shape"] = pick(rng, ([], [0], [1], [len(field["values"])], [2, 2], [-1], [2**31 - 1], "x"))
        case 3:
            field["values"] = [int(number) for number in rng.integers(-3, 9, len(field["values"]))]
        case 4:
            record["at"] = {pick(rng, Place._fields): pick(rng, NUMBERS)}
        case _:
            record["stage"] = pick(rng, [*STAGES, "x", 1])
