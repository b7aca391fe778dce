"""How far the numbers of an honest port may lie from refrank's: bounds for float32 and float64, derived in
docs/reference/numerics.md, "What an honest float arithmetic may differ by", which lists the calls of each stage.

    symbol     in code                    shape
    x, e       Near.value, Near.error     any; the port's number is within e of x, refrank's
    u          u                          float
    v          in `bound_roundings`       u + 2**-53: the port rounds, and so does refrank
    gamma_n    `bound_roundings`          that of n
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.trees.numbers.grid import find_exponent, make_specified

LIBRARY_ULPS = 4  # by which the exp and the log of a port may be off
SLACK = 1 + 2.0**-20  # for the roundings of the bounds themselves
HALF_ULP = 2.0**-53


class Near(NamedTuple):
    """Numbers of refrank, and how far those of a port may be from them, both of any shape that broadcasts."""

    value: Any
    error: Any = 0.0


@dataclass(frozen=True)
class Arithmetic:
    """The floats of one format."""

    u: float  # unit roundoff; 0: the same bits as refrank's
    tiny: float  # smallest normal number: what an operation may lose to zero
    kind: type[np.floating[Any]]

    def read(self, value: Any) -> Near:
        """Return numbers that a port reads: of the data, the parameters or its own trace."""
        value = np.asarray(value, np.float64)
        with np.errstate(over="ignore"):
            moved = np.abs(value.astype(self.kind) - value)
        return Near(value, np.where(np.abs(value) < self.tiny, np.abs(value), moved))

    def add(self, a: Near, b: Near) -> Near:
        """Add b to a."""
        value = a.value + b.value
        return Near(value, self.bound_result(np.abs(value), a.error + b.error))

    def subtract(self, a: Near, b: Near) -> Near:
        """Subtract b from a."""
        return self.add(a, Near(-b.value, b.error))

    def multiply(self, a: Near, b: Near) -> Near:
        """Multiply a by b."""
        size_a, size_b = np.abs(a.value), np.abs(b.value)
        moved = size_a * b.error + size_b * a.error + a.error * b.error
        return Near(a.value * b.value, self.bound_result(size_a * size_b, moved))

    def divide(self, a: Near, b: Near, factor: float = 1.0) -> Near:
        """Compute factor * a / b, in any order; it is 0 where b is 0, and the error infinite where b may be 0."""
        size_b, is_sure = np.abs(b.value), np.abs(b.value) > b.error
        value = np.where(size_b == 0, 0.0, factor * a.value / np.where(size_b == 0, 1.0, b.value))
        moved = np.abs(factor) * a.error + np.abs(value) * b.error + (factor != 1.0) * self.tiny
        moved = np.where(is_sure, moved / np.where(is_sure, size_b - b.error, 1.0), np.inf)
        moved = np.where((size_b == 0) & (b.error == 0), 0.0, moved)
        return Near(value, self.bound_result(np.abs(value), moved, 1 if factor == 1.0 else 3))

    def add_up(self, terms: Near) -> Near:
        """Add the terms along the last axis."""
        value, error = np.broadcast_arrays(*terms)
        size, moved = np.abs(value).sum(axis=-1), error.sum(axis=-1)
        return Near(value.sum(axis=-1), self.bound_result(size, moved, value.shape[-1]))

    def add_groups(self, terms: Near, groups: Ints, n_groups: int, n_uses: int = 1) -> Near:
        """Add the terms, (n,), of each group, such as a leaf or a bin; `groups`, (n,), holds the group of each term.

        A row counts `n_uses` times in the port's sums: twice where a right side is the node less the left side, and
        four times where a node is its parent less its sibling, too. Then the terms are those of the root.
        """
        value, error = np.broadcast_arrays(*terms)
        sums, size, moved = (np.bincount(groups, x, n_groups) for x in (value, np.abs(value), error))
        return Near(sums, self.bound_result(size, moved, np.bincount(groups, None, n_groups), n_uses))

    def bound_roundings(self, n: Any) -> Any:
        """Bound the relative error of n roundings by the port and n by refrank; infinite where n v is 1 or more."""
        return divide_by_rest(np.asarray(n * (self.u + HALF_ULP if self.u else 0.0)))

    def bound_result(self, size: Any, moved: Any, n: Any = 1, n_uses: int = 1) -> Any:
        """Bound the error of a sum of n terms, or of a result of n operations; infinite if it overflows.

        `size` is the sum of the sizes of the terms, or that of the result, and its operands move it by `moved`.
        """
        most = n_uses * (size + moved)
        error = (moved + self.bound_roundings(n_uses * n) * most + n_uses * n * self.tiny * (most > 0)) * SLACK
        return np.where(most < np.finfo(self.kind).max, error, np.inf)

    def bound_grid(self, values: Floats) -> float:
        """Bound how far refrank's grid moves each value, (n_samples,): half a step."""
        return 2.0 ** -(find_exponent(values, make_specified()) + 1) if self.u else 0.0

    def bound_cuts(self, *values: Floats) -> Any:
        """Bound cuts, given these, or the lowest value of the bin before each, and of the bin after it, (n_cuts,)."""
        return self.bound_result(np.abs(values).max(axis=0), 0.0, 6)

    def bound_proba(self, scores: Near) -> Floats:
        """Bound the softmax of scores, (n_samples, n_classes)."""
        below, n = scores.value.max(axis=1, keepdims=True) - scores.value, scores.value.shape[1] + 1
        error, p = np.broadcast_to(scores.error, below.shape), np.exp(-below)
        p /= p.sum(axis=1, keepdims=True)
        log = self.bound_result(below, error + error.max(axis=1, keepdims=True))
        log = log + self.bound_roundings(2 * LIBRARY_ULPS)
        with np.errstate(over="ignore", invalid="ignore"):
            log = log + divide_by_rest((p * np.expm1(log)).sum(axis=1, keepdims=True)) + self.bound_roundings(n)
            return np.fmin((p * np.expm1(log) + n * self.tiny) * SLACK, 1 + self.u)

    def bound_response(self, fitted: Callable[[Floats], Floats], residual: Near) -> Floats:
        """Bound what a loss fits its trees to, (n_samples,), given how it computes that from the residuals."""
        value, error = np.broadcast_arrays(*residual)
        response = fitted(value)
        jumps = [np.abs(fitted(value + side * error) - response) for side in (-1.0, 1.0)]
        return self.bound_result(np.abs(response), np.maximum.reduce([*jumps, np.full_like(response, error.max())]))

    def bound_gain(self, left: Near, right: Near, n_left: Near, n_right: Near) -> Floats:
        """Bound gains, given the sums and the weights of both sides of cuts, (n_cuts,) each."""
        sides = (left, n_left), (right, n_right), (self.add(left, right), self.add(n_left, n_right))
        d = self.subtract(*(self.divide(*side) for side in sides[:2]))
        by_means = self.multiply(self.multiply(d, d), self.divide(self.multiply(n_left, n_right), sides[2][1]))
        squares = [self.divide(self.multiply(total, total), n) for total, n in sides]
        return by_means.error + self.subtract(self.add(*squares[:2]), squares[2]).error

    def bound_location(self, values: Near, weight: Floats | None = None) -> float:
        """Bound the mean or the median of rows, (n,), or a mean of what lies around the median, held to a size."""
        value, error = np.broadcast_arrays(*values)
        n, jump, excess = len(value), 0.0, 1.0
        if weight is not None:
            order = np.argsort(value)
            below, slack = weight[order].cumsum(), self.bound_roundings(2 * n + 2) * SLACK
            halves = np.searchsorted(below, below[-1] * np.array([0.5 - slack, 0.5 + slack]))
            jump = float(np.diff(value[order][np.minimum(halves, n - 1)])[0])
            excess = n * float(weight.max() / below[-1])
        return float(self.bound_result(3 * np.abs(value).max(), 3 * error.max() + 2 * jump, (2 * n + 10) * excess))

    def bound_metric(self, values: Floats, n_positions: int) -> Floats:
        """Bound NDCG or ERR, of any shape, of an order that the port tells."""
        return self.bound_result(values, 0.0, 2 * n_positions + 40)


def divide_by_rest(share: Any) -> Any:
    """Compute s / (1 - s), infinite from s = 1 on."""
    return np.where(share < 1, share / np.where(share < 1, 1 - share, 1.0), np.inf)


EXACT = Arithmetic(0.0, 0.0, np.float64)
FLOAT32 = Arithmetic(2.0**-24, 2.0**-126, np.float32)
FLOAT64 = Arithmetic(2.0**-53, 2.0**-1022, np.float64)
