"""Write a trained ranker: whole, or not at all."""

import json
import os
from dataclasses import fields
from typing import Any

import numpy as np

from refrank.estimators import COCRRanker, LambdaRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import TreeRanker
from refrank.model_file.boosted_tree import written_tree
from refrank.model_file.cocr import cocr_document
from refrank.model_file.fields import check_fitted, written_names, written_parameters
from refrank.model_file.forest_file import FOREST_RANKERS, save_forest
from refrank.model_file.layout import FORMAT, RANKERS, TABLES, VERSION
from refrank.model_file.nets import net_document
from refrank.model_file.replacement import replacement
from refrank.trees.tree import Tree


def save_model(ranker: BoostRanker | TreeRanker | LambdaRanker | COCRRanker, path: str | os.PathLike[str]) -> None:
    """Write a trained ranker; a file of that name is replaced whole, or not at all.

    Parameters
    ----------
    ranker : SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker, LADBoostRanker, LambdaRanker or COCRRanker
        Fitted. RandomForestRanker, GBRTRanker and IGBRTRanker make a zip (`refrank.model_file.forest_file`).
    path : path

    Raises
    ------
    ValueError
        Where the ranker is not fitted, or of another kind.
    OSError
        Where the file cannot be written.
    """
    if type(ranker) in FOREST_RANKERS.values():
        return save_forest(ranker, path)
    if isinstance(ranker, LambdaRanker):
        document = net_document(ranker)
    elif isinstance(ranker, COCRRanker):
        document = cocr_document(ranker)
    else:
        document = boost_document(ranker)
    text = json.dumps(document, separators=(",", ":"), default=number, allow_nan=False) + "\n"
    with replacement(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def boost_document(ranker: BoostRanker) -> dict[str, Any]:
    """Describe a trained booster."""
    algorithm = next((name for name, kind in RANKERS.items() if type(ranker) is kind), None)
    if algorithm is None:
        known = ", ".join([*RANKERS, *FOREST_RANKERS, "lambdarank", "cocr"])
        raise ValueError(f"ranker is a {type(ranker).__name__}: a model file holds one of {known}")
    check_fitted(ranker, "model_")
    table = getattr(ranker, TABLES[algorithm] + "_").tolist()
    parameters = written_parameters(ranker)
    if not isinstance(parameters[TABLES[algorithm]], str):
        parameters[TABLES[algorithm]] = table
    return {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": algorithm,
        "parameters": parameters,
        "n_features": ranker.n_features_in_,
        "n_classes": ranker.n_classes_,
        "feature_names": written_names(ranker),
        "table": table,
        "model": {field.name: written(getattr(ranker.model_, field.name)) for field in fields(ranker.model_)},
    }


def written(value: Any) -> Any:
    """Turn trees, and tuples of them however nested, into JSON."""
    if isinstance(value, Tree):
        return written_tree(value)
    return [written(item) for item in value] if isinstance(value, tuple) else value


def number(value: Any) -> Any:
    """Write a NumPy number, as parameters may hold, as the plain one."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a model file cannot hold a {type(value).__name__}")
