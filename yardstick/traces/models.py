"""A fitted model, recorded on rows: its trees, round by round, the leaf that each row reaches, and F after each tree.

The feature of a node is that of the rows, even if a rule makes several columns of it. A model whose outputs are not
plain sums of trees has no records of its trees: igbrt adds the mean of a forest to the sum, and `clip="each-round"`
clips the sum after each round.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import check_choice, check_integer, check_number
from refrank.estimators import ImportedRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.estimators.base import Ranker
from refrank.estimators.filled_ranker import FilledRanker
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.trees.engine import default_engine
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import LEAF, Tree, add_predictions
from yardstick.numbers.encoding import show
from yardstick.traces.ranking import record_ranking
from yardstick.traces.stages import Keep, LabelledRows, Place, Record, Taker
from yardstick.traces.tracing import MEASURED, Sizes, describe_training, measure_sizes, take_rows

MODEL = "model"  # the algorithm in the manifest of such a trace
OUTPUT, SOFTMAX, OTHER = "output", "softmax", "other"
TracedTree = tuple[Place, Tree, Ints]  # and the leaf that each row reaches, (n_samples,)


class TracedModel(NamedTuple):
    """Steps from the sums of a model to its predictions: the parameters of its trace."""

    n_rounds: int
    head: str  # the output itself, the expected relevance of a softmax of the outputs, or another
    averages: bool  # whether the sums are first divided by n_rounds
    learning_rate: float  # factor of the leaf values in a step


def record_model(ranker: Ranker, rows: LabelledRows, keep: Keep, write: Callable[[Record], None]) -> None:
    """Have `write` take the records of a fitted ranker on rows, in order; a ValueError says if these do not fit it."""
    taker = Taker(keep, write)
    take_rows(taker, rows)
    model = find_sum(ranker)
    if model is not None:
        trees = read_trees(model, read_columns(ranker, rows.X), ranker.n_features_in_)
        take_sum(np.array(model.initial), trees, model.learning_rate, rows.X.shape, taker)
    record_ranking(ranker, rows, taker)


def describe_model(ranker: Ranker, rows: LabelledRows) -> dict[str, Any]:
    """Describe a fitted ranker and its rows, for the manifest of a trace."""
    model = {"algorithm": MODEL, "parameters": trace_model(ranker)._asdict(), MODEL: ranker.algorithm}
    return {**describe_training(ranker, rows), **model}


def read_traced_model(parameters: Mapping[str, Any], name: str) -> TracedModel:
    """Read the parameters of a trace, which anybody may have written."""
    if {*parameters} != {*TracedModel._fields}:
        rule = f"those of the trace of a model: {', '.join(TracedModel._fields)}"
        raise ValueError(f"parameters of {name} must be {rule}")
    model = TracedModel(**parameters)
    check_integer(f"n_rounds of {name}", model.n_rounds, 0)
    check_choice(f"head of {name}", model.head, (OUTPUT, SOFTMAX, OTHER))
    check_number(f"learning_rate of {name}", model.learning_rate)
    if not isinstance(model.averages, bool):
        raise ValueError(f"averages of {name} is {show(model.averages)}: it must be true or false")
    return model


def predict_model_sizes(ranker: Any, rows: LabelledRows) -> Sizes:
    """Predict the size of a model's trace on rows, as `predict_sizes` does."""
    model, first, n_rounds = find_sum(ranker), copy(ranker), 0
    if model is not None:
        first.model_, n_rounds = replace(model, rounds=model.rounds[:MEASURED]), len(model.rounds)
    return measure_sizes(partial(record_model, first, rows), {"round": n_rounds})


def find_sum(ranker: Any) -> Ensemble | None:
    """Find the sum of trees by whose outputs a ranker ranks; None if it ranks otherwise."""
    model = getattr(ranker, "model_", None)
    plain = not hasattr(ranker, "forest_") and getattr(ranker, "clip", None) != "each-round"
    return model if isinstance(model, Ensemble) and plain else None


def trace_model(ranker: Any) -> TracedModel:
    """Describe how a ranker's sums become predictions."""
    model = find_sum(ranker)
    if model is None:
        return TracedModel(0, OTHER, False, 1.0)
    head, averages = OTHER, isinstance(ranker, RandomForestRanker)
    if isinstance(ranker, ImportedRanker):
        head, averages = OUTPUT if len(model.initial) == 1 else SOFTMAX, bool(ranker.averages_)
    elif isinstance(ranker, SoftmaxBoostRanker) and ranker.relevance == "k":
        head = SOFTMAX
    elif isinstance(ranker, LossBoostRanker) or (isinstance(ranker, TreeRanker) and not has_classes(ranker)):
        head = OUTPUT
    return TracedModel(len(model.rounds), head, averages, float(model.learning_rate))


def read_columns(ranker: Any, X: Matrix) -> Matrix:
    """Return the columns that the trees of a ranker cut, (n_samples, n_columns)."""
    rows = ranker.check_rows(X)
    if isinstance(ranker, ImportedRanker):
        return ranker.read_columns(rows)
    return ranker.fill(rows) if isinstance(ranker, FilledRanker) else rows


def read_trees(model: Ensemble, columns: Matrix, n_features: int) -> Iterator[TracedTree]:
    """Yield the trees of a sum, and the leaves that rows reach, given the columns that the trees cut."""
    for m, trees in enumerate(model.rounds, start=1):
        for k, tree in enumerate(trees):
            own, reached, leaves = np.zeros(len(tree.feature)), np.zeros(len(columns)), list_leaves(tree)
            own[leaves] = np.arange(len(leaves))
            add_predictions([replace(tree, value=own)], columns, 1.0, reached, default_engine())
            feature = np.where(tree.feature == LEAF, LEAF, tree.feature % n_features).astype(np.int32)
            yield Place(round=m, output=k), replace(tree, feature=feature), reached.astype(np.int64)


def take_sum(
    initial: Floats, trees: Iterable[TracedTree], learning_rate: float, shape: tuple[int, int], taker: Taker
) -> Floats:
    """Have the start of a sum of trees taken, and of each tree its nodes, the leaves of the rows, its step, F after it.

    `shape` is that of the rows, (n_samples, n_features). Returns F after the last tree, (n_samples, n_outputs).
    """
    initial = taker.settle("start", Place(), initial)
    scores = np.full((shape[0], len(initial)), initial, order="F")
    for place, tree, own_leaves in trees:
        taker.take("tree", place, **vars(tree))
        tree = taker.adopt_tree(place, tree, shape[1])
        values = tree.value[list_leaves(tree)]
        taker.take("leaves", place, values=own_leaves)
        leaves = taker.adopt("leaves", place, "values", own_leaves, below=len(values))
        leaves = leaves if leaves.max(initial=0) < len(values) else np.zeros_like(leaves)  # the port has another tree
        step = taker.settle("step", place, learning_rate * values)
        own = scores[:, place.output or 0]
        own[:] = taker.settle("scores", place, own + step[leaves])
    return scores


def list_leaves(tree: Tree) -> list[int]:
    """List the leaves of a tree from left to right."""
    leaves, stack = [], [0]
    while stack:
        node = stack.pop()
        if tree.feature[node] == LEAF:
            leaves.append(node)
        else:
            stack += [int(tree.right[node]), int(tree.left[node])]
    return leaves
