"""Reader of XGBoost's model, JSON or UBJSON: the ranker's outputs are XGBoost's margins, up to the rounding of float32.

    in the file                        in refrank
    x < split_condition goes left      the same cut; features are read as float32 (`ImportedRanker.read_features`)
    default_left                       rule "nan left" or "nan right" per cut
    base_score                         start of the sum: itself, its logit or its logarithm, by the objective
    leaf                               value, which is a float32; refrank adds in float64, XGBoost in float32
    the best round, the order of the   see `refrank.models.exchange.xgboost_rounds`
      trees and their weights
    tree_info                          the output of each tree
    one output                         the score, whatever the objective: each turns it into a prediction that rises
                                       with it
    num_class outputs                  classes of objective multi:softprob or multi:softmax

The two differ by at most the `refrank.models.exchange.rounding.bound_additions` of float32 plus that of float64.
Categorical cuts, several targets, vector leaves and linear boosters are refused.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from refrank.datasets.strict_json import parse_json
from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange.foreign_trees import NAMES, ForeignTree, deal_out, make_ranker
from refrank.models.exchange.ubjson import loads
from refrank.models.exchange.xgboost_fields import get, read_row, read_size
from refrank.models.exchange.xgboost_rounds import Rounds, choose_rounds, list_starts, order_trees, weigh_trees
from refrank.models.foreign_bytes import prefix_faults, refuse, require
from refrank.trees.model.tree import LEAF

AS_IT_IS = (
    *("reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror", "reg:quantileerror"),
    *("rank:pairwise", "rank:ndcg", "rank:map", "multi:softprob", "multi:softmax", "binary:hinge"),
    "binary:logitraw",
)
LOGIT = ("binary:logistic", "reg:logistic")
LOGARITHM = ("count:poisson", "reg:gamma", "reg:tweedie")
CLASSES = ("multi:softprob", "multi:softmax")


def read(content: bytes, rounds: Rounds | None = None) -> ImportedRanker:
    """Read a model; after early stopping, `rounds` says whether the best rounds predict or all of them.

    Raises a ValueError, which names the place, if the content is not a model or has features that refrank lacks, and
    if the choice of rounds matters and is not made.
    """
    beginning = content[:64].lstrip()
    require(beginning[:1] == b"{", "it does not begin with a brace, as JSON and UBJSON do")
    is_json = beginning[1:2] in (b'"', b" ", b"\n", b"\r", b"\t", b"}")
    model = parse_json(content, "it", finite=False) if is_json else loads(content)
    learner = get(model, "learner", dict)
    holder, booster = find_booster(get(learner, "gradient_booster", dict))
    of_model = get(booster, "model", dict)
    sizes = get(learner, "learner_model_param", dict)
    objective = get(get(learner, "objective", dict), "name", str)
    n_outputs, n_features = count_outputs(sizes, objective), read_size(sizes, "num_feature")
    trees = [read_tree(number, tree) for number, tree in enumerate(get(of_model, "trees", list))]
    outputs = read_row(of_model, "tree_info", len(trees), "iu")
    wrong = (outputs < 0) | (outputs >= n_outputs)
    require(not wrong.any(), f"tree_info must be outputs from 0 to {n_outputs - 1}")
    trees = weigh_trees(order_trees(of_model, trees), holder if "weight_drop" in holder else of_model)
    n_rounds = choose_rounds(learner, of_model, rounds)
    n_trees = len(trees) if n_rounds is None else int(list_starts(of_model)[n_rounds])
    starts = read_starts(get(sizes, "base_score", str), objective, n_outputs)
    dealt = deal_out(trees[:n_trees], outputs[:n_trees].tolist(), n_outputs)
    names = learner.get("feature_names", [])
    names = names if isinstance(names, list) and all(isinstance(name, str) for name in names) else []
    return make_ranker(dealt, n_features, "xgboost", starts, names=names)


def find_booster(held: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the object that may hold weights of trees beside them, and the booster within it."""
    name = get(held, "name", str)
    if name == "dart":
        require("weight_drop" in held, "weight_drop is not there")
        return held, get(held, "gbtree", dict)
    if name != "gbtree":
        refuse("gradient_booster.name", name, "gbtree or dart, boosters of trees")
    return {}, held


def count_outputs(sizes: Mapping[str, Any], objective: str) -> int:
    """Count the outputs: the classes of a softmax, or one."""
    n_classes = read_size(sizes, "num_class")
    n_targets = read_size(sizes, "num_target") if "num_target" in sizes else 1
    require(n_targets <= 1, f"num_target is {n_targets}: several targets are not a ranking")
    fault = f"objective is {objective!r}: with {n_classes} classes it must be {' or '.join(CLASSES)}, to be a ranking"
    require(n_classes <= 1 or objective in CLASSES, fault)
    return max(1, n_classes)


def read_starts(text: str, objective: str, n_outputs: int) -> tuple[float, ...]:
    """Read base_score, one number or one per output in brackets, and turn it into the starts of the sums."""
    words = text.removeprefix("[").removesuffix("]").split(",")
    require(len(words) in (1, n_outputs), f"base_score must be one number, or {n_outputs} in brackets")
    try:
        values = [float(np.float32(word)) for word in words]
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        refuse("base_score", text, "finite numbers")
    starts = [turn(value, objective) for value in values]
    return tuple(starts * n_outputs if len(starts) == 1 else starts)


def turn(score: float, objective: str) -> float:
    """Turn base_score into a margin.

    >>> turn(0.5, "rank:ndcg"), turn(0.5, "binary:logistic"), turn(1.0, "count:poisson")
    (0.5, 0.0, 0.0)
    """
    if objective in AS_IT_IS:
        return score
    if objective in LOGIT:
        require(0 < score < 1, f"base_score is {score}: with objective {objective} it must be within 0 and 1")
        return float(np.float32(math.log(score) - math.log1p(-score)))
    if objective in LOGARITHM:
        require(score > 0, f"base_score is {score}: with objective {objective} it must be above 0")
        return float(np.float32(math.log(score)))
    refuse("objective", objective, f"one of {', '.join((*AS_IT_IS, *LOGIT, *LOGARITHM))}")


def read_tree(number: int, tree: Any) -> ForeignTree:
    """Read a tree; deleted nodes remain, but no row reaches them."""
    with prefix_faults(f"tree {number}: "):
        sizes = get(tree, "tree_param", dict)
        n_nodes, n_values = read_size(sizes, "num_nodes"), read_size(sizes, "size_leaf_vector")
        require(n_nodes >= 1, "num_nodes is 0: it must be at least 1")
        require(n_values <= 1, f"size_leaf_vector is {n_values}: refrank has leaves of one value")
        left = read_row(tree, "left_children", n_nodes, "iu").astype(np.int64)
        right = read_row(tree, "right_children", n_nodes, "iu").astype(np.int64)
        condition = read_row(tree, "split_conditions", n_nodes, "iuf")
        default_left = read_row(tree, "default_left", n_nodes, "iub")
        require(np.isin(default_left, (0, 1)).all(), "default_left must be 0 or 1")
        feature = read_row(tree, "split_indices", n_nodes, "iu").astype(np.int64)
        if "split_type" in tree and read_row(tree, "split_type", n_nodes, "iub").any():
            raise ValueError("split_type is not 0 everywhere: refrank has no categorical cuts")
        gain = read_row(tree, "loss_changes", n_nodes, "iuf") if "loss_changes" in tree else np.zeros(n_nodes)
        leaf = left == -1
        require(np.array_equal(leaf, right == -1), "a node must have two children or none")
        require((feature[~leaf] >= 0).all(), "split_indices must be at least 0")
        with np.errstate(over="ignore"):
            number_32 = condition.astype(np.float32).astype(np.float64)
    return ForeignTree(
        feature=np.where(leaf, LEAF, feature),
        rule=np.where(default_left == 1, NAMES.index("nan left"), NAMES.index("nan right")),
        cut=number_32,
        left=np.where(leaf, 0, left),
        right=np.where(leaf, 0, right),
        value=number_32,
        split_gain=gain.astype(np.float64),
        n_node_samples=np.zeros(n_nodes, np.int64),
    )
