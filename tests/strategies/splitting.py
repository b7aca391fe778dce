"""Contents of a node, its leaves and a few trees: inputs of `refrank.trees.splitting` and its kernel."""

import numpy as np
from hypothesis import strategies as st

from refrank.trees.numbers.grid import to_grid
from tests.strategies import NORMAL, binned_cases, features, residuals, weights


@st.composite
def cases(draw, residual_kinds=("zeros", "equal", "dyadic", "normal", "one large", "all scales")):
    """A node: bin labels and rows, gridded residuals, gridded weights or None."""
    case = draw(binned_cases())
    integers = to_grid(draw(residuals(case.n_samples, residual_kinds))).integers
    weight = draw(weights(case.n_samples))
    return case, integers, None if weight is None else to_grid(weight).integers


@st.composite
def feature_subsets(draw, n_features):
    """Some features, at least one, ascending."""
    some = draw(st.sets(st.integers(0, n_features - 1), min_size=1))
    return np.array(sorted(some), np.int32)


@st.composite
def leaf_cases(draw):
    """Rows parted into leaves, none of them empty; one gridded number per row."""
    n = draw(st.integers(1, 60))
    n_rows = draw(st.integers(1, n))
    inner = sorted(draw(st.sets(st.integers(1, n_rows - 1), max_size=9))) if n_rows > 1 else []
    rows = np.array(draw(st.permutations(range(n)))[:n_rows], np.int32)
    return rows, np.array([0, *inner, n_rows], np.int64), draw(residuals(n))


@st.composite
def forests(draw):
    """Random trees over a few features, some of them a single leaf, with cuts at the values of X themselves."""
    X = draw(features(n_features=st.integers(1, 9)))
    values = st.sampled_from(NORMAL.tolist())
    roots, nodes = [], []
    for _ in range(draw(st.integers(1, 5))):
        roots.append(len(nodes))
        tree = [[-1, 0.0, 0, 0, draw(values)]]
        for _ in range(draw(st.integers(0, 6))):
            leaf = draw(st.sampled_from([number for number, node in enumerate(tree) if node[0] == -1]))
            row, f = draw(st.integers(0, X.shape[0] - 1)), draw(st.integers(0, X.shape[1] - 1))
            tree[leaf] = [f, float(X[row, f]), len(tree), len(tree) + 1, 0.0]
            tree += [[-1, 0.0, 0, 0, draw(values)] for _ in range(2)]
        nodes += tree
    columns = zip(*nodes, strict=True)
    types = (np.int32, np.float64, np.int32, np.int32, np.float64)
    return X, np.array(roots, np.int64), *(np.array(c, t) for c, t in zip(columns, types, strict=True))


def same(ours: object, theirs: object) -> None:
    """Equal, with the same types."""
    np.testing.assert_array_equal(ours, theirs, strict=True)
