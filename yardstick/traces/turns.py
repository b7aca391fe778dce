"""The records of one turn of a training: those of the recorder, completed from the model.

turn of            records
a booster          those of `Recorder`, with the cuts as numbers, and the leaves before the step
a forest           draws and whole trees, both read from the model
COCR               those of a base that boosts trees; the answers come at the end
a net              scores after each epoch
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.estimators import COCRRanker, IGBRTRanker, RandomForestRanker
from refrank.igbrt.classification import problem_seeds
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.model.tree import LEAF, Tree
from yardstick.traces.stages import Keep, Place, Record, make_record

FIELDS = [field.name for field in fields(Tree)]


def complete_turn(records: Sequence[Record], n_done: int, model: Any, X: Matrix, keep: Keep) -> Iterator[Record]:
    """Yield the records of a turn with the number of its round, completed from the model."""
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
    """List the trees of each turn; None for a model without trees."""
    if hasattr(model, "list_rounds"):
        return model.list_rounds()
    return getattr(getattr(model, "model_", None), "rounds", None)


def split_off_bins(records: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Separate the records made before the first turn from the others."""
    return [made for made in records if made.stage == "bins"], [made for made in records if made.stage != "bins"]


def complete_round(records: Sequence[Record], m: int, trees: Sequence[Tree], keep: Keep) -> Iterator[Record]:
    """Yield the records of a round, completed from its trees: cuts as numbers, and leaves before the step."""
    is_whole = False
    for record in records:
        output = record.place.output
        assert output is not None
        tree, place, fields = trees[output], Place(m, None, output), record.fields
        if record.stage == "partition":
            is_whole = len(tree.feature) == 2 * fields["nodes"].shape[0] + 1  # "rt-rank" adds nodes afterwards
            if is_whole:
                inner = np.flatnonzero(tree.feature != LEAF)
                in_turn = inner[np.argsort(tree.left[inner])]  # a cut numbers the children of a node
                fields = {**fields, "cut": keep(tree.cut[in_turn])}
        elif record.stage == "step" and is_whole:
            yield make_record(keep, "leaf_values", place, values=list_leaf_values(tree))
        yield Record(record.stage, place, fields)


def list_leaf_values(tree: Tree) -> Floats:
    """List the values of the leaves in the order of their rows, (n_leaves,): from left to right."""
    return tree.value[list_leaves(tree)]


def list_leaves(tree: Tree) -> list[int]:
    """List the nodes of the leaves from left to right."""
    feature, left, right = tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()
    leaves, stack = [], [0]
    while stack:
        node = stack.pop()
        if feature[node] == LEAF:
            leaves.append(node)
        else:
            stack += [right[node], left[node]]
    return leaves


def record_tree(tree: Tree, place: Place, keep: Keep) -> Record:
    """Make the record of a whole tree."""
    return make_record(keep, "tree", place, **{name: getattr(tree, name) for name in FIELDS})


def record_forest_trees(trees: Sequence[Tree], t: int, model: Any, n_samples: int, keep: Keep) -> Iterator[Record]:
    """Yield the draws and the trees of one turn of a forest, one per problem."""
    for output, (tree, seed) in enumerate(zip(trees, problem_seeds(model.seed_, len(trees)), strict=True)):
        place = Place(tree=t, output=output)
        yield make_record(keep, "draws", place, counts=bootstrap_counts(seed, t, n_samples))
        yield record_tree(tree, place, keep)


def complete_problem(records: Sequence[Record], problem: int) -> Iterator[Record]:
    """Yield the records of a COCR problem whose base boosts trees: its tree m is that of round m."""
    for record in records:
        m = None if record.place.output is None else record.place.output + 1
        yield replace(record, place=record.place._replace(round=m, output=problem))
