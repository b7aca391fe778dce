"""The verdict on a function of a port: how many cases agree, and the first that differs, or else that is lawful.

A hint is the mutant (yardstick/mutants.txt) with which the specification computes the port's numbers, bit for bit, in
most cases that do not agree, and in most that do. docs/port/conformance_kernel.md explains and shows the verdicts.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np

from refrank.trees import splitting
from refrank.trees.engine import Splitter
from refrank.trees.splitter import FUNCTIONS
from yardstick.kernel.case import KernelCase, Outputs, Trial, find_difference, is_lawful, run_case
from yardstick.planting import Mistake, list_mutants, plant

AGREES, LAWFUL, DIFFERS = "agrees", "lawful", "differs"
LOOKED_AT = 16  # cases that do not agree, and as many that do
CALLERS = 4  # threads that call a function at the same time
AT_ONCE = f"{CALLERS} threads that call at once"
NOT_ALONE = "one call at a time gives the right numbers: keep nothing in static or global variables"

Verdict = dict[str, Any]


def specify(case: KernelCase) -> Outputs:
    """Run the specification on a case."""
    return run_case(splitting, case)


def judge(
    splitter: Splitter, function: str, cases: Sequence[KernelCase], begin: Callable[[str], object] = id
) -> Verdict:
    """Compare a splitter with the specification on the cases of a function; call `begin` with the words for each.

    If all agree one by one, several threads then call some of them at once.
    """
    is_offered = function in getattr(splitter, "offered", FUNCTIONS)
    trials, at_once, hint, step = list[Trial](), "", None, f"refrank_{function} in the case '%s'"
    for case in cases if is_offered else ():
        begin(step % case.name)
        trials.append(run_trial(splitter, case, specify(case)))
    if trials and all(trial.verdict == AGREES for trial in trials):
        begin(step % AT_ONCE)
        failed = run_at_once(splitter, [*trials[:: max(1, len(trials) // 6)], *trials[-2:]])  # the last have many rows
        if failed is not None:
            trials[-1], at_once, hint = failed, f"{AT_ONCE}: ", NOT_ALONE
    of = {verdict: [trial for trial in trials if trial.verdict == verdict] for verdict in (AGREES, LAWFUL, DIFFERS)}
    first = None
    for trial in (of[DIFFERS] or of[LAWFUL])[:1]:
        answered = [each for each in of[trial.verdict] if each.theirs]
        hint, name = hint or find_hint(answered, of[AGREES]), f"{at_once}{trial.case.name}"
        first = {"case": name, "verdict": trial.verdict, "wrong": trial.wrong, "hint": hint}
    counts = {verdict: len(alike) for verdict, alike in of.items()}
    return {"function": function, "cases": len(cases), "offered": is_offered, **counts, "first": first}


def run_trial(splitter: Splitter, case: KernelCase, ours: Outputs) -> Trial:
    """Run a case on a port; `ours` are the outputs of the specification."""
    try:
        theirs = run_case(splitter, case)
    except (ValueError, MemoryError) as refused:  # a value out of bounds, or a code
        return Trial(case, ours, {}, DIFFERS, str(refused))
    difference = find_difference(ours, theirs)
    verdict = AGREES if difference is None else LAWFUL if is_lawful(case, theirs) else DIFFERS
    return Trial(case, ours, theirs, verdict, str(difference or ""))


def run_at_once(splitter: Splitter, alone: Sequence[Trial]) -> Trial | None:
    """Call a function from several threads at once, as forests do; return the first trial that no longer agrees."""
    with ThreadPoolExecutor(CALLERS) as pool:
        again = pool.map(lambda trial: run_trial(splitter, trial.case, trial.ours), [*alone] * CALLERS)
        return next((trial for trial in again if trial.verdict != AGREES), None)


def find_hint(wrong: Sequence[Trial], right: Sequence[Trial]) -> str | None:
    """Find the mutant that computes the port's numbers in most of these cases, those that agree included."""
    wrong, right = (trials[:: max(1, len(trials) // LOOKED_AT)] for trials in (wrong, right))
    with np.errstate(all="ignore"):  # wrong numbers may have any value
        tried = list_mutants("in", wrong[0].case.function) if wrong else []
        counts = {mutant: [count_explained(mutant, trials) for trials in (wrong, right)] for mutant in tried}
        likely = [mutant for mutant, (n, m) in counts.items() if 2 * n > len(wrong) and 2 * m >= len(right)]
    return max(likely, key=lambda mutant: sum(counts[mutant])).words if likely else None


def count_explained(mutant: Mistake, trials: Sequence[Trial]) -> int:
    """Count the cases in which the specification with a mistake computes the port's numbers."""
    n_explained = 0
    with plant(mutant):
        for trial in trials:
            with suppress(ValueError, IndexError):  # with this mistake, the function does not finish here
                n_explained += find_difference(run_case(splitting, trial.case), trial.theirs) is None
    return n_explained


def suffices(verdict: Verdict, mode: str) -> bool:
    """Return whether a function passes under a mode: bitwise, or tie, which allows for other lawful choices."""
    return verdict[DIFFERS] == 0 and (mode == "tie" or verdict[LAWFUL] == 0)


def as_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield a table of all functions, and below it the first case of each function that does not agree."""
    yield f"{'function':<18} {'cases':>6}  verdict"
    for verdict in verdicts:
        n_cases, words = verdict["cases"], {DIFFERS: "differ", LAWFUL: "lawful"}
        counts = [f"{verdict[key]} of {n_cases} {word}" for key, word in words.items() if verdict[key]]
        result = ", ".join(counts) or (AGREES if verdict["offered"] else "not offered")
        yield f"{verdict['function']:<18} {n_cases:>6}  {result}"
    for function, first in ((verdict["function"], verdict["first"]) for verdict in verdicts):
        if first is not None:
            yield from ("", f"{function}, first in the case '{first['case']}':", f"  {first['wrong']}")
            if first["hint"] is not None:
                yield f"  hint: {first['hint']}"
