"""CatBoost as a port of LS boost and of softmax boosting."""

import json
import tempfile
from pathlib import Path

import catboost
import numpy as np
from trees import Node, expect_relevance, part_rows, read_codes, read_target, tell_ranking

NAME, VERSION = "CatBoost", catboost.__version__
FORMULAS = {
    "start": "mean of y; 0",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / n, added over the classes",
    "leaf": "s / n; by Newton's K x K system",
    "floats": "start, rate float32",
}


def train(case, tell):
    """Train by the algorithm of a case."""
    target, n_outputs = read_target(case)
    codes, given = read_codes(case), case.parameters
    parameters = {
        "iterations": given["n_rounds"],
        "learning_rate": given["learning_rate"],
        "grow_policy": "Lossguide",
        "max_leaves": given["n_leaves"],
        "depth": 16,
        "min_data_in_leaf": given["min_samples_leaf"],
        "l2_leaf_reg": 0.0,
        "random_strength": 0.0,
        "bootstrap_type": "No",
        "boosting_type": "Plain",
        "score_function": "L2",
        "leaf_estimation_method": "Newton",
        "leaf_estimation_iterations": 1,
        "border_count": 254,
        "thread_count": 1,
        "random_seed": 0,
        "allow_writing_files": False,
        "verbose": False,
    }
    if n_outputs == 1:
        model = catboost.CatBoostRegressor(loss_function="RMSE", **parameters)
    else:
        model = catboost.CatBoostClassifier(loss_function="MultiClass", **parameters)
    boost(case, tell, codes, model.fit(codes, target))


def boost(case, tell, codes, model):
    """Yield the rounds of a model."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_model(f"{folder}/model.json", format="json")
        document = json.loads(Path(folder, "model.json").read_text())
    _, bias = document["scale_and_bias"]
    n_outputs = len(model.classes_) or 1
    tell("start", values=np.resize(np.array(bias, float), n_outputs))
    staged = model.staged_predict(codes, prediction_type="RawFormulaVal")
    for m, (tree, after) in enumerate(zip(document["trees"], staged, strict=True), start=1):
        leaves = [part for part in part_rows(read_node(tree), codes, np.arange(len(codes))) if part[0].feature < 0]
        scores = np.reshape(after, (len(codes), n_outputs))
        for k in range(n_outputs):
            # the order in which nodes are cut is not told, nor what stands in for it
            tell("partition", round=m, output=k, rows=np.concatenate([rows for _, rows in leaves]))
            tell("step", round=m, output=k, values=[np.atleast_1d(leaf.value)[k] for leaf, _ in leaves])
            tell("scores", round=m, output=k, values=scores[:, k])
    tell_ranking(tell, case, expect_relevance(model.predict_proba(codes)) if n_outputs > 1 else scores[:, 0])


def read_node(node):
    """Read a tree; a leaf has one value per class."""
    if "split" not in node:
        return Node(node["value"])
    below = read_node(node["left"]), read_node(node["right"])
    return Node(0.0, 0.0, node["split"]["float_feature_index"], int(np.floor(node["split"]["border"])), *below)
