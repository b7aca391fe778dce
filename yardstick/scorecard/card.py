"""The scorecard of a port: which trainings, functions and lemmas agree, and the first difference of each other one.

state          a training                                   a function of the vectors         a lemma
agrees         every record, under the mode                 every case                        every instance drawn
departs        the differences are listed deviations        the same                          the same
differs        something differs                            a case fails                      an instance is against it
failed         the port ended early, or was refused         a case raises an error            a function raises an error
not offered    the port has no such algorithm               the port has no such function     the same

A level says how near everything is that the port offers: docs/port/conformance.md has the table. It also shows a list
of deviations: an entry has a reason, and a stage, of all trainings or of the one that `training` names, a function of
the vectors, or a lemma.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from refrank.checks import check_choice, print_text
from refrank.datasets.foreign_file import read_file
from yardstick.divergence.comparing import Mode, TraceComparison, compare_traces
from yardstick.divergence.judging import AGREES, FOLLOWS
from yardstick.divergence.reporting import summarize
from yardstick.numbers.encoding import show
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.lemmas import run_lemmas
from yardstick.scorecard.trainings import TRAININGS, train_golden
from yardstick.traces.reader import Trace
from yardstick.traces.stages import STAGES
from yardstick.vectors.case import thaw
from yardstick.vectors.files import load_vectors
from yardstick.vectors.running import Outcome, run_vectors
from yardstick.vectors.streams import run_streams

AGREE, DEPART, DIFFER, FAIL, NOT_OFFERED = STATES = "agrees", "departs", "differs", "failed", "not offered"
# of the verdicts on a case of the vectors, or on a lemma
VERDICTS = dict.fromkeys(("passed", "acceptable", "holds"), AGREE) | dict.fromkeys(("failed", "fails"), DIFFER)
VERDICTS |= {"raised": FAIL, NOT_OFFERED: NOT_OFFERED}
LEVELS = Mode("float32"), Mode("float32"), Mode("float64"), Mode()  # of each level
MEANINGS = "metrics", "trees within float32", "trees within float64", "every bit"
HIGHEST = len(LEVELS) - 1
METRICS = "dcg", "ndcg", "err", "rmse"
MOST_DOTS = 64  # in a line: TOML's reader takes time by the square of the parts of a key
Deviation = tuple[str, str, str]  # "training", its name or "" for all, stage; or "function" or "lemma", name, ""


@dataclass(frozen=True, eq=False)
class CardLine:
    """A line of a scorecard."""

    kind: str  # "training", "function" or "lemma"
    name: str
    state: str
    why: str = ""  # the first difference
    reason: str = ""  # reason of a listed deviation
    level: int = HIGHEST  # that it holds; -1: not that of metrics
    comparison: TraceComparison | None = None
    n_cases: int = 0


@dataclass(frozen=True, eq=False)
class Scorecard:
    """Result of all checks on a port."""

    port: str
    mode: Mode
    lines: tuple[CardLine, ...]

    def count(self, *states: str) -> int:
        """Count the lines with the given states."""
        return sum(line.state in states for line in self.lines)

    @property
    def passes(self) -> bool:
        """Whether the port offers something, and everything offered agrees or departs for a listed reason."""
        return self.count(AGREE) > 0 and self.count(DIFFER, FAIL) == 0

    @property
    def offered(self) -> list[CardLine]:
        """The lines of what the port offers."""
        return [line for line in self.lines if line.state != NOT_OFFERED]

    @property
    def level(self) -> int | None:
        """The level that everything offered holds; without trainings, at most that of metrics, if these are offered."""
        highest = HIGHEST if any(line.kind == "training" for line in self.offered) else 0
        level = min([highest, *(line.level for line in self.offered)])
        return level if level > 0 or (level == 0 and any(line.name in METRICS for line in self.offered)) else None


def make_scorecard(
    port: Adapter,
    mode: Mode | None = None,
    deviations: Mapping[Deviation, str] | None = None,
    names: Iterable[str] = tuple(TRAININGS),
    begin: Callable[[str], object] = id,
) -> Scorecard:
    """Run the trainings of some names, and all cases and lemmas, on a port; `begin` is called before each training."""
    mode, lines = mode or Mode(), list[CardLine]()
    for name in names:
        begin(name)
        lines.append(judge_training(port, name, mode))
    outcomes = [*run_vectors(port.functions, load_vectors().cases), *run_streams(port.functions)]
    lines += [*judge_functions(outcomes), *judge_lemmas(port)]
    return Scorecard(port.name, mode, tuple(mark_departure(line, deviations or {}) for line in lines))


def judge_training(port: Adapter, name: str, mode: Mode) -> CardLine:
    """Have the port train, and judge its records."""
    with TemporaryDirectory() as folder:
        golden = train_golden(TRAININGS[name], Path(folder, "golden"))
        try:
            theirs = port.run(golden, Path(folder, "port"))
            if theirs is None:
                return CardLine("training", name, NOT_OFFERED)
            comparison = compare_traces(golden, theirs, mode)
            level = rate_training(golden, theirs, comparison)
        except (ValueError, OSError) as fault:
            return CardLine("training", name, FAIL, str(fault), level=0)
    first = comparison.first
    differences = [] if first is None else [f"{STAGES[first.stage].title}, {summarize(first)}"]
    state, why = AGREE, ""
    if not comparison.passes:
        state = DIFFER if differences and not comparison.besides else FAIL
        why = "; ".join([*comparison.besides, *differences]) or "the port told nothing that can be compared"
    return CardLine("training", name, state, why, level=level, comparison=comparison)


def judge_functions(outcomes: Sequence[Outcome]) -> Iterator[CardLine]:
    """Judge each function of the vectors."""
    for name in dict.fromkeys(outcome.function for outcome in outcomes):
        of = [outcome for outcome in outcomes if outcome.function == name]
        offered = [outcome for outcome in of if outcome.verdict != NOT_OFFERED]
        wrong = [outcome for outcome in offered if VERDICTS[outcome.verdict] != AGREE]
        state, why = AGREE if offered else NOT_OFFERED, ""
        if wrong:
            state, why = VERDICTS[wrong[0].verdict], f"{len(wrong)} of {len(offered)} cases; first {wrong[0]}"
        elif 0 < len(offered) < len(of):
            why = f"{len(of) - len(offered)} of {len(of)} cases are not offered"
        level = min(map(rate_outcome, of))
        yield CardLine("function", name, state, why, level=level, n_cases=len(offered))


def rate_training(golden: Trace, theirs: Trace, comparison: TraceComparison) -> int:
    """Return the highest level that a training holds; `comparison` is the one that is already made."""
    for level in range(HIGHEST, 0, -1):
        is_made = comparison.mode == LEVELS[level]
        if (comparison if is_made else compare_traces(golden, theirs, LEVELS[level], has_hints=False)).passes:
            return level
    return 0


def rate_outcome(outcome: Outcome) -> int:
    """Return the highest level that the outcome of a case allows; -1: a metric is beyond the bound of float32."""
    if outcome.verdict not in ("failed", "raised"):
        return HIGHEST
    if not outcome.case.startswith("metrics/"):
        return HIGHEST - 1
    wrong = outcome.difference
    if wrong is None or isinstance(wrong.expected, tuple):  # which are shapes
        return -1
    distance, size = abs(wrong.actual - wrong.expected), np.abs(wrong.expected)
    n = next(thaw(case.input)["y"].size for case in load_vectors().cases if case.id == outcome.case)
    levels = (
        level for level in range(HIGHEST - 1, 0, -1) if distance <= LEVELS[level].arithmetic.bound_metric(size, n)
    )
    return next(levels, -1)


def judge_lemmas(port: Adapter) -> Iterator[CardLine]:
    """Judge the functions of a port by each lemma; yield a single line if it offers none."""
    if not port.lemmas:
        yield CardLine("lemma", "all", NOT_OFFERED)
        return
    for outcome in run_lemmas(port.name, port.lemmas):
        state = VERDICTS[outcome.verdict]
        why = f"{outcome.why}, at {outcome.instance}" if outcome.instance else outcome.why
        yield CardLine("lemma", outcome.name, state, print_text(why, 600) if state in (DIFFER, FAIL) else "")


def mark_departure(line: CardLine, deviations: Mapping[Deviation, str]) -> CardLine:
    """Make a line that is not right a departure, if the list has a reason; of a training, one for each stage."""
    if line.state != DIFFER and (line.state != FAIL or line.kind == "training"):
        return line
    stages = [""]
    if line.comparison is not None:
        stages = [finding.stage for finding in line.comparison.findings if finding.verdict not in (AGREES, FOLLOWS)]
    places = [((line.kind, line.name, stage), (line.kind, "", stage)) for stage in stages]
    reasons = [deviations.get(own) or deviations.get(of_all, "") for own, of_all in places]
    if not reasons or not all(reasons):
        return line
    return replace(line, state=DEPART, reason="; ".join(dict.fromkeys(reasons)))


def read_deviations(path: str) -> Mapping[Deviation, str]:
    """Read the reasons; a ValueError names the file, if it is not TOML, or an entry lacks its reason or its place."""
    content = read_file(path, "list of deviations")
    if max(line.count(b".") for line in content.split(b"\n")) > MOST_DOTS:
        raise ValueError(f"{path} has a line with more than {MOST_DOTS} dots")
    try:
        document = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"{path} is not TOML: {print_text(str(fault), 200)}") from None
    entries = document.get("deviation")
    if document.keys() != {"deviation"} or not isinstance(entries, list):
        raise ValueError(f"{path} must hold tables [[deviation]], and nothing else")
    return dict(read_deviation(entry, f"deviation {i + 1} of {path}") for i, entry in enumerate(entries))


def read_deviation(entry: Any, name: str) -> tuple[Deviation, str]:
    """Read an entry, and its reason."""
    texts = entry if isinstance(entry, dict) and all(isinstance(text, str) for text in entry.values()) else {}
    kinds, reason = texts.keys() - {"reason", "training"}, texts.get("reason", "").strip()
    if not reason or kinds not in ({"stage"}, {"function"}, {"lemma"}):
        rule = "it must have texts: a reason, and a stage, with or without a training, or a function, or a lemma"
        raise ValueError(f"{name} is {show(entry)}: {rule}")
    if "stage" in kinds:
        stage = check_choice(f"stage of {name}", texts["stage"], STAGES)
        return ("training", texts.get("training", ""), stage), reason
    [kind] = kinds
    return (kind, texts[kind], ""), reason
