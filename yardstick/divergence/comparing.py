"""Two traces of one training: the first number that differs, and the verdict on each stage, under a mode of equality.

Two traces agree if the digests of all records do. Else the training is repeated in lockstep with the port, and each
record is judged (judging.py). A difference does not stop the comparison: its consequences are kept apart from new
differences. The rankers, and scikit-learn with them, are loaded only to repeat a training.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.checks import check_choice, check_integer, print_text
from refrank.metrics.significance import N_RESAMPLES, randomization_test
from yardstick.divergence.judging import AGREES, DIFFERS, FOLLOWS, LAWFUL, UNCLEAR, Judge, Judgement, Records
from yardstick.numbers.arithmetic import EXACT, FLOAT32, FLOAT64, Arithmetic
from yardstick.traces.reader import Trace, index_records
from yardstick.traces.stages import STAGES, Place, Record

NOT_OFFERED, BEYOND = "not offered", "beyond"
MODES = "bitwise", "ulp", "tie", "float64", "float32", "statistical"
SIGNIFICANT = 0.01  # a p-value below this tells two rankings apart
EQUAL, NOT_TOLD_APART, TOLD_APART, TOO_FEW = "equal", "not told apart", "told apart", "too few queries"
Counts = dict[str, dict[str, int]]  # stage -> verdict -> number of records


@dataclass(frozen=True)
class Mode:
    """Mode of equality (docs/port/conformance.md lists them); floats may be `ulps` units in the last place apart."""

    name: str = "bitwise"
    ulps: int = 0

    def __post_init__(self) -> None:
        """Check both fields."""
        check_choice("mode", self.name, MODES)
        check_integer("ulps", self.ulps, at_least=0)

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic whose bounds hold."""
        return {"float64": FLOAT64, "float32": FLOAT32}.get(self.name, EXACT)


class QualityTest(NamedTuple):
    """The NDCG of two rankings, compared query by query."""

    p_value: float | None  # None where no test is made: no query differs, or too few do
    smallest_p: float  # the least that so many queries can give
    n_differing: int  # queries whose values differ
    n_needed: int  # queries that must differ for any p-value below SIGNIFICANT
    verdict: str

    def __str__(self) -> str:
        """Describe the test in words."""
        if self.p_value is not None:
            return f"{self.verdict} by a randomization test, p = {self.p_value:.3g}"
        few = f"{self.n_differing} queries differ, which give no p below {self.smallest_p:.3g}"
        return few + f": it takes {self.n_needed} that differ to tell rankings apart" if self.n_differing else EQUAL


@dataclass(frozen=True, eq=False)
class TraceComparison:
    """Result of comparing two traces."""

    mode: Mode
    counts: Counts
    findings: tuple[Judgement, ...]  # the first of each stage and verdict that is not the golden one, in order
    n_shared: int  # records that both traces have
    quality: QualityTest | None  # of the difference in NDCG, in the statistical mode
    besides: tuple[str, ...]  # further remarks

    @property
    def first(self) -> Judgement | None:
        """The first original difference; if there is none, the first finding of another kind."""
        return min(self.findings, key=lambda finding: finding.verdict != DIFFERS, default=None)

    @property
    def passes(self) -> bool:
        """Whether the port agrees under the mode."""
        if self.mode.name == "statistical":
            return self.quality is not None and self.quality.verdict in (EQUAL, NOT_TOLD_APART)
        return self.n_shared > 0 and not any(map(self.spoils, self.counts)) and not self.besides

    def spoils(self, stage: str) -> bool:
        """Return whether a stage fails the comparison under its mode."""
        spoiling = {DIFFERS, UNCLEAR, BEYOND} | ({LAWFUL, FOLLOWS} if self.mode.name in ("bitwise", "ulp") else set())
        return self.mode.name != "statistical" and not spoiling.isdisjoint(self.counts[stage])


def compare_traces(golden: Trace, theirs: Trace, mode: Mode | None = None, has_hints: bool = True) -> TraceComparison:
    """Compare a port's trace with refrank's; with `has_hints`, mistakes are tried that explain it, for some seconds."""
    mode = mode or Mode()
    if theirs.manifest["algorithm"] != golden.manifest["algorithm"]:
        algorithm = print_text(theirs.manifest["algorithm"], 40)
        raise ValueError(f"algorithm of {theirs.folder} is {algorithm}: it must be {golden.manifest['algorithm']}")
    ours, other = index_records(golden), index_records(theirs)
    judge = Judge(other, ours, mode.ulps)
    if all(key in other and record.has_same_numbers(other[key]) for key, record in ours.items()):
        judge.verdicts |= dict.fromkeys(ours, AGREES)
        return conclude(mode, ours, judge, theirs, ())
    from yardstick.divergence.hints import list_findings
    from yardstick.divergence.replay import Replay, Untold

    replay = Replay(golden, ours, mode.arithmetic)
    with suppress(Untold):
        replay.run(judge)
    judge.judge_rest()
    return conclude(mode, ours, judge, theirs, list_findings(judge, replay, has_hints))


def judge_trace(theirs: Trace, mode: Mode | None = None) -> TraceComparison:
    """Judge a port's trace by itself: its training is repeated on its own rows, from its own records."""
    from yardstick.divergence.hints import list_findings
    from yardstick.divergence.replay import Replay

    mode, other = mode or Mode(), index_records(theirs)
    judge, replay = Judge(other, {}, mode.ulps), Replay(theirs, other, mode.arithmetic)
    replay.run(judge)
    ours = {key: Record(*key, {}) for key in judge.expected}
    return conclude(mode, ours, judge, theirs, list_findings(judge, replay))


def conclude(mode: Mode, ours: Records, judge: Judge, port: Trace, findings: Iterable[Judgement]) -> TraceComparison:
    """Count the verdicts of each stage; `ours` are the records that a port should have, in order."""
    counts: Counts = {}
    beyond = (key for key in judge.theirs if key not in ours)
    verdicts = dict.fromkeys(ours, NOT_OFFERED) | judge.verdicts | dict.fromkeys(beyond, BEYOND)
    for (stage, _), verdict in verdicts.items():
        of_stage = counts.setdefault(stage, {})
        of_stage[verdict] = of_stage.get(verdict, 0) + 1
    order, key, quality = [*verdicts], ("metric", Place()), None
    in_order = tuple(sorted(findings, key=lambda finding: order.index(finding.key)))
    golden, theirs = (records[key].values("ndcg") if key in records else None for records in (ours, judge.theirs))
    if mode.name == "statistical" and golden is not None and theirs is not None and golden.shape == theirs.shape:
        quality = compare_quality(golden, theirs)
    gaps = tuple(list_gaps(ours, judge.theirs, port))
    return TraceComparison(mode, counts, in_order, len(judge.verdicts), quality, gaps)


def compare_quality(ours: Floats, theirs: Floats) -> QualityTest:
    """Test whether a port's NDCG, (n_queries,), differs from refrank's by more than chance; NaN: both skip a query."""
    n_differing = int(np.count_nonzero((ours != theirs) & ~(np.isnan(ours) & np.isnan(theirs))))
    n_needed = next(n for n in count() if bound_p_value(n) < SIGNIFICANT)
    p_value, verdict = None, EQUAL if n_differing == 0 else TOO_FEW
    if n_differing >= n_needed:
        p_value = randomization_test(ours, theirs).p_value
        verdict = TOLD_APART if p_value < SIGNIFICANT else NOT_TOLD_APART
    return QualityTest(p_value, bound_p_value(n_differing), n_differing, n_needed, verdict)


def bound_p_value(n_differing: int) -> float:
    """Return the smallest p-value that so many queries with different values can give.

    Of 2**n swaps (Fisher), the largest difference is that of two, which mirror each other. Of more than N_RESAMPLES
    swaps, a sample is drawn.
    """
    n_swaps = 2**n_differing
    return min(1.0, 2 / (n_swaps if n_swaps <= N_RESAMPLES else N_RESAMPLES + 1))


def list_gaps(ours: Records, theirs: Records, port: Trace) -> Iterator[str]:
    """Describe what a port omits: the end of the training, or records of stages that it offers in such places."""
    ended = port.manifest.get("ended")
    if ended is not None:
        yield f"the port ended early: {print_text(str(ended), 200)}"
    offered = {(stage, *place.list_parts()) for stage, place in theirs}  # at the end alone, or after each round too
    missing = [key for key in ours if key not in theirs and (key[0], *key[1].list_parts()) in offered]
    if missing:
        stage, place = missing[0]
        first = ", ".join(filter(None, [STAGES[stage].title, str(place)]))
        yield f"{len(missing)} records of offered stages are missing, the first of {first}"
