"""Two traces of one training: the first number that differs, and the verdict on each stage.

Two traces that are the same bytes agree (yardstick/traces/records.py). Else the training is repeated in lockstep with
the port, and each record is judged (judging.py). A difference does not stop the comparison: its consequences are kept
apart from new differences.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.estimators import COCRRanker, WekaLinearRegressor
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.registry import RANKERS
from refrank.estimators.tree_ranker import TreeRanker
from refrank.metrics.significance import randomization_test
from refrank.trees.numbers.ulps import count_ulps, write_number
from yardstick.divergence.comparison import BEYOND, NOT_OFFERED, Counts, Divergence, Mode, TraceComparison
from yardstick.divergence.hints.finding import find_hint
from yardstick.divergence.judging import AGREES, DIFFERS, UNCLEAR, Judge, Judgement, Records, has_same, point_out
from yardstick.divergence.locating import locate
from yardstick.divergence.replay import Untold, read_all, repeat_model, repeat_training
from yardstick.numbers.encoding import show
from yardstick.traces.models import MODEL, TracedModel, read_traced_model
from yardstick.traces.reader import Trace
from yardstick.traces.records import Key, index_both, index_records
from yardstick.traces.stages import STAGES, Place, Record


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
    ranker = make_ranker(golden.manifest, str(golden.folder))
    ours, other, n_agreeing = index_both(golden, theirs)
    findings = Findings(ranker, other, ours, mode)
    if n_agreeing < len(ours):
        findings.repeat(ours)
    for number, key in enumerate(ours):
        if number < n_agreeing and key in other:
            findings.verdicts.setdefault(key, AGREES)
        elif key in other and key not in findings.verdicts:
            findings.compare(key)
    return findings.conclude(ours, theirs)


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
    mode, name = mode or Mode(), str(theirs.folder)
    ranker = make_ranker(theirs.manifest, name)
    if not is_covered(ranker):
        rule = "a judge repeats the training of boosted trees and of forests; compare it with a trace of refrank's"
        raise ValueError(f"algorithm of {name} is {describe_ranker(ranker)}: {rule}")
    other = index_records(theirs)
    findings = Findings(ranker, other, None, mode)
    if not findings.repeat(other):
        raise ValueError(f"record data of {name} must keep X, y and qid: they are the rows that it is judged on")
    return findings.conclude({key: Record(*key, {}) for key in findings.judge.expected}, theirs)


def make_ranker(manifest: Mapping[str, Any], name: str) -> Any:
    """Make the ranker that a manifest states, or read what it says of a model."""
    algorithm, parameters = manifest["algorithm"], manifest.get("parameters", {})
    if algorithm == MODEL:
        return read_traced_model(parameters, name)
    if algorithm not in RANKERS:
        raise ValueError(f"algorithm of {name} is {show(algorithm)}: it must be one of {', '.join(RANKERS)}")
    kind: Any = RANKERS[algorithm]
    ranker = kind(WekaLinearRegressor()) if algorithm == COCRRanker.algorithm else kind()
    own = ranker.get_params(deep=False)
    for parameter, value in parameters.items():
        if parameter not in own:
            raise ValueError(f"{name} has a parameter {show(parameter)}, which {algorithm} has not")
        if isinstance(value, dict) and "algorithm" in value:
            value = make_ranker(value, f"{parameter} of {name}")
        if not isinstance(value, dict):
            ranker.set_params(**{parameter: value})
    ranker.check_parameters()
    return ranker


def is_covered(ranker: Any) -> bool:
    """Return whether a training, or the sum of a model, can be repeated in lockstep."""
    trained = ranker.base if isinstance(ranker, COCRRanker) else ranker
    return isinstance(trained, BoostRanker | TreeRanker | TracedModel)


def describe_ranker(ranker: Any) -> str:
    """Name a ranker, and the base of COCR."""
    base = f" over {type(ranker.base).__name__}" if isinstance(ranker, COCRRanker) else ""
    return f"{ranker.algorithm}{base}"


class Findings:
    """The verdict on each record, and the first finding of each stage and verdict in full."""

    def __init__(self, ranker: Any, other: Records, golden: Records | None, mode: Mode) -> None:
        self.ranker, self.golden, self.other = ranker, golden, other
        self.verdicts: dict[Key, str] = {}
        self.first: dict[tuple[str, str], Divergence] = {}
        self.mode, self.judge = mode, Judge(other, golden, mode.ulps, self.report)

    def report(self, judgement: Judgement) -> None:
        """Take a judgement."""
        stage, verdict = judgement.stage, judgement.verdict
        self.verdicts[stage, judgement.place] = verdict
        if verdict != AGREES and (stage, verdict) not in self.first:
            self.first[stage, verdict] = self.describe(judgement)

    def repeat(self, records: Records) -> bool:
        """Repeat the training in lockstep with the port, on the rows of these records, if they are kept."""
        try:
            data = read_all(records, "data", Place())
            with np.errstate(all="ignore"):  # a port's numbers may be anything
                if isinstance(self.ranker, TracedModel):
                    repeat_model(self.ranker, records, data, self.judge)
                elif is_covered(self.ranker):
                    end = max((place.round or 0 for _, place in self.other), default=0)
                    if 0 < end < getattr(self.ranker, "n_rounds", 0):
                        self.ranker.set_params(n_rounds=end)
                    repeat_training(self.ranker, data, self.judge, self.mode.arithmetic)
        except Untold:
            return False
        return True

    def compare(self, key: Key) -> None:
        """Compare a record that could not be computed again with the golden one."""
        assert self.golden is not None
        golden, theirs = self.golden[key], self.other[key]
        arrays = {name: values for name in golden.fields if (values := golden.values(name)) is not None}
        names = [name for name in STAGES[key[0]].fields if name in golden.fields and name in theirs.fields]
        if all(has_same(golden.fields[name], theirs.fields[name], self.judge.ulps) for name in names) and names:
            self.verdicts[key] = AGREES
            return
        verdict = UNCLEAR if self.judge.has_departed or not names else DIFFERS
        self.report(point_out(theirs, arrays, [name for name in names if name in arrays], verdict, self.judge.ulps))
        self.judge.has_departed = True

    def describe(self, judgement: Judgement) -> Divergence:
        """Make the full description of a finding."""
        expected, actual, ulps = "", "", None
        if judgement.expected is not None and judgement.actual is not None:
            if judgement.index is None:
                expected, actual = map(count_entries, (judgement.expected, judgement.actual))
            else:
                wanted, given = judgement.expected[judgement.index], judgement.actual[judgement.index]
                expected, actual = write_number(wanted), write_number(given)
                ulps = count_ulps(wanted.item(), given.item())
        where, hint = locate(judgement, self.judge), find_hint(judgement, self.judge, self.ranker)
        return Divergence(judgement, where, expected, actual, ulps, hint)

    def conclude(self, ours: Records, theirs: Trace) -> TraceComparison:
        """Count the verdicts of each stage; `ours` are the records that a port should have, in order."""
        counts: Counts = {}
        for key in [*ours, *(key for key in self.other if key not in ours)]:
            verdict = BEYOND if key not in ours else self.verdicts.get(key, NOT_OFFERED)
            of_stage = counts.setdefault(key[0], {})
            of_stage[verdict] = of_stage.get(verdict, 0) + 1
        order = [*ours]
        places = {key: (finding.judgement.stage, finding.judgement.place) for key, finding in self.first.items()}
        in_order = sorted(self.first, key=lambda key: order.index(places[key]))
        p_value = compare_quality(ours, self.other) if self.mode.name == "statistical" else None
        besides = *find_end(theirs), *find_gaps(ours, self.other, counts)
        findings = tuple(self.first[key] for key in in_order)
        return TraceComparison(self.mode, counts, findings, len(self.verdicts), p_value, besides)


def count_entries(values: NDArray[Any]) -> str:
    """Describe the size of an array.

    >>> count_entries(np.zeros(3)), count_entries(np.zeros((3, 2)))
    ('3 entries', '3 x 2 entries')
    """
    return f"{' x '.join(map(str, values.shape)) or 1} entries"


def compare_quality(ours: Records, theirs: Records) -> float | None:
    """Test the difference in NDCG between both rankings; None if one of them is absent."""
    a, b = (records.get(("metric", Place())) for records in (ours, theirs))
    golden, other = (None if record is None else record.values("ndcg") for record in (a, b))
    if golden is None or other is None or golden.shape != other.shape:
        return None
    return 1.0 if np.array_equal(golden, other) else randomization_test(golden, other).p_value


def find_end(theirs: Trace) -> Iterator[str]:
    """Describe how a port's training ended, if it stopped early."""
    ended = theirs.manifest.get("ended")
    if ended is not None:
        yield f"the port ended early: {print_text(str(ended), 200)}"


def find_gaps(ours: Records, theirs: Records, counts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Describe what a port omits from stages that it offers: the end of the training, or single records."""
    parted = [stage for stage, of in counts.items() if 0 < of.get(NOT_OFFERED, 0) < sum(of.values())]
    missing = [key for key in ours if key[0] in parted and key not in theirs]
    rounds = {place.round for stage, place in theirs if stage in parted}
    last = max((number for number in rounds if number is not None), default=0)
    if missing and all(place.round is not None and place.round > last for _, place in missing):
        yield f"the training ends after round {last}"
        return
    for stage in parted:
        places = [place for name, place in missing if name == stage]
        yield f"{STAGES[stage].title}: {len(places)} records are missing, the first at {places[0]}"
