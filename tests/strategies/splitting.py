"""What a node, its leaves and a few trees may hold: inputs of `refrank.trees.splitting` and its kernel."""

import numpy as np
from hypothesis import strategies as st

from refrank.trees.grid import to_grid
from tests.strategies import SEEDS, binned_cases, features, residuals, rng_of, weights


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
    """Rows parted into leaves, none of them empty; the numbers of a row, gridded."""
    n = draw(st.integers(1, 60))
    rng = rng_of(draw(SEEDS))
    n_rows = draw(st.integers(1, n))
    inner = sorted(draw(st.sets(st.integers(1, n_rows - 1), max_size=9))) if n_rows > 1 else []
    starts = np.array([0, *inner, n_rows], np.int64)
    return rng.permutation(n)[:n_rows].astype(np.int32), starts, draw(residuals(n))


@st.composite
def forests(draw):
    """Random trees over a few features, some of them a single leaf, with cuts at the values of X themselves."""
    X = draw(features(n_features=st.integers(1, 9)))
    rng, n_trees = rng_of(draw(SEEDS)), draw(st.integers(1, 5))
    roots, nodes = [], []
    for _ in range(n_trees):
        roots.append(len(nodes))
        tree = [[-1, 0.0, 0, 0, rng.normal()]]
        for _ in range(rng.integers(0, 7)):
            leaf = rng.choice([number for number, node in enumerate(tree) if node[0] == -1])
            f = rng.integers(X.shape[1])
            tree[leaf] = [f, float(X[rng.integers(len(X)), f]), len(tree), len(tree) + 1, 0.0]
            tree += [[-1, 0.0, 0, 0, rng.normal()] for _ in range(2)]
        nodes += tree
    columns = zip(*nodes, strict=True)
    types = (np.int32, np.float64, np.int32, np.int32, np.float64)
    return X, np.array(roots, np.int64), *(np.array(c, t) for c, t in zip(columns, types, strict=True))


def same(ours: object, theirs: object) -> None:
    """Equal, with the same types."""
    np.testing.assert_array_equal(ours, theirs, strict=True)
