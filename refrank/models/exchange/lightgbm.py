"""LightGBM's text model: its writer, and scores by LightGBM.

A model is a head of `name=value` lines, then the trees, by round and within a round by output:

    refrank                  in the file
    cut on feature f         inner node i; its children are later inner nodes, or leaf j as -(j + 1)
    x < cut goes left        x <= threshold goes left, threshold = nextafter(cut, -inf): the same x
    leaf, a node alone       a tree of one leaf
    value * learning_rate    leaf_value: LightGBM starts at 0 and adds the trees in order, in float64
    start of the sum         a first round of trees of one leaf
    mean of a forest         average_output: the sum is divided by the number of rounds, last
    missing entry            NaN; bit 1 of decision_type says whether it goes left (`DirectedTree`)

So raw scores equal refrank's to the bit, or for igbrt within a bound (`refrank.models.exchange.packing`). For a forest,
predictions do. LightGBM reads entries of magnitude up to 1e-35 as 0 (`TINY`). Counts and gains are also written: SHAP
values weight the branches by the counts.
"""

import re
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Matrix
from refrank.estimators.imported import TINY
from refrank.inspection.node_values import average_leaves
from refrank.models.exchange.heads import Softmax
from refrank.models.exchange.portable import DirectedTree, Portable, bound_in_order
from refrank.models.exchange.runtimes import load_runtime
from refrank.trees.model.tree import LEAF

RUNTIME = "lightgbm"
IN_ORDER = True  # trees are added as refrank adds them, in float64
READS = f"up to {TINY:.0e} read as 0"
bound_rounding = bound_in_order
DEFAULT_LEFT, MISSING_NAN = 2, 2 << 2  # bits of decision_type
LARGEST_COUNT = 2**31 - 1
MOST_NAMES = 2**20  # of features, each of which is written
REFUSED = r'[\s",:\[\]{}]'  # in names


def write(portable: Portable) -> bytes:
    """Write the text of a model; raise a ValueError if it has more than 2^20 features.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> from refrank.models.exchange.packing import make_portable
    >>> ranker = LSBoostRanker(n_rounds=1, learning_rate=0.5).fit([[0.0], [1.0]], [0, 1])
    >>> text = write(make_portable(ranker)).decode().split("Tree=1")[1]
    >>> [line for line in text.splitlines() if line.startswith(("threshold", "leaf_value"))]
    ['threshold=0.49999999999999994', 'leaf_value=-0.25 0.25']
    """
    if portable.n_features > MOST_NAMES:
        rule = f"LightGBM's text names each feature, and at most {MOST_NAMES} are written"
        raise ValueError(f"the model has {portable.n_features} features: {rule}")
    n_outputs = len(portable.sums.initial)
    knows_missing = portable.missing_value is not None
    blocks = [write_tree(number, tree, knows_missing) for number, tree in enumerate(portable.rounds)]
    head = ["tree", "version=v4", f"num_class={n_outputs}", f"num_tree_per_iteration={n_outputs}", "label_index=0"]
    head.append(f"max_feature_idx={portable.n_features - 1}")
    if isinstance(portable.head, Softmax):
        head.append(f"objective=multiclass num_class:{n_outputs}")
    elif n_outputs == 1:
        head.append("objective=regression")
    if portable.divisor > 1:
        head.append("average_output")
    head.append(f"feature_names={' '.join(name_features(portable))}")
    head.append(f"feature_infos={' '.join(['[-inf:inf]'] * portable.n_features)}")
    head.append(f"tree_sizes={' '.join(str(len(block)) for block in blocks)}")
    text = "\n".join(head) + "\n\n" + "".join(blocks) + "end of trees\n\nfeature_importances:\n\nparameters:\n"
    return f"{text}end of parameters\n\npandas_categorical:null\n".encode()


def name_features(portable: Portable) -> list[str]:
    """Name the features; characters that LightGBM refuses become _, and names that are then equal become numbers."""
    names = [re.sub(REFUSED, "_", name) for name in portable.names or ()] or [""] * portable.n_features
    counts = Counter(names)
    return [name if name and counts[name] == 1 else f"Column_{f}" for f, name in enumerate(names)]


def write_tree(number: int, directed: DirectedTree, knows_missing: bool) -> str:
    """Write one tree; inner nodes and leaves are numbered in node order."""
    tree = directed.tree
    inner = tree.feature != LEAF
    place = np.where(inner, np.cumsum(inner) - 1, -np.cumsum(~inner))
    kind = DEFAULT_LEFT * directed.left_if_missing + MISSING_NAN * knows_missing
    counts = np.minimum(tree.n_node_samples, LARGEST_COUNT)
    mean = average_leaves(tree)
    with np.errstate(over="ignore"):  # below the lowest float64 is -inf, so no finite x goes left
        threshold = np.nextafter(tree.cut[inner], -np.inf)
    fields: dict[str, NDArray[Any]] = {
        "split_feature": tree.feature[inner],
        "split_gain": np.minimum(tree.split_gain[inner], 1e300),  # which LightGBM reads as the largest
        "threshold": threshold,
        "decision_type": kind[inner],
        "left_child": place[tree.left[inner]],
        "right_child": place[tree.right[inner]],
        "leaf_value": tree.value[~inner],
        "leaf_weight": counts[~inner],
        "leaf_count": counts[~inner],
        "internal_value": mean[inner],
        "internal_weight": counts[inner],
        "internal_count": counts[inner],
    }
    if not inner.any():
        fields = {"leaf_value": tree.value}
    lines = [f"Tree={number}", f"num_leaves={np.count_nonzero(~inner)}", "num_cat=0"]
    # the repr of a Python number has the fewest digits that identify it
    lines += [f"{name}={' '.join(map(repr, values.tolist()))}" for name, values in fields.items()]
    return "\n".join([*lines, "is_linear=0", "shrinkage=1"]) + "\n\n\n"


def read_as(X: Matrix) -> Matrix:
    """Return the features as LightGBM reads them, (n_samples, n_features)."""
    return np.where(np.abs(X) <= TINY, 0.0, X)


def score(content: bytes, X: Matrix, portable: Portable) -> tuple[Floats, Floats | None]:
    """Compute LightGBM's outputs for the rows of X, (n_samples, n_outputs); it computes no score of its own."""
    if len(portable.sums.initial) > 1:  # predictions would be probabilities
        return predict_outputs(content, X) / portable.divisor, None
    return predict_outputs(content, X, raw=portable.divisor == 1), None  # predictions of a forest are averaged


def predict_outputs(content: bytes, X: Matrix, raw: bool = True) -> Floats:
    """Compute LightGBM's raw scores, or its predictions, for the rows of X, (n_samples, n_outputs)."""
    lightgbm = load_runtime(RUNTIME, "--verify")
    booster = lightgbm.Booster(model_str=content.decode())
    outputs = booster.predict(np.ascontiguousarray(X, np.float64), raw_score=raw)
    return np.asarray(outputs, np.float64).reshape(len(X), -1)
