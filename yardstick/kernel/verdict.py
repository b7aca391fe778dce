"""The verdict on a function of a port: how many of its cases pass, and the first that fails, with a hint."""

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from refrank.trees import splitting
from refrank.trees.engine import Splitter
from yardstick.kernel.case import KernelCase, KernelDifference, Outputs, find_difference, run_case
from yardstick.kernel.hints import list_hints

LOOKED_AT = 5  # cases from which hints are taken
CALLERS = 4  # threads that call a function at the same time
AT_ONCE = f"{CALLERS} threads that call at once"
NOT_ALONE = "one call at a time gives the right numbers: keep nothing in static or global variables"


@dataclass(frozen=True)
class Fault:
    """The first case that fails."""

    case: str
    difference: KernelDifference | None  # None: the call failed
    refusal: str | None
    hint: str | None


@dataclass(frozen=True)
class Verdict:
    """Verdict on the cases of one function."""

    function: str
    n_cases: int
    n_passed: int
    first: Fault | None

    @property
    def passed(self) -> bool:
        """Whether all cases pass."""
        return self.n_passed == self.n_cases


def specify(case: KernelCase) -> Outputs:
    """Run the specification on a case."""
    return run_case(splitting, case)


def judge(
    splitter: Splitter,
    function: str,
    cases: Iterable[KernelCase],
    begin: Callable[[KernelCase], object] = id,
    specify: Callable[[KernelCase], Outputs] = specify,
    alone: bool = False,
) -> Verdict:
    """Compare a splitter with the specification on the cases of a function; call `begin` before each case.

    If all pass one by one, several threads then call some of them at once, unless a case must run alone.
    """
    n_cases, n_passed, first = 0, 0, None
    hints: Counter[str] = Counter()  # in order of their first occurrence
    cases = list(cases)
    chosen = cases[:: max(1, len(cases) // 6)] + [case for case in cases if case.name.startswith("many rows")][:2]
    for case in cases:
        begin(case)
        n_cases += 1
        ours = specify(case)
        try:
            theirs = run_case(splitter, case)
        except (ValueError, MemoryError) as refused:  # a value out of bounds, or a code
            first = first or Fault(case.name, None, str(refused), None)
            continue
        difference = find_difference(ours, theirs)
        if difference is None:
            n_passed += 1
            continue
        first = first or Fault(case.name, difference, None, None)
        if n_cases - n_passed <= LOOKED_AT:
            with np.errstate(all="ignore"):  # wrong numbers may have any value
                hints.update([*dict.fromkeys(list_hints(case, ours, theirs))])
    if first is None and n_cases and not alone:
        begin(KernelCase(function, AT_ONCE, tuple))
        first = judge_at_once(splitter, chosen, specify)
        n_passed -= first is not None
    if first is not None and hints:
        first = Fault(first.case, first.difference, first.refusal, hints.most_common(1)[0][0])
    return Verdict(function, n_cases, n_passed, first)


def judge_at_once(
    splitter: Splitter, cases: list[KernelCase], specify: Callable[[KernelCase], Outputs]
) -> Fault | None:
    """Call a function from several threads at once, as forests do; return a fault that a single call does not show."""
    expected = [specify(case) for case in cases]

    def call(caller: int) -> Fault | None:
        for turn in range(len(cases)):
            at = (caller + turn) % len(cases)
            try:
                difference = find_difference(expected[at], run_case(splitter, cases[at]))
            except (ValueError, MemoryError) as refused:
                return Fault(f"{AT_ONCE}: {cases[at].name}", None, str(refused), NOT_ALONE)
            if difference is not None:
                return Fault(f"{AT_ONCE}: {cases[at].name}", difference, None, NOT_ALONE)
        return None

    with ThreadPoolExecutor(CALLERS) as pool:
        return next((fault for fault in pool.map(call, range(CALLERS)) if fault is not None), None)
