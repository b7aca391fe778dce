"""COCR Sec. 3: cost-sensitive ordinal classification, reduced to weighted regression (Eq. 1, 5; Algorithm 1).

    symbol     in code            shape
    K          max_grade          int; the questions are k = 1..K
    c_n[k]     costs              (n_samples, max_grade + 1)
    b_n^(k)    answer             (n_samples,), 0.0 or 1.0: is y_n >= k?
    w_n^(k)    weight             (n_samples,)
    A_r        learn              function (answer, weight, k) -> h_k, a function of the features
    h_k(x)     answers[:, k-1]    (n_samples, max_grade), any real numbers, as in Theorem 1

    COCR      in our words
    -         for each question k = 1..K: "is the grade k or higher?"
    Eq. 1         right answer of document n: 1 where y_n >= k, else 0
    Eq. 5         its weight: the change of the cost from rank k - 1 to rank k
    Alg. 1        train h_k: A_r on the weighted answers
    Eq. 2     hard rank: the number of h_k that are 1/2 or more, in `refrank/cocr/rankers.py`
    Eq. 6     soft rank: the sum of the h_k, in `refrank/cocr/rankers.py`

docs/learn/by_hand.md works it out on three documents. Algorithm 1 is a picture that the available text lacks, so the
steps are those of Sec. 3.

The base regressor is an argument and can be of any kind.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Floats
from refrank.checks import check_weights
from refrank.cluster.communicator import count_rows, find_largest, find_span, sum_exactly
from refrank.cocr.costs import check_costs, encode_answers

Predict = Callable[[Any], Floats]  # h_k: X, (n_samples, n_features) -> (n_samples,)
Learn = Callable[[Floats, Floats, int], Predict]


@dataclass(frozen=True)
class BinaryProblem:
    """The k-th binary problem: "is x ranked higher than or equal to rank k?"."""

    k: int  # from 1 to max_grade
    answer: Floats  # (n_samples,), 0.0 or 1.0
    weight: Floats  # (n_samples,)


Train = Callable[[BinaryProblem], Predict]


@dataclass(frozen=True)
class Constant:
    """The constant answer of a problem whose weighted rows all agree."""

    value: float

    def __call__(self, X: Any) -> Floats:
        """Return the value for each row of X, (n_samples,)."""
        return np.full(len(X), self.value)


@dataclass(frozen=True, repr=False)
class COCRModel:
    """The soft binary classifiers h_1..h_K."""

    soft_classifiers: tuple[Predict, ...]  # (max_grade,) functions of X, each a `Constant` or what `learn` returned

    def answers(self, X: Any) -> Floats:
        """Compute h_k(x), not clipped, (n_samples, max_grade)."""
        return np.column_stack([h(X) for h in self.soft_classifiers])

    def __repr__(self) -> str:
        """Return a short text with the number of problems."""
        n_problems = len(self.soft_classifiers)
        return f"COCRModel({n_problems} problem{'s' * (n_problems != 1)})"


def cocr(
    y: ArrayLike,
    costs: ArrayLike,
    learn: Learn,
    sample_weight: ArrayLike | None = None,
    each: Callable[[Train, Iterable[BinaryProblem]], Iterable[Predict]] = map,
) -> Generator[Predict, None, None]:
    """Yield the soft binary classifiers h_1, ..., h_K of Algorithm 1; `COCRModel` holds them.

    `y`, (n_samples,), are the true grades, and `costs`, (n_samples, max_grade + 1), a cost vector per document. `learn`
    gets the weights scaled by `to_mean_one`. A row of `sample_weight` 2, (n_samples,), costs as much as two rows.
    `each` applies a function to the problems, in turn or in parallel, and returns the results in order.

    Examples
    --------
    The simplest base ignores the features and returns the weighted mean:

    >>> from math import fsum
    >>> def mean(answer, weight, k):
    ...     return Constant(fsum(weight * answer) / fsum(weight))
    >>> from refrank.cocr.costs import squared
    >>> model = COCRModel(tuple(cocr([0, 1, 2, 2], squared([0, 1, 2, 2], max_grade=2), mean)))
    >>> model.answers(np.zeros((1, 1))).tolist()  # yes: 7 of the weights 1, 1, 3, 3, and 2 of 3, 1, 1, 1
    [[0.875, 0.3333333333333333]]
    """
    row_weight = check_weights(sample_weight, len(np.asarray(y)))

    def train(problem: BinaryProblem) -> Predict:
        # Paper is silent: where all rows that count give one answer, there is nothing to learn. h_k is that answer.
        lowest, highest = find_span(problem.answer[problem.weight > 0].astype(np.int64))
        if lowest >= highest:
            return Constant(float(highest) if lowest == highest else 0.0)
        return learn(problem.answer, to_mean_one(problem.weight, row_weight), problem.k)

    # COCR Alg. 1: for each k, train h_k by A_r on D^(k) with its weights
    yield from each(train, make_problems(y, costs, row_weight))


def make_problems(y: ArrayLike, costs: ArrayLike, sample_weight: Floats | None = None) -> Iterator[BinaryProblem]:
    """Yield the transformed data sets D^(k), k = 1..K; their weights are multiplied by the sample weight, if any.

    >>> from refrank.cocr.costs import oerr
    >>> for problem in make_problems([3], oerr([3], max_grade=4)):
    ...     print(problem.k, problem.answer, problem.weight)
    1 [1.] [13.]
    2 [1.] [20.]
    3 [1.] [16.]
    4 [0.] [64.]
    """
    weight = weights(costs).astype(np.float64)  # (n_samples, max_grade)
    if sample_weight is not None:
        weight *= sample_weight[:, np.newaxis]
    # COCR Eq. 1
    answer = encode_answers(y, costs).astype(np.float64)  # (n_samples, max_grade)
    yield from map(BinaryProblem, range(1, weight.shape[1] + 1), answer.T.copy(), weight.T.copy())


def weights(costs: ArrayLike) -> NDArray[Any]:
    """Compute the weights of the problems, COCR Eq. 5: |c_n[k] - c_n[k-1]|, (n_samples, max_grade), typed as costs."""
    # COCR Eq. 5
    return np.abs(np.diff(check_costs(costs), axis=1))


def to_mean_one(weight: Floats, sample_weight: Floats | None = None) -> Floats:
    """Scale the weights of a problem to the sum of the sample weights, by default to a mean of one.

    The paper leaves the scale open, and a base may read weights as numbers of rows (an option of M5P). Sums are exact:
    weights of one stay one, and neither the order of the rows nor the scale of the costs matters.
    """
    # Paper is silent: on the scale of the weights.
    rows = float(count_rows(len(weight))) if sample_weight is None else sum_exactly(sample_weight)
    largest = find_largest(weight.max(initial=0.0))
    weight = np.ldexp(weight, -np.frexp(largest)[1])  # an exact power of two, so that no sum overflows
    return weight * (rows / sum_exactly(weight))
