"""M5' from the definitions: recursion, one row and one term at a time, every model solved anew.

Nothing is updated, sorted once or summed cleverly. Sums of the target are exact fractions. Slow; for some dozens of
rows. A weight says what an error in its row costs, as in Weka (`as_weka`) or as it should: in all means, and in no
number of rows. Where a row of weight 2 is that row twice, it is given twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np


@dataclass
class Node:
    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    feature: int = -1
    threshold: float = math.nan
    children: list[Node] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    slopes: np.ndarray = field(default_factory=lambda: np.empty(0))
    intercept: float = 0.0
    pruned: bool = False

    def model(self, x: np.ndarray) -> float:
        return sum((b * x[f] for f, b in zip(self.terms, self.slopes, strict=True)), self.intercept)

    def child_of(self, x: np.ndarray) -> Node | None:
        if not self.children or self.pruned:
            return None
        return self.children[0] if x[self.feature] <= self.threshold else self.children[1]

    def unsmoothed(self, x: np.ndarray) -> float:
        child = self.child_of(x)
        return self.model(x) if child is None else child.unsmoothed(x)

    def smoothed(self, x: np.ndarray) -> float:
        child = self.child_of(x)
        if child is None:
            return self.model(x)
        n = len(child.y)
        return (n * child.smoothed(x) + 15 * self.model(x)) / (n + 15)

    def tested(self) -> set[int]:
        return {self.feature}.union(*(child.tested() for child in self.children)) - {-1}


def variance(rows: list[tuple[Fraction, Fraction]]) -> float:
    """Return that of (value, weight) pairs."""
    total = sum(w for _, w in rows)
    mean = sum(w * value for value, w in rows) / total
    return float(sum(w * (value - mean) ** 2 for value, w in rows) / total)


def pair(y: np.ndarray, w: np.ndarray, as_weka: bool) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(value), Fraction(1 if as_weka else weight)) for value, weight in zip(y, w, strict=True)]


def grow(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, min_instances: float, weka: bool, as_weka: bool, deviation: float
) -> Node:
    node = Node(X, y, w)
    exact = pair(y, w, as_weka)
    n, total = len(y), sum(weight for _, weight in exact)
    if n < min_instances or math.sqrt(variance(exact)) < 0.05 * deviation or len(set(y)) == 1:
        return node
    spread: Callable[[float], float] = (lambda v: v**0.2) if weka else math.sqrt
    whole = spread(variance(exact))
    best = -math.inf
    for f in range(X.shape[1]):
        cuts = []
        for below, above in zip(sorted(X[:, f]), sorted(X[:, f])[1:], strict=False):
            if not (above - below >= 1e-10 if weka else above > below):
                continue
            left = [row for row, x in zip(exact, X[:, f], strict=True) if x <= below]
            right = [row for row, x in zip(exact, X[:, f], strict=True) if x > below]
            if weka and min(len(left), len(right)) < max(1, n // 5) + 1:
                continue
            gain = whole
            for side in (left, right):
                gain -= float(sum(weight for _, weight in side) / total) * spread(variance(side))
            cuts.append((gain, (below + above) / 2))
        if not cuts:
            continue
        highest = max(gain for gain, _ in cuts)
        gain, threshold = next(cut for cut in cuts if cut[0] >= highest - 1e-9 * whole)
        if gain > best + (1e-6 if weka else 1e-9 * whole):
            best, node.feature, node.threshold = gain, f, threshold
    if node.feature >= 0:
        goes_left = X[:, node.feature] <= node.threshold
        for rows in (goes_left, ~goes_left):
            node.children.append(grow(X[rows], y[rows], w[rows], min_instances, weka, as_weka, deviation))
    return node


def deviation_of(values: np.ndarray, w: np.ndarray, as_weka: bool) -> np.ndarray:
    """Return the unbiased kind, of each column: with one weight for all rows, that of NumPy with ddof=1."""
    squares = w @ (values - np.average(values, axis=0, weights=w)) ** 2
    return np.sqrt(squares / (w.sum() - 1) if as_weka else squares / w.mean() / (len(w) - 1))


def least_squares(node: Node, terms: list[int], ridge: float, as_weka: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the slopes, the standardised coefficients and the intercept of the model on `terms`."""
    mean = float(np.average(node.y, weights=node.w))
    if not terms:
        return np.empty(0), np.empty(0), mean
    Z, w = node.X[:, terms], node.w if as_weka else node.w / node.w.mean()
    center, scale = np.average(Z, axis=0, weights=w), deviation_of(Z, w, as_weka)
    root = np.sqrt(w)
    standard = np.vstack([root[:, None] * (Z - center) / scale, math.sqrt(ridge) * np.eye(len(terms))])
    target = np.concatenate([root * (node.y - mean), np.zeros(len(terms))])
    b = np.linalg.lstsq(standard, target, rcond=None)[0]
    slopes = b / scale
    return slopes, b, float(mean - slopes @ center)


def residuals(node: Node, terms: list[int], slopes: np.ndarray, intercept: float) -> np.ndarray:
    return node.y - node.X[:, terms] @ slopes - intercept


def simplify_weka(node: Node, terms: list[int], as_weka: bool) -> list[int]:
    n = len(node.y)
    if len(set(node.y)) == 1:
        return []
    while terms:
        _, b, _ = least_squares(node, terms, 1e-8, as_weka)
        if max(abs(b)) / deviation_of(node.y, node.w, as_weka) <= 1.5:
            break
        terms = [t for k, t in enumerate(terms) if k != int(np.argmax(abs(b)))]

    def loss(of: list[int]) -> float:
        slopes, _, intercept = least_squares(node, of, 1e-8, as_weka)
        return math.fsum((1.0 if as_weka else node.w) * residuals(node, of, slopes, intercept) ** 2)

    full, v = loss(terms), len(terms) + 1
    best = (n - v) + 2 * v
    while terms:
        _, b, _ = least_squares(node, terms, 1e-8, as_weka)
        fewer = [t for k, t in enumerate(terms) if k != int(np.argmin(abs(b)))]
        akaike = loss(fewer) / full * (n - v) + 2 * (len(fewer) + 1)
        if akaike >= best:
            break
        terms, best = fewer, akaike
    return terms


def weka_estimate(off: np.ndarray, w: np.ndarray, v: int) -> float:
    n = len(off)
    return math.sqrt(math.fsum(w * off**2) / math.fsum(w)) * ((n + 2 * v) / (n - v) if n > v else 10)


def published_estimate(node: Node, terms: list[int]) -> float:
    slopes, _, intercept = least_squares(node, terms, 0.0, False)
    n, v = len(node.y), len(terms) + 1
    error = math.fsum(node.w * abs(residuals(node, terms, slopes, intercept))) / math.fsum(node.w)
    return error * (n + v) / (n - v) if n > v else math.inf


def simplify_published(node: Node, terms: list[int]) -> list[int]:
    best = published_estimate(node, terms)
    while terms:
        trials = [(published_estimate(node, [t for t in terms if t != out]), out) for out in terms]
        estimate, out = min(trials)
        if estimate >= best and not math.isinf(best):
            break
        best, terms = estimate, [t for t in terms if t != out]
    return terms


def prune(node: Node, weka: bool, as_weka: bool, deviation: float) -> tuple[float, int]:
    """Prune the subtree; return the estimate of its error and its number of parameters."""
    below = [prune(child, weka, as_weka, deviation) for child in node.children]
    terms = [f for f in sorted(node.tested()) if len(set(node.X[:, f])) > 1]
    if as_weka and node.w.sum() <= 1:
        terms = []
    node.terms = simplify_weka(node, terms, as_weka) if weka else simplify_published(node, terms)
    node.slopes, _, node.intercept = least_squares(node, node.terms, 1e-8 if weka else 0.0, as_weka)
    v = len(node.terms) + 1
    off = residuals(node, node.terms, node.slopes, node.intercept)
    model = weka_estimate(off, node.w, v) if weka else published_estimate(node, node.terms)
    if not node.children:
        return model, v
    if weka:
        v_below = below[0][1] + below[1][1] + 1
        off = np.array([y - node.unsmoothed(x) for x, y in zip(node.X, node.y, strict=True)])
        subtree = weka_estimate(off, node.w, v_below)
        node.pruned = model <= subtree or model < 1e-5 * deviation
    else:
        v_below = below[0][1] + below[1][1]
        shares = [math.fsum(child.w) / math.fsum(node.w) for child in node.children]
        subtree = sum(share * error for share, (error, _) in zip(shares, below, strict=True))
        node.pruned = model <= subtree + 1e-9 * deviation
    return (model, v) if node.pruned else (subtree, v_below)


def model_tree(X: np.ndarray, y: np.ndarray, w: np.ndarray, min_instances: float, variant: str, as_weka: bool) -> Node:
    weka = variant == "weka"
    deviation = math.sqrt(variance(pair(y, w, as_weka)))
    root = grow(X, y, w, min_instances, weka, as_weka, deviation)
    prune(root, weka, as_weka, deviation)
    return root


def shape(node: Node, pruned: bool) -> list[tuple[int, float]]:
    """List the tests of a tree, parents first, left before right; (-1, nan) stands for a leaf."""
    if not node.children or (pruned and node.pruned):
        return [(-1, math.nan)]
    return [(node.feature, node.threshold)] + [test for c in node.children for test in shape(c, pruned)]
