"""The scorecard of a port: which trainings, functions and lemmas agree, and the first difference of each other one.

state          a training                                   a function of the vectors         a lemma
agrees         every record, under the mode                 every case                        every instance drawn
departs        the differences are listed deviations        the same                          the same
differs        something differs                            a case fails                      an instance is against it
failed         the port ended early, or was refused         a case raises an error            a function raises an error
not offered    the port has no such algorithm               the port has no such function     the same
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from refrank.checks import print_text
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode, TraceComparison
from yardstick.divergence.judging import AGREES, FOLLOWS
from yardstick.divergence.reporting import summarize
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.deviations import Deviation, find_reason
from yardstick.scorecard.lemmas import run_lemmas
from yardstick.scorecard.levels import HIGHEST, choose_level, hold_level
from yardstick.scorecard.trainings import TRAININGS, train_golden
from yardstick.traces.stages import STAGES
from yardstick.vectors.reading import load_own
from yardstick.vectors.running import Outcome, run_vectors
from yardstick.vectors.streams import run_streams

AGREE, DEPART, DIFFER, FAIL, NOT_OFFERED = STATES = "agrees", "departs", "differs", "failed", "not offered"


@dataclass(frozen=True, eq=False)
class CardLine:
    """A line of a scorecard."""

    kind: str  # "training", "function" or "lemma"
    name: str
    state: str
    why: str = ""  # the first difference
    reason: str = ""  # reason of a listed deviation
    comparison: TraceComparison | None = None
    n_cases: int = 0


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Result of all checks on a port."""

    port: str
    mode: Mode
    lines: tuple[CardLine, ...]
    level: int | None = None  # of levels.py

    def count(self, *states: str) -> int:
        """Count the lines with the given states."""
        return sum(line.state in states for line in self.lines)

    @property
    def passes(self) -> bool:
        """Whether the port offers something, and everything offered agrees or departs for a listed reason."""
        return self.count(AGREE) > 0 and self.count(DIFFER, FAIL) == 0


def make_scorecard(
    port: Adapter,
    mode: Mode | None = None,
    deviations: Sequence[Deviation] = (),
    names: Iterable[str] = tuple(TRAININGS),
    begin: Callable[[str], object] = id,
) -> Scorecard:
    """Run all trainings, cases and lemmas on a port.

    Parameters
    ----------
    port : Adapter
    mode : Mode, default bitwise
        Mode of equality in a training.
    deviations : sequence of Deviation
        Intended differences of the port.
    names : iterable of str
        Names of the trainings.
    begin : function
        Called with the name of each training before it runs.

    Returns
    -------
    Scorecard
    """
    mode = mode or Mode()
    lines, level = [], HIGHEST
    with tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(names):
            begin(name)
            golden = train_golden(TRAININGS[name], Path(folder, f"golden{i}"))
            try:
                theirs = port.run(golden, Path(folder, f"port{i}"))
                line = CardLine("training", name, NOT_OFFERED)
                if theirs is not None:
                    comparison = compare_traces(golden, theirs, mode)
                    line = judge_training(name, comparison, deviations)
                    level = hold_level(level, golden, theirs, comparison)
            except (ValueError, OSError) as fault:
                line, level = CardLine("training", name, FAIL, str(fault)), 0
            lines.append(line)
    outcomes = [*run_vectors(port.functions, load_own().cases), *run_streams(port.functions)]
    has_trained = any(line.state != NOT_OFFERED for line in lines)
    lines += [*judge_functions(outcomes, deviations), *judge_lemmas(port, deviations)]
    return Scorecard(port.name, mode, tuple(lines), choose_level(level, has_trained, outcomes))


def judge_training(name: str, comparison: TraceComparison, deviations: Sequence[Deviation]) -> CardLine:
    """Judge one training."""
    first = comparison.first
    if comparison.passes:
        return CardLine("training", name, AGREE, comparison=comparison)
    if comparison.besides:
        why = "; ".join([*comparison.besides, *([] if first is None else [summarize(first)])])
        return CardLine("training", name, FAIL, why, comparison=comparison)
    if first is None:
        return CardLine("training", name, FAIL, "the port told nothing that can be compared", comparison=comparison)
    stages = [
        finding.judgement.stage for finding in comparison.findings if finding.judgement.verdict not in (AGREES, FOLLOWS)
    ]
    reasons = [find_reason(deviations, training=name, stage=stage) for stage in stages]
    why = f"{STAGES[first.judgement.stage].title}, {summarize(first)}"
    if reasons and all(reasons):
        return CardLine("training", name, DEPART, why, "; ".join(dict.fromkeys(map(str, reasons))), comparison)
    return CardLine("training", name, DIFFER, why, comparison=comparison)


def judge_functions(outcomes: Sequence[Outcome], deviations: Sequence[Deviation]) -> Iterator[CardLine]:
    """Judge each function of the vectors."""
    for name in dict.fromkeys(outcome.function for outcome in outcomes):
        of = [outcome for outcome in outcomes if outcome.function == name]
        yield judge_function(name, of, find_reason(deviations, function=name))


def judge_function(name: str, outcomes: Sequence[Outcome], reason: str | None) -> CardLine:
    """Judge one function."""
    n_cases = sum(outcome.verdict != NOT_OFFERED for outcome in outcomes)
    if n_cases == 0:
        return CardLine("function", name, NOT_OFFERED)
    wrong = [outcome for outcome in outcomes if outcome.verdict in ("failed", "raised")]
    if not wrong:
        n_absent = len(outcomes) - n_cases
        why = f"{n_absent} of {len(outcomes)} cases are not offered" if n_absent else ""
        return CardLine("function", name, AGREE, why, n_cases=n_cases)
    why = f"{len(wrong)} of {n_cases} cases; first {wrong[0]}"
    if reason is not None:
        return CardLine("function", name, DEPART, why, reason, n_cases=n_cases)
    return CardLine("function", name, FAIL if wrong[0].verdict == "raised" else DIFFER, why, n_cases=n_cases)


def judge_lemmas(port: Adapter, deviations: Sequence[Deviation]) -> list[CardLine]:
    """Judge the functions of a port by each lemma; yield a single line if it offers none."""
    if not port.lemmas:
        return [CardLine("lemma", "all", NOT_OFFERED)]
    states = {"holds": AGREE, "fails": DIFFER, "raised": FAIL, "not offered": NOT_OFFERED}
    lines = []
    for outcome in run_lemmas(port.name, port.lemmas):
        state, reason = states[outcome.verdict], find_reason(deviations, lemma=outcome.name)
        if state in (AGREE, NOT_OFFERED):
            lines.append(CardLine("lemma", outcome.name, state))
        else:
            why = f"{outcome.why}, at {outcome.instance}" if outcome.instance else outcome.why
            departs = DEPART if reason is not None else state
            lines.append(CardLine("lemma", outcome.name, departs, print_text(why, 600), reason or ""))
    return lines
