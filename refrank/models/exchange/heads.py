"""Maps from a model's outputs, sums of trees, to one score per row, and their effect on errors of outputs.

    symbol    in code       shape
    F         outputs       (n_samples, n_outputs)
    e         errors        (n_outputs,): each |F~_c - F_c| is at most e_c
    S         -             (n_samples,): the score
    T         relevance     (n_classes,), increasing

A head maps outputs to scores, which equal those of the ranker to the bit. `bound(errors)` is an upper bound on
|S~ - S|, where S~ is the score of outputs F~, both computed without rounding:

    head          S                                              bound
    Identity      F                                              e
    Total         sum_c F_c (COCR, Eq. 6)                        sum_c e_c
    Softmax       sum_k p_k T(k), p = softmax(F)                 max e * (T(K-1) - T(0)) / 2
    Ordinal       sum_k p_k T(k), by Eq. 8 of P_k = Pr(y <= k)   sum_k (T(k+1) - T(k)) * (e of F_0 + e of F_1) / 4
    Cumulative    the same; the outputs are the P_k              sum_k e_k, since T(k) = k

*Why.* dS/dF_k = p_k (T(k) - S), and sum_k p_k |T(k) - S| is largest with half of the weight on each end. By Eq. 8,
S = T(K-1) - sum_k P_k (T(k+1) - T(k)); P_k is the logistic function of F_0 - F_1, whose slope is at most 1/4. Clipping
does not enlarge a difference.

`bound_rounding(largest)` bounds the rounding of two programs that each compute S from the same outputs, of magnitude up
to `largest`, in some order; it is 0 for Identity. A probability by exp, K additions and a quotient is off by at most
(4 EXP_ULPS + 3 K) u, with u = 2^-53, since p d <= 1/e where d is the argument of its exp; K products and sums with T
add at most K u max|T| each time that a term is at most max|T|.
"""

from dataclasses import dataclass

import numpy as np

from refrank.arrays import Floats
from refrank.cocr.rankers import soft_rank
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba, cumulative_proba_of
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.engine import default_engine

EXP_ULPS = 4  # assumed error of exp, since programs document none
UNIT = 2.0**-53


@dataclass(frozen=True)
class Identity:
    """One output, which is the score."""

    def __call__(self, outputs: Floats) -> Floats:
        """Score outputs, (n_samples, 1): (n_samples,)."""
        return outputs[:, 0].copy()

    def bound(self, errors: Floats) -> float:
        """Bound the error of a score by the errors of the outputs, (1,)."""
        return float(errors[0])

    def bound_rounding(self, largest: float) -> float:
        """Return 0: the score is the output itself."""
        return 0.0


@dataclass(frozen=True)
class Total:
    """The sum of the answers to COCR's problems (Eq. 6)."""

    max_grade: int

    def __call__(self, outputs: Floats) -> Floats:
        """Score outputs, (n_samples, max_grade): (n_samples,)."""
        return soft_rank(outputs)

    def bound(self, errors: Floats) -> float:
        """Bound the error of a score by the errors of the outputs, (max_grade,)."""
        return float(sum(errors.tolist()))

    def bound_rounding(self, largest: float) -> float:
        """Bound the rounding of two programs: max_grade additions, no sum above max_grade * largest."""
        return 2 * self.max_grade**2 * largest * UNIT


@dataclass(frozen=True, eq=False)
class Softmax:
    """Expected relevance of a softmax (McRank, Eq. 5).

    >>> Softmax(np.array([0.0, 1.0, 2.0]))(np.zeros((1, 3)))
    array([1.])
    """

    relevance: Floats  # (n_classes,)

    def __call__(self, outputs: Floats) -> Floats:
        """Score outputs, (n_samples, n_classes): (n_samples,)."""
        return expected_relevance(softmax(outputs, default_engine()), self.relevance)

    def bound(self, errors: Floats) -> float:
        """Bound the error of a score by the errors of the outputs, (n_classes,)."""
        return float(errors.max() * (self.relevance[-1] - self.relevance[0]) / 2)

    def bound_rounding(self, largest: float) -> float:
        """Bound the rounding of two programs: of K probabilities, which add up to 1, and of their products with T."""
        n_units = 8 * (EXP_ULPS + len(self.relevance))
        return n_units * float(np.abs(self.relevance).max()) * UNIT


@dataclass(frozen=True, eq=False)
class Ordinal:
    """Expected relevance of boosted cumulative problems (McRank, Sec. 4)."""

    constants: tuple[float | None, ...]  # (n_classes - 1,): Pr(y <= k) of a one-sided problem, else None
    relevance: Floats  # (n_classes,)

    def __call__(self, outputs: Floats) -> Floats:
        """Score outputs, one or two per problem that is not one-sided, (n_samples, n_outputs): (n_samples,)."""
        proba = class_proba(cumulative_proba_of(outputs, self.constants, default_engine()))
        return expected_relevance(proba, self.relevance)

    def bound(self, errors: Floats) -> float:
        """Bound the error of a score by the errors of the outputs, (n_outputs,)."""
        n_problems = self.constants.count(None)
        if n_problems == 0:
            return 0.0
        of_problem = errors.reshape(n_problems, -1)
        sides = of_problem.sum(axis=1) * (2 / of_problem.shape[1])  # F_1 = -F_0 with one output
        steps = np.diff(self.relevance)[[constant is None for constant in self.constants]]
        return float((steps * sides).sum() / 4)

    def bound_rounding(self, largest: float) -> float:
        """Bound the rounding of two programs: of K probabilities of at most 1 each, and of their products with T."""
        n_classes = len(self.relevance)
        n_units = 8 * n_classes * (EXP_ULPS + n_classes)
        return n_units * float(np.abs(self.relevance).max()) * UNIT


@dataclass(frozen=True)
class Cumulative:
    """Expected relevance of the trees' cumulative probabilities (iGBRT, Sec. 6)."""

    clip: bool  # clip each probability to [0, 1]
    n_classes: int

    def __call__(self, outputs: Floats) -> Floats:
        """Score outputs, (n_samples, n_classes - 1): (n_samples,)."""
        return expected_relevance(class_proba(np.clip(outputs, 0.0, 1.0) if self.clip else outputs))

    def bound(self, errors: Floats) -> float:
        """Bound the error of a score by the errors of the outputs, (n_classes - 1,)."""
        return float(sum(errors.tolist()))

    def bound_rounding(self, largest: float) -> float:
        """Bound the rounding of two programs: K differences of at most 2 * largest, K products with T of at most K."""
        highest = 1.0 if self.clip else max(1.0, largest)
        return 8 * self.n_classes**3 * highest * UNIT


Head = Identity | Total | Softmax | Ordinal | Cumulative
