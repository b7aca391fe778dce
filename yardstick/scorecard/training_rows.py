"""The rows of the trainings of trainings.py, which hold edge cases.

rows          what they have
shared        values one unit in the last place apart with a cut between them, few values and many ties, zeros of both
              signs, a constant feature; 64 and 65 of them have another grid
few           empty classes, fewer rows than leaves, equal rows with two labels, a query of one row, one without a
              relevant document; "irrelevant": the same, with nothing to learn
weighted      weights that are no sums of powers of two; "weight zero": some are 0, as are all of the highest class
missing       features that some rows, all rows, no row, all rows of a class or rows of weight 0 alone lack
close         neighbours in float32 and in float64, whose middle float32 does not hold; cuts at 0 from both sides
high          sums of the first residuals beyond 2^52 on their grid, with all bits
many          more than 256 values
"""

from functools import cache, partial
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.datasets import cubic_polynomial

draw_data = cache(partial(cubic_polynomial, random_state=4))  # of a number of queries


class LabelledRows(NamedTuple):
    """Rows to train on."""

    X: Floats  # (n_samples, n_features)
    y: Ints  # (n_samples,)
    qid: Ints  # (n_samples,), ascending
    weight: Floats | None = None  # (n_samples,)


def make_rows(n_samples: int = 150, step: int = 1) -> LabelledRows:
    """Make every `step`-th of the shared rows, up to a number.

    >>> rows = make_rows()
    >>> rows.X.shape, sorted(set(rows.y.tolist())), sorted(set(rows.qid.tolist()))
    ((150, 6), [0, 1, 2, 3, 4], [0, 1, 2])
    """
    data = draw_data(3)
    X = data.X[:, :6].astype(np.float64)
    X[:, 1] = np.round(4 * X[:, 1]) - 1.0  # few values, and many ties
    X[::2, 1] = np.where(X[::2, 1] == 0.0, -0.0, X[::2, 1])
    X[:, 3] = np.where(X[:, 3] > 0, np.nextafter(0.5, 1), 0.5)  # a row on the cut between them
    X[::9, 3] = 2.0
    X[:, 5] = 7.0  # no cut
    part = slice(None, n_samples * step, step)
    return LabelledRows(X[part], data.y[part], data.qid[part])


def make_few_rows() -> LabelledRows:
    """Make nine rows, of which the last two differ only in their labels."""
    X = np.array([[0.0, 1.0], [0.5, 1.0], [0.5, -0.0], [3.0, 0.0], [1.0, 5e-324], [1.0, 2.0], [-2.0, 2.0], [9.0, 9.0]])
    X = np.vstack([X, X[-1:]])
    return LabelledRows(X, np.array([0, 3, 0, 3, 0, 0, 0, 3, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 2, 3]))


def make_irrelevant_rows() -> LabelledRows:
    """Make the same rows, all of grade 0."""
    few = make_few_rows()
    return few._replace(y=np.zeros_like(few.y))


def make_weighted_rows() -> LabelledRows:
    """Make 75 rows of weights 1/7 to 5/7."""
    rows = make_rows(75, step=2)
    weight: Floats = np.arange(75) * 7 % 5 / 7.0 + 1.0 / 7.0
    return rows._replace(weight=weight)


def make_weight_zero_rows() -> LabelledRows:
    """Make the same rows, every fourth of weight 0, and those of the highest class."""
    rows = make_weighted_rows()
    assert rows.weight is not None
    absent = (np.arange(75) % 4 == 1) | (rows.y == rows.y.max())
    return rows._replace(weight=np.where(absent, 0.0, rows.weight))


def make_missing_rows(missing_value: float = np.nan, lacks_more: bool = False) -> LabelledRows:
    """Make 60 rows with a value that says missing; those that alone lack a feature, if any do, are of weight 0."""
    rows = make_rows(60, step=2)
    X, i = rows.X[:, :5].copy(), np.arange(60)
    X[:, 0][i % 5 == 2] = X[:, 2][rows.y == 0] = X[:, 3][i % 2 == 0] = X[:, 4] = missing_value
    if not lacks_more:
        return rows._replace(X=X)
    X[:, 1][i % 6 == 1] = missing_value
    return rows._replace(X=X, weight=np.where(i % 6 == 1, 0.0, 1.0 + i % 3))


def make_close_rows() -> LabelledRows:
    """Make 48 rows whose label depends on the order of neighbours."""
    place, least = np.arange(48) % 8, 5e-324
    single = np.float32(0.1)
    columns = [
        [-1.0, -least, -0.0, 0.0, least, 1e-310, 1.0, 1.0 + 2.0**-52],  # -0.0 and 0.0 are one value
        [1.0 + step * 2.0**-24 for step in range(8)],  # every second one is a float32
        [float(np.nextafter(single, np.float32(step > 3))) * (1 + step % 4 * 2.0**-26) for step in range(8)],
        [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0],  # the middle is 0
    ]
    ranks = [(place * factor + np.arange(48) // 8) % 8 for factor in (1, 3, 5, 7)]
    X = np.column_stack([np.array(column)[rank] for column, rank in zip(columns, ranks, strict=True)])
    y = (ranks[0] > 2).astype(np.int64) + (ranks[1] > 4) + 2 * (ranks[2] % 4 > 1) + (ranks[3] > 3) * (ranks[0] > 5)
    return LabelledRows(X, np.minimum(y, 4), np.arange(48) // 16)


def make_high_rows() -> LabelledRows:
    """Make 64 rows of the labels 7, and of 6 where two features agree, of weights 1 to 0.937."""
    rows = make_rows(64)
    y = np.where((rows.X[:, 0] > 0) & (rows.X[:, 3] > 0.5), 6, 7)
    return rows._replace(y=y, weight=1.0 - np.arange(64) / 1000.0)


def make_many_rows() -> LabelledRows:
    """Make 300 rows of two features."""
    data = draw_data(6)
    return LabelledRows(data.X[:, :2].astype(np.float64), data.y, data.qid)
