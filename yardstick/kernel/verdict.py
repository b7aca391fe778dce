"""The verdict on a function of a port: how many of its cases agree, and the first that does not, with a hint.

agrees     the numbers of the specification
lawful     another choice among cuts that gain equally, and what follows from it
differs    neither
"""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

from refrank.trees import splitting
from refrank.trees.engine import Splitter
from yardstick.kernel.case import KernelCase, KernelDifference, Outputs, find_difference, run_case
from yardstick.kernel.hints import find_hint
from yardstick.kernel.lawful import is_lawful

AGREES, LAWFUL, DIFFERS = "agrees", "lawful", "differs"
CALLERS = 4  # threads that call a function at the same time
AT_ONCE = f"{CALLERS} threads that call at once"
NOT_ALONE = "one call at a time gives the right numbers: keep nothing in static or global variables"


class Trial(NamedTuple):
    """Outputs of a port in a case, beside the right ones."""

    verdict: str
    case: KernelCase
    ours: Outputs
    theirs: Outputs  # empty: the call failed
    refusal: str | None = None  # why it failed


@dataclass(frozen=True)
class Fault:
    """A case that does not agree."""

    case: str
    verdict: str
    refusal: str | None  # why the call failed
    difference: KernelDifference | None  # None: the call failed
    hint: str | None


@dataclass(frozen=True)
class Verdict:
    """Verdict on a function: numbers of cases, and the first that differs; if none does, the first that is lawful."""

    function: str
    cases: int
    offered: bool = True
    agrees: int = 0
    lawful: int = 0
    differs: int = 0
    first: Fault | None = None


def specify(case: KernelCase) -> Outputs:
    """Run the specification on a case."""
    return run_case(splitting, case)


def judge(
    splitter: Splitter,
    function: str,
    cases: Sequence[KernelCase],
    begin: Callable[[str], object] = id,
    specify: Callable[[KernelCase], Outputs] = specify,
    alone: bool = False,
) -> Verdict:
    """Compare a splitter with the specification on the cases of a function; call `begin` with the name of each.

    If all agree one by one, several threads then call some of them at once, unless a case must run alone.
    """
    trials, name, hint = list[Trial](), "", None
    for case in cases:
        begin(case.name)
        trials.append(run_trial(splitter, case, specify(case)))
    if cases and not alone and all(trial.verdict == AGREES for trial in trials):
        begin(AT_ONCE)
        many = [trial for trial in trials if trial.case.name.startswith("many rows")][:2]
        name, hint = f"{AT_ONCE}: ", NOT_ALONE
        trials[-1:] = run_at_once(splitter, [*trials[:: max(1, len(trials) // 6)], *many]) or trials[-1:]
    counts, first = Counter(trial.verdict for trial in trials), None
    wrong = [trial for verdict in (DIFFERS, LAWFUL) for trial in trials if trial.verdict == verdict]
    if wrong:
        verdict, case, ours, theirs, refusal = wrong[0]
        alike, right = (
            [trial[1:4] for trial in trials if trial.verdict == of and trial.theirs] for of in (verdict, AGREES)
        )
        difference = find_difference(ours, theirs) if theirs else None
        first = Fault(f"{name}{case.name}", verdict, refusal, difference, hint or find_hint(alike, right))
    return Verdict(function, len(cases), True, counts[AGREES], counts[LAWFUL], counts[DIFFERS], first)


def run_trial(splitter: Splitter, case: KernelCase, ours: Outputs) -> Trial:
    """Run a case on a port; `ours` are the outputs of the specification."""
    try:
        theirs = run_case(splitter, case)
    except (ValueError, MemoryError) as refused:  # a value out of bounds, or a code
        return Trial(DIFFERS, case, ours, {}, str(refused))
    if find_difference(ours, theirs) is None:
        return Trial(AGREES, case, ours, theirs)
    return Trial(LAWFUL if is_lawful(case, theirs) else DIFFERS, case, ours, theirs)


def run_at_once(splitter: Splitter, alone: Sequence[Trial]) -> list[Trial]:
    """Call a function from several threads at once, as forests do; return the first trial that no longer agrees."""

    def call(caller: int) -> list[Trial]:
        turns = (alone[(caller + turn) % len(alone)] for turn in range(len(alone)))
        trials = (run_trial(splitter, trial.case, trial.ours) for trial in turns)
        return [trial for trial in trials if trial.verdict != AGREES][:1]

    with ThreadPoolExecutor(CALLERS) as pool:
        return next((trials for trials in pool.map(call, range(CALLERS)) if trials), [])
