"""Treelite's checkpoint: written by treelite, and run by its reference interpreter, GTIL.

    refrank                  in treelite
    x < cut goes left        the same test, thresholds in float64
    value * learning_rate    leaf, in float64: GTIL starts at 0 and adds the trees in order
    start of the sum         a first tree per output, a single leaf; treelite's own base scores are added last
    mean of a forest         average_tree_output: the sum is divided by the number of trees of an output, last
    missing entry            NaN; default_left says whether it goes left
    outputs                  the classes of a softmax, or one target each

So outputs equal refrank's to the bit, or for igbrt within a bound.
"""

from typing import Any

import numpy as np

from refrank.arrays import Bools, Floats, Matrix
from refrank.inspection.sums import read_unchanged
from refrank.models.exchange.heads import Softmax
from refrank.models.exchange.portable import Portable, bound_in_order
from refrank.models.exchange.runtimes import load_runtime
from refrank.trees.model.tree import LEAF, Tree

RUNTIME = "treelite"
IN_ORDER = True  # trees are added as refrank adds them, in float64
READS = ""
read_as, bound_rounding = read_unchanged, bound_in_order


def write(portable: Portable) -> bytes:
    """Write the bytes of a model in treelite's own layout."""
    build = load_runtime("treelite.model_builder", "--to treelite")
    n_outputs = len(portable.sums.initial)
    trees = portable.rounds
    numbers, none = [number % n_outputs for number in range(len(trees))], [0] * len(trees)
    classes = isinstance(portable.head, Softmax)
    metadata = build.Metadata(
        num_feature=portable.n_features,
        task_type="kMultiClf" if classes else "kRegressor",
        average_tree_output=portable.divisor > 1,
        num_target=1 if classes else n_outputs,
        num_class=[n_outputs] if classes else [1] * n_outputs,
        leaf_vector_shape=(1, 1),
    )
    target, of_class = (none, numbers) if classes else (numbers, none)
    model = build.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=metadata,
        tree_annotation=build.TreeAnnotation(num_tree=len(trees), target_id=target, class_id=of_class),
        postprocessor=build.PostProcessorFunc(name="softmax" if classes else "identity"),
        base_scores=[0.0] * n_outputs,
    )
    for directed in trees:
        add_tree(model, *directed)
    return bytes(model.commit().serialize_bytes())


def add_tree(model: Any, tree: Tree, left_if_missing: Bools) -> None:
    """Add a tree, node by node."""
    columns = (tree.feature, tree.cut, tree.left, tree.right, tree.value, left_if_missing)
    model.start_tree()
    for node, (feature, cut, left, right, value, default_left) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        model.start_node(node)
        if feature == LEAF:
            model.leaf(value)
        else:
            model.numerical_test(
                feature, cut, default_left=default_left, opname="<", left_child_key=left, right_child_key=right
            )
        model.end_node()
    model.end_tree()


def score(content: bytes, X: Matrix, portable: Portable) -> tuple[Floats, Floats | None]:
    """Compute treelite's outputs for the rows of X, (n_samples, n_outputs); it computes no score of its own."""
    treelite = load_runtime(RUNTIME, "--verify")
    model = treelite.Model.deserialize_bytes(content)
    outputs = treelite.gtil.predict(model, np.ascontiguousarray(X, np.float64), pred_margin=True)
    return np.asarray(outputs, np.float64).reshape(len(X), -1), None
