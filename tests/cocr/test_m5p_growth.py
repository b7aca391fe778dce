"""Growth of an M5P tree: a node that cannot be cut leaves the others to be cut."""

import numpy as np
import pytest

from refrank.cocr.m5p.growth import grow
from refrank.cocr.m5p.variants import VARIANTS
from refrank.cocr.m5p.weights import Weights

# x, y of rows far to the right, whose node is looked at first
DEAD_ENDS = {
    "too few rows": ([9, 10, 11], [50, 55, 60]),
    "equal targets": ([9, 10, 11, 12, 13], [55] * 5),
    "no two values": ([9] * 6, [50, 52, 54, 56, 58, 60]),
}


@pytest.mark.parametrize(("right_x", "right_y"), DEAD_ENDS.values(), ids=DEAD_ENDS)
def test_a_dead_end_leaves_the_other_side_to_be_cut(right_x, right_y):
    x, y = np.array([*range(8), *right_x], float), np.array([0, 0, 0, 0, 10, 10, 10, 10, *right_y], float)
    ones = np.ones(len(x))
    nodes = grow(x[:, np.newaxis], y, Weights(ones, ones, ones, ones), 4, VARIANTS["weka"])
    root = nodes[0]
    assert 7 < root.cut.threshold < 9
    assert nodes[root.right].cut is None
    assert 3 < nodes[root.left].cut.threshold < 4
