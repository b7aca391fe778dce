"""YDF (Yggdrasil Decision Forests) as a port of LS boost and of softmax boosting."""

import numpy as np
import ydf
from trees import Node, expect_relevance, part_rows, read_codes, read_target, tell_ranking, tell_tree

NAME, VERSION = "YDF", ydf.__version__
FORMULAS = {
    "start": "mean of y; 0",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / n",
    "leaf": "s / n; s / h",
    "floats": "F, p, residuals and leaves float32",
}


def train(case, tell):
    """Train by the algorithm of a case."""
    target, n_outputs = read_target(case)
    codes, given = read_codes(case), case.parameters
    learner = ydf.GradientBoostedTreesLearner(
        label="y",
        task=ydf.Task.REGRESSION if n_outputs == 1 else ydf.Task.CLASSIFICATION,
        num_trees=given["n_rounds"],
        shrinkage=float(given["learning_rate"]),
        growing_strategy="BEST_FIRST_GLOBAL",
        max_num_nodes=given["n_leaves"],
        max_depth=-1,
        min_examples=given["min_samples_leaf"],
        validation_ratio=0.0,
        early_stopping="NONE",
        num_threads=1,
    )
    ydf.verbose(0)
    columns = {f"x{f}": values for f, values in enumerate(codes.T)}
    boost(case, tell, codes, learner.train({**columns, "y": target if n_outputs == 1 else target.astype(int)}))


def boost(case, tell, codes, model):
    """Yield the rounds of a model; F is the sum of its leaves, which are float32."""
    start, n_outputs = model.initial_predictions(), model.num_trees_per_iteration()
    columns = {feature.column_idx: int(feature.name[1:]) for feature in model.input_features()}
    scores = np.tile(start, (len(codes), 1)).astype(np.float32)
    tell("start", values=start)
    for m in range(1, case.parameters["n_rounds"] + 1):
        for k in range(n_outputs):
            tree = read_node(model.get_tree(n_outputs * (m - 1) + k).root, columns)
            tell_tree(tell, case, codes, tree, m, k, "step", np.float32)
            for node, rows in part_rows(tree, codes, np.arange(len(codes))):
                scores[rows, k] += np.float32(node.value if node.feature < 0 else 0.0)
            tell("scores", round=m, output=k, values=scores[:, k])
    final = model.predict({f"x{f}": values for f, values in enumerate(codes.T)})
    tell_ranking(tell, case, expect_relevance(final) if n_outputs > 1 else final)


def read_node(node, columns):
    """Read a tree; of the nodes that wait, the one that gains most is cut."""
    if not hasattr(node, "condition"):
        return Node(float(node.value.value))
    cut, below = node.condition, [read_node(child, columns) for child in (node.neg_child, node.pos_child)]
    return Node(
        0.0, -cut.score * node.value.num_examples, columns[cut.attribute], int(np.ceil(cut.threshold)) - 1, *below
    )
