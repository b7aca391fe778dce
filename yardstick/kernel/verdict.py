"""The verdict on a function of a port, as an object of JSON: how many cases agree, and the first that does not.

    {"function": "exp", "cases": 5, "offered": true, "agrees": 4, "lawful": 0, "differs": 1, "first": {"case": "edges",
     "verdict": "differs", "refusal": null, "hint": null, "difference": {"output": "result", "place": [3],
     "specification": {...}, "library": {...}, "ulps": 1, "wrong": 7, "entries": 40}}}

agrees     the numbers of the specification
lawful     another choice among cuts that gain equally, and what follows from it
differs    neither

Numbers are objects of `yardstick/numbers/encoding.py`. `first` is the first case that differs, or else that is lawful,
or null; if a call failed, `refusal` gives the reason, and `difference` is null.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from refrank.trees import splitting
from refrank.trees.engine import Splitter
from yardstick.kernel.case import Document, KernelCase, Outputs, Trial, find_difference, run_case
from yardstick.kernel.hints import find_hint
from yardstick.kernel.lawful import is_lawful

AGREES, LAWFUL, DIFFERS = "agrees", "lawful", "differs"
CALLERS = 4  # threads that call a function at the same time
AT_ONCE = f"{CALLERS} threads that call at once"
NOT_ALONE = "one call at a time gives the right numbers: keep nothing in static or global variables"


def specify(case: KernelCase) -> Outputs:
    """Run the specification on a case."""
    return run_case(splitting, case)


def judge(
    splitter: Splitter, function: str, cases: Sequence[KernelCase], begin: Callable[[str], object] = id
) -> Document:
    """Compare a splitter with the specification on the cases of a function; call `begin` with the name of each.

    If all agree one by one, several threads then call some of them at once.
    """
    trials, at_once, hint = list[Trial](), "", None
    for case in cases:
        begin(case.name)
        trials.append(run_trial(splitter, case, specify(case)))
    if cases and all(trial.verdict == AGREES for trial in trials):
        begin(AT_ONCE)
        failed = run_at_once(splitter, [*trials[:: max(1, len(trials) // 6)], *trials[-2:]])  # the last have many rows
        if failed is not None:
            trials[-1], at_once, hint = failed, f"{AT_ONCE}: ", NOT_ALONE
    of = {verdict: [trial for trial in trials if trial.verdict == verdict] for verdict in (AGREES, LAWFUL, DIFFERS)}
    first = None
    for trial in (of[DIFFERS] or of[LAWFUL])[:1]:
        answered = [each for each in of[trial.verdict] if each.theirs]
        first = {
            "case": f"{at_once}{trial.case.name}",
            "verdict": trial.verdict,
            "refusal": trial.refusal,
            "hint": hint or find_hint(answered, of[AGREES]),
            "difference": trial.difference,
        }
    counts = {verdict: len(alike) for verdict, alike in of.items()}
    return {"function": function, "cases": len(cases), "offered": True, **counts, "first": first}


def run_trial(splitter: Splitter, case: KernelCase, ours: Outputs) -> Trial:
    """Run a case on a port; `ours` are the outputs of the specification."""
    try:
        theirs = run_case(splitter, case)
    except (ValueError, MemoryError) as refused:  # a value out of bounds, or a code
        return Trial(case, ours, {}, DIFFERS, refusal=str(refused))
    difference = find_difference(ours, theirs)
    verdict = AGREES if difference is None else LAWFUL if is_lawful(case, theirs) else DIFFERS
    return Trial(case, ours, theirs, verdict, difference)


def run_at_once(splitter: Splitter, alone: Sequence[Trial]) -> Trial | None:
    """Call a function from several threads at once, as forests do; return the first trial that no longer agrees."""

    def call(caller: int) -> Trial | None:
        turns = (run_trial(splitter, trial.case, trial.ours) for trial in [*alone[caller:], *alone[:caller]])
        return next((trial for trial in turns if trial.verdict != AGREES), None)

    with ThreadPoolExecutor(CALLERS) as pool:
        return next(filter(None, pool.map(call, range(CALLERS))), None)
