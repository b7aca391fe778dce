"""A port's training, replayed: the specification trains on the same rows, in lockstep with the port's records."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools, Floats
from refrank.checks import check_labels
from refrank.estimators import COCRRanker, WekaLinearRegressor
from refrank.estimators.igbrt import BoostedRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.registry import RANKERS
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.igbrt.classification import binary_target
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.model.tree import Tree, check_trees
from yardstick.divergence.followed_tree import find_ranges, is_order
from yardstick.divergence.honest import HonestLockstep, bound_ranking
from yardstick.divergence.judging import Judge, Records
from yardstick.divergence.lockstep import Lockstep
from yardstick.numbers.arithmetic import Arithmetic
from yardstick.numbers.encoding import show
from yardstick.traces.models import MODEL, OUTPUT, SOFTMAX, TracedModel, TracedTree, read_traced_model, take_sum
from yardstick.traces.ranking import END, read_queries, record_ranking, take_ranking
from yardstick.traces.reader import Trace
from yardstick.traces.stages import STAGES, LabelledRows, Place, Record, make_field
from yardstick.traces.tracing import train_recorded

BY_ROW = {"bins": "codes", "draws": "counts", "grid": "integers"}  # the fields that have an entry for each row
BY_ROW |= dict.fromkeys(("proba", "residual", "scores", "prediction"), "values")
UNBOUNDED = "robust-logitboost", "abc-logitboost", "lambdamart"


class Untold(ValueError):
    """A training that cannot be repeated from its trace."""


class Replay:
    """The training of a ranker, or the sum of a model, as a trace describes it, on the rows of the trace."""

    def __init__(self, trace: Trace, records: Records, arithmetic: Arithmetic) -> None:
        self.name, self.records, self.arithmetic = str(trace.folder), records, arithmetic
        self.ranker = make_ranker(trace.manifest, self.name)

    def run(self, judge: Judge) -> None:
        """Repeat the training in lockstep with the port of a judge; raise `Untold` if this is not possible."""
        ranker, trained = self.ranker, getattr(self.ranker, "base", self.ranker)
        if not isinstance(trained, BoostRanker | TreeRanker | TracedModel):
            base = "" if trained is ranker else f" over {type(trained).__name__}"
            rule = "a judge repeats the training of boosted trees and of forests; compare it with a trace of refrank's"
            raise Untold(f"algorithm of {self.name} is {ranker.algorithm}{base}: {rule}")
        if self.arithmetic.u and getattr(trained, "algorithm", "") in UNBOUNDED:
            rule = "float32 and float64 have no bounds for its cuts, which weigh rows by second derivatives"
            raise Untold(f"algorithm of {self.name} is {ranker.algorithm}: {rule}")
        data = self.read_all("data", Place())
        shapes = {name: values.shape for name, values in data.items()}
        if len(shapes["X"]) != 2 or {*shapes.values()} != {shapes["X"], shapes["X"][:1]}:
            rule = "X must be (n_samples, n_features), and the others (n_samples,)"
            raise Untold(f"record data of {self.name} has shapes {shapes}: {rule}")
        with np.errstate(all="ignore"):  # a port's numbers may be anything
            if isinstance(ranker, TracedModel):
                self.repeat_model(ranker, data, judge)
                return
            end = max((place.round or 0 for _, place in judge.theirs), default=0)
            if 0 < end < getattr(ranker, "n_rounds", 0):
                ranker.set_params(n_rounds=end)
            if hasattr(ranker, "n_threads"):
                ranker.set_params(n_threads=1)
            repeat_training(ranker, LabelledRows(**data), judge, self.arithmetic)

    def read_all(self, stage: str, place: Place) -> dict[str, Any]:
        """Read all fields of a record; raise `Untold` if it does not keep their entries."""
        record = self.records.get((stage, place)) or Record(stage, place, {})
        wanted = [name for name in STAGES[stage].fields if name != "weight" or name in record.fields]
        arrays = {name: record.values(name) for name in wanted}
        if any(values is None for values in arrays.values()):
            rule = f"must keep all entries of {', '.join(wanted)}: a port is judged on them"
            raise Untold(f"record {stage} of {self.name} {rule}")
        return arrays

    def repeat_model(self, model: TracedModel, data: Mapping[str, Any], judge: Judge) -> None:
        """Follow the rows of a trace through the trees of a model, as the records tell them."""
        judge.take("data", Place(), **data)
        n_samples, n_features = data["X"].shape
        scores = self.read_values("prediction", Place(), n_samples)
        if ("start", Place()) in self.records:
            places = [place for stage, place in self.records if stage == "tree"]
            n_outputs = max((1 + (place.output or 0) for place in places), default=1)
            trees = (self.read_tree(place, n_samples, n_features) for place in places)
            initial = self.read_values("start", Place(), n_outputs)
            sums = take_sum(initial, trees, model.learning_rate, data["X"].shape, judge)
            sums = sums / max(1, model.n_rounds) if model.averages else sums
            if model.head == OUTPUT:
                scores = sums[:, 0]
            elif model.head == SOFTMAX:
                scores = expected_relevance(softmax(sums))
            else:
                judge.is_lost |= judge.has_departed
        for stage, place in self.records:
            if stage == "answers":
                judge.take(stage, place, **self.read_all(stage, place))
        take_ranking(scores, read_queries(LabelledRows(**data)), judge)

    def read_values(self, stage: str, place: Place, n: int) -> NDArray[Any]:
        """Read the values of a record, (n,); raise `Untold` if it has others."""
        values: NDArray[Any] = self.read_all(stage, place)["values"]
        if values.shape != (n,):
            raise Untold(f"values of record {stage} of {self.name} have shape {values.shape}: it must be ({n},)")
        return values

    def read_tree(self, place: Place, n_samples: int, n_features: int) -> TracedTree:
        """Read a tree of a model, and the leaves that rows reach; raise `Untold` if there can be no such tree."""
        tree = Tree(**self.read_all("tree", place))
        try:
            check_trees([tree], n_features)
        except ValueError as fault:
            raise Untold(f"record tree of {self.name} at {place}: {fault}") from None
        return place, tree, self.read_values("leaves", place, n_samples).astype(np.int64)


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


def repeat_training(ranker: Any, rows: LabelledRows, judge: Judge, arithmetic: Arithmetic) -> None:
    """Train a ranker on the rows of a trace, in lockstep with the port of a judge, and rank the rows."""
    X, y, _, weight = rows
    kept = np.full(len(X), True) if weight is None else weight > 0
    if not kept.all():
        judge.theirs = {key: drop_rows(record, kept) for key, record in judge.theirs.items()}
    lockstep = Lockstep(ranker, judge)
    if arithmetic.u:
        own_weight = None if weight is None else weight[kept]
        lockstep = HonestLockstep(ranker, judge, arithmetic, list_targets(ranker, y[kept]), own_weight)
    train_recorded(lockstep, rows, lockstep)
    if isinstance(lockstep, HonestLockstep):
        bound_ranking(lockstep, kept, lockstep.n_turns)
    judge.is_lost |= lockstep.has_lost_outputs
    if judge.has_departed and isinstance(ranker, BoostRanker | BoostedRanker):
        scores = ranker.predict(X)
        scores[kept] = ranker.rank_outputs(lockstep.outputs.compute())
        take_ranking(scores, read_queries(rows), judge)
    else:
        record_ranking(ranker, rows, judge)


def drop_rows(record: Record, kept: Bools) -> Record:
    """Drop the rows that are not kept, (n_samples,), from a record: of a tree, from its leaves, and from its counts."""
    fields, name = dict(record.fields), BY_ROW.get(record.stage, "")
    values, rows, nodes, n_left = (record.values(of) for of in (name, "rows", "nodes", "n_left"))
    if values is not None and values.shape[:1] == kept.shape and record.key != ("prediction", END):
        fields[name] = make_field(values[kept])
    if record.key != ("order", END) and rows is not None and is_order(rows, len(kept)):
        fields["rows"] = make_field((np.cumsum(kept) - 1)[rows[kept[rows]]])
        ranges = [] if nodes is None or n_left is None else find_ranges(nodes, n_left, len(rows))
        left = [kept[rows[start:stop]].sum() for start, stop in ranges[1::2]]
        if n_left is not None and n_left.shape == (len(left),):
            fields["n_left"] = make_field(np.array(left, np.int64))
    return replace(record, fields=fields)


def list_targets(ranker: Any, y: Floats) -> list[Floats]:
    """List what the outputs of a ranker are trained to, (n_samples,) each; none for those trained to probabilities."""
    if isinstance(ranker, TreeRanker) and not has_classes(ranker):
        return [y]
    labels = check_labels(y)
    n_classes = ranker.n_classes or int(labels.max()) + 1
    if isinstance(ranker, LossBoostRanker):
        return [transform_table(ranker.target, n_classes, "target")[labels]]
    return [binary_target(labels, c) for c in range(1, n_classes)] if isinstance(ranker, TreeRanker) else []
