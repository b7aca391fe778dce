"""iGBRT (Mohan, Chen and Weinberger 2011) on one page: the bits of refrank, by NumPy alone.

Random forests (Algorithm 1), gradient boosted regression trees (Algorithm 2), and boosting that starts from a forest
(Algorithm 3). Lines of the algorithms count from 1 below "Input". Without rounds, Algorithm 3 is the forest; without
a forest, it is Algorithm 2.

    model = train(X, y, n_trees=100, n_rounds=100, max_depth=4, learning_rate=0.1, max_features=4, n_bins=256, seed=0)
    scores = predict(model, X)  # (n_samples,)

    python pages/igbrt.py train.txt [test.txt]  # prints the score of each row of the last file
"""

import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np


def train(X, y, n_trees=100, n_rounds=100, max_depth=4, learning_rate=0.1, max_features=1, n_bins=256, seed=0):
    """Run Algorithm 3 on X, (n_samples, n_features), and y, (n_samples,); max_features is K of the forest."""
    X = np.asarray(X, np.float64)
    bins = [find_edges(x, n_bins) for x in X.T]
    binned = [edges.searchsorted(x, side="right") for edges, x in zip(bins, X.T, strict=True)], bins
    forest = random_forest(binned, y.astype(np.float64), n_trees, max_features, seed)  # iGBRT Alg. 3, line 1
    residual = y - average(forest, X)  # iGBRT Alg. 3, line 2; without a forest, Alg. 2, line 1
    boosted = gbrt(binned, X, residual, n_rounds, max_depth, learning_rate)  # iGBRT Alg. 3, lines 3 to 8
    return forest, boosted, learning_rate


def predict(model, X):
    """Score the rows of X: the forest, plus the boosted trees."""
    X = np.asarray(X, np.float64)
    forest, boosted, learning_rate = model
    scores = np.zeros(len(X))
    for tree in boosted:
        scores += learning_rate * evaluate(tree, X)  # iGBRT Alg. 2, line 8
    return average(forest, X) + scores  # iGBRT Alg. 3, line 9


def random_forest(binned, y, n_trees, max_features, seed):
    """Run Algorithm 1: return the trees, grown to the end."""
    trees = []
    for t in range(n_trees):  # iGBRT Alg. 1, line 1
        key = draw(draw(0, seed), t)
        drawn = [draw_below(draw(key, 0), i, len(y)) for i in range(len(y))]
        counts = np.bincount(drawn, minlength=len(y))  # iGBRT Alg. 1, line 2: how often D_t has each row
        trees.append(grow(binned, y, counts, math.inf, max_features, draw(key, 1)))  # iGBRT Alg. 1, line 3
    return trees


def average(trees, X):
    """Average the trees of a forest, (n_samples,); 0 without trees."""
    scores = np.zeros(len(X))
    for tree in trees:
        scores += evaluate(tree, X)
    return scores / max(1, len(trees))  # iGBRT Alg. 1, line 5


def gbrt(binned, X, residual, n_rounds, max_depth, learning_rate):
    """Run Algorithm 2 from given residuals (its line 1: y itself): return the trees."""
    trees, every_row = [], np.ones(len(X), int)
    for _ in range(n_rounds):  # iGBRT Alg. 2, line 2
        trees.append(grow(binned, residual, every_row, max_depth))  # iGBRT Alg. 2, line 3
        residual = residual - learning_rate * evaluate(trees[-1], X)  # iGBRT Alg. 2, lines 4 and 5
    return trees


def grow(binned, residual, counts, max_depth, n_candidates=None, key=0):
    """Grow CART (iGBRT Eq. 1): a node is (feature, edge, left, right), or the mean of its rows.

    Row i counts as counts[i] rows. Each node chooses among n_candidates features, drawn from its key, or among all.
    """
    codes, bins = binned
    integers, e = to_grid(residual)
    sums = integers * counts

    def make_node(rows, depth, key):
        features = range(len(codes)) if n_candidates is None else draw_features(key, n_candidates, len(codes))
        f, bin = find_cut(codes, features, sums, counts, rows) if depth < max_depth else (None, None)
        if f is None:
            return np.ldexp(float(sums[rows].sum()), -e) / counts[rows].sum()
        goes_left = codes[f][rows] <= bin
        left = make_node(rows[goes_left], depth + 1, draw(key, 0))
        return f, bins[f][bin], left, make_node(rows[~goes_left], depth + 1, draw(key, 1))

    return make_node(np.flatnonzero(counts), 0, key)


def find_cut(codes, features, sums, counts, rows):
    """Find the cut, (feature, bin), that lowers the squared error most; ties go to the first feature and bin."""
    best, n, s = (0, 0.0, None, None), int(counts[rows].sum()), int(sums[rows].sum())
    for f in features:
        count = np.bincount(codes[f][rows], counts[rows]).cumsum()
        total = np.bincount(codes[f][rows], sums[rows]).cumsum()  # integers below 2^53: exact
        at = np.flatnonzero((count[:-1] > 0) & (count[:-1] < n))
        n_left, n_right = count[at], n - count[at]
        d = total[at] / n_left - (s - total[at]) / n_right
        split_gain = d * d * (n_left * n_right / n)
        low = split_gain.max(initial=best[1]) * (1 - 2**-23) - 2**-73 * s * s / n  # rounding moves gains by less
        for i in np.flatnonzero((split_gain > 0) & (split_gain >= low)):  # exact gains decide
            t, c = int(total[at[i]]), int(count[at[i]])
            exact = Fraction((t * n - s * c) ** 2, c * (n - c))
            if exact > best[0]:
                best = (exact, split_gain[i], f, int(at[i]))
    return best[2:]


def evaluate(tree, X):
    """Find the value of the leaf that each row falls into, (n_samples,)."""
    if not isinstance(tree, tuple):
        return np.full(len(X), tree)
    f, edge, left, right = tree
    goes_left, values = X[:, f] < edge, np.empty(len(X))
    values[goes_left], values[~goes_left] = evaluate(left, X[goes_left]), evaluate(right, X[~goes_left])
    return values


def find_edges(x, n_bins):
    """Find the edges between the bins of a feature, halfway between values: one bin per value, or quantiles."""
    values = np.sort(x) + 0.0
    above = np.unique(values)[1:]
    if len(above) >= n_bins:
        quantiles = values[-(-np.arange(1, n_bins) * len(values) // n_bins) - 1]
        following = values.searchsorted(quantiles, side="right")
        above = np.unique(values[following[following < len(values)]])
    below = values[values.searchsorted(above) - 1]
    middle = below / 2 + above / 2
    return np.where(middle > below, middle, above)


def to_grid(value):
    """Round to integers q = rint(value 2^e), whose sums are exact in any order (n of them are at most 2^53)."""
    largest = np.abs(value).max()
    e = 53 - (len(value) - 1).bit_length() - math.frexp(largest)[1] if largest else 0
    return np.rint(np.ldexp(value, e)).astype(np.int64), e


def draw(key, i):
    """Compute number i of the stream of a key, 64 bits, by SplitMix64."""
    mask = (1 << 64) - 1
    z = (key + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def draw_below(key, i, n):
    """Draw one of 0..n-1."""
    return draw(key, i) * n >> 64


def draw_features(key, n_candidates, n_features):
    """Draw features of a node without replacement, ascending: a partial Fisher-Yates shuffle."""
    order = list(range(n_features))
    for j in range(n_candidates):
        other = j + draw_below(key, 2 + j, n_features - j)  # numbers 0 and 1 are the keys of the children
        order[j], order[other] = order[other], order[j]
    return sorted(order[:n_candidates])


def read(path, n_features=0):
    """Read a LETOR file: lines `grade qid:q index:value ... # comment`."""
    lines = [line.split("#")[0].split() for line in Path(path).read_text().splitlines()]
    rows = [{int(f): float(x) for f, x in (pair.split(":") for pair in line[2:])} for line in lines]
    features = range(1, 1 + (n_features or max(max(row, default=1) for row in rows)))
    X = np.array([[row.get(f, 0.0) for f in features] for row in rows])
    return X, np.array([int(line[0]) for line in lines])


if __name__ == "__main__":
    X, y = read(sys.argv[1])
    model = train(X, y, max_features=max(1, X.shape[1] // 10))  # iGBRT Sec. 3: a tenth of the features
    np.savetxt(sys.stdout, predict(model, read(sys.argv[-1], X.shape[1])[0]), "%.17g")
