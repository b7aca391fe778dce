"""McRank Eq. 5: the score S_i = sum_k p_{i,k} T(k), by which class probabilities rank documents.

    symbol    in code        shape
    p         class_proba    (n_samples, n_classes)
    T         relevance      (n_classes,), increasing
    S         scores         (n_samples,)

By Eq. 6, replacing T(k) by a T(k) + b with a > 0 does not change the ranking.
"""

from collections.abc import Callable
from reprlib import repr as short
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.checks import check_choice, check_entries, check_shape

Transform = Literal["k", "2^k", "2^k-1"] | Callable[[Ints], ArrayLike] | ArrayLike

TRANSFORMS: dict[str, Callable[[Ints], Floats]] = {
    "k": lambda k: k.astype(np.float64),  # McRank Sec. 3.3, the paper's choice: S is the expected relevance
    "2^k": lambda k: np.ldexp(1.0, k),
    "2^k-1": lambda k: np.ldexp(1.0, k) - 1.0,  # McRank App. II: S is the expected gain
}


def expected_relevance(class_proba: Floats, relevance: Floats | None = None) -> Floats:
    """Score each row, (n_samples,), by Eq. 5; `relevance`, (n_classes,), is T, by default T(k) = k.

    Examples
    --------
    >>> expected_relevance(np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]))
    array([0.75, 1.  ])
    >>> expected_relevance(np.array([[0.5, 0.25, 0.25]]), transform_table("2^k-1", 3))
    array([1.])
    """
    n_classes = class_proba.shape[1]
    if relevance is None:
        relevance = transform_table("k", n_classes)
    scores = np.zeros(len(class_proba))
    # McRank Eq. 5
    # McRank Eq. 6: with a T(k) + b, a > 0, the order is the same
    for k in range(n_classes):
        scores += class_proba[:, k] * relevance[k]
    return scores


def transform_table(transform: Transform, n_classes: int, name: str = "relevance") -> Floats:
    """Tabulate T(0), ..., T(K-1), (n_classes,).

    The transform is a name, a function of the array 0..K-1, or the table itself. An unknown name, a table of another
    length and a value that is not finite raise a ValueError, which calls the argument `name`.

    >>> transform_table(lambda k: k**2, 3)
    array([0., 1., 4.])
    """
    levels = np.arange(n_classes)
    if isinstance(transform, str):
        transform = TRANSFORMS[check_choice(name, transform, TRANSFORMS)]
    with np.errstate(over="ignore"):  # an infinite value is refused below
        given = transform(levels) if callable(transform) else transform
        try:
            table = np.asarray(given, np.float64)
        except (TypeError, ValueError, OverflowError):
            raise ValueError(f"{name} is {short(given)}: it must be a table of numbers, one per class") from None
    check_shape(name, table, (n_classes,), "(n_classes,), one value per class")
    check_entries(name, table, ~np.isfinite(table), "the value of each class must be finite")
    return table


def check_increasing(table: Floats, name: str = "relevance") -> None:
    """Refuse a table T that does not increase from each class to the next."""
    # McRank Sec. 3.3: T is "some monotone (increasing) function"
    falls = table[1:] <= table[:-1]
    check_entries(name, table, np.append(False, falls), "values must increase from class to class")
