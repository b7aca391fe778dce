"""Running the checks on a port, and finding the smallest instance that is against it.

Without a seed, the instances are the same in every run with the same Hypothesis. Another seed draws others.
What it finds is made smaller as long as it stays of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seed_of
from hypothesis.errors import Flaky

from proofs_check.engine.implementation import Implementation
from proofs_check.engine.instances import Rankings
from proofs_check.ports import PORT_CHECKS
from proofs_check.ports.check import FAILS, FLOAT32, HOLDS, NOT_OFFERED, RAISED, Claim, PortCheck, PortOutcome, shorten

N_INSTANCES = 60  # drawn per check
FRESH = 10  # of them at a time: those that Hypothesis draws after ten are mostly variations of the last
DRAWN_ALIKE = settings(
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


class Failed(AssertionError):
    """A claim is false."""


class Changed(Failed):
    """A function of the port changes what it was given, or what it returned before."""


class Raised(Exception):
    """A function of the port raised an error."""


def run_port_checks(
    port: Implementation,
    n_instances: int = N_INSTANCES,
    checks: Iterable[PortCheck] = PORT_CHECKS,
    seed: int | None = None,
    dtype: str = "float64",
) -> Iterator[PortOutcome]:
    """Check the functions of a port, one statement after the other.

    Parameters
    ----------
    port : Implementation
        Its functions; None where it lacks one.
    n_instances : int, default 60
        How many instances Hypothesis draws for each check; of large ones, half as many are drawn beside.
    checks : iterable of PortCheck
    seed : int or None, default None
        Another seed draws other instances; None: the same in every run.
    dtype : {"float64", "float32"}, default "float64"
        What the port computes in. With float32 each number may be off by `FLOAT32` times
        1 + the size of the right side.

    Yields
    ------
    PortOutcome
        One per check, in order.

    Examples
    --------
    >>> port = Implementation("a port that ranks nothing", dcg=lambda y, score: float(sum(2**y - 1)))
    >>> for outcome in run_port_checks(port):
    ...     if outcome.verdict != "not offered":
    ...         print(outcome.name, outcome.verdict)
    mcrank.dcg fails
    mcrank.dcg.variant-exchange fails
    mcrank.lemma1.variant-sharp-attained fails
    mcrank.lemma1.variant-log holds
    mcrank.lemma1.step2 holds
    new.dcg_threshold holds
    new.min_pairing holds
    """
    for check in checks:
        yield run_port_check(check, port, n_instances, seed, dtype)


def run_port_check(
    check: PortCheck,
    port: Implementation,
    n_instances: int = N_INSTANCES,
    seed: int | None = None,
    dtype: str = "float64",
) -> PortOutcome:
    """Check one statement; the arguments are those of `run_port_checks`."""
    functions = [watch(name, getattr(port, name)) for name in check.needs]
    claims = check.claims if dtype == "float64" else loosen(check.claims)
    absent = [name for name, function in zip(check.needs, functions, strict=True) if function is None]
    if absent:
        return PortOutcome(check.name, NOT_OFFERED, f"{port.source} has no {' and no '.join(absent)}")
    answered: list[bool] = []

    def hold(**instance: Any) -> None:
        instance = instance if dtype == "float64" else {name: to_single(part) for name, part in instance.items()}
        try:
            judge(claims, functions, instance)
        except NotImplementedError:
            return
        answered.append(True)

    try:
        for instance in check.first + (check.fine if dtype == "float64" else ()):
            hold(**instance)
        for turn in range(0, n_instances, FRESH):
            few = settings(DRAWN_ALIKE, max_examples=min(FRESH, n_instances - turn))
            seed_of(f"{check.name} {seed} {turn}")(few(given(**check.instances)(hold)))()
        for number in range(n_instances // 2 if check.wide else 0):
            hold(**check.wide(np.random.default_rng([number, seed or 0])))
    except (Failed, Raised) as fault:
        return PortOutcome(check.name, FAILS if isinstance(fault, Failed) else RAISED, *fault.args)
    except Flaky:
        return PortOutcome(check.name, FAILS, "the port answers otherwise when it is asked the same again")
    if not answered:
        return PortOutcome(check.name, NOT_OFFERED, f"{port.source} implements it for no instance")
    return PortOutcome(check.name, HOLDS)


def watch(name: str, function: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Give a function of a port arrays of its own; Changed if it writes to them, or to an answer of an earlier call."""
    if function is None:
        return None
    answers: list[tuple[Any, Any]] = []  # the last one, and a copy of it

    def call(*arguments: Any) -> Any:
        given_ = [to_array(argument) for argument in arguments]
        before = deepcopy(given_)
        answer = function(*given_)
        for number, (left, right) in enumerate(zip(before, given_, strict=True)):
            if not is_same(left, right):
                was, now = np.asarray(left).tolist(), np.asarray(right).tolist()
                raise Changed(f"{name} changes its argument {number} in place: {now} == {was} is false")
        if answers and not is_same(*answers.pop()):
            raise Changed(f"{name} changes in one call what it returned in the call before")
        if any(np.shares_memory(np.asarray(answer), given) for given in given_ if isinstance(given, np.ndarray)):
            raise Changed(f"{name} returns memory of its argument")
        answers.append((answer, deepcopy(answer)))
        return answer

    return call


def to_array(argument: Any) -> Any:
    """Turn lists into arrays, rows of numbers in a list into floats; leave everything else.

    Of an odd length, entries are not neighbours in memory: columns come first, or every other entry is skipped.
    """
    if not isinstance(argument, list | np.ndarray):
        return argument
    array = np.array(argument, dtype=float if isinstance(argument, list) and np.ndim(argument) == 2 else None)
    if len(array) % 2 == 0:
        return array
    return np.asfortranarray(array) if array.ndim == 2 else np.repeat(array, 2)[::2]


def to_single(part: Any) -> Any:
    """Round the floats of lists in lists to those that float32 can tell apart."""
    if type(part) in (list, tuple):
        return type(part)(map(to_single, part))
    return float(np.float32(part)) if isinstance(part, float) else part


def is_same(left: Any, right: Any) -> bool:
    """Compare two arguments or answers, NaN as equal to itself."""
    a, b = np.asarray(left), np.asarray(right)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def loosen(claims: Callable[..., Iterable[Claim]]) -> Callable[..., Iterator[Claim]]:
    """Allow each claim the rounding of float32."""

    def loosened(*functions: Callable[..., Any], **instance: Any) -> Iterator[Claim]:
        for claim in claims(*functions, **instance):
            yield claim.loosened(FLOAT32)

    return loosened


def judge(
    claims: Callable[..., Iterable[Claim]], functions: Sequence[Callable[..., Any]], instance: Mapping[str, Any]
) -> None:
    """Raise what is wrong at one instance, with both sides or the error, and the instance in words."""
    try:
        wrong = next((str(claim) for claim in claims(*functions, **instance) if not claim.holds), None)
    except NotImplementedError:
        raise
    except Changed as fault:
        raise Failed(shorten(str(fault)), describe(instance)) from None
    except (Exception, SystemExit) as fault:
        text = " ".join(str(fault).split())
        raise Raised(shorten(f"{type(fault).__name__}: {text}"), describe(instance)) from None
    if wrong is not None:
        raise Failed(wrong, describe(instance))


def describe(instance: Mapping[str, Any]) -> str:
    """Describe an instance in words.

    >>> describe({"y": [0, 3], "n_leaves": 2})
    'y=[0, 3], n_leaves=2'
    """
    return shorten(", ".join(f"{name}={describe_part(value)}" for name, value in instance.items()))


def describe_part(value: Any) -> str:
    """Describe a ranking by its labels and predictions, a tuple part by part, and anything else by its repr."""
    if isinstance(value, Rankings):
        return value.describe(0)
    return f"({', '.join(map(describe_part, value))})" if isinstance(value, tuple) else repr(value)
