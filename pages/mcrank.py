"""McRank (Li, Burges and Wu 2007) on one page: the bits of refrank, by NumPy alone.

Three models learn from grades 0..K-1: classification (Algorithm 1), ordinal classification (Sec. 4), and regression
of 2^y - 1 (Algorithm 2). Each sums up trees of J leaves; the first two rank by the expected relevance of Eq. 5.

    model = train(X, y, n_bins=256, n_rounds=100, n_leaves=10, learning_rate=0.05)
    classification, ordinal, regression = predict(model, X)  # (n_samples,) scores each
    $ python pages/mcrank.py train.txt [test.txt]            # prints these three for each row of the last file
"""

import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np


def train(X, y, n_bins=256, n_rounds=100, n_leaves=10, learning_rate=0.05):
    """Learn the three models from X, (n_samples, n_features), and integer grades y, (n_samples,)."""
    X = np.asarray(X, np.float64)
    bins = [find_edges(x, n_bins) for x in X.T]
    binned = [edges.searchsorted(x, side="right") for edges, x in zip(bins, X.T, strict=True)], bins
    limits = binned, n_rounds, n_leaves, learning_rate
    problems = [(y > k).astype(int) for k in range(y.max())]  # McRank Sec. 4: {y <= k} or {y > k}, one may be empty
    ordinal = [boost_classes(b, 2, *limits) if b.min() < b.max() else float(b[0] == 0) for b in problems]
    return boost_classes(y, y.max() + 1, *limits), ordinal, boost_regression(y, *limits)


def predict(model, X):
    """Score the rows of X by the three models."""
    X, (classification, ordinal, regression) = np.asarray(X, np.float64), model
    at_most = [np.full(len(X), m) if isinstance(m, float) else softmax(add_trees(m, X))[:, 0] for m in ordinal]
    class_proba = np.diff(np.column_stack([np.zeros(len(X)), *at_most, np.ones(len(X))]))  # McRank Eq. 8
    classes = softmax(add_trees(classification, X))
    return expected_relevance(classes), expected_relevance(class_proba), add_trees(regression, X)[:, 0]


def boost_classes(y, n_classes, binned, n_rounds, n_leaves, learning_rate):
    """Run Algorithm 1. Return the first scores, and the trees: (class, cuts, step of each leaf)."""
    trees = []
    scores = np.zeros((len(y), n_classes))  # McRank Alg. 1, line 1
    for _ in range(n_rounds):  # McRank Alg. 1, line 2
        for k in range(n_classes):  # McRank Alg. 1, line 3
            proba = softmax(scores)[:, k]  # McRank Alg. 1, line 4
            residual, e = to_grid((y == k) - proba)  # McRank Alg. 1, line 0
            curvature, d = to_grid((1 - proba) * proba)
            cuts, leaves = grow(*binned, residual, n_leaves)  # McRank Alg. 1, line 5
            steps = {}
            for leaf, rows in leaves.items():
                numerator = (n_classes - 1) / n_classes * from_grid(residual[rows], e)
                denominator = from_grid(curvature[rows], d)
                steps[leaf] = learning_rate * (numerator / denominator if denominator else 0.0)  # McRank Alg. 1, line 6
                scores[rows, k] += steps[leaf]  # McRank Alg. 1, line 7
            trees.append((k, cuts, steps))
    return np.zeros(n_classes), trees


def boost_regression(y, binned, n_rounds, n_leaves, learning_rate):
    """Run Algorithm 2. Return what `boost_classes` does, for a single score."""
    trees, target = [], np.ldexp(1.0, y) - 1  # McRank Alg. 2, line 0
    integers, e = to_grid(target)
    start = from_grid(integers, e) / len(target)  # McRank Alg. 2, line 1
    scores = np.full(len(target), start)
    for _ in range(n_rounds):  # McRank Alg. 2, line 2
        residual, e = to_grid(target - scores)
        cuts, leaves = grow(*binned, residual, n_leaves)  # McRank Alg. 2, line 3
        steps = {}
        for leaf, rows in leaves.items():
            steps[leaf] = learning_rate * (from_grid(residual[rows], e) / len(rows))  # McRank Alg. 2, line 4
            scores[rows] += steps[leaf]  # McRank Alg. 2, line 5
        trees.append((0, cuts, steps))
    return np.array([start]), trees


def expected_relevance(class_proba):
    """Compute McRank Eq. 5 with T(k) = k, (n_samples,)."""
    return sum((class_proba[:, k] * k for k in range(class_proba.shape[1])), np.zeros(len(class_proba)))


def add_trees(model, X):
    """Add up the steps of the leaves that each row falls into, (n_samples, number of scores)."""
    start, trees = model
    scores = np.tile(start, (len(X), 1))
    for k, cuts, steps in trees:
        node = np.zeros(len(X), int)
        for parent, f, edge, left in cuts:
            here = node == parent
            node[here] = np.where(X[here, f] < edge, left, left + 1)
        scores[:, k] += np.array([steps.get(i, 0.0) for i in range(2 * len(cuts) + 1)])[node]
    return scores


def grow(codes, bins, residual, n_leaves):
    """Grow a tree, best cut first: return its cuts, (node, feature, edge, left child), and {leaf: its rows}."""
    leaves, cuts, queue, new = {0: np.arange(len(residual))}, [], [], [0]
    while True:
        for node in new:
            split_gain, *cut = find_cut(codes, residual, leaves[node])
            queue += [(-split_gain, node, *cut)] if split_gain > 0 else []
        if not queue or len(leaves) == n_leaves:
            return cuts, leaves
        _, node, f, bin = queue.pop(queue.index(min(queue)))  # ties go to the older node
        rows, left = leaves.pop(node), 2 * len(cuts) + 1
        goes_left = codes[f][rows] <= bin
        leaves[left], leaves[left + 1] = rows[goes_left], rows[~goes_left]
        cuts.append((node, f, bins[f][bin], left))
        new = [left, left + 1]


def find_cut(codes, residual, rows):
    """Find the cut, (split_gain, feature, bin), that lowers the squared error most; ties: the first feature and bin."""
    best, n, s = (0, 0.0, -1, -1), len(rows), int(residual[rows].sum())
    for f, code in enumerate(codes):
        count = np.bincount(code[rows]).cumsum()
        total = np.bincount(code[rows], residual[rows]).cumsum()  # integers below 2^53: exact
        at = np.flatnonzero((count[:-1] > 0) & (count[:-1] < n))
        n_left, n_right = count[at].astype(float), (n - count[at]).astype(float)
        d = total[at] / n_left - (s - total[at]) / n_right
        split_gain = d * d * (n_left * n_right / n)
        low = split_gain.max(initial=best[1]) * (1 - 2**-23) - 2**-73 * s * s / n  # rounding moves gains by less
        for i in np.flatnonzero((split_gain > 0) & (split_gain >= low)):
            t, c = int(total[at[i]]), int(count[at[i]])
            exact = Fraction((t * n - s * c) ** 2, c * (n - c))
            best = max(best, (exact, split_gain[i], f, int(at[i])), key=lambda cut: cut[0])
    return best[1:]


def find_edges(x, n_bins):
    """Find the edges between the bins of a feature, halfway between values: one bin per value, or quantiles."""
    values = np.sort(x) + 0.0
    above = np.unique(values)[1:]
    if len(above) >= n_bins:
        quantiles = values[-(-np.arange(1, n_bins) * len(values) // n_bins) - 1]
        following = values.searchsorted(quantiles, side="right")
        above = np.unique(values[following[following < len(values)]])
    below = values[values.searchsorted(above) - 1]
    return np.where((middle := below / 2 + above / 2) > below, middle, above)


def to_grid(value):
    """Round to integers q = rint(value 2^e), whose sums are exact in any order (n of them are at most 2^53)."""
    largest = np.abs(value).max()
    e = 53 - (len(value) - 1).bit_length() - math.frexp(largest)[1] if largest else 0
    return np.rint(np.ldexp(value, e)).astype(np.int64), e


def from_grid(integers, e):
    """Sum integers of a grid, and scale the sum back."""
    return np.ldexp(float(integers.sum()), -e)


def softmax(scores):
    """Compute exp(F_k) / sum_s exp(F_s), (n_samples, n_classes), in a fixed order of operations."""
    terms = [exp(scores[:, k] - scores.max(axis=1)) for k in range(scores.shape[1])]
    return np.column_stack(terms) / sum(terms, np.zeros(len(scores)))[:, np.newaxis]


def exp(x):
    """Compute 2^k e^r, k = rint(x / ln 2), from operations that every machine rounds alike."""
    x = np.clip(x, -746.0, 710.0)
    k = np.rint(x * 1.4426950408889634)
    high, low = x - k * 0.6931471805598903, k * 5.497923018708371e-14  # ln 2, in two numbers
    r = high - low
    series = np.polyval([1 / math.factorial(n) for n in range(14, 1, -1)], r)  # Horner's rule
    return np.ldexp(1.0 + (high + (r * r * series - low)), k.astype(np.int32))


def read(path, n_features=0):
    """Read a LETOR file: lines `grade qid:q index:value ... # comment`."""
    lines = [line.split("#")[0].split() for line in Path(path).read_text().splitlines()]
    rows = [{int(f): float(x) for f, x in (pair.split(":") for pair in line[2:])} for line in lines]
    features = range(1, 1 + (n_features or max(max(row, default=1) for row in rows)))
    return np.array([[row.get(f, 0.0) for f in features] for row in rows]), np.array([int(line[0]) for line in lines])


if __name__ == "__main__":
    X, y = read(sys.argv[1])
    np.savetxt(sys.stdout, np.column_stack(predict(train(X, y), read(sys.argv[-1], X.shape[1])[0])), "%.17g")
