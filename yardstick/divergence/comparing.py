"""Two traces of one training: the first number that differs, and the verdict on each stage.

Two traces agree if the digests of all records do. Else the training is repeated in lockstep with the port, and each
record is judged (judging.py). A difference does not stop the comparison: its consequences are kept apart from new
differences. The rankers, and scikit-learn with them, are loaded only to repeat a training.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from refrank.checks import print_text
from yardstick.divergence.comparison import BEYOND, NOT_OFFERED, Counts, Mode, TraceComparison
from yardstick.divergence.judging import AGREES, Judge, Judgement, Records, list_arrays
from yardstick.divergence.quality import QualityTest, compare_quality
from yardstick.traces.reader import Trace, index_records
from yardstick.traces.stages import STAGES, Place, Record


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
    for key in ours:
        if key in other and key not in judge.verdicts:  # it could not be computed again
            judge.is_lost |= judge.has_departed
            judge.judge_by(*key, other[key], list_arrays(ours[key]), None)
    return conclude(mode, ours, judge, theirs, list_findings(judge, replay, has_hints))


def judge_trace(theirs: Trace, mode: Mode | None = None) -> TraceComparison:
    """Judge a port's trace by itself: its training is repeated on its own rows, from its own records."""
    from yardstick.divergence.hints import list_findings
    from yardstick.divergence.replay import Replay

    mode, other = mode or Mode(), index_records(theirs)
    judge, replay = Judge(other, None, mode.ulps), Replay(theirs, other, mode.arithmetic)
    replay.run(judge)
    ours = {key: Record(*key, {}) for key in judge.expected}
    return conclude(mode, ours, judge, theirs, list_findings(judge, replay, has_hints=True))


def conclude(mode: Mode, ours: Records, judge: Judge, port: Trace, findings: Iterable[Judgement]) -> TraceComparison:
    """Count the verdicts of each stage; `ours` are the records that a port should have, in order."""
    counts: Counts = {}
    for key in [*ours, *(key for key in judge.theirs if key not in ours)]:
        verdict = BEYOND if key not in ours else judge.verdicts.get(key, NOT_OFFERED)
        of_stage = counts.setdefault(key[0], {})
        of_stage[verdict] = of_stage.get(verdict, 0) + 1
    order = {key: number for number, key in enumerate(ours)}
    in_order = tuple(sorted(findings, key=lambda finding: order[finding.key]))
    quality = measure_quality(ours, judge.theirs) if mode.name == "statistical" else None
    gaps = tuple(list_gaps(ours, judge.theirs, port, counts))
    return TraceComparison(mode, counts, in_order, len(judge.verdicts), quality, gaps)


def measure_quality(ours: Records, theirs: Records) -> QualityTest | None:
    """Test the difference in NDCG between both rankings; None if one of them is absent."""
    key = "metric", Place()
    golden, other = (records[key].values("ndcg") if key in records else None for records in (ours, theirs))
    if golden is None or other is None or golden.shape != other.shape:
        return None
    return compare_quality(golden, other)


def list_gaps(ours: Records, theirs: Records, port: Trace, counts: Counts) -> Iterator[str]:
    """Describe what a port omits: the end of the training, or records of stages that it offers."""
    ended = port.manifest.get("ended")
    if ended is not None:
        yield f"the port ended early: {print_text(str(ended), 200)}"
    parted = [stage for stage, of in counts.items() if 0 < of.get(NOT_OFFERED, 0) < sum(of.values())]
    missing = [key for key in ours if key[0] in parted and key not in theirs]
    if missing:
        stage, place = missing[0]
        first = ", ".join(filter(None, [STAGES[stage].title, str(place)]))
        yield f"{len(missing)} records of offered stages are missing, the first of {first}"
