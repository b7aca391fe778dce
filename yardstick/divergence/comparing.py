"""Two traces of one training: the first number that differs, and the verdict on each stage.

Up to the first record whose chain differs, the traces agree (yardstick/traces/records.py); from there to the end,
each record is judged (judging.py). A difference does not stop the comparison: its consequences are kept
apart from new differences.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from refrank.checks import print_text
from refrank.estimators import COCRRanker, WekaLinearRegressor
from refrank.estimators.registry import RANKERS
from refrank.metrics.significance import randomization_test
from refrank.trees.numbers.ulps import count_ulps, write_number
from yardstick.divergence.comparison import BEYOND, NOT_OFFERED, Counts, Divergence, Mode, TraceComparison
from yardstick.divergence.consequences.evidence import Evidence
from yardstick.divergence.hints.finding import find_hint
from yardstick.divergence.judging import AGREES, Judgement, judge
from yardstick.divergence.locating import locate
from yardstick.numbers.encoding import show
from yardstick.traces.models import MODEL, read_traced_model
from yardstick.traces.reader import Trace
from yardstick.traces.records import index_both
from yardstick.traces.stages import STAGES, Place


def compare_traces(golden: Trace, theirs: Trace, mode: Mode | None = None) -> TraceComparison:
    """Compare a port's trace with refrank's.

    Parameters
    ----------
    golden, theirs : Trace
        Both of one algorithm.
    mode : Mode, default bitwise

    Returns
    -------
    TraceComparison

    Raises
    ------
    ValueError
        If the traces are of different algorithms, or a record is damaged.
    """
    mode = mode or Mode()
    if theirs.manifest["algorithm"] != golden.manifest["algorithm"]:
        algorithm = print_text(theirs.manifest["algorithm"], 40)
        raise ValueError(f"algorithm of {theirs.folder} is {algorithm}: it must be {golden.manifest['algorithm']}")
    ranker = make_ranker(golden)
    ours, other, n_agreeing = index_both(golden, theirs)
    evidence = Evidence(ranker, ours, other)
    counts: Counts = {}
    findings: dict[tuple[str, str], Divergence] = {}
    n_shared = 0
    for number, key in enumerate(ours):
        stage = key[0]
        if key not in other:
            tally(counts, stage, NOT_OFFERED)
            continue
        n_shared += 1
        if number < n_agreeing:
            tally(counts, stage, AGREES)
            continue
        with np.errstate(all="ignore"):  # a port's numbers may be anything
            judgement = judge(ours[key], other[key], evidence, mode.ulps)
            if judgement.verdict != AGREES and (stage, judgement.verdict) not in findings:
                findings[stage, judgement.verdict] = describe(judgement, evidence)
        tally(counts, stage, judgement.verdict)
    for stage, _ in evidence.theirs.keys() - evidence.golden.keys():
        tally(counts, stage, BEYOND)
    p_value = compare_quality(evidence) if mode.name == "statistical" else None
    return TraceComparison(
        mode, counts, tuple(findings.values()), n_shared, p_value, (*find_end(theirs), *find_gaps(evidence, counts))
    )


def make_ranker(golden: Trace) -> Any:
    """Make the ranker of the golden trace, or read what the trace says of a model."""
    algorithm, parameters = golden.manifest["algorithm"], golden.manifest.get("parameters", {})
    if algorithm == MODEL:
        return read_traced_model(parameters, str(golden.folder))
    if algorithm not in RANKERS:
        raise ValueError(f"algorithm of {golden.folder} is {show(algorithm)}: it must be one of {', '.join(RANKERS)}")
    kind: Any = RANKERS[algorithm]
    # no consequence depends on the base of COCR
    ranker = kind(WekaLinearRegressor()) if algorithm == COCRRanker.algorithm else kind()
    evidence = ranker.get_params(deep=False)
    for name, value in parameters.items():
        if name not in evidence:
            raise ValueError(f"{golden.folder} has a parameter {show(name)}, which {algorithm} has not")
        if not isinstance(value, dict):
            ranker.set_params(**{name: value})
    ranker.check_parameters()
    return ranker


def tally(counts: Counts, stage: str, verdict: str) -> None:
    """Count a record under its verdict."""
    of_stage = counts.setdefault(stage, {})
    of_stage[verdict] = of_stage.get(verdict, 0) + 1


def describe(judgement: Judgement, evidence: Evidence) -> Divergence:
    """Make the full description of a finding."""
    expected, actual, ulps = "", "", None
    if judgement.expected is not None and judgement.actual is not None:
        if judgement.index is None:
            expected, actual = f"shape {judgement.expected.shape}", f"shape {judgement.actual.shape}"
        else:
            wanted, given = judgement.expected[judgement.index], judgement.actual[judgement.index]
            expected, actual = write_number(wanted), write_number(given)
            ulps = count_ulps(wanted.item(), given.item())
    return Divergence(judgement, locate(judgement, evidence), expected, actual, ulps, find_hint(judgement, evidence))


def compare_quality(evidence: Evidence) -> float | None:
    """Test the difference in NDCG between both rankings; None if one of them is absent."""
    a, b = (records.get(("metric", Place())) for records in (evidence.golden, evidence.theirs))
    ours, other = (None if record is None else record.values("ndcg") for record in (a, b))
    if ours is None or other is None or ours.shape != other.shape:
        return None
    return 1.0 if np.array_equal(ours, other) else randomization_test(ours, other).p_value


def find_end(theirs: Trace) -> Iterator[str]:
    """Describe how a port's training ended, if it stopped early."""
    ended = theirs.manifest.get("ended")
    if ended is not None:
        yield f"the port ended early: {print_text(str(ended), 200)}"


def find_gaps(evidence: Evidence, counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Describe what a port omits from stages that it offers: the end of the training, or single records."""
    parted = [stage for stage, of in counts.items() if 0 < of.get(NOT_OFFERED, 0) < sum(of.values())]
    missing = [key for key in evidence.golden if key[0] in parted and key not in evidence.theirs]
    rounds = {place.round for stage, place in evidence.theirs if stage in parted}
    last = max((number for number in rounds if number is not None), default=0)
    if missing and all(place.round is not None and place.round > last for _, place in missing):
        yield f"the training ends after round {last}"
        return
    for stage in parted:
        places = [place for name, place in missing if name == stage]
        yield f"{STAGES[stage].title}: {len(places)} records are missing, the first at {places[0]}"
