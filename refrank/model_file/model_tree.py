"""A model tree (M5') in a model file: an object of equally long lists.

At node v a row goes to left[v] where x[feature[v]] <= threshold[v], else to right[v], from node 0 until feature[v] is
-1; models[v] = {"features", "coefficients", "intercept"} is the line of the node. The threshold of a leaf is null.
"""

from typing import Any

import numpy as np

from refrank.cocr.m5p.linear_models import LinearModel
from refrank.cocr.m5p.tree import M5Tree
from refrank.model_file.fields import entry, is_number, read_array, read_list
from refrank.model_file.paths import check_paths_end

NODES: dict[str, type[np.generic]] = {"feature": np.int64, "left": np.int64, "right": np.int64, "weight": np.float64}


def written_model_tree(tree: M5Tree) -> dict[str, Any]:
    """Describe a model tree; the threshold of a leaf, which is none, is null."""
    return {
        **{name: getattr(tree, name).tolist() for name in NODES},
        "threshold": [None if np.isnan(t) else t for t in tree.threshold.tolist()],
        "models": [
            {"features": m.features.tolist(), "coefficients": m.coefficients.tolist(), "intercept": float(m.intercept)}
            for m in tree.models
        ],
    }


def read_model_tree(value: Any, where: str, n_features: int) -> M5Tree:
    """Read a model tree whose every path ends: a child is a later node."""
    if not isinstance(value, dict):
        raise ValueError(f'"{where}" must be an object, a model tree')
    columns = {name: read_array(entry(value, name, f"{where}."), f'"{where}.{name}"', t) for name, t in NODES.items()}
    n_nodes = len(columns["feature"])
    cuts = read_list(entry(value, "threshold", f"{where}."), f'"{where}.threshold"', n_nodes)
    models = read_list(entry(value, "models", f"{where}."), f'"{where}.models"', n_nodes)
    if n_nodes == 0 or any(len(column) != n_nodes for column in columns.values()):
        raise ValueError(f'"{where}" must have lists of one length, at least 1')
    feature = columns["feature"]
    check_paths_end(columns, np.array([n_nodes]), n_features, f'"{where}.{{}}"')
    if not all(is_number(cut) if f >= 0 else cut is None for cut, f in zip(cuts, feature.tolist(), strict=True)):
        raise ValueError(f'"{where}.threshold" must be a finite number where a node has a cut, null in a leaf')
    threshold = np.array([np.nan if cut is None else cut for cut in cuts], np.float64)
    lines = tuple(read_line(m, f"{where}.models[{v}]", n_features) for v, m in enumerate(models))
    return M5Tree(feature, threshold, columns["left"], columns["right"], columns["weight"], lines)


def read_line(value: Any, where: str, n_features: int) -> LinearModel:
    """Read the linear model of a node."""
    if not isinstance(value, dict) or not is_number(value.get("intercept")):
        raise ValueError(f'"{where}" must be an object with features, coefficients and a finite intercept')
    features = read_array(entry(value, "features", f"{where}."), f'"{where}.features"', np.int64)
    coefficients = read_array(entry(value, "coefficients", f"{where}."), f'"{where}.coefficients"', np.float64)
    if len(features) != len(coefficients) or (len(features) and not 0 <= features.min() <= features.max() < n_features):
        raise ValueError(
            f'"{where}" must have a coefficient for each of its features, which lie in 0..{n_features - 1}'
        )
    return LinearModel(features, coefficients, float(value["intercept"]))
