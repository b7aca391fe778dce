"""McRank Eq. 5: the score S_i = sum_k p_{i,k} T(k), which turns class probabilities into a ranking.

    symbol    in code        shape
    p         class_proba    (n_samples, n_classes)
    T         relevance      (n_classes,), increasing
    S         scores         (n_samples,)

By Eq. 6 the ranking does not change when a T(k) + b, a > 0, takes the place of T(k).
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Transform = Literal["k", "2^k", "2^k-1"] | Callable[[NDArray[np.int64]], ArrayLike] | ArrayLike

TRANSFORMS: dict[str, Callable[[NDArray[np.int64]], NDArray[np.float64]]] = {
    "k": lambda k: k.astype(np.float64),  # McRank Sec. 3.3, the paper's choice: S is the expected relevance
    "2^k": lambda k: np.ldexp(1.0, k),
    "2^k-1": lambda k: np.ldexp(1.0, k) - 1.0,  # McRank App. II: S is the expected gain
}


def expected_relevance(
    class_proba: NDArray[np.float64], relevance: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Score each row by Eq. 5.

    Parameters
    ----------
    class_proba : float64 array of shape (n_samples, n_classes)
    relevance : float64 array of shape (n_classes,), optional
        T(0), ..., T(K-1); by default T(k) = k.

    Returns
    -------
    float64 array of shape (n_samples,)

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


def transform_table(transform: Transform, n_classes: int, name: str = "relevance") -> NDArray[np.float64]:
    """Tabulate T(0), ..., T(K-1).

    Parameters
    ----------
    transform : "k", "2^k", "2^k-1", function of the array 0..K-1, or the table itself
    n_classes : int
        K.
    name : str
        What errors call the argument.

    Returns
    -------
    float64 array of shape (n_classes,)

    Raises
    ------
    ValueError
        Where the table has another length, or is not finite.

    Examples
    --------
    >>> transform_table("2^k-1", 5)
    array([ 0.,  1.,  3.,  7., 15.])
    >>> transform_table(lambda k: k**2, 3)
    array([0., 1., 4.])
    """
    levels = np.arange(n_classes)
    if isinstance(transform, str):
        if transform not in TRANSFORMS:
            raise ValueError(
                f"{name} is {transform!r}: it must be one of {', '.join(TRANSFORMS)}, a function or a table"
            )
        transform = TRANSFORMS[transform]
    with np.errstate(over="ignore"):  # an infinite value is refused below
        table = np.asarray(transform(levels) if callable(transform) else transform, np.float64)
    if table.shape != (n_classes,):
        raise ValueError(f"{name} has shape {table.shape}: it needs one value for each of the {n_classes} classes")
    if not np.isfinite(table).all():
        raise ValueError(f"{name} at class {int(np.flatnonzero(~np.isfinite(table))[0])} is not finite")
    return table


def check_increasing(table: NDArray[np.float64], name: str = "relevance") -> None:
    """Raise a ValueError, naming the classes, where T does not increase.

    Examples
    --------
    >>> check_increasing(np.array([0.0, 2.0, 2.0]))
    Traceback (most recent call last):
    ValueError: relevance must increase, but goes from 2.0 at class 1 to 2.0 at class 2
    """
    # McRank Sec. 3.3: T is "some monotone (increasing) function"
    falls = np.flatnonzero(np.diff(table) <= 0)
    if len(falls):
        k = int(falls[0])
        raise ValueError(
            f"{name} must increase, but goes from {table[k]} at class {k} to {table[k + 1]} at class {k + 1}"
        )
