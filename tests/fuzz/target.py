"""Targets of the fuzzer: a target makes inputs, each from a seed of its own, and checks what they do.

What reads an input may refuse it, by a ValueError or an OSError that names the file. Nothing else may come of it: no
other exception, no warning, no hang, no memory beyond a multiple of the input's size.
"""

import signal
import tracemalloc
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

CORPUS = Path(__file__).parent / "corpus"
LONGEST = 600  # characters of a message
SECONDS = 20  # of the processor for one input; six times as long by the clock, since a machine may be busy or asleep
SLACK = 16 << 20  # bytes: what modules keep when they are first used


class Target(ABC):
    """Something that reads what strangers write."""

    name: ClassVar[str]
    factor: ClassVar[int] = 64  # bytes of memory per byte of input, at most

    def __init__(self, folder: Path) -> None:
        self.path = folder / self.name  # the input in hand: it is still there if the process dies of it
        self.seeds = [path.read_bytes() for path in sorted((CORPUS / self.name).glob("*"))]

    @abstractmethod
    def make(self, rng: np.random.Generator) -> bytes:
        """Make an input."""

    @abstractmethod
    def check(self, content: bytes) -> None:
        """Read an input, which is in `path`; raise an AssertionError where more than a refusal comes of it."""

    def try_input(self, content: bytes, measure: bool = False) -> str | None:
        """Check an input; return what is wrong, if anything is. `measure` watches its memory, which takes time."""
        self.path.write_bytes(content)
        try:
            with limit_time(), watch_memory(self.factor * len(content) + SLACK if measure else None):
                self.check(content)
        except Exception as fault:
            return f"{type(fault).__name__}: {str(fault)[:2000]}"
        return None

    def refuse_or_return(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call what reads the input: return its value, or the words of its refusal as a `Refusal`."""
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                value = function(*arguments)
            except (ValueError, OSError) as fault:
                value = Refusal(str(fault))
        assert not warned, f"warning: {warned[0].message}"
        if isinstance(value, Refusal):
            check_message(value, str(self.path))
        return value


class Refusal(str):
    """The words of a refusal."""


def check_message(message: str, *parts: str) -> None:
    """Check that a message fits on one line of a terminal's, and names what it must."""
    assert len(message) < LONGEST, f"a message of {len(message)} characters: {message[:300]}"
    assert message.isprintable(), f"a message that is not one printable line: {message!r}"
    assert all(part in message for part in parts), f"a message without {parts}: {message}"


@contextmanager
def limit_time() -> Iterator[None]:
    """Raise an AssertionError in what takes too long, or waits for something that does not come."""

    def stop(*_: object) -> None:
        raise AssertionError(f"a hang: more than {SECONDS} s")

    timers = (signal.SIGPROF, signal.ITIMER_PROF, SECONDS), (signal.SIGALRM, signal.ITIMER_REAL, 6 * SECONDS)
    before = [signal.signal(number, stop) for number, _, _ in timers]
    for _, timer, seconds in timers:
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextmanager
def watch_memory(most: int | None) -> Iterator[None]:
    """Check the peak of what is allocated."""
    if most is None:
        yield
        return
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= most, f"{peak} bytes of memory: at most {most} are allowed"


def flip(content: bytes, rng: np.random.Generator, pieces: tuple[bytes, ...] = ()) -> bytes:
    """Change a few bytes: others in their places, some less, some more, some twice, or a piece that has a meaning."""
    changed = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at, length = int(rng.integers(0, len(changed) + 1)), int(rng.integers(0, 9))
        match rng.integers(0, 6):
            case 0 if at < len(changed):
                changed[at] ^= 1 << int(rng.integers(0, 8))
            case 1 if at < len(changed):
                changed[at] = int(rng.integers(0, 256))
            case 2:
                del changed[at : at + length]
            case 3:
                changed[at:at] = changed[at : at + length * 3]
            case 4:
                changed[at:at] = rng.bytes(length)
            case _ if pieces:
                changed[at : at + length] = pieces[rng.integers(0, len(pieces))]
    return bytes(changed)


def pick(rng: np.random.Generator, choices: Any) -> Any:
    """Pick one of some choices."""
    return choices[int(rng.integers(0, len(choices)))]
