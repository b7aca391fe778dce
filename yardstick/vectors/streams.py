"""Stream vectors: a million cases of a function in a few hundred bytes.

The inputs are drawn by a rule, and the answers are told as digests (yardstick/numbers/digest.py): one of each sixteenth
of the cases, and one of these sixteen. Entry j of case i of input q, all counted from 0, is made of the word

    w = draw(key + q, i * size + j)      refrank/trees/numbers/draws.py; size is the number of entries of a case

    rule       entry
    word       w
    wide       ((w >> 11) - 2^52) 2^((w & 31) - 73): floats of both signs and of many magnitudes, below 2^10
    integer    low + (w (high - low + 1) >> 64), times `times`; if these are lists, one for each column
    count      the number of cases, and `plus`

    call       what a function gets
    rows       many cases, along the first axis
    case       one case
    first      the number of cases: it answers cases 0, 1, ...

An input without a rule is the same in every case. A digest is that of the bits of all outputs of all cases, in order.
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
from yardstick.numbers.digest import digest, to_bits
from yardstick.vectors.answers import Difference, find_difference
from yardstick.vectors.case import Output, freeze, name_outputs, thaw
from yardstick.vectors.files import FOLDER, STREAMS_FILE
from yardstick.vectors.own import OWN
from yardstick.vectors.reading import load_own
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
        fixed = {name: freeze(value) for name, value in self.inputs.items() if name not in drawn}
        if self.call != "case":
            yield thaw(fixed | drawn)
        else:
            yield from (thaw(fixed | {name: np.asarray(of[i]) for name, of in drawn.items()}) for i in range(n))

    def answer(self, function: Compute, first: int, n: int) -> list[Output]:
        """Return the answers of a function to n cases, one per call."""
        if self.call == "first":
            most = self.n_cases if first + n > SAMPLED["first"] else SAMPLED["first"]
            return [{name: array[first : first + n] for name, array in answer_first(self, function, most).items()}]
        outputs = load_own().functions[self.function].outputs
        return [name_outputs(outputs, function(**call)) for call in self.list_calls(first, n)]

    def compute_digest(self, function: Compute, first: int, n: int) -> str:
        """Return the digest of a function's answers to n cases."""
        answers = [to_bits(array) for output in self.answer(function, first, n) for array in output.values()]
        return f"{digest(np.concatenate(answers)):016x}"


@lru_cache(maxsize=4)
def answer_first(stream: Stream, function: Compute, n: int) -> Output:
    """Return the answers of a function that answers cases 0, 1, ..., n - 1 at once."""
    [call] = stream.list_calls(0, n)
    return name_outputs(load_own().functions[stream.function].outputs, function(**call))


def draw_entries(rule: Mapping[str, Any], key: int, first: int, n: int) -> NDArray[Any]:
    """Draw the entries of an input in n cases, (n, *shape).

    >>> draw_entries({"rule": "integer", "low": -2, "high": 2, "times": 0.5, "shape": [3]}, 1, 0, 2)
    array([[0. , 0.5, 1. ],
           [0. , 0. , 0.5]])
    """
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
def load_streams() -> tuple[Stream, ...]:
    """Read the streams of this version, once.

    >>> load_streams()[0].name, load_streams()[0].n_cases
    ('exp', 1000000)
    """
    document = json.loads((FOLDER / STREAMS_FILE).read_text(encoding="utf-8"))
    return tuple(
        Stream(name, **{**fields, "key": int(fields["key"]), "digests": tuple(fields["digests"])})
        for name, fields in document["streams"].items()
    )


def offer_streams(functions: Mapping[str, Compute]) -> dict[str, Compute]:
    """Return functions, and the function `stream`, which tells the digests of their answers.

    >>> exp = {"exp": OWN["exp"]}
    >>> offer_streams(exp)["stream"]("exp", 0, 62500) == load_streams()[0].digests[0]
    True
    """
    return {"stream": partial(tell_digest, functions), **functions}


def add_streams(page: dict[str, Any]) -> dict[str, Any]:
    """Add `stream` to the FUNCTIONS of a page of Python."""
    functions = page.get("FUNCTIONS")
    return {**page, "FUNCTIONS": offer_streams(functions)} if functions and isinstance(functions, Mapping) else page


def tell_digest(functions: Mapping[str, Compute], name: str, first: int, n: int) -> str:
    """Return the digest of the answers to cases first, ..., first + n - 1 of a stream, in 16 hexadecimal digits."""
    stream = next(stream for stream in load_streams() if stream.name == name)
    if stream.function not in functions:
        raise NotImplementedError(stream.function)
    return stream.compute_digest(functions[stream.function], first, n)


def run_streams(offered: Mapping[str, Compute]) -> Iterator[Outcome]:
    """Run the streams on the functions that a port offers; yield one outcome per stream.

    A port that offers `stream` is asked for digests. Of another, a few cases of each function are called.

    >>> def exp(x):
    ...     return np.where((x > -40) & (x < -30), np.nextafter(OWN["exp"](x), 0), OWN["exp"](x))
    >>> outcome = next(run_streams(offer_streams({"exp": exp})))
    >>> outcome.message.partition("; ")[2].partition(" (")[0]
    'case 61, x = -31.1983802132967: exp[0] is 2.8230308819499715e-14'
    """
    for stream in load_streams():
        verdict: Verdict
        try:
            message = check_stream(stream, offered)
            verdict = "failed" if message else "passed"
        except NotImplementedError:
            verdict, message = "not offered", ""
        except (Exception, SystemExit) as fault:
            verdict, message = "raised", f"{type(fault).__name__}: {fault}"
        yield Outcome(f"streams/{stream.name}", stream.function, verdict, message=print_text(message, 400))


def check_stream(stream: Stream, offered: Mapping[str, Compute]) -> str:
    """Return what is wrong with a port's answers; "" if nothing is."""
    function, tell, own = offered.get(stream.function), offered.get("stream"), OWN.get(stream.function)
    if tell is None:
        if function is None or own is None:
            raise NotImplementedError
        return compare_answers(stream, function, own, 0, SAMPLED[stream.call])
    n = stream.n_cases // N_BLOCKS
    wrong = [b for b in range(N_BLOCKS) if tell(name=stream.name, first=b * n, n=n) != stream.digests[b]]
    if not wrong:
        return ""
    said = f"sixteenths {', '.join(map(str, wrong))} of its {stream.n_cases} cases differ"
    if own is None:
        return said
    first = wrong[0] * n
    while n > 1:
        half = n // 2
        if tell(name=stream.name, first=first, n=half) == stream.compute_digest(own, first, half):
            first, n = first + half, n - half
        else:
            n = half
    if function is None or (stream.call == "first" and first >= SAMPLED["first"]):
        return f"{said}; {describe_case(stream, first, 'another answer')}"
    return f"{said}; {compare_answers(stream, function, own, first, 1)}"


def compare_answers(stream: Stream, function: Compute, own: Compute, first: int, n: int) -> str:
    """Describe the first of n cases whose answer differs; "" if none does."""
    ours, theirs = (stream.answer(compute, first, n) for compute in (own, function))
    for i, (right, answered) in enumerate(zip(ours, theirs, strict=True)):
        if (difference := find_difference(right, answered)) is not None:
            row = difference.index[0] if stream.call != "case" and isinstance(difference, Difference) else i
            return describe_case(stream, first + row, difference)
    return ""


def describe_case(stream: Stream, case: int, difference: object) -> str:
    """Describe a case and what is wrong in it."""
    drawn = ((name, entries) for name, entries in stream.draw_inputs(case, 1).items() if entries.ndim)
    return f"case {case}{''.join(f', {name} = {entries[0].tolist()}' for name, entries in drawn)}: {difference}"
