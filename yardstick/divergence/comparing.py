"""Two traces of one training: the first number that differs, and the verdict on each stage.

Two traces agree if the digests of all records do. Else the training is repeated in lockstep with the port, and each
record is judged (judging.py). A difference does not stop the comparison: its consequences are kept
apart from new differences. The rankers, and scikit-learn with them, are loaded only to repeat a training.
"""

from collections.abc import Iterable, Iterator, Mapping

from refrank.checks import print_text
from yardstick.divergence.comparison import BEYOND, NOT_OFFERED, Counts, Divergence, Mode, TraceComparison
from yardstick.divergence.judging import AGREES, Records
from yardstick.divergence.quality import QualityTest, compare_quality
from yardstick.traces.reader import Trace
from yardstick.traces.records import Key, index_records
from yardstick.traces.stages import STAGES, Place, Record


def compare_traces(golden: Trace, theirs: Trace, mode: Mode | None = None, has_hints: bool = True) -> TraceComparison:
    """Compare a port's trace with refrank's.

    Parameters
    ----------
    golden, theirs : Trace
        Both of one algorithm.
    mode : Mode, default bitwise
    has_hints : bool, default True
        Whether mistakes are tried to explain the differences, for some seconds.

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
    ours, other = index_records(golden), index_records(theirs)
    verdicts = {key: AGREES for key in ours if key in other and ours[key].has_same_numbers(other[key])}
    if len(verdicts) == len(ours):
        return conclude(mode, ours, other, theirs, verdicts, ())
    from yardstick.divergence.findings import Findings, make_ranker

    findings = Findings(make_ranker(golden.manifest, str(golden.folder)), other, ours, mode)
    findings.judge_all()
    for key in ours:
        if key in other and key not in {**verdicts, **findings.verdicts}:
            findings.compare(key)
    return conclude(mode, ours, other, theirs, verdicts | findings.verdicts, findings.describe(has_hints))


def judge_trace(theirs: Trace, mode: Mode | None = None) -> TraceComparison:
    """Judge a port's trace by itself: its training is repeated on its own rows, from its own records.

    Parameters
    ----------
    theirs : Trace
        Its manifest states the algorithm and the parameters, and its record "data" keeps the rows.
    mode : Mode, default bitwise

    Returns
    -------
    TraceComparison

    Raises
    ------
    ValueError
        If the algorithm is not covered, the rows are not kept, or a record is damaged.
    """
    from yardstick.divergence.findings import Findings, make_ranker
    from yardstick.divergence.replay import check_covered

    mode, name = mode or Mode(), str(theirs.folder)
    ranker = make_ranker(theirs.manifest, name)
    check_covered(ranker, name)
    other = index_records(theirs)
    findings = Findings(ranker, other, None, mode)
    if not findings.judge_all():
        raise ValueError(f"record data of {name} must keep X, y and qid: they are the rows that it is judged on")
    ours = {key: Record(*key, {}) for key in findings.judge.expected}
    return conclude(mode, ours, other, theirs, findings.verdicts, findings.describe(has_hints=True))


def conclude(
    mode: Mode, ours: Records, theirs: Records, port: Trace, verdicts: Mapping[Key, str], findings: Iterable[Divergence]
) -> TraceComparison:
    """Count the verdicts of each stage; `ours` are the records that a port should have, in order."""
    counts: Counts = {}
    for key in [*ours, *(key for key in theirs if key not in ours)]:
        verdict = BEYOND if key not in ours else verdicts.get(key, NOT_OFFERED)
        of_stage = counts.setdefault(key[0], {})
        of_stage[verdict] = of_stage.get(verdict, 0) + 1
    order = {key: number for number, key in enumerate(ours)}
    in_order = sorted(findings, key=lambda finding: order[finding.judgement.key])
    quality = measure_quality(ours, theirs) if mode.name == "statistical" else None
    return TraceComparison(
        mode, counts, tuple(in_order), len(verdicts), quality, tuple(list_gaps(ours, theirs, port, counts))
    )


def measure_quality(ours: Records, theirs: Records) -> QualityTest | None:
    """Test the difference in NDCG between both rankings; None if one of them is absent."""
    a, b = (records.get(("metric", Place())) for records in (ours, theirs))
    golden, other = (None if record is None else record.values("ndcg") for record in (a, b))
    if golden is None or other is None or golden.shape != other.shape:
        return None
    return compare_quality(golden, other)


def list_gaps(ours: Records, theirs: Records, port: Trace, counts: Counts) -> Iterator[str]:
    """Describe what a port omits from stages that it offers: the end of the training, or single records."""
    ended = port.manifest.get("ended")
    if ended is not None:
        yield f"the port ended early: {print_text(str(ended), 200)}"
    parted = [stage for stage, of in counts.items() if 0 < of.get(NOT_OFFERED, 0) < sum(of.values())]
    missing = [key for key in ours if key[0] in parted and key not in theirs]
    last = max((place.round or 0 for stage, place in theirs if stage in parted), default=0)
    if missing and all((place.round or 0) > last for _, place in missing):
        yield f"the training ends after round {last}"
        return
    for stage in parted:
        places = [place for name, place in missing if name == stage]
        yield f"{STAGES[stage].title}: {len(places)} records are missing, the first at {places[0]}"
