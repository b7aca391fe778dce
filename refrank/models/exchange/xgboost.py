"""XGBoost's JSON model: its writer, and scores by XGBoost.

XGBoost reads features, stores cuts and leaves, and adds in float32:

    refrank                  in XGBoost
    x < cut goes left        x < cut', cut' the least float32 that is not below cut. Every float32 x with x < cut is
                             below cut'; every other is at least cut, so at least cut': the same way, for every
                             float32 x
    value * learning_rate    leaf, rounded to float32; the trees are added in order, in float32
    start of the sum         a first tree per output, a single leaf; base_score is 0
    mean of a forest         leaves are divided by the number of trees, then rounded
    missing entry            NaN; default_left says whether it goes left
    outputs                  the classes of a softmax, or one target each

So on features rounded to float32 each row reaches the same leaves as in refrank. The only difference is the rounding
of leaves and additions: `rounding` adds half a unit in the last place for each.
"""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Matrix
from refrank.checks import check_finite
from refrank.models.exchange.heads import Softmax
from refrank.models.exchange.portable import DirectedTree, Portable
from refrank.models.exchange.rounding import bound_additions, find_largest_leaf, half_ulp
from refrank.models.exchange.runtimes import load_runtime
from refrank.trees.model.tree import LEAF, Tree

RUNTIME = "xgboost"
IN_ORDER = False  # additions round to float32
READS = "read in float32"
NO_PARENT = 2**31 - 1
LARGEST = float(np.finfo(np.float32).max)


def write(portable: Portable) -> bytes:
    """Write the JSON of a model.

    Raises a ValueError if a leaf, or the sum of the largest leaves of an output, exceeds the largest float32.
    """
    check_magnitude(portable)
    n_outputs = len(portable.sums.initial)
    classes = isinstance(portable.head, Softmax)
    trees = portable.rounds
    held = [write_tree(number, tree, portable) for number, tree in enumerate(trees)]
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(len(trees))},
        "iteration_indptr": [*range(0, len(trees) + 1, n_outputs)],
        "tree_info": [number % n_outputs for number in range(len(trees))],
        "trees": held,
    }
    objective: dict[str, Any] = {"name": "reg:squarederror", "reg_loss_param": {"scale_pos_weight": "1"}}
    if classes:
        objective = {"name": "multi:softprob", "softmax_multiclass_param": {"num_class": str(n_outputs)}}
    learner = {
        "attributes": {},
        "feature_names": name_features(portable),
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": "0E0",
            "boost_from_average": "0",
            "num_class": str(n_outputs if classes else 0),
            "num_feature": str(portable.n_features),
            "num_target": str(1 if classes else n_outputs),
        },
        "objective": objective,
    }
    return json.dumps({"learner": learner, "version": [2, 1, 0]}).encode()


def name_features(portable: Portable) -> list[str]:
    """Name the features, if all names are different; characters that XGBoost refuses become _."""
    names = [re.sub(r"[\[\]<]", "_", name) for name in portable.names or ()]
    return names if len({*names}) == len(names) else []


def write_tree(number: int, directed: DirectedTree, portable: Portable) -> dict[str, Any]:
    """Write one tree; nodes keep their numbers."""
    tree = share(directed.tree, portable)
    inner, n_nodes = tree.feature != LEAF, len(tree.feature)
    parents = np.full(n_nodes, NO_PARENT)
    parents[tree.left[inner]] = parents[tree.right[inner]] = np.flatnonzero(inner)
    conditions = np.where(inner, round_up(tree.cut), tree.value.astype(np.float32))
    return {
        "base_weights": list_floats(tree.value),
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": directed.left_if_missing.astype(int).tolist(),
        "id": number,
        "left_children": np.where(inner, tree.left, -1).tolist(),
        "loss_changes": list_floats(np.minimum(tree.split_gain, LARGEST)),
        "parents": parents.tolist(),
        "right_children": np.where(inner, tree.right, -1).tolist(),
        "split_conditions": list_floats(conditions),
        "split_indices": np.where(inner, tree.feature, 0).tolist(),
        "split_type": [0] * n_nodes,
        "sum_hessian": list_floats(tree.n_node_samples),
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(portable.n_features),
            "num_nodes": str(n_nodes),
            "size_leaf_vector": "1",
        },
    }


def round_up(cut: Floats) -> NDArray[np.float32]:
    """Round cuts up to float32, (n_nodes,): no float32 lies between a cut and its new value.

    >>> round_up(np.array([0.5, 0.1, -0.1])).tolist() == [0.5, np.float32(0.1), np.nextafter(np.float32(-0.1), 0)]
    True
    """
    with np.errstate(over="ignore"):
        near = cut.astype(np.float32)
        return np.where(near < cut, np.nextafter(near, np.float32(np.inf)), near)


def list_floats(values: NDArray[Any]) -> list[float]:
    """List numbers as float32, each in the fewest digits of a float64 that identify it."""
    return values.astype(np.float32).tolist()


def share(tree: Tree, portable: Portable) -> Tree:
    """Divide the leaves of a forest's tree by the number of trees."""
    return tree if portable.divisor == 1 else replace(tree, value=tree.value / portable.divisor)


def check_magnitude(portable: Portable) -> None:
    """Refuse leaves whose sum may exceed float32."""
    for c, trees in enumerate(portable.trees):
        total = sum(find_largest_leaf(directed.tree) for directed in trees)
        if total > LARGEST / 2:
            raise ValueError(f"output {c} may reach {total:g}: it must be at most {LARGEST / 2:g}, which float32 holds")


def read_as(X: Matrix) -> Matrix:
    """Return the features as XGBoost reads them, (n_samples, n_features); refuse those beyond float32."""
    with np.errstate(over="ignore"):
        read = X.astype(np.float32)
    check_finite(np.where(np.isnan(read), 0, read))
    return read


def bound_rounding(portable: Portable) -> Floats:
    """Bound how far XGBoost's outputs are from the exact sums, (n_outputs,)."""
    bounds = []
    for trees in portable.trees:
        shares = [share(directed.tree, portable) for directed in trees]
        bound = bound_additions(0.0, shares, np.float32)
        if portable.divisor > 1:
            bound += sum(half_ulp(find_largest_leaf(tree)) for tree in shares)  # rounding of each quotient
        bounds.append(bound)
    return np.array(bounds)


def score(content: bytes, X: Matrix, portable: Portable) -> tuple[Floats, Floats | None]:
    """Compute XGBoost's margins for the rows of X, (n_samples, n_outputs); it computes no score of its own."""
    return predict_outputs(content, X), None


def predict_outputs(content: bytes, X: Matrix, best: bool = False) -> Floats:
    """Compute XGBoost's margins for the rows of X, (n_samples, n_outputs), by all rounds or by those up to the best."""
    xgboost = load_runtime(RUNTIME, "--verify")
    booster = xgboost.Booster(model_file=bytearray(content))
    rows = xgboost.DMatrix(np.ascontiguousarray(X, np.float32))
    rounds = (0, booster.best_iteration + 1 if best else 0)  # 0: all
    margins = booster.predict(rows, output_margin=True, iteration_range=rounds, validate_features=False)
    return np.asarray(margins, np.float64).reshape(len(X), -1)
