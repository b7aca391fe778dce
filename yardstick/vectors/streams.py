"""Stream vectors: a million cases of a function in a few hundred bytes.

The inputs are drawn by rules, and the answers are told as digests; README.md of the vectors states both, and how a
function is called. A port offers one function more, `stream`, which tells digests of its answers.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.trees.numbers.draws import below_each, draw
from yardstick.numbers.difference import find_difference
from yardstick.numbers.digest import digest, to_bits
from yardstick.vectors.case import Output, name_outputs, thaw
from yardstick.vectors.files import FOLDER, STREAMS_FILE, load_vectors
from yardstick.vectors.own import OWN
from yardstick.vectors.running import Outcome, Verdict

N_BLOCKS = 16
SAMPLED = {"rows": 2**13, "first": 2**13, "case": 2**7}  # cases of a port that tells no digests

Compute = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Stream:
    """A stream of cases of a function."""

    name: str
    function: str
    call: str
    key: int
    n_cases: int
    inputs: Mapping[str, Any]  # name -> a rule, or the value in every case
    digests: tuple[str, ...]  # of the sixteenths
    digest: str  # of these

    def draw_inputs(self, first: int, n: int) -> dict[str, NDArray[Any]]:
        """Draw the inputs of cases first, first + 1, ..., along the first axis."""
        rules = ((name, rule, self.key + q) for q, (name, rule) in enumerate(self.inputs.items()))
        return {name: draw_entries(rule, key, first, n) for name, rule, key in rules if isinstance(rule, dict)}

    def list_calls(self, first: int, n: int) -> Iterator[dict[str, Any]]:
        """List the arguments of the calls that answer n cases."""
        drawn = self.draw_inputs(first, n)
        given = {name: np.array(value) if isinstance(value, list) else value for name, value in self.inputs.items()}
        if self.call != "case":
            yield thaw(given | drawn)
        else:
            yield from (thaw(given | {name: np.asarray(of[i]) for name, of in drawn.items()}) for i in range(n))

    def answer(self, function: Compute, first: int, n: int) -> list[Output]:
        """Return the answers of a function to n cases, one per call."""
        if self.call != "first":
            return answer_calls(self, function, first, n)
        most = self.n_cases if first + n > SAMPLED["first"] else SAMPLED["first"]
        [answer] = answer_calls(self, function, 0, most)
        return [{name: array[first : first + n] for name, array in answer.items()}]

    def compute_digest(self, function: Compute, first: int, n: int) -> str:
        """Return the digest of a function's answers to n cases."""
        answers = [to_bits(array) for output in self.answer(function, first, n) for array in output.values()]
        return f"{digest(np.concatenate(answers)):016x}"


@lru_cache(maxsize=4)
def answer_calls(stream: Stream, function: Compute, first: int, n: int) -> list[Output]:
    """Return the answers of a function to the calls of n cases."""
    outputs = load_vectors().functions[stream.function].outputs
    return [name_outputs(outputs, function(**call)) for call in stream.list_calls(first, n)]


def draw_entries(rule: Mapping[str, Any], key: int, first: int, n: int) -> NDArray[Any]:
    """Draw the entries of an input in n cases, (n, *shape)."""
    if rule["rule"] == "count":
        return np.array(first + n + rule["plus"])
    shape = (n, *rule["shape"])
    size = prod(rule["shape"])
    words = draw(key, np.arange(first * size, (first + n) * size, dtype=np.uint64)).reshape(shape)
    if rule["rule"] == "word":
        return words
    if rule["rule"] == "wide":
        return np.ldexp((words >> 11).astype(np.float64) - 2.0**52, (words & 31).astype(np.int64) - 73)
    low, high = np.array(rule["low"]), np.array(rule["high"])
    drawn: NDArray[Any] = low + below_each(words, (high - low + 1).astype(np.uint64))
    return drawn * rule["times"] if "times" in rule else drawn


@cache
def load_streams() -> dict[str, Stream]:
    """Read the streams of this version by their names, once."""
    document = json.loads((FOLDER / STREAMS_FILE).read_text(encoding="utf-8"))
    return {
        name: Stream(name, **{**fields, "key": int(fields["key"]), "digests": tuple(fields["digests"])})
        for name, fields in document["streams"].items()
    }


def offer_streams(functions: Mapping[str, Compute]) -> dict[str, Compute]:
    """Return functions, and the function `stream`, which tells the digests of their answers."""

    def tell(name: str, first: int, n: int) -> str:
        stream = load_streams()[name]
        if stream.function not in functions:
            raise NotImplementedError(stream.function)
        return stream.compute_digest(functions[stream.function], first, n)

    return {"stream": tell, **functions}


def run_streams(offered: Mapping[str, Compute]) -> Iterator[Outcome]:
    """Run the streams on the functions that a port offers; yield one outcome per stream.

    A port that offers `stream` is asked for digests. Of another, a few cases of each function are called.
    """
    for name, stream in load_streams().items():
        try:
            message = check_stream(stream, offered)
            verdict: Verdict = "failed" if message else "passed"
        except NotImplementedError:
            verdict, message = "not offered", ""
        except (Exception, SystemExit) as fault:
            verdict, message = "raised", f"{type(fault).__name__}: {fault}"
        yield Outcome(f"streams/{name}", stream.function, verdict, message=print_text(message, 400))


def check_stream(stream: Stream, offered: Mapping[str, Compute]) -> str:
    """Return what is wrong with a port's answers; "" if nothing is."""
    function, own = offered.get(stream.function), OWN.get(stream.function)
    if "stream" not in offered:
        if function is None or own is None:
            raise NotImplementedError
        return find_wrong(stream, function, own, partial(stream.compute_digest, function), 0, SAMPLED[stream.call])
    n, tell = stream.n_cases // N_BLOCKS, partial(offered["stream"], name=stream.name)
    wrong = [b for b in range(N_BLOCKS) if tell(first=b * n, n=n) != stream.digests[b]]
    if not wrong:
        return ""
    said = f"sixteenths {', '.join(map(str, wrong))} of its {stream.n_cases} cases differ"
    return said if own is None else f"{said}; {find_wrong(stream, function, own, tell, wrong[0] * n, n)}"


def find_wrong(stream: Stream, function: Compute | None, own: Compute, tell: Compute, first: int, n: int) -> str:
    """Find the first wrong one of n cases by their digests, and describe it; "" if these agree."""
    if tell(first=first, n=n) == stream.compute_digest(own, first, n):
        return ""
    while n > 1:
        half = n // 2
        is_right = tell(first=first, n=half) == stream.compute_digest(own, first, half)
        first, n = (first + half, n - half) if is_right else (first, half)
    wrong: object = "another answer"
    if function is not None and (stream.call != "first" or first < SAMPLED["first"]):
        [right], [answered] = (stream.answer(compute, first, 1) for compute in (own, function))
        wrong = find_difference(right, answered)
    drawn = ((name, entries) for name, entries in stream.draw_inputs(first, 1).items() if entries.ndim)
    return f"case {first}{''.join(f', {name} = {entries[0].tolist()}' for name, entries in drawn)}: {wrong}"
