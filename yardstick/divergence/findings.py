"""Findings of a judge: the verdict on each record, and the first finding of each stage and verdict in full."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.estimators import COCRRanker, WekaLinearRegressor
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.registry import RANKERS
from refrank.estimators.tree_ranker import TreeRanker
from refrank.trees.numbers.ulps import count_ulps, write_number
from yardstick.divergence.comparison import Divergence, Mode
from yardstick.divergence.hints.finding import find_hint
from yardstick.divergence.judging import AGREES, DIFFERS, UNCLEAR, Judge, Judgement, Records, has_same, point_out
from yardstick.divergence.kept_rows import KeptRows
from yardstick.divergence.locating import locate
from yardstick.divergence.replay import Untold, read_all, repeat_model, repeat_training
from yardstick.numbers.encoding import show
from yardstick.traces.models import MODEL, TracedModel, read_traced_model
from yardstick.traces.records import Key
from yardstick.traces.stages import STAGES, Place


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
                    if (data.get("weight", np.ones(1)) == 0).any():
                        self.judge.theirs = KeptRows(self.other, data["weight"] > 0)
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


def count_entries(values: NDArray[Any]) -> str:
    """Describe the size of an array.

    >>> count_entries(np.zeros(3)), count_entries(np.zeros((3, 2)))
    ('3 entries', '3 x 2 entries')
    """
    return f"{' x '.join(map(str, values.shape)) or 1} entries"
