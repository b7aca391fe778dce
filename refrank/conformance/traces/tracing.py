"""A training, recorded: the records of every stage, in order, while a ranker is fitted (stages.py).

turn of            records
a booster          those of `Recorder`, with the cuts as numbers, and the leaves before the step
a forest           draws and whole trees, both read off the model
COCR               those of a base that boosts trees, then the answers of each problem
a net              scores after each epoch
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.conformance.traces.recording import Keep, Recorder
from refrank.conformance.traces.stages import Place, Record
from refrank.estimators import COCRRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators.base import Ranker
from refrank.igbrt.classification import problem_seeds
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.metrics import PRESETS, err, ndcg
from refrank.metrics.queries import group_rows
from refrank.trees import engine
from refrank.trees.engine import use_splitter
from refrank.trees.splitting import Floats
from refrank.trees.tree import LEAF, Tree

CONVENTION = "paper"
Write = Callable[[Record], None]


def record_training(
    ranker: Ranker,
    X: NDArray[np.floating],
    y: NDArray[Any],
    qid: NDArray[Any] | None,
    keep: Keep,
    write: Write,
    sample_weight: Floats | None = None,
) -> None:
    """Fit a ranker, and write the records of every stage, in order.

    Parameters
    ----------
    ranker : Ranker
        Fitted as `fit` does it, to the bit.
    X, y, qid, sample_weight : arrays of shape (n_samples, n_features), (n_samples,), (n_samples,), (n_samples,)
        As in `fit`.
    keep : function
        Makes a field of an array.
    write : function
        Takes each record.
    """
    given = {"X": X, "y": np.asarray(y, np.float64), "qid": number_queries(qid, len(X)), "weight": sample_weight}
    write(make_record(keep, "data", Place(), **{name: a for name, a in given.items() if a is not None}))
    recorder = Recorder(engine.DEFAULT_SPLITTER, keep)

    def monitor(n_done: int, so_far: Callable[[], Any]) -> None:
        for record in complete_turn(recorder.take(), n_done, so_far(), X, keep):
            write(record)

    weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
    with use_splitter(recorder), one_by_one(ranker):
        ranker.fit(X, y, qid, **weighted, monitor=monitor)
    for record in record_ranking(ranker, X, y, qid, keep):
        write(record)


@contextmanager
def one_by_one(ranker: Any) -> Iterator[None]:
    """Have COCR train its problems one after the other; no bit depends on it."""
    if not isinstance(ranker, COCRRanker):
        yield
        return
    n_jobs, ranker.n_jobs = ranker.n_jobs, 1
    try:
        yield
    finally:
        ranker.n_jobs = n_jobs


def describe_training(ranker: Ranker, X: NDArray[np.floating], qid: NDArray[Any] | None) -> dict[str, Any]:
    """Describe a training, for the manifest of its trace."""
    parameters = ranker.get_params(deep=False)
    return {
        "algorithm": ranker.algorithm,
        "parameters": {name: describe_parameter(value) for name, value in parameters.items()},
        "writer": f"refrank {metadata.version('refrank')}, {engine.splitter_name()}",
        "n_samples": len(X),
        "n_features": X.shape[1],
        "n_queries": int(number_queries(qid, len(X)).max()) + 1,
        "convention": CONVENTION,
    }


def describe_parameter(value: Any) -> Any:
    """Write a parameter in JSON: a number, a text or nothing as itself, anything else as its repr in an object."""
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return {"repr": print_text(repr(value), 400)}


def make_record(keep: Keep, stage: str, place: Place, **arrays: Any) -> Record:
    """Make a record of arrays."""
    return Record(stage, place, {name: keep(np.asarray(values)) for name, values in arrays.items()})


def number_queries(qid: NDArray[Any] | None, n_samples: int) -> NDArray[np.int64]:
    """Number the queries from 0 in the order in which they begin, (n_samples,)."""
    if qid is None:
        return np.zeros(n_samples, np.int64)
    _, first, number = np.unique(np.asarray(qid), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def complete_turn(
    records: Sequence[Record], n_done: int, model: Any, X: NDArray[np.floating], keep: Keep
) -> Iterator[Record]:
    """Yield the records of a turn, with the number of its round, and with what only the model tells."""
    if isinstance(model, COCRRanker):
        yield from complete_problem(records, n_done - 1)
        return
    rounds = list_rounds(model)
    if rounds is None:
        yield make_record(keep, "scores", Place(round=n_done, output=0), values=model.predict(X))
        return
    n_forest = 0 if not isinstance(model, RandomForestRanker | IGBRTRanker) else model.n_trees_
    trees = rounds[n_done - 1]
    before, after = split_off_bins(records)
    yield from before
    if n_done <= n_forest:
        yield from record_forest_trees(trees, n_done - 1, model, len(X), keep)
        return
    m = n_done - n_forest
    if m == 1:
        yield make_record(keep, "start", Place(), values=np.array(model.model_.initial))
    yield from complete_round(after, m, trees, keep)


def list_rounds(model: Any) -> Sequence[Any] | None:
    """List the trees of each turn; None of a model without trees."""
    if hasattr(model, "_all_rounds"):
        return model._all_rounds()
    return getattr(getattr(model, "model_", None), "rounds", None)


def split_off_bins(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Part the records that were made before the first turn from the others."""
    return [one for one in records if one.stage == "bins"], [one for one in records if one.stage != "bins"]


def complete_round(records: Sequence[Record], m: int, trees: Sequence[Tree], keep: Keep) -> Iterator[Record]:
    """Yield the records of a round, with what its trees alone tell: cuts as numbers, and leaves before the step."""
    n_nodes = 0
    for record in records:
        placed = replace(record, place=record.place._replace(round=m))
        output = record.place.output
        assert output is not None
        tree = trees[output]
        if record.stage == "partition":
            n_nodes = 2 * record.fields["nodes"].shape[0] + 1
        if record.stage == "step" and len(tree.feature) == n_nodes:  # "rt-rank" adds nodes afterwards
            place = Place(round=m, output=output)
            yield make_record(keep, "leaf_values", place, values=list_leaf_values(tree))
        if record.stage == "partition" and len(tree.feature) == n_nodes:
            inner = np.flatnonzero(tree.feature != LEAF)
            in_turn = inner[np.argsort(tree.left[inner])]  # a node's children are numbered when it is cut
            placed = replace(placed, fields={**record.fields, "cut": keep(tree.cut[in_turn])})
        yield placed


def list_leaf_values(tree: Tree) -> Floats:
    """List the values of the leaves in the order of their rows, (n_leaves,): from left to right."""
    values, stack = [], [0]
    while stack:
        node = stack.pop()
        if tree.feature[node] == LEAF:
            values.append(tree.value[node])
        else:
            stack += [int(tree.right[node]), int(tree.left[node])]
    return np.array(values)


def record_tree(tree: Tree, place: Place, keep: Keep) -> Record:
    """Make the record of a whole tree."""
    return make_record(keep, "tree", place, **{one.name: getattr(tree, one.name) for one in fields(Tree)})


def record_forest_trees(trees: Sequence[Tree], t: int, model: Any, n_samples: int, keep: Keep) -> Iterator[Record]:
    """Yield the draws and the trees of one turn of a forest, one per problem."""
    for output, (tree, seed) in enumerate(zip(trees, problem_seeds(model.seed_, len(trees)), strict=True)):
        place = Place(tree=t, output=output)
        yield make_record(keep, "draws", place, counts=bootstrap_counts(seed, t, n_samples))
        yield record_tree(tree, place, keep)


def complete_problem(records: Sequence[Record], problem: int) -> Iterator[Record]:
    """Yield the records of a problem of COCR whose base boosts trees: tree m of it is that of round m."""
    for record in records:
        m = None if record.place.output is None else record.place.output + 1
        yield replace(record, place=record.place._replace(round=m, output=problem))


def record_ranking(
    ranker: Ranker, X: NDArray[np.floating], y: NDArray[Any], qid: NDArray[Any] | None, keep: Keep
) -> Iterator[Record]:
    """Yield what the training rows are ranked by, their order, and the quality of it."""
    if isinstance(ranker, COCRRanker):
        for output, values in enumerate(ranker.decision_function(X).T):
            yield make_record(keep, "answers", Place(output=output), values=values)
    scores = ranker.predict(X)
    yield make_record(keep, "prediction", Place(), values=scores)
    yield make_record(keep, "order", Place(), rows=rank_rows(scores, qid))
    labels = np.asarray(y, np.float64)
    if (labels >= 0).all() and (labels == np.rint(labels)).all():
        yield make_record(keep, "metric", Place(), **measure(labels, scores, qid))


def measure(labels: Floats, scores: Floats, qid: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    """Measure a ranking of all rows, query by query."""
    spec = PRESETS[CONVENTION]
    values = {"ndcg": ndcg(labels, scores, qid, 10, spec, per_query=True), "mean": ndcg(labels, scores, qid, 10, spec)}
    if spec.max_grade is not None and labels.max() <= spec.max_grade:
        values["err"] = err(labels, scores, qid, None, spec, per_query=True)
    return {name: np.asarray(value) for name, value in values.items()}


def rank_rows(scores: Floats, qid: NDArray[Any] | None) -> NDArray[np.int64]:
    """Rank the rows of each query by score, (n_samples,): the best first; equal scores as the rows come."""
    queries = group_rows(qid, len(scores))
    own = [rows[np.argsort(-scores[rows], kind="stable")] for rows in np.split(queries.rows, queries.starts[1:])]
    return np.concatenate(own)
