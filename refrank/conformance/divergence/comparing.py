"""Two traces of one training: the first number that differs, and what each stage came to.

Where both traces have an index, their chains tell in about log2(n) looks up to which record they agree; from there on,
each record is judged (judging.py), to the end. A difference does not stop the comparison: what follows from it is told
apart from what goes wrong by itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refrank.checks import check_choice, check_integer, print_text
from refrank.conformance.divergence.consequences.known import Key, Known
from refrank.conformance.divergence.hints import find_hint
from refrank.conformance.divergence.judging import AGREES, DIFFERS, FOLLOWS, LAWFUL, UNCLEAR, Judgement, judge
from refrank.conformance.divergence.locating import locate
from refrank.conformance.numbers.encoding import show
from refrank.conformance.numbers.ulps import count_ulps, write_number
from refrank.conformance.traces.chain import link
from refrank.conformance.traces.models import MODEL, read_traced_model
from refrank.conformance.traces.reader import Trace
from refrank.conformance.traces.stages import STAGES, Place, Record
from refrank.conformance.traces.writer import RECORDS
from refrank.estimators import COCRRanker, WekaLinearRegressor
from refrank.metrics.significance import randomization_test
from refrank.registry import RANKERS

NOT_OFFERED, BEYOND = "not offered", "beyond"
MODES = "bitwise", "ulp", "tie", "statistical"
SIGNIFICANT = 0.01  # the p-value below which rankings are told apart
Counts = dict[str, dict[str, int]]  # stage -> verdict -> number of records


@dataclass(frozen=True)
class Mode:
    """What counts as equal.

    bitwise        the same numbers in every record
    ulp            floats may be some units in the last place apart
    tie            besides, another lawful choice may be made, and what follows from it may differ
    statistical    the ranking is as good: NDCG of the queries differs by chance
    """

    name: str = "bitwise"
    ulps: int = 0

    def __post_init__(self) -> None:
        """Check both."""
        check_choice("mode", self.name, MODES)
        check_integer("ulps", self.ulps, at_least=0)


@dataclass(frozen=True, eq=False)
class Finding:
    """A record that does not agree, told in full."""

    judgement: Judgement
    where: str
    expected: str  # the number, in decimal and in hex; or what is known of the fields
    found: str
    ulps: int | None
    hint: str | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What came of comparing two traces."""

    mode: Mode
    counts: Counts
    findings: tuple[Finding, ...]  # the first of each stage and verdict that is not the golden one, in order
    n_shared: int  # records that both traces have
    p_value: float | None = None  # of the difference in NDCG, in the statistical mode
    besides: tuple[str, ...] = field(default=())  # what else is to be said

    @property
    def first(self) -> Finding | None:
        """The first difference in itself; where there is none, the first of another kind."""
        by_weight = sorted(self.findings, key=lambda one: one.judgement.verdict != DIFFERS)
        return by_weight[0] if by_weight else None

    @property
    def passes(self) -> bool:
        """Whether the port agrees, in the sense of the mode."""
        if self.mode.name == "statistical":
            return self.p_value is not None and self.p_value >= SIGNIFICANT
        spoiling = {DIFFERS, UNCLEAR} if self.mode.name == "tie" else {DIFFERS, UNCLEAR, LAWFUL, FOLLOWS}
        spoilt = any(self.counts[stage].get(verdict) for stage in self.counts for verdict in (*spoiling, BEYOND))
        return self.n_shared > 0 and not spoilt and not self.besides


def compare_traces(golden: Trace, theirs: Trace, mode: Mode | None = None) -> Comparison:
    """Compare a port's trace with refrank's.

    Parameters
    ----------
    golden, theirs : Trace
        Of one algorithm.
    mode : Mode, default bitwise

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If the traces are of different algorithms, or a record is damaged.
    """
    mode = mode or Mode()
    if theirs.manifest["algorithm"] != golden.manifest["algorithm"]:
        told = print_text(theirs.manifest["algorithm"], 40)
        raise ValueError(f"algorithm of {theirs.folder} is {told}: it must be {golden.manifest['algorithm']}")
    known = Known(make_ranker(golden), index_records(golden), index_records(theirs))
    counts: Counts = {}
    findings: dict[tuple[str, str], Finding] = {}
    n_shared, agreed = 0, count_agreeing(golden, theirs)
    for number, (key, record) in enumerate(known.golden.items()):
        own = known.theirs.get(key)
        if own is None:
            verdict = NOT_OFFERED
        elif number < agreed:
            verdict, n_shared = AGREES, n_shared + 1
        else:
            with np.errstate(all="ignore"):  # a port's numbers may be anything
                judgement = judge(record, own, known, mode.ulps)
                verdict, n_shared = judgement.verdict, n_shared + 1
                if verdict != AGREES and (record.stage, verdict) not in findings:
                    findings[record.stage, verdict] = describe(judgement, known)
        tally(counts, record.stage, verdict)
    for stage, _ in known.theirs.keys() - known.golden.keys():
        tally(counts, stage, BEYOND)
    p_value = compare_quality(known) if mode.name == "statistical" else None
    return Comparison(
        mode, counts, tuple(findings.values()), n_shared, p_value, (*find_end(theirs), *find_gaps(known, counts))
    )


def make_ranker(golden: Trace) -> Any:
    """Make the ranker that the golden trace was made with, or what it says of a model."""
    algorithm, parameters = golden.manifest["algorithm"], golden.manifest.get("parameters", {})
    if algorithm == MODEL:
        return read_traced_model(parameters, str(golden.folder))
    if algorithm not in RANKERS:
        raise ValueError(f"algorithm of {golden.folder} is {show(algorithm)}: it must be one of {', '.join(RANKERS)}")
    kind: Any = RANKERS[algorithm]
    # what COCR is run over takes part in no consequence
    ranker = kind(WekaLinearRegressor()) if algorithm == COCRRanker.algorithm else kind()
    known = ranker.get_params(deep=False)
    for name, value in parameters.items():
        if name not in known:
            raise ValueError(f"{golden.folder} has a parameter {show(name)}, which {algorithm} has not")
        if not isinstance(value, dict):
            ranker.set_params(**{name: value})
    ranker._check_parameters()
    return ranker


def index_records(trace: Trace) -> dict[Key, Record]:
    """Read all records of a trace, by stage and place; each is there once."""
    records: dict[Key, Record] = {}
    chain = bytes(8)
    for number, record in enumerate(trace.records()):
        chain = link(chain, record)
        if len(trace.index) and chain != trace.index[number, 0].tobytes()[::-1]:
            raise ValueError(f"{trace.folder / RECORDS}, line {number + 1} is not the one in its index")
        key = record.stage, record.place
        if key in records:
            told = f"stage {record.stage} at {record.place}" if str(record.place) else f"stage {record.stage}"
            raise ValueError(f"{trace.folder / RECORDS}, line {number + 1} is the second of {told}: each place has one")
        records[key] = record
    return records


def count_agreeing(golden: Trace, theirs: Trace) -> int:
    """Count the records at the beginning whose chains agree, in log2(n) looks; 0 without an index."""
    ours, other = golden.index, theirs.index  # checked against the records
    low, high = 0, min(len(ours), len(other))
    while low < high:
        middle = (low + high) // 2
        if ours[middle, 0] == other[middle, 0]:
            low = middle + 1
        else:
            high = middle
    return low


def tally(counts: Counts, stage: str, verdict: str) -> None:
    """Count one record."""
    of_stage = counts.setdefault(stage, {})
    of_stage[verdict] = of_stage.get(verdict, 0) + 1


def describe(judgement: Judgement, known: Known) -> Finding:
    """Tell a finding in full."""
    expected, found, ulps = "", "", None
    if judgement.expected is not None and judgement.found is not None:
        if judgement.index is None:
            expected, found = f"shape {judgement.expected.shape}", f"shape {judgement.found.shape}"
        else:
            wanted, given = judgement.expected[judgement.index], judgement.found[judgement.index]
            expected, found = write_number(wanted), write_number(given)
            ulps = count_ulps(wanted.item(), given.item())
    return Finding(judgement, locate(judgement, known), expected, found, ulps, find_hint(judgement, known))


def compare_quality(known: Known) -> float | None:
    """Test the difference in NDCG between both rankings; None where one of them is not there."""
    a, b = (records.get(("metric", Place())) for records in (known.golden, known.theirs))
    ours, other = (None if record is None else record.values("ndcg") for record in (a, b))
    if ours is None or other is None or ours.shape != other.shape:
        return None
    return 1.0 if np.array_equal(ours, other) else randomization_test(ours, other).p_value


def find_end(theirs: Trace) -> Iterator[str]:
    """Tell how a port's training ended, where it did not get to its end."""
    ended = theirs.manifest.get("ended")
    if ended is not None:
        yield f"the port ended early: {print_text(str(ended), 200)}"


def find_gaps(known: Known, counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Tell what a port leaves out of stages that it offers: the end of the training, or single records."""
    parted = [stage for stage, of in counts.items() if 0 < of.get(NOT_OFFERED, 0) < sum(of.values())]
    missing = [key for key in known.golden if key[0] in parted and key not in known.theirs]
    rounds = {place.round for stage, place in known.theirs if stage in parted}
    if missing and all(place.round is not None and place.round not in rounds for _, place in missing):
        last = max((number for number in rounds if number is not None), default=0)
        yield f"the training ends after round {last}"
        return
    for stage in parted:
        places = [place for name, place in missing if name == stage]
        yield f"{STAGES[stage].title}: {len(places)} records are missing, the first at {places[0]}"
