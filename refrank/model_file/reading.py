"""Read a trained ranker. Nothing of the file is believed before it is checked."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from reprlib import repr as shown  # a fault is one line, however long the value
from typing import Any

import numpy as np

from refrank.estimators import COCRRanker, LambdaRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import TreeRanker
from refrank.mcrank.ls_boosting import LSModel
from refrank.mcrank.ordinal_boosting import OrdinalModel
from refrank.mcrank.softmax_boosting import SoftmaxModel
from refrank.model_file.boosted_tree import read_tree
from refrank.model_file.cocr import read_cocr
from refrank.model_file.fields import (
    check_format,
    entry,
    is_number,
    read_array,
    read_features,
    read_list,
    read_number,
    read_parameters,
    read_rate,
    read_whole,
)
from refrank.model_file.forest_file import is_forest_file, load_forest
from refrank.model_file.layout import FORMAT, RANKERS, TABLES, VERSION
from refrank.model_file.nets import NET_ALGORITHM, read_net_ranker
from refrank.trees.tree import Tree


def load_model(path: str | os.PathLike[str]) -> BoostRanker | TreeRanker | LambdaRanker | COCRRanker:
    """Read a ranker that predicts the same bits as the one that was written.

    Nothing of the file is believed before it is checked: whatever it holds, following its trees ends at a leaf.

    Raises
    ------
    ValueError
        Where the file is not such a model; the message names file and field.
    OSError
        Where the file cannot be read.
    """
    if is_forest_file(path):
        return load_forest(path)
    try:
        return read_ranker(json.loads(Path(path).read_text(encoding="utf-8")))
    except ValueError as fault:
        raise ValueError(f"{os.fsdecode(path)} is no refrank model: {fault}") from None
    except RecursionError:
        raise ValueError(f"{os.fsdecode(path)} is no refrank model: it is nested too deeply") from None


def read_ranker(document: Any) -> BoostRanker | LambdaRanker | COCRRanker:
    """Make the ranker that a document describes; a fault is a ValueError that names the field."""
    check_format(document, FORMAT, VERSION)
    algorithm = entry(document, "algorithm")
    if algorithm == "cocr":
        return read_cocr(document)
    if algorithm == NET_ALGORITHM:
        return read_net_ranker(document)
    if not isinstance(algorithm, str) or algorithm not in RANKERS:
        choices = ", ".join((*RANKERS, NET_ALGORITHM, "cocr"))
        raise ValueError(f'"algorithm" is {shown(algorithm)}: it must be one of {choices}')
    ranker = RANKERS[algorithm](**read_parameters(document, RANKERS[algorithm]))
    n_features = read_features(document, ranker)
    ranker.n_classes_ = read_whole(entry(document, "n_classes"), '"n_classes"', at_least=2)
    table = read_array(entry(document, "table"), '"table"', np.float64)
    if len(table) != ranker.n_classes_:
        raise ValueError(f'"table" has {len(table)} entries: it needs one a class, {ranker.n_classes_}')
    setattr(ranker, TABLES[algorithm] + "_", table)
    model = entry(document, "model")
    if not isinstance(model, dict):
        raise ValueError('"model" must be an object')
    ranker.model_ = READERS[algorithm](model, n_features, ranker.n_classes_)
    ranker.n_rounds_ = len(ranker.model_.rounds)
    return ranker


def read_softmax(model: dict[str, Any], n_features: int, n_classes: int) -> SoftmaxModel:
    """Read the fields of a SoftmaxModel: one tree a round and class."""
    if read_whole(entry(model, "n_classes", "model."), '"model.n_classes"', at_least=2) != n_classes:
        raise ValueError(f'"model.n_classes" is {model["n_classes"]}, but "n_classes" is {n_classes}')
    rounds = tuple(
        read_trees(trees, where, n_features, counts=(n_classes,)) for where, trees in places(model, "rounds")
    )
    return SoftmaxModel(rounds, n_classes, read_rate(model, "model."))


def read_ordinal(model: dict[str, Any], n_features: int, n_classes: int) -> OrdinalModel:
    """Read the fields of an OrdinalModel: 2 trees, 1 or, in a one-sided problem, none a round and problem."""
    constants = tuple(read_list(entry(model, "constants", "model."), '"model.constants"', n_classes - 1))
    if not all(constant is None or (is_number(constant) and constant in (0, 1)) for constant in constants):
        raise ValueError('"model.constants" must be a list of null, 0 or 1')
    rounds: list[tuple[tuple[Tree, ...], ...]] = []
    for where, problems in places(model, "rounds"):
        found = []
        for k, trees in enumerate(read_list(problems, f'"{where}"', n_classes - 1)):
            # a problem has in every round as many trees as in the first
            counts = (len(rounds[0][k]),) if rounds else (1, 2) if constants[k] is None else (0,)
            found.append(read_trees(trees, f"{where}[{k}]", n_features, counts))
        rounds.append(tuple(found))
    return OrdinalModel(tuple(rounds), constants, read_rate(model, "model."))


def read_ls(model: dict[str, Any], n_features: int, n_classes: int) -> LSModel:
    """Read the fields of an LSModel: one tree a round."""
    rounds = tuple(read_tree(tree, where, n_features) for where, tree in places(model, "rounds"))
    return LSModel(read_number(model, "initial", "model."), rounds, read_rate(model, "model."))


READERS: dict[str, Callable[[dict[str, Any], int, int], Any]] = {
    "softmax": read_softmax,
    "ordinal": read_ordinal,
    "ls": read_ls,
    "lad": read_ls,
}


def read_trees(value: Any, where: str, n_features: int, counts: tuple[int, ...]) -> tuple[Tree, ...]:
    """Read a list of so many trees."""
    if not isinstance(value, list) or len(value) not in counts:
        raise ValueError(f'"{where}" must be a list of {" or ".join(map(str, counts))} trees')
    return tuple(read_tree(tree, f"{where}[{k}]", n_features) for k, tree in enumerate(value))


def places(model: dict[str, Any], name: str) -> Iterator[tuple[str, Any]]:
    """Yield place and value of each item of a list that must not be empty."""
    items = entry(model, name, "model.")
    if not isinstance(items, list) or not items:
        raise ValueError(f'"model.{name}" must be a list of at least one round')
    for index, item in enumerate(items):
        yield f"model.{name}[{index}]", item
