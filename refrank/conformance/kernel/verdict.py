"""The verdict on a function of a port: how many of its cases pass, and the first that does not, with a hint."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from refrank.conformance.kernel.case import Case, Difference, Outputs, find_difference, run_case
from refrank.conformance.kernel.hints import list_hints
from refrank.trees import splitting
from refrank.trees.engine import Splitter

LOOKED_AT = 8  # cases that hints are asked of


@dataclass(frozen=True)
class Fault:
    """The first case that does not pass."""

    case: str
    difference: Difference | None  # None: `told` says what was refused
    told: str | None
    hint: str | None


@dataclass(frozen=True)
class Verdict:
    """What the cases of one function say."""

    function: str
    n_cases: int
    n_passed: int
    first: Fault | None

    @property
    def passed(self) -> bool:
        """Whether all cases pass."""
        return self.n_passed == self.n_cases


def specify(case: Case) -> Outputs:
    """Run a case on the specification."""
    return run_case(splitting, case)


def judge(
    splitter: Splitter,
    function: str,
    cases: Iterable[Case],
    begin: Callable[[Case], object] = id,
    specify: Callable[[Case], Outputs] = specify,
) -> Verdict:
    """Compare a splitter with the specification on the cases of a function; `begin` hears of each before it runs."""
    n_cases, n_passed, first = 0, 0, None
    hints: Counter[str] = Counter()  # in the order in which they were first given
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
            with np.errstate(all="ignore"):  # numbers that are wrong may be anything
                hints.update([*dict.fromkeys(list_hints(case, ours, theirs))])
    if first is not None and hints:
        first = Fault(first.case, first.difference, first.told, hints.most_common(1)[0][0])
    return Verdict(function, n_cases, n_passed, first)
