"""The artificial data of McRank Sec. 6.1: documents whose labels are cut from a random cubic polynomial.

The paper says "generated from random cubic polynomials, with 50 features, 50 URLs per query, and
10,000/5,000/10,000 queries for train/validation/test", and, in Sec. 6.3, noise-free. It gives no formula. The
one used here is a recollection of its source, the RankNet paper (docs/departures.md, Datasets):

    x_i uniform on [-1, 1], Q and R random permutations of the features,
    F(x) = S[sum_i w_i x_i] + S[sum_i x_i x_Q(i)] + S[sum_i x_i x_Q(i) x_R(i)]
    where S[T] = (T - E T) / sqrt(Var T),
    y = the number of thresholds below F(x)

    symbol       name in code                 shape
    x            X                            (n_samples, n_features)
    w            weights                      (n_features,)
    Q, R         permutations                 (2, n_features)
    F            CubicPolynomial.target(X)    (n_samples,)
    y            CubicPolynomial.labels(X)    (n_samples,)
"""

import math
from collections.abc import Iterator, Sequence
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from refrank.datasets.cubic_target import CubicPolynomial, scaled_term
from refrank.datasets.letor import LetorData

# Each use of a seed has its own stream, so equal seeds for polynomial and documents share no numbers.
POLYNOMIAL, REFERENCE, DOCUMENTS = 0, 1, 2
CHUNK_ROWS = 8192


def cubic_polynomial(
    n_queries: int,
    n_docs: int = 50,
    n_features: int = 50,
    *,
    random_state: int = 0,
    polynomial_seed: int = 0,
    weights: ArrayLike | None = None,
    permutations: ArrayLike | None = None,
    term_weights: Sequence[float] = (1.0, 1.0, 1.0),
    quantiles: Sequence[float] = (0.5, 0.75, 0.9, 0.97),
    n_reference: int = 2**18,
    dtype: DTypeLike = np.float32,
) -> LetorData:
    """Draw queries of McRank's artificial data (Sec. 6.1).

    Polynomial and label thresholds depend on `polynomial_seed` and the choices below alone, the documents on
    `random_state` alone: train, validation and test are three calls that differ in `random_state` (and in
    `n_queries`). The first queries of a longer draw are those of a shorter one. Equal seeds give equal bits
    under one version of NumPy.

    Parameters
    ----------
    n_queries, n_docs, n_features : int
        Number of queries, documents in each, and features.
    random_state : int, default 0
        Seed of the documents, 0 or more.
    polynomial_seed : int, default 0
        Seed of w, Q, R and of the reference sample, 0 or more.
    weights : array-like of shape (n_features,), optional
        w of the dot product. Default: uniform on [-1, 1].
    permutations : array-like of shape (2, n_features), optional
        Q and R, of 0..n_features-1. Default: uniform among all permutations, so fixed points may occur.
    term_weights : three floats, default (1, 1, 1)
        What the scaled linear, quadratic and cubic term are multiplied by.
    quantiles : increasing floats between 0 and 1, default (.5, .75, .9, .97)
        Share of all documents with label at most 0, 1, ...; one class more than there are quantiles.
    n_reference : int, default 2**18
        Documents of a sample, apart from every split, whose order statistics are the thresholds. The standard
        error of the share below a cut at q is sqrt(q(1-q)/n_reference), at most .001 with the default.
    dtype : np.float32 (default) or np.float64
        Type of X. The numbers are the same, multiples of 2^-23 in [-1, 1), and so are the labels.

    Returns
    -------
    LetorData
        X (n_queries * n_docs, n_features), y, qid 0, 0, ..., n_queries - 1, and empty comments.

    Raises
    ------
    ValueError
        Naming the argument, its value and the rule it breaks.

    Examples
    --------
    >>> train = cubic_polynomial(2000, random_state=0)
    >>> test = cubic_polynomial(1000, random_state=1)
    >>> train.X.shape, train.X.dtype, test.X.shape
    ((100000, 50), dtype('float32'), (50000, 50))
    >>> (np.bincount(train.y) / len(train.y)).round(2)
    array([0.5 , 0.25, 0.15, 0.07, 0.03])
    """
    polynomial = draw_polynomial(
        n_features, polynomial_seed, weights, permutations, term_weights, quantiles, n_reference
    )
    return draw_documents(polynomial, n_queries, n_docs, random_state, dtype)


def draw_polynomial(
    n_features: int,
    polynomial_seed: int,
    weights: ArrayLike | None,
    permutations: ArrayLike | None,
    term_weights: Sequence[float],
    quantiles: Sequence[float],
    n_reference: int,
) -> CubicPolynomial:
    """Draw w, Q and R, and cut F at its quantiles; the arguments are those of `cubic_polynomial`.

    Returns
    -------
    CubicPolynomial

    Raises
    ------
    ValueError
        Naming the argument, its value and the rule it breaks.

    Examples
    --------
    >>> polynomial = draw_polynomial(3, 0, [1, 0, 2], [[1, 2, 0], [0, 1, 2]], (1, 1, 1), (0.5, 0.9), 1000)
    >>> polynomial.terms[2].factors  # x_i x_Q(i) x_R(i), here x_i^2 x_Q(i)
    array([[0, 1, 0],
           [1, 2, 1],
           [2, 0, 2]])
    >>> polynomial.labels(np.array([[0.9, 0.9, 0.9], [-0.9, -0.9, -0.9]]))
    array([2, 0])
    """
    _require_integers(1, n_features=n_features, n_reference=n_reference)
    _require_integers(0, polynomial_seed=polynomial_seed)
    rng = np.random.default_rng([POLYNOMIAL, polynomial_seed])
    # All three are drawn in any case, so that giving one does not change the others.
    w = rng.uniform(-1, 1, n_features)
    q, r = rng.permutation(n_features), rng.permutation(n_features)
    if weights is not None:
        w = _given_weights(weights, n_features)
    if permutations is not None:
        q, r = _given_permutations(permutations, n_features)
    if len(term_weights) != 3 or not np.isfinite(term_weights).all() or not np.any(term_weights):
        raise ValueError(f"term_weights={term_weights}: three finite numbers, not all 0")
    if len(quantiles) == 0 or not all(
        low < high for low, high in zip([0.0, *quantiles], [*quantiles, 1.0], strict=True)
    ):
        raise ValueError(f"quantiles={quantiles}: one or more numbers that rise strictly between 0 and 1")

    # McRank Sec. 6.1: "random cubic polynomials"
    i = np.arange(n_features)
    ones = np.ones(n_features)
    terms = (
        scaled_term(w, np.stack([i], axis=1)),
        scaled_term(ones, np.stack([i, q], axis=1)),
        scaled_term(ones, np.stack([i, q, r], axis=1)),
    )
    linear, quadratic, cubic = (float(weight) for weight in term_weights)
    uncut = CubicPolynomial(terms, (linear, quadratic, cubic), np.empty(0))

    # Paper is silent: how labels come from F. The cuts are order statistics of one reference sample, not of
    # each split and not of each query, so a label means the same everywhere.
    rng = np.random.default_rng([REFERENCE, polynomial_seed])
    target = np.empty(n_reference)
    for rows, X in _uniform_rows(rng, n_reference, n_features):
        target[rows] = uncut.target(X)
    places = [math.ceil(quantile * n_reference) - 1 for quantile in quantiles]
    return CubicPolynomial(uncut.terms, uncut.term_weights, np.partition(target, places)[places])


def draw_documents(
    polynomial: CubicPolynomial, n_queries: int, n_docs: int, random_state: int, dtype: DTypeLike
) -> LetorData:
    """Draw documents and label them by the polynomial; the arguments are those of `cubic_polynomial`.

    Costs little memory beyond the result: documents are drawn and labelled a chunk of rows at a time.

    Returns
    -------
    LetorData

    Raises
    ------
    ValueError
        Naming the argument, its value and the rule it breaks.

    Examples
    --------
    >>> polynomial = draw_polynomial(1, 0, [1], [[0], [0]], (1, 0, 0), (0.5,), 1000)
    >>> documents = draw_documents(polynomial, n_queries=2, n_docs=3, random_state=0, dtype=np.float64)
    >>> documents.qid
    array([0, 0, 0, 1, 1, 1])
    >>> bool(np.all(documents.y == (documents.X[:, 0] > polynomial.thresholds[0] / math.sqrt(3))))
    True
    """
    _require_integers(1, n_queries=n_queries, n_docs=n_docs)
    _require_integers(0, random_state=random_state)
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype={np.dtype(dtype)}: X is float32 or float64")
    n_samples, n_features = n_queries * n_docs, len(polynomial.terms[0].coefficients)
    X = np.empty((n_samples, n_features), dtype)
    y = np.empty(n_samples, np.int64)
    for rows, chunk in _uniform_rows(np.random.default_rng([DOCUMENTS, random_state]), n_samples, n_features):
        X[rows] = chunk
        y[rows] = polynomial.labels(chunk)
    return LetorData(X, y, np.repeat(np.arange(n_queries, dtype=np.int64), n_docs), ("",) * n_samples)


def _uniform_rows(
    rng: np.random.Generator, n_samples: int, n_features: int
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Yield slices of the rows and their documents, uniform on the multiples of 2^-23 in [-1, 1)."""
    for start in range(0, n_samples, CHUNK_ROWS):
        rows = slice(start, min(start + CHUNK_ROWS, n_samples))
        X = rng.random((rows.stop - rows.start, n_features), dtype=np.float32)  # multiples of 2^-24 in [0, 1)
        X *= 2
        X -= 1  # exact, as the doubling is
        yield rows, X


def _given_weights(weights: ArrayLike, n_features: int) -> NDArray[np.float64]:
    """Return the given w, checked."""
    w = np.array(weights, np.float64)
    if w.shape != (n_features,) or not np.isfinite(w).all() or not w.any():
        raise ValueError(f"weights={weights!r}: {n_features} finite numbers, not all 0")
    return w


def _given_permutations(permutations: ArrayLike, n_features: int) -> NDArray[np.intp]:
    """Return the given Q and R, checked."""
    pair = np.array(permutations)
    if pair.shape != (2, n_features) or not np.array_equal(
        np.sort(pair, axis=1), [np.arange(n_features)] * 2
    ):
        raise ValueError(f"permutations={permutations!r}: two permutations of 0..{n_features - 1}")
    return pair.astype(np.intp)


def _require_integers(lowest: int, **arguments: int) -> None:
    """Refuse a named argument that is not an integer of at least the lowest."""
    for name, value in arguments.items():
        if not isinstance(value, Integral) or value < lowest:
            raise ValueError(f"{name}={value!r}: an integer of at least {lowest}")
