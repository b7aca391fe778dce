"""LambdaRank and RankNet in a model file: the net of the best epoch, in place of trees.

    {
      "format": "refrank model", "version": 1,
      "algorithm": "lambdarank",
      "parameters": {...},          what the estimator was made with, but verbose, which is the reader's own;
                                    "random_state" is the seed that was used, "objective" tells RankNet from LambdaRank
      "n_features": int,
      "feature_names": [...] or null,
      "max_grade": int, "best_epoch": int,
      "model": {
        "feature_mean": [...], "feature_scale": [...],     n_features numbers each
        "input_weights": [[...], ...],                     n_features rows, one number a hidden unit
        "hidden_bias": [...], "output_weights": [...]      one number a hidden unit
      }
    }

The score of a row x is sum_h output_weights[h] * tanh(hidden_bias[h] + sum_f z_f * input_weights[f][h]), with
z_f = (x_f - feature_mean[f]) * feature_scale[f].
"""

from dataclasses import fields
from typing import Any

import numpy as np

from refrank.estimators.checks import check_whole
from refrank.estimators.lambdarank import LambdaRanker
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.model_file.fields import (
    check_fitted,
    entry,
    read_array,
    read_features,
    read_list,
    read_parameters,
    read_whole,
    written_names,
    written_parameters,
)
from refrank.model_file.layout import FORMAT, VERSION

NET_ALGORITHM = "lambdarank"


def net_document(ranker: LambdaRanker) -> dict[str, Any]:
    """Describe a trained net.

    Raises
    ------
    ValueError
        Where the ranker is not fitted.
    """
    check_fitted(ranker, "net_")
    return {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": NET_ALGORITHM,
        "parameters": written_parameters(ranker) | {"random_state": ranker.seed_},
        "n_features": ranker.n_features_in_,
        "feature_names": written_names(ranker),
        "max_grade": ranker.max_grade_,
        "best_epoch": ranker.best_epoch_,
        "model": {field.name: getattr(ranker.net_, field.name).tolist() for field in fields(TwoLayerNet)},
    }


def read_net_ranker(document: dict[str, Any]) -> LambdaRanker:
    """Make the ranker that a document describes; a fault is a ValueError that names the field."""
    ranker = LambdaRanker(**read_parameters(document, LambdaRanker))
    n_features = read_features(document, ranker)
    ranker.max_grade_ = read_whole(entry(document, "max_grade"), '"max_grade"', at_least=1)
    ranker.seed_ = check_whole("random_state", ranker.random_state, at_least=0)
    ranker.best_epoch_ = read_whole(entry(document, "best_epoch"), '"best_epoch"', at_least=1)
    model = entry(document, "model")
    if not isinstance(model, dict):
        raise ValueError('"model" must be an object')
    ranker.net_ = read_net(model, n_features)
    return ranker


def read_net(model: dict[str, Any], n_features: int) -> TwoLayerNet:
    """Read the fields of a TwoLayerNet, whose shapes fit each other."""
    bias = read_array(entry(model, "hidden_bias", "model."), '"model.hidden_bias"', np.float64)
    if len(bias) == 0:
        raise ValueError('"model.hidden_bias" is empty: a net has at least one hidden unit')

    def numbers(name: str, length: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        value = read_list(entry(model, name, "model."), f'"model.{name}"', length)
        return read_array(value, f'"model.{name}"', np.float64)

    rows = [
        read_array(read_list(row, f'"model.input_weights[{f}]"', len(bias)), f'"model.input_weights[{f}]"', np.float64)
        for f, row in enumerate(read_list(entry(model, "input_weights", "model."), '"model.input_weights"', n_features))
    ]
    return TwoLayerNet(
        feature_mean=numbers("feature_mean", n_features),
        feature_scale=numbers("feature_scale", n_features),
        input_weights=np.array(rows),
        hidden_bias=bias,
        output_weights=numbers("output_weights", len(bias)),
    )
