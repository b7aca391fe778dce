"""A trained ranker as documented JSON: no pickle, nothing that runs when it is read, the same bits after a round trip.

    {
      "format": "refrank model", "version": 1,
      "algorithm": "softmax" | "ordinal" | "ls",
      "parameters": {...},          what the estimator was made with; a function is written as its table
      "n_features": int, "n_classes": int,
      "feature_names": [...] or null,
      "table": [...],               T(k) of Eq. 5, or the target of Algorithm 2, one value a class
      "model": {...}                the fields of SoftmaxModel, OrdinalModel or LSModel; "rounds" nests trees as they do
    }

A tree is an object of equally long lists, the fields of `refrank.tree.Tree`: a row at node v goes to left[v] where
x[feature[v]] < cut[v], else to right[v], from node 0 until feature[v] is -1; there value[v] is the leaf's beta. Scores
start at 0 (or at "initial") and add learning_rate * beta, tree after tree. Floats are written with the fewest digits
that bring back the same float64.
"""

import json
import os
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np

from refrank.estimators import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.mcrank.ls_boosting import LSModel
from refrank.mcrank.ordinal_boosting import OrdinalModel
from refrank.mcrank.softmax_boosting import SoftmaxModel
from refrank.tree import Tree

FORMAT, VERSION = "refrank model", 1
RANKERS: dict[str, type[BoostRanker]] = {
    "softmax": SoftmaxBoostRanker,
    "ordinal": OrdinalBoostRanker,
    "ls": LSBoostRanker,
}
MODELS: dict[str, Callable[..., Any]] = {"softmax": SoftmaxModel, "ordinal": OrdinalModel, "ls": LSModel}
TABLES = {"softmax": "relevance", "ordinal": "relevance", "ls": "target"}
TREE_TYPES = {
    name: get_args(get_args(hint)[1])[0]  # the scalar type of NDArray[...]
    for name, hint in get_type_hints(Tree).items()
}


def save_model(ranker: BoostRanker, path: str | os.PathLike[str]) -> None:
    """Write a trained ranker; a file of that name is replaced whole, or not at all.

    Parameters
    ----------
    ranker : SoftmaxBoostRanker, OrdinalBoostRanker or LSBoostRanker
        Fitted.
    path : path

    Raises
    ------
    ValueError
        Where the ranker is not fitted, or of another kind.
    """
    algorithm = next((name for name, kind in RANKERS.items() if type(ranker) is kind), None)
    if algorithm is None:
        raise ValueError(f"ranker is a {type(ranker).__name__}: a model file holds one of {', '.join(RANKERS)}")
    if not hasattr(ranker, "model_"):
        raise ValueError("ranker is not fitted: there is no model to write")
    table = getattr(ranker, TABLES[algorithm] + "_").tolist()
    parameters = ranker.get_params()
    if not isinstance(parameters[TABLES[algorithm]], str):
        parameters[TABLES[algorithm]] = table
    names = getattr(ranker, "feature_names_in_", None)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": algorithm,
        "parameters": parameters,
        "n_features": ranker.n_features_in_,
        "n_classes": ranker.n_classes_,
        "feature_names": None if names is None else list(names),
        "table": table,
        "model": {field.name: written(getattr(ranker.model_, field.name)) for field in fields(ranker.model_)},
    }
    target = Path(path)
    unfinished = target.with_name(target.name + ".part")
    unfinished.write_text(json.dumps(document, separators=(",", ":"), default=number, allow_nan=False) + "\n")
    unfinished.replace(target)


def load_model(path: str | os.PathLike[str]) -> BoostRanker:
    """Read a ranker that predicts the same bits as the one that was written.

    Raises
    ------
    ValueError
        Where the file is not such a model; the message names file and field.
    """
    try:
        document = json.loads(Path(path).read_text())
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ValueError(f'"format" must be "{FORMAT}"')
        if document["version"] != VERSION:
            raise ValueError(f'"version" is {document["version"]!r}: this release reads version {VERSION}')
        algorithm = document["algorithm"]
        if algorithm not in RANKERS:
            raise ValueError(f'"algorithm" is {algorithm!r}: it must be one of {", ".join(RANKERS)}')
        ranker = RANKERS[algorithm](**document["parameters"])
        ranker.n_features_in_, ranker.n_classes_ = document["n_features"], document["n_classes"]
        if document["feature_names"] is not None:
            ranker.feature_names_in_ = np.array(document["feature_names"], dtype=object)
        setattr(ranker, TABLES[algorithm] + "_", np.array(document["table"], np.float64))
        model = {name: read(value, ranker.n_features_in_) for name, value in document["model"].items()}
        ranker.model_ = MODELS[algorithm](**model)
        ranker.n_rounds_ = len(ranker.model_.rounds)
    except KeyError as missing:
        raise ValueError(f"{path} is no refrank model: it has no field {missing}") from None
    except (ValueError, TypeError) as fault:
        raise ValueError(f"{path} is no refrank model: {fault}") from None
    return ranker


def written(value: Any) -> Any:
    """Turn trees, and tuples of them however nested, into JSON."""
    if isinstance(value, Tree):
        return {name: getattr(value, name).tolist() for name in TREE_TYPES}
    return [written(item) for item in value] if isinstance(value, tuple) else value


def read(value: Any, n_features: int) -> Any:
    """Turn JSON back into trees and nested tuples of them."""
    if isinstance(value, dict):
        tree = Tree(**{name: np.array(value[name], kind) for name, kind in TREE_TYPES.items()})
        check_tree(tree, n_features)
        return tree
    return tuple(read(item, n_features) for item in value) if isinstance(value, list) else value


def check_tree(tree: Tree, n_features: int) -> None:
    """Raise a ValueError where following the tree would leave it, never end, or ask for a feature that is not there."""
    n_nodes = len(tree.feature)
    if n_nodes == 0 or any(getattr(tree, name).shape != (n_nodes,) for name in TREE_TYPES):
        raise ValueError("the fields of a tree must be lists of one length, of at least one node")
    if tree.feature.min() < -1 or tree.feature.max() >= n_features:
        raise ValueError(f'the "feature" of a node must lie between -1 and {n_features - 1}')
    for name in ("left", "right"):
        inner = np.flatnonzero(tree.feature >= 0)
        child = getattr(tree, name)[inner]
        if (child <= inner).any() or (child >= n_nodes).any():
            raise ValueError(f'the "{name}" of a node must be a later node of its tree')


def number(value: Any) -> Any:
    """Write a NumPy number, as parameters may hold, as the plain one."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model file cannot hold a {type(value).__name__}")
