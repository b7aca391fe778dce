r"""COCR Sec. 3: cost-sensitive ordinal classification, reduced to weighted regression (Eq. 1, 5; Algorithm 1).

===================  ==================  ==========================================================
paper                here                shape
===================  ==================  ==========================================================
:math:`K`            `max_grade`         int; the questions are k = 1..K
:math:`c_n[k]`       `costs`             (n_samples, max_grade + 1)
:math:`b_n^{(k)}`    `answer`            (n_samples,), 0.0 or 1.0: is y_n >= k?
:math:`w_n^{(k)}`    `weight`            (n_samples,)
:math:`A_r`          `learn`             function (answer, weight, k) -> h_k, a function of the features
:math:`h_k(x)`       `answers[:, k-1]`   (n_samples, max_grade), any real numbers: Theorem 1 asks no more
===================  ==================  ==========================================================

The base regressor arrives as an argument; nothing here knows which one it is. `refrank.cocr.rankers` makes ranks of the
answers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.cocr.costs import answers_to, table_of_costs

Floats = NDArray[np.float64]
Predict = Callable[[Any], Floats]  # X, (n_samples, n_features) -> (n_samples,)
Learn = Callable[[Floats, Floats, int], Predict]


@dataclass(frozen=True)
class BinaryProblem:
    """The k-th binary problem: "is x ranked higher than or equal to rank k?"."""

    k: int  # from 1
    answer: Floats  # (n_samples,), 0.0 or 1.0
    weight: Floats  # (n_samples,)


@dataclass(frozen=True)
class Constant:
    """What a problem has to say whose rows of positive weight all have one answer."""

    value: float

    def __call__(self, X: Any) -> Floats:
        """Return the value for each row of X, (n_samples,)."""
        return np.full(len(X), self.value)


@dataclass(frozen=True)
class COCRModel:
    """h_1 .. h_K."""

    soft_classifiers: tuple[Predict, ...]

    def answers(self, X: Any) -> Floats:
        """Compute h_k(x), shape (n_samples, max_grade); not clipped."""
        return np.column_stack([h(X) for h in self.soft_classifiers])


def cocr(
    y: ArrayLike,
    costs: ArrayLike,
    learn: Learn,
    sample_weight: Floats | None = None,
    each: Callable[[Callable[[BinaryProblem], Predict], Iterable[BinaryProblem]], Iterable[Predict]] = map,
) -> COCRModel:
    """Train the soft binary classifiers of Algorithm 1.

    Parameters
    ----------
    y : array of shape (n_samples,)
        True grades, 0..max_grade.
    costs : array of shape (n_samples, max_grade + 1)
        Cost vectors; each document may have its own.
    learn : function
        A_r: from an answer, (n_samples,), and a weight, (n_samples,), of problem k to h_k. Weights reach it
        scaled as `to_mean_one` says.
    sample_weight : array of shape (n_samples,), optional
        A row of weight 2 counts as two.
    each : function, default map
        Applies a function to the problems: in turn, or side by side.

    Returns
    -------
    COCRModel

    Raises
    ------
    ValueError
        If `costs` is not a finite table, or `y` does not fit it.

    Examples
    --------
    A base that knows no features: the weighted mean.

    >>> def mean(answer, weight, k):
    ...     return Constant(fsum(weight * answer) / fsum(weight))
    >>> from refrank.cocr.costs import squared
    >>> model = cocr([0, 1, 2, 2], squared([0, 1, 2, 2], max_grade=2), mean)
    >>> model.answers(np.zeros((1, 1))).tolist()  # yes: 7 of the weights 1, 1, 3, 3, and 2 of 3, 1, 1, 1
    [[0.875, 0.3333333333333333]]
    """

    def train(problem: BinaryProblem) -> Predict:
        # Paper is silent: where all rows that count give one answer, there is nothing to learn. h_k is that answer.
        asked = problem.answer[problem.weight > 0]
        if len(asked) == 0 or asked.min() == asked.max():
            return Constant(float(asked[0]) if len(asked) else 0.0)
        return learn(problem.answer, to_mean_one(problem.weight, sample_weight), problem.k)

    # COCR Alg. 1: for each k, train h_k by A_r on D^(k) with its weights
    return COCRModel(tuple(each(train, binary_problems(y, costs, sample_weight))))


def binary_problems(y: ArrayLike, costs: ArrayLike, sample_weight: Floats | None = None) -> Iterator[BinaryProblem]:
    """Yield the transformed data sets D^(k), k = 1..K.

    Examples
    --------
    >>> from refrank.cocr.costs import oerr
    >>> for problem in binary_problems([3], oerr([3], max_grade=4)):
    ...     print(problem.k, problem.answer, problem.weight)
    1 [1.] [13.]
    2 [1.] [20.]
    3 [1.] [16.]
    4 [0.] [64.]
    """
    weight = weights(costs)  # (n_samples, max_grade)
    # COCR Eq. 1
    answer = answers_to(y, weight.shape[1])  # (n_samples, max_grade)
    if len(answer) != len(weight):
        raise ValueError(f"y has {len(answer)} grades, costs has {len(weight)} rows: there must be one for each row")
    for k in range(1, weight.shape[1] + 1):
        of_rows = weight[:, k - 1].astype(np.float64)
        yield BinaryProblem(
            k, answer[:, k - 1].astype(np.float64), of_rows if sample_weight is None else sample_weight * of_rows
        )


def weights(costs: ArrayLike) -> NDArray[Any]:
    r"""Weights of the binary problems, COCR Eq. 5: :math:`w_n^{(k)} = |c_n[k] - c_n[k-1]|`.

    Parameters
    ----------
    costs : array_like, shape (n_samples, n_classes)
        Entry [n, k] is the cost of predicting grade k for document n; two classes or more.

    Returns
    -------
    ndarray, shape (n_samples, n_classes - 1), int64 or float64 as the costs are
        Column k - 1 belongs to problem k.

    Raises
    ------
    ValueError
        If `costs` is not a finite table of two columns or more.

    Examples
    --------
    >>> weights([[49, 36, 16, 0, 64]])
    array([[13, 20, 16, 64]])
    """
    # COCR Eq. 5
    return np.abs(np.diff(table_of_costs(costs), axis=1))


def to_mean_one(weight: Floats, sample_weight: Floats | None = None) -> Floats:
    """Scale the weights of a problem so that a row weighs one on average, or as much as its sample weight.

    The paper leaves the scale open; some bases (model trees) read weights as numbers of rows. Sums are exact, so
    weights of one stay one and the order of rows plays no part. So does the scale of the costs, however large or small.

    Examples
    --------
    >>> to_mean_one(np.array([13.0, 20.0, 15.0]))
    array([0.8125, 1.25  , 0.9375])
    """
    # Paper is silent: on the scale of the weights.
    rows = float(len(weight)) if sample_weight is None else fsum(sample_weight)
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])  # by a power of two, exactly: now no sum overflows
    return weight * (rows / fsum(weight))
