"""XGBoost as a port of LS boost and of softmax boosting."""

import json

import numpy as np
import xgboost
from trees import expect_relevance, make_node, read_codes, read_target, tell_ranking, tell_tree

NAME, VERSION = "XGBoost", xgboost.__version__
FORMULAS = {
    "start": "as given: mean of y; 0",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / h",
    "leaf": "s / n; s / (2 h)",
    "floats": "F, p, residuals, h and leaves float32",
}


def train(case, tell):
    """Train by the algorithm of a case."""
    target, n_outputs = read_target(case)
    codes, given = read_codes(case), case.parameters
    parameters = {
        "learning_rate": given["learning_rate"],
        "max_leaves": given["n_leaves"],
        "grow_policy": "lossguide",
        "max_depth": 0,
        "max_bin": 512,
        "tree_method": "hist",
        "min_child_weight": 0.0,
        "reg_lambda": 0.0,
        "nthread": 1,
        "verbosity": 0,
    }
    if n_outputs == 1:
        parameters |= {"objective": "reg:squarederror", "base_score": target.mean()}
    else:
        parameters |= {"objective": "multi:softprob", "num_class": n_outputs, "base_score": 0.0}
    rows = xgboost.DMatrix(codes, target)
    untrained, model = (xgboost.train(parameters, rows, n_rounds) for n_rounds in (0, given["n_rounds"]))

    def predict(m, margin):
        """Predict by the first m rounds, (n_samples, n_outputs)."""
        after = untrained if m == 0 else model[:m]
        return after.predict(rows, output_margin=margin).reshape(len(codes), n_outputs)

    boost(case, tell, codes, predict, model)


def boost(case, tell, codes, predict, model):
    """Yield the rounds of a model; all of its numbers are float32."""
    trees = json.loads(model.save_raw("json"))["learner"]["gradient_booster"]["model"]["trees"]
    scores = predict(0, True)
    n_outputs, n_rounds = scores.shape[1], case.parameters["n_rounds"]
    tell("start", values=scores[0])
    for m in range(1, n_rounds + 1):
        proba, scores = predict(m - 1, False), predict(m, True)
        for k in range(n_outputs):
            if n_outputs > 1:
                tell("proba", round=m, output=k, values=proba[:, k])
            tell_tree(tell, case, codes, read_tree(trees[n_outputs * (m - 1) + k]), m, k, "step", np.float32)
            tell("scores", round=m, output=k, values=scores[:, k])
    tell_ranking(tell, case, expect_relevance(predict(n_rounds, False)) if n_outputs > 1 else scores[:, 0])


def read_tree(tree):
    """Read a tree: integers < the condition go left, and nodes are numbered as they are made."""
    left, right = np.array(tree["left_children"]), np.array(tree["right_children"])
    cuts = np.ceil(np.array(tree["split_conditions"])) - 1.0
    return make_node(0, left, right, tree["split_indices"], cuts, tree["split_conditions"], left)
