"""Running the checks on a port, and finding the smallest instance that is against it.

The instances are the same in every run: Hypothesis draws them from the strategies alone (`derandomize`), and keeps no
database. What it finds is made smaller as long as it stays of its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Flaky

from proofs_check.engine.implementation import Implementation
from proofs_check.engine.instances import Rankings
from proofs_check.ports import PORT_CHECKS
from proofs_check.ports.check import FAILS, HOLDS, NOT_OFFERED, RAISED, Claim, PortCheck, PortOutcome, shorten

N_INSTANCES = 60  # drawn per check
DRAWN_ALIKE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
)


class Failed(AssertionError):
    """A claim is false."""


class Raised(Exception):
    """A function of the port raised an error."""


def run_port_checks(
    port: Implementation, n_instances: int = N_INSTANCES, checks: Iterable[PortCheck] = PORT_CHECKS
) -> Iterator[PortOutcome]:
    """Check the functions of a port, one statement after the other.

    Parameters
    ----------
    port : Implementation
        Its functions; None where it lacks one.
    n_instances : int, default 60
        How many instances Hypothesis draws for each check.
    checks : iterable of PortCheck

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
        yield run_port_check(check, port, n_instances)


def run_port_check(check: PortCheck, port: Implementation, n_instances: int = N_INSTANCES) -> PortOutcome:
    """Check one statement."""
    functions = [getattr(port, name) for name in check.needs]
    absent = [name for name, function in zip(check.needs, functions, strict=True) if function is None]
    if absent:
        return PortOutcome(check.name, NOT_OFFERED, f"{port.source} has no {' and no '.join(absent)}")
    answered: list[bool] = []

    def hold(**instance: Any) -> None:
        try:
            judge(check.claims, functions, instance)
        except NotImplementedError:
            return
        answered.append(True)

    try:
        for instance in check.first:
            hold(**instance)
        settings(DRAWN_ALIKE, max_examples=n_instances)(given(**check.instances)(hold))()
    except (Failed, Raised) as fault:
        return PortOutcome(check.name, FAILS if isinstance(fault, Failed) else RAISED, *fault.args)
    except Flaky:
        return PortOutcome(check.name, FAILS, "the port answers otherwise when it is asked the same again")
    if not answered:
        return PortOutcome(check.name, NOT_OFFERED, f"{port.source} implements it for no instance")
    return PortOutcome(check.name, HOLDS)


def judge(
    claims: Callable[..., Iterable[Claim]], functions: Sequence[Callable[..., Any]], instance: Mapping[str, Any]
) -> None:
    """Raise what is wrong at one instance, with both sides or the error, and the instance in words."""
    try:
        wrong = next((str(claim) for claim in claims(*functions, **instance) if not claim.holds), None)
    except NotImplementedError:
        raise
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
