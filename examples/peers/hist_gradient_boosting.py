"""scikit-learn's HistGradientBoosting, regressor and classifier, as ports of LS boost and of softmax boosting."""

import numpy as np
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from trees import expect_relevance, make_node, read_codes, read_target, tell_ranking, tell_tree

NAME, VERSION = "HistGradientBoosting of scikit-learn", sklearn.__version__
FORMULAS = {
    "start": "mean of y; log of the share of class k, less the mean of these logs",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / h",
    "leaf": "s / n; s / h",
    "floats": "residuals and h float32, sums float64",
}


def train(case, tell):
    """Train by the algorithm of a case."""
    target, n_outputs = read_target(case)
    codes, given = read_codes(case), case.parameters
    parameters = {
        "max_iter": given["n_rounds"],
        "learning_rate": given["learning_rate"],
        "max_leaf_nodes": given["n_leaves"],
        "min_samples_leaf": given["min_samples_leaf"],
        "l2_regularization": 0.0,
        "early_stopping": False,
    }
    kind = HistGradientBoostingRegressor if n_outputs == 1 else HistGradientBoostingClassifier
    boost(case, tell, codes, target, kind(**parameters).fit(codes, target))


def boost(case, tell, codes, target, model):
    """Yield the rounds of a model."""
    n_outputs = model.n_trees_per_iteration_
    scores = np.repeat(model._baseline_prediction, len(codes), axis=0)  # (n_samples, n_outputs)
    tell("start", values=scores[0])
    for m, (trees, after) in enumerate(zip(model._predictors, model._staged_raw_predict(codes), strict=True), start=1):
        gradient = np.empty(scores.squeeze().shape, np.float32)
        model._loss.gradient(target, scores.squeeze(), gradient_out=gradient)
        gradient = gradient.reshape(scores.shape)
        for k in range(n_outputs):
            if n_outputs > 1:
                tell("proba", round=m, output=k, values=model._loss.predict_proba(scores)[:, k])
            tell("residual", round=m, output=k, values=-gradient[:, k])
            tell_tree(tell, case, codes, read_tree(trees[k].nodes), m, k, "step")
            tell("scores", round=m, output=k, values=after[:, k])
        scores = after.copy()
    tell_ranking(tell, case, expect_relevance(model._loss.predict_proba(scores)) if n_outputs > 1 else scores[:, 0])


def read_tree(nodes):
    """Read a tree, whose nodes are stored from left to right: of those that wait, the one that gains most is cut."""
    left, right = (np.where(nodes["is_leaf"], -1, nodes[name].astype(int)) for name in ("left", "right"))
    return make_node(0, left, right, nodes["feature_idx"], nodes["num_threshold"], nodes["value"], -nodes["gain"])
