"""Forests and boosted trees of `refrank.igbrt` as a zip of a JSON head and arrays: no pickle, the same bits again.

The members are stored, not compressed, so that a file is never larger in memory than on disk:

    head.json         {"format": "refrank forest", "version": 1, "algorithm": "rf" | "gbrt" | "igbrt",
                       "parameters": {...},      what the estimator was made with, but n_threads and verbose; a NaN is
                                                 written "nan", and random_state is the seed itself
                       "n_features": int, "n_classes": int or null, "feature_names": [...] or null,
                       "models": [{"forest": trees, "boosting": trees, "initial": float, "learning_rate": float}]}
                      one model, or one a problem c = 1..n_classes - 1; of the four fields those that it has
    fill.npy          (n_features,) what stands in for missing values, or (0,) where none may miss
    n_nodes.npy       (n_trees,) int64, the nodes of each tree: model after model, its forest before its boosted trees
    <field>.npy       for each field of `refrank.trees.tree.Tree`: (sum of n_nodes,), tree after tree

A row goes to `left` where x[feature] < cut, and a cut may be +inf: below it is what is not missing. Children are
numbered from their tree's first node. Feature importances are added up again; out-of-bag scores are not kept.
"""

import io
import json
import math
import os
import zipfile
from reprlib import repr as shown  # a fault is one line, however long the value
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.estimators import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators.checks import check_choice
from refrank.estimators.tree_ranker import TreeRanker
from refrank.igbrt.gbrt import GBRTModel
from refrank.igbrt.igbrt import IGBRTModel
from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.igbrt.random_forest import ForestModel
from refrank.model_file.fields import (
    check_fitted,
    check_format,
    entry,
    read_features,
    read_list,
    read_number,
    read_parameters,
    read_rate,
    read_whole,
    written_names,
    written_parameters,
)
from refrank.model_file.layout import TREE_TYPES
from refrank.model_file.paths import check_paths_end
from refrank.model_file.replacement import replacement
from refrank.trees.tree import Tree

FORMAT, VERSION = "refrank forest", 1
FOREST_RANKERS: dict[str, type[TreeRanker]] = {
    "rf": RandomForestRanker,
    "gbrt": GBRTRanker,
    "igbrt": IGBRTRanker,
}
MAGIC = b"PK\x03\x04"  # how a zip file begins, and no JSON does
ARRAYS = ("fill", "n_nodes", *TREE_TYPES)


def save_forest(ranker: TreeRanker, path: str | os.PathLike[str]) -> None:
    """Write a trained ranker; a file of that name is replaced whole, or not at all.

    Raises
    ------
    ValueError
        Where the ranker is not fitted.
    """
    check_fitted(ranker, "models_")
    algorithm = next(name for name, kind in FOREST_RANKERS.items() if type(ranker) is kind)
    parameters = written_parameters(ranker) | {"random_state": ranker.seed_}
    head = {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": algorithm,
        "parameters": {name: plain(value) for name, value in parameters.items()},
        "n_features": ranker.n_features_in_,
        "n_classes": getattr(ranker, "n_classes_", None),
        "feature_names": written_names(ranker),
        "models": [described(model) for model in ranker.models_],
    }
    trees = [tree for model in ranker.models_ for tree in trees_of(model)]
    arrays = {name: np.concatenate([getattr(tree, name) for tree in trees]) for name in TREE_TYPES}
    arrays["n_nodes"] = np.array([len(tree.feature) for tree in trees], np.int64)
    arrays["fill"] = np.empty(0) if ranker.fill_ is None else ranker.fill_
    with replacement(path) as unfinished, zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED) as file:
        file.writestr("head.json", json.dumps(head, indent=1, allow_nan=False))
        for name in ARRAYS:
            with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, arrays[name], allow_pickle=False)


def plain(value: Any) -> Any:
    """Write a parameter as JSON has it."""
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def described(model: Any) -> dict[str, Any]:
    """Say what a model has beside its trees, and how many those are."""
    if isinstance(model, ForestModel):
        return {"forest": len(model.trees)}
    if isinstance(model, GBRTModel):
        return {"boosting": len(model.rounds), "initial": model.initial, "learning_rate": model.learning_rate}
    return described(model.forest) | described(model.boosting)


def trees_of(model: Any) -> tuple[Tree, ...]:
    """List the trees of a model, its forest first."""
    if isinstance(model, IGBRTModel):
        return (*model.forest.trees, *model.boosting.rounds)
    return model.trees if isinstance(model, ForestModel) else model.rounds


def is_forest_file(path: str | os.PathLike[str]) -> bool:
    """Tell by its first bytes whether a file is a zip."""
    with open(path, "rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def load_forest(path: str | os.PathLike[str]) -> TreeRanker:
    """Read a ranker that predicts the same bits as the one that was written.

    Nothing of the file is believed before it is checked: whatever it holds, following its trees ends at a leaf.

    Raises
    ------
    ValueError
        Where the file is not such a model; the message names file and field.
    """
    try:
        with zipfile.ZipFile(path) as file:
            members = {info.filename: info for info in file.infolist()}
            expected = ["head.json", *(f"{name}.npy" for name in ARRAYS)]
            if sorted(info.filename for info in file.infolist()) != sorted(expected):
                raise ValueError(f"its members must be {', '.join(expected)}")
            if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
                raise ValueError("its members must be stored, not compressed")
            head = json.loads(file.read("head.json"))
            arrays = {name: read_member(file.read(f"{name}.npy"), f"{name}.npy") for name in ARRAYS}
        return read_forest_ranker(head, arrays)
    except (ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as fault:
        raise ValueError(f"{os.fsdecode(path)} is no refrank model: {fault}") from None
    except RecursionError:
        raise ValueError(f"{os.fsdecode(path)} is no refrank model: it is nested too deeply") from None


def read_member(content: bytes, where: str) -> NDArray[Any]:
    """Read an array of one dimension; nothing in it is unpickled, and it is as long as its bytes."""
    stream = io.BytesIO(content)
    major = np.lib.format.read_magic(stream)[0]
    header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    shape, _, kind = header(stream)
    if kind.hasobject or len(shape) != 1 or len(content) - stream.tell() != shape[0] * kind.itemsize:
        raise ValueError(f"{where} must be an array of numbers, of one dimension and whole")
    return np.frombuffer(content, kind, shape[0], stream.tell()).copy()


def read_forest_ranker(head: Any, arrays: dict[str, NDArray[Any]]) -> TreeRanker:
    """Make the ranker that a head and its arrays describe; a fault is a ValueError that names the field."""
    check_format(head, FORMAT, VERSION)
    algorithm = entry(head, "algorithm")
    if not isinstance(algorithm, str) or algorithm not in FOREST_RANKERS:
        raise ValueError(f'"algorithm" is {shown(algorithm)}: it must be one of {", ".join(FOREST_RANKERS)}')
    ranker = FOREST_RANKERS[algorithm](**read_forest_parameters(head, FOREST_RANKERS[algorithm]))
    ranker.seed_ = read_whole(ranker.random_state, '"parameters.random_state"', at_least=0)
    n_features = read_features(head, ranker)
    n_models = 1
    if ranker.setting == "classification":
        ranker.n_classes_ = read_whole(entry(head, "n_classes"), '"n_classes"', at_least=2)
        n_models = ranker.n_classes_ - 1
    fill = arrays["fill"]
    if fill.dtype not in (np.float32, np.float64) or np.isnan(fill).any():
        raise ValueError("fill.npy must hold floats, none of them NaN")
    if len(fill) != (0 if ranker.missing is None else n_features):
        raise ValueError(f"fill.npy has {len(fill)} entries: with missing={ranker.missing!r} it needs another number")
    ranker.fill_ = None if ranker.missing is None else fill
    trees = iter(read_trees(arrays, n_features))
    models = read_list(entry(head, "models"), '"models"', n_models)
    ranker.models_ = tuple(read_model(model, algorithm, trees) for model in models)
    if next(trees, None) is not None:
        raise ValueError("n_nodes.npy holds more trees than the models")
    ranker.feature_importances_ = ranker._importances(n_features)
    return ranker


def read_forest_parameters(head: dict[str, Any], kind: type[TreeRanker]) -> dict[str, Any]:
    """Read the parameters; those that decide how a model predicts are checked, training checks the others."""
    read = dict(read_parameters(head, kind))
    if read["missing_value"] in ("nan", "inf", "-inf"):
        read["missing_value"] = float(read["missing_value"])
    check_choice("setting", read["setting"], ("regression", "classification"))
    if read["missing"] is not None:
        check_choice("missing", read["missing"], SUBSTITUTES)
    if type(read["missing_value"]) not in (int, float) or type(read["clip"]) is not bool:
        raise ValueError('"parameters.missing_value" must be a number, "parameters.clip" true or false')
    return read


def read_trees(arrays: dict[str, NDArray[Any]], n_features: int) -> list[Tree]:
    """Cut the arrays into trees whose every path ends: a child is a later node of its tree."""
    n_nodes = arrays["n_nodes"]
    if n_nodes.dtype != np.int64 or (n_nodes < 1).any() or (n_nodes >= 2**31).any():
        raise ValueError("n_nodes.npy must hold whole numbers of at least 1")
    ends = np.cumsum(n_nodes)
    total = int(ends[-1]) if len(ends) else 0
    for name, kind in TREE_TYPES.items():
        if arrays[name].dtype != kind or len(arrays[name]) != total:
            raise ValueError(f"{name}.npy must hold {total} entries of {np.dtype(kind)}, one a node")
    if np.isnan(arrays["cut"]).any() or not np.isfinite(arrays["value"]).all():
        raise ValueError("cut.npy must hold no NaN, and value.npy finite numbers")
    check_paths_end(arrays, n_nodes, n_features, "{}.npy")
    places = [slice(end - n, end) for n, end in zip(n_nodes.tolist(), ends.tolist(), strict=True)]
    return [Tree(**{name: arrays[name][at] for name in TREE_TYPES}) for at in places]


def read_model(model: Any, algorithm: str, trees: Any) -> Any:
    """Read one entry of "models", and take its trees."""
    if not isinstance(model, dict):
        raise ValueError('an entry of "models" must be an object')

    def taken(name: str, at_least: int) -> tuple[Tree, ...]:
        n_trees = read_whole(entry(model, name, "models."), f'"models.{name}"', at_least)
        found = tuple(tree for _, tree in zip(range(n_trees), trees, strict=False))
        if len(found) < n_trees:
            raise ValueError(f'"models.{name}" is {n_trees}, but n_nodes.npy ends before')
        return found

    if algorithm == "rf":
        return ForestModel(taken("forest", 1))
    forest = ForestModel(taken("forest", 0)) if algorithm == "igbrt" else None
    initial = read_number(model, "initial", "models.")
    boosting = GBRTModel(initial, taken("boosting", 1), read_rate(model, "models."))
    return boosting if forest is None else IGBRTModel(forest, boosting)
