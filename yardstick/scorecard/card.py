"""The scorecard of a port: which trainings, functions and lemmas agree, the first thing that does not, and why.

state          a training                                   a function of the vectors         a lemma
agrees         every record, in the sense of the mode       every case                        every instance drawn
departs        what differs is among the listed deviations  the same                          the same
differs        something differs                            a case fails                      an instance is against it
failed         the port ended early, or was refused         a case raises an error            a function raises an error
not offered    the port has no such algorithm               the port has no such function     the same
"""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from refrank.checks import print_text
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Comparison, Mode
from yardstick.divergence.judging import AGREES, FOLLOWS
from yardstick.divergence.reporting import summarize
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.deviations import Deviation, find_reason
from yardstick.scorecard.lemmas import run_lemmas
from yardstick.scorecard.trainings import TRAININGS, train_golden
from yardstick.traces.stages import STAGES
from yardstick.vectors.reading import load_own
from yardstick.vectors.running import Outcome, run_vectors

AGREE, DEPART, DIFFER, FAIL, NOT_OFFERED = STATES = "agrees", "departs", "differs", "failed", "not offered"


@dataclass(frozen=True, eq=False)
class Line:
    """One line of a scorecard."""

    kind: str  # "training", "function" or "lemma"
    name: str
    state: str
    told: str = ""  # the first thing that differs
    reason: str = ""  # why it does, of a listed deviation
    comparison: Comparison | None = None
    n_cases: int = 0


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Result of asking a port everything."""

    port: str
    mode: Mode
    lines: tuple[Line, ...]

    def count(self, *states: str) -> int:
        """Count the lines of some states."""
        return sum(line.state in states for line in self.lines)

    @property
    def passes(self) -> bool:
        """Whether something is offered, and all that is offered agrees, or departs for a reason."""
        return self.count(AGREE) > 0 and self.count(DIFFER, FAIL) == 0


def make_scorecard(
    port: Adapter,
    mode: Mode | None = None,
    deviations: Sequence[Deviation] = (),
    names: Iterable[str] = tuple(TRAININGS),
    begin: Callable[[str], object] = id,
) -> Scorecard:
    """Ask a port for all trainings, its functions for all cases, and hold it to the lemmas.

    Parameters
    ----------
    port : Adapter
    mode : Mode, default bitwise
        What counts as equal in a training.
    deviations : sequence of Deviation
        What the port does otherwise on purpose.
    names : iterable of str
        Of the trainings.
    begin : function
        Hears the name of each training before it runs.

    Returns
    -------
    Scorecard
    """
    mode = mode or Mode()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(names):
            begin(name)
            golden = train_golden(name, Path(folder, f"golden{i}"))
            try:
                theirs = port.run(golden, Path(folder, f"port{i}"))
                line = Line("training", name, NOT_OFFERED)
                if theirs is not None:
                    line = judge_training(name, compare_traces(golden, theirs, mode), deviations)
            except (ValueError, OSError) as fault:
                line = Line("training", name, FAIL, str(fault))
            lines.append(line)
    lines += judge_functions(port, deviations)
    lines += judge_lemmas(port, deviations)
    return Scorecard(port.name, mode, tuple(lines))


def judge_training(name: str, comparison: Comparison, deviations: Sequence[Deviation]) -> Line:
    """Judge one training."""
    first = comparison.first
    if comparison.passes:
        return Line("training", name, AGREE, comparison=comparison)
    if comparison.besides:
        told = "; ".join([*comparison.besides, *([] if first is None else [summarize(first)])])
        return Line("training", name, FAIL, told, comparison=comparison)
    if first is None:
        return Line("training", name, FAIL, "the port told nothing that can be compared", comparison=comparison)
    stages = [one.judgement.stage for one in comparison.findings if one.judgement.verdict not in (AGREES, FOLLOWS)]
    reasons = [find_reason(deviations, training=name, stage=stage) for stage in stages]
    told = f"{STAGES[first.judgement.stage].title}, {summarize(first)}"
    if reasons and all(reasons):
        return Line("training", name, DEPART, told, "; ".join(dict.fromkeys(map(str, reasons))), comparison)
    return Line("training", name, DIFFER, told, comparison=comparison)


def judge_functions(port: Adapter, deviations: Sequence[Deviation]) -> list[Line]:
    """Judge each function of the vectors."""
    outcomes: dict[str, list[Outcome]] = {}
    for outcome in run_vectors(port.functions, load_own().cases):
        outcomes.setdefault(outcome.function, []).append(outcome)
    return [judge_function(name, of, find_reason(deviations, function=name)) for name, of in outcomes.items()]


def judge_function(name: str, outcomes: Sequence[Outcome], reason: str | None) -> Line:
    """Judge one function."""
    n_cases = len(outcomes)
    if all(one.verdict == "not offered" for one in outcomes):
        return Line("function", name, NOT_OFFERED, n_cases=n_cases)
    wrong = [one for one in outcomes if one.verdict in ("failed", "raised")]
    if not wrong:
        return Line("function", name, AGREE, n_cases=n_cases)
    told = f"{len(wrong)} of {n_cases} cases; first {wrong[0]}"
    if reason is not None:
        return Line("function", name, DEPART, told, reason, n_cases=n_cases)
    return Line("function", name, FAIL if wrong[0].verdict == "raised" else DIFFER, told, n_cases=n_cases)


def judge_lemmas(port: Adapter, deviations: Sequence[Deviation]) -> list[Line]:
    """Judge the functions of a port by each lemma; one line says that it offers none."""
    if not port.lemmas:
        return [Line("lemma", "all", NOT_OFFERED)]
    states = {"holds": AGREE, "fails": DIFFER, "raised": FAIL, "not offered": NOT_OFFERED}
    lines = []
    for outcome in run_lemmas(port.name, port.lemmas):
        state, reason = states[outcome.verdict], find_reason(deviations, lemma=outcome.name)
        if state in (AGREE, NOT_OFFERED):
            lines.append(Line("lemma", outcome.name, state))
        else:
            told = f"{outcome.told}, at {outcome.instance}" if outcome.instance else outcome.told
            departs = DEPART if reason is not None else state
            lines.append(Line("lemma", outcome.name, departs, print_text(told, 600), reason or ""))
    return lines
