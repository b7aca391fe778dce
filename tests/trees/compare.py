"""Comparisons of bins and trees, bit for bit, with each other and with those of the oracles."""

import numpy as np

from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.model.tree import Leaves, Tree, add_predictions
from tests.oracles import trees as naive
from tests.strategies import ENGINE

FIELDS = tuple(Tree.__dataclass_fields__)


def same_bins(ours: BinnedFeatures, theirs: BinnedFeatures, rows=slice(None)) -> None:
    """Cuts to the bit, and the labels of these rows of ours."""
    np.testing.assert_array_equal(ours.codes[:, rows], theirs.codes, strict=True)
    for cuts, other in zip((ours.offsets, *ours.cuts), (theirs.offsets, *theirs.cuts), strict=True):
        assert cuts.tobytes() == other.tobytes()


def predict(tree: Tree, X) -> list[float]:
    """The value of the leaf that each row falls into."""
    scores = np.zeros(len(X))
    add_predictions([tree], X, 1.0, scores, ENGINE)
    return scores.tolist()


def same_tree(tree: Tree, other: Tree, fields: tuple[str, ...] = FIELDS) -> None:
    """Every field, its type and every bit: -0.0 is not 0.0."""
    for name in fields:
        ours, theirs = getattr(tree, name), getattr(other, name)
        np.testing.assert_array_equal(ours, theirs, strict=True, err_msg=name)
        assert ours.tobytes() == theirs.tobytes(), name


def same_trees(ours, theirs) -> None:
    for tree, other in zip(ours, theirs, strict=True):
        same_tree(tree, other)


def equals_oracle(binned: BinnedFeatures, tree: Tree, oracle: naive.Growth, leaves: Leaves | None = None) -> None:
    """The same nodes in the same order, the same gains and means; rows, ascending, and exact sums of every leaf."""
    gain_exponent = oracle.weight_exponent - 2 * oracle.product_exponent
    assert len(tree.feature) == len(oracle.nodes)
    for number, node in enumerate(oracle.nodes):
        is_leaf = node.feature == -1
        ours = tree.feature[number], tree.bin[number], tree.left[number], tree.right[number]
        assert ours == (node.feature, node.bin, node.left, node.right)
        assert tree.cut[number] == (0.0 if is_leaf else binned.cuts[node.feature][node.bin])
        with np.errstate(over="ignore"):
            assert tree.split_gain[number] == np.ldexp(float(node.gain), gain_exponent)
        assert tree.n_node_samples[number] == len(node.rows)
        assert tree.value[number] == (oracle.mean(number) if is_leaf else 0.0)
    if leaves is None:
        return
    assert sorted(leaves.nodes.tolist()) == [n for n, node in enumerate(oracle.nodes) if node.feature == -1]
    for place, number in enumerate(leaves.nodes.tolist()):
        rows = leaves.rows[leaves.starts[place] : leaves.starts[place + 1]].tolist()
        assert rows == sorted(oracle.nodes[number].rows)
        product, weight = ([units[i] for i in rows] for units in (oracle.product, oracle.weight))
        assert leaves.residual_sum[place] == naive.grid_sum(product, oracle.product_exponent)
        assert leaves.weight_sum[place] == naive.grid_sum(weight, oracle.weight_exponent)
