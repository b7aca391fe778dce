"""The trees of XGBoost's model that predict: ordered by id, weighted, and those of all rounds or of the best.

    in the file              in XGBoost
    id of a tree             its number; `tree_info` and `weight_drop` are rows over these numbers
    weight_drop              factor of each tree's values: beside the booster of dart, or, since 3.4, beside the trees
    iteration_indptr         number of the first tree of each round, then the number of trees; models of old releases
                             lack it, and have rounds of num_parallel_tree trees per output
    best_iteration           number of the best round, from 0, among the attributes after early stopping

With early stopping, XGBRanker.predict uses the rounds up to the best, and Booster.predict uses all of them. XGBoost to
3.2 reads trees in any order of their ids, as refrank does; later releases refuse another order than theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from refrank.arrays import Ints
from refrank.checks import check_choice
from refrank.models.exchange.foreign_trees import ForeignTree
from refrank.models.exchange.xgboost_fields import get, read_row, read_size
from refrank.models.foreign_bytes import refuse, require

Rounds = Literal["best", "all"]
ROUNDS: tuple[Rounds, ...] = ("best", "all")


def choose_rounds(learner: Mapping[str, Any], of_model: Mapping[str, Any], rounds: Rounds | None) -> int | None:
    """Return how many of the rounds predict; None for all of them.

    Raises a ValueError if the two choices differ and none is made, or if the best is chosen of a model without one.
    """
    attributes = get(learner, "attributes", dict) if "attributes" in learner else {}
    has_best = "best_iteration" in attributes
    if rounds is not None:
        check_choice("--rounds", rounds, ROUNDS)
    if rounds == "all" or (rounds is None and not has_best):
        return None
    require(has_best, "it has no best_iteration, which early stopping writes: --rounds must be all")
    n_best, n_rounds = read_size(attributes, "best_iteration") + 1, len(list_starts(of_model)) - 1
    require(n_best <= n_rounds, f"best_iteration is {n_best - 1}: it must be below {n_rounds}, the number of rounds")
    if rounds is None and n_best != n_rounds:
        both = f"best (the first {n_best}, with which XGBRanker predicts) or all (with which Booster does)"
        raise ValueError(f"best_iteration is {n_best - 1} of {n_rounds} rounds: choose --rounds {both}")
    return n_best


def list_starts(of_model: Mapping[str, Any]) -> Ints:
    """List the number of the first tree of each round, and the number of trees, (n_rounds + 1,)."""
    n_trees = len(get(of_model, "trees", list))
    require(n_trees > 0, "it has no trees")
    if "iteration_indptr" not in of_model:
        info = read_row(of_model, "tree_info", n_trees, "iu")
        per_round = read_size(get(of_model, "gbtree_model_param", dict), "num_parallel_tree") * (int(info.max()) + 1)
        require(per_round > 0 and n_trees % per_round == 0, f"its {n_trees} trees must be rounds of {per_round}")
        return np.arange(0, n_trees + 1, per_round)
    held = of_model["iteration_indptr"]
    starts = read_row(of_model, "iteration_indptr", len(held) if hasattr(held, "__len__") else 0, "iu").astype(np.int64)
    if not (len(starts) and starts[0] == 0 and starts[-1] == n_trees and (np.diff(starts) >= 0).all()):
        refuse("iteration_indptr", held, f"numbers that rise from 0 to {n_trees}, the number of trees")
    return starts


def order_trees(of_model: Mapping[str, Any], trees: Sequence[ForeignTree]) -> list[ForeignTree]:
    """Put trees, given in the order of the file, into the order of their ids."""
    n_trees = len(trees)
    ids = [get(tree, "id", int) for tree in get(of_model, "trees", list)]
    if sorted(ids) != [*range(n_trees)]:
        refuse("id", ids, f"in each tree another number from 0 to {n_trees - 1}")
    ordered = [*trees]
    for place, number in enumerate(ids):
        ordered[number] = trees[place]
    return ordered


def weigh_trees(trees: Sequence[ForeignTree], held: Mapping[str, Any]) -> list[ForeignTree]:
    """Multiply the values of each tree by its weight, if the object that holds them has weights."""
    if "weight_drop" not in held:
        return [*trees]
    weights = read_row(held, "weight_drop", len(trees), "iuf").astype(np.float32).tolist()
    return [replace(tree, value=tree.value * weight) for tree, weight in zip(trees, weights, strict=True)]
