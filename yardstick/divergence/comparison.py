"""Modes of equality, and the result of comparing two traces."""

from collections import Counter
from dataclasses import dataclass

from refrank.checks import check_choice, check_integer
from yardstick.divergence.judging import DIFFERS, FOLLOWS, LAWFUL, UNCLEAR, Judgement
from yardstick.divergence.quality import QualityTest
from yardstick.numbers.arithmetic import EXACT, FLOAT32, FLOAT64, Arithmetic

NOT_OFFERED, BEYOND = "not offered", "beyond"
MODES = "bitwise", "ulp", "tie", "float64", "float32", "statistical"
Counts = dict[str, Counter[str]]  # stage -> verdict -> number of records


@dataclass(frozen=True)
class Mode:
    """Mode of equality.

    bitwise        the same numbers in every record
    ulp            floats may be some units in the last place apart
    tie            as ulp; in addition, ties may be broken otherwise, and later numbers may differ as a result
    float64        as tie; in addition, each number may lie within the bound of an honest arithmetic in this format
    float32        the same
    statistical    the rankings are not told apart: the queries' NDCG differs by no more than by chance
    """

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

    @property
    def spoiling(self) -> set[str]:
        """The verdicts on a record that fail a comparison."""
        if self.name == "statistical":
            return set()
        return {DIFFERS, UNCLEAR, BEYOND} | ({LAWFUL, FOLLOWS} if self.name in ("bitwise", "ulp") else set())


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
            return self.quality is not None and self.quality.passes
        return self.n_shared > 0 and not any(map(self.spoils, self.counts)) and not self.besides

    def spoils(self, stage: str) -> bool:
        """Return whether a stage fails the comparison under its mode."""
        return not self.mode.spoiling.isdisjoint(self.counts[stage])
