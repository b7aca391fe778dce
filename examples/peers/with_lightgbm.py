"""LightGBM as a port of LS boost and of softmax boosting."""

import lightgbm
import numpy as np
from trees import Node, expect_relevance, read_codes, read_target, tell_ranking, tell_tree

NAME, VERSION = "LightGBM", lightgbm.__version__
FORMULAS = {
    "start": "as given: mean of y; 0",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / h",
    "leaf": "s / n; (K-1)/K s / h",
    "floats": "residuals and h float32, sums float64",
}


def train(case, tell):
    """Train by the algorithm of a case."""
    target, n_outputs = read_target(case)
    codes, given = read_codes(case), case.parameters
    parameters = {
        "learning_rate": given["learning_rate"],
        "num_leaves": given["n_leaves"],
        "min_data_in_leaf": given["min_samples_leaf"],
        "min_sum_hessian_in_leaf": 0.0,
        "min_data_in_bin": 1,
        "max_bin": 511,
        "feature_pre_filter": False,
        "boost_from_average": False,
        "num_threads": 1,
        "deterministic": True,
        "verbose": -1,
    }
    if n_outputs == 1:
        start, parameters["objective"] = np.array([target.mean()]), "regression"
    else:
        start, parameters["objective"], parameters["num_class"] = np.zeros(n_outputs), "multiclass", n_outputs
    rows = lightgbm.Dataset(codes, target, init_score=np.tile(start, (len(codes), 1)).squeeze())
    boost(case, tell, codes, start, lightgbm.train(parameters, rows, given["n_rounds"]))


def boost(case, tell, codes, start, model):
    """Yield the rounds of a model, which adds its trees to the start that it is given."""
    n_outputs, trees = len(start), [tree["tree_structure"] for tree in model.dump_model()["tree_info"]]
    scores = np.tile(start, (len(codes), 1))
    tell("start", values=start)
    for m in range(1, case.parameters["n_rounds"] + 1):
        proba = compute_proba(scores)
        scores = scores + predict_round(model, codes, m).reshape(scores.shape)
        for k in range(n_outputs):
            if n_outputs > 1:
                tell("proba", round=m, output=k, values=proba[:, k])
            tell_tree(tell, case, codes, read_node(trees[n_outputs * (m - 1) + k]), m, k, "step")
            tell("scores", round=m, output=k, values=scores[:, k])
    tell_ranking(tell, case, expect_relevance(compute_proba(scores)) if n_outputs > 1 else scores[:, 0])


def predict_round(model, codes, m):
    """Predict by the trees of one round alone."""
    return model.predict(codes, raw_score=True, start_iteration=m - 1, num_iteration=1)


def compute_proba(scores):
    """Compute p as the program's objective does, in float64."""
    exp = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exp / exp.sum(axis=1, keepdims=True)


def read_node(node):
    """Read a tree, whose cuts are numbered in the order in which they are made."""
    if "split_index" not in node:
        return Node(node["leaf_value"])
    below = read_node(node["left_child"]), read_node(node["right_child"])
    return Node(0.0, node["split_index"], node["split_feature"], int(np.floor(node["threshold"])), *below)
