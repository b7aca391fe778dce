"""scikit-learn's GradientBoostingRegressor and GradientBoostingClassifier as ports of LS boost and softmax boosting."""

import sklearn
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from trees import expect_relevance, make_node, read_codes, read_target, tell_ranking, tell_tree

NAME, VERSION = "GradientBoosting of scikit-learn", sklearn.__version__
FORMULAS = {
    "start": 'mean of y; 0, given `init="zero"`',
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / n",
    "leaf": "s / n; (K-1)/K s / h",
    "floats": "float64; ties by a random order of the features",
}


def train(case, tell):
    """Train by the algorithm of a case."""
    target, n_outputs = read_target(case)
    codes, given = read_codes(case), case.parameters
    parameters = {
        "n_estimators": given["n_rounds"],
        "learning_rate": given["learning_rate"],
        "max_leaf_nodes": given["n_leaves"],
        "min_samples_leaf": given["min_samples_leaf"],
        "max_depth": None,
        "random_state": 0,
    }
    if n_outputs == 1:
        model = GradientBoostingRegressor(**parameters)
    else:
        model = GradientBoostingClassifier(init="zero", **parameters)
    boost(case, tell, codes, target, model.fit(codes, target))


def boost(case, tell, codes, target, model):
    """Yield the rounds of a model."""
    n_outputs, scores = model.estimators_.shape[1], model._raw_predict_init(codes)  # (n_samples, n_outputs)
    tell("start", values=scores[0])
    for m, after in enumerate(model._staged_raw_predict(codes), start=1):
        gradient = model._loss.gradient(target, scores.squeeze()).reshape(scores.shape)
        for k in range(n_outputs):
            tell("residual", round=m, output=k, values=-gradient[:, k])
            tell_tree(tell, case, codes, read_tree(model.estimators_[m - 1, k].tree_), m, k, "leaf_values")
            tell("scores", round=m, output=k, values=after[:, k])
        scores = after.copy()
    tell_ranking(tell, case, expect_relevance(model._loss.predict_proba(scores)) if n_outputs > 1 else scores[:, 0])


def read_tree(tree):
    """Read a tree; its nodes are numbered as they are made, so that the first cut has the lowest children."""
    left, right = tree.children_left, tree.children_right
    return make_node(0, left, right, tree.feature, tree.threshold, tree.value[:, 0, 0], left)
