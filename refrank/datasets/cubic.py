"""The artificial data of McRank Sec. 6.1: documents whose labels are cut from a random cubic polynomial.

The paper says "generated from random cubic polynomials, with 50 features, 50 URLs per query, and
10,000/5,000/10,000 queries for train/validation/test", and, in Sec. 6.3, noise-free. It gives no formula. The
one used here is recalled from its source, the RankNet paper (docs/reference/departures.md, Datasets):

    x_i uniform on [-1, 1], Q and R random permutations of the features,
    F(x) = S[sum_i w_i x_i] + S[sum_i x_i x_Q(i)] + S[sum_i x_i x_Q(i) x_R(i)]
    where S[T] = (T - E T) / sqrt(Var T),
    y = the number of thresholds below F(x)

    symbol    in code                      shape
    x         X                            (n_samples, n_features)
    w         weights                      (n_features,)
    Q, R      permutations                 (2, n_features)
    F         CubicPolynomial.target(X)    (n_samples,)
    y         CubicPolynomial.labels(X)    (n_samples,)
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from reprlib import repr as short

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from refrank.checks import check_entries, check_integer, check_number, check_seed, check_shape
from refrank.datasets.cubic_target import CHUNK_ROWS, CubicPolynomial, scale_term
from refrank.datasets.letor import LetorData, check_dtype

# Each use of a seed has its own stream, so equal seeds for polynomial and documents share no numbers.
POLYNOMIAL, REFERENCE, DOCUMENTS = 0, 1, 2


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

    The polynomial and the label thresholds depend only on `polynomial_seed` and the arguments after it; the documents
    depend only on `random_state`. To get training, validation and test data, call the function with three values of
    `random_state`. The first queries of a longer draw equal those of a shorter one. Equal seeds give bit-for-bit
    identical data under one version of NumPy. The function needs little memory beyond the result.

    Parameters
    ----------
    n_queries, n_docs, n_features : int
        Numbers of queries, of documents per query (default 50) and of features (default 50).
    random_state, polynomial_seed : int, default 0
        Seeds of the documents, and of w, Q, R and the reference sample; at least 0.
    weights : array-like of shape (n_features,), optional
        w of the linear term. Default: uniform on [-1, 1].
    permutations : array-like of shape (2, n_features), optional
        Q and R, of 0..n_features-1. Default: uniform among all permutations, so fixed points may occur.
    term_weights : sequence of three floats, default (1, 1, 1)
        Factors of the scaled linear, quadratic and cubic term.
    quantiles : increasing sequence of floats between 0 and 1, default (0.5, 0.75, 0.9, 0.97)
        Share of all documents with label at most 0, 1, ...; there is one class more than there are quantiles.
    n_reference : int, default 2**18
        Number of documents of a sample, apart from every split, whose order statistics are the thresholds. The standard
        error of the share below a cut at q is sqrt(q(1-q)/n_reference), at most .001 with the default.
    dtype : {np.float32, np.float64}, default np.float32
        Type of X. The numbers are the same, multiples of 2^-23 in [-1, 1), and so are the labels.

    Returns
    -------
    LetorData of X (n_queries * n_docs, n_features), y, qid 0, 0, ..., n_queries - 1, and empty comments

    Examples
    --------
    >>> train = cubic_polynomial(2000, random_state=0)
    >>> test = cubic_polynomial(1000, random_state=1)
    >>> train.X.shape, train.X.dtype, test.X.shape
    ((100000, 50), dtype('float32'), (50000, 50))
    >>> (np.bincount(train.y) / len(train.y)).round(2)
    array([0.5 , 0.25, 0.15, 0.07, 0.03])
    """
    n_queries, n_docs = check_integer("n_queries", n_queries, 1), check_integer("n_docs", n_docs, 1)
    rng = np.random.default_rng([DOCUMENTS, check_seed("random_state", random_state)])
    kind = check_dtype(dtype)
    polynomial = draw_polynomial(
        n_features, polynomial_seed, weights, permutations, term_weights, quantiles, n_reference
    )
    n_samples = n_queries * n_docs
    X, y = np.empty((n_samples, n_features), kind), np.empty(n_samples, np.int64)
    for rows, chunk in _draw_rows(rng, n_samples, n_features):
        X[rows] = chunk
        y[rows] = polynomial.labels(chunk)
    return LetorData(X, y, np.repeat(np.arange(n_queries, dtype=np.int64), n_docs), ("",) * n_samples)


def draw_polynomial(
    n_features: int,
    polynomial_seed: int,
    weights: ArrayLike | None,
    permutations: ArrayLike | None,
    term_weights: Sequence[float],
    quantiles: Sequence[float],
    n_reference: int,
) -> CubicPolynomial:
    """Draw w, Q and R, unless they are given, and cut F at its quantiles; arguments as in `cubic_polynomial`."""
    n_features = check_integer("n_features", n_features, 1)
    n_reference = check_integer("n_reference", n_reference, 1)
    rng = np.random.default_rng([POLYNOMIAL, check_seed("polynomial_seed", polynomial_seed)])
    # All three are drawn in any case, so that giving one does not change the others.
    w = rng.uniform(-1, 1, n_features)
    q, r = rng.permutation(n_features), rng.permutation(n_features)
    if weights is not None:
        w = np.array(weights, np.float64)
        check_shape("weights", w, (n_features,), "(n_features,), one weight per feature")
        check_entries("weights", w, ~np.isfinite(w), "weights must be finite")
        if not w.any():
            raise ValueError(f"weights is {short(w.tolist())}: it must have an entry other than 0")
    if permutations is not None:
        pair = np.array(permutations)
        check_shape("permutations", pair, (2, n_features), "(2, n_features), Q and R")
        if not np.array_equal(np.sort(pair, axis=1), [np.arange(n_features)] * 2):
            rule = f"two permutations of the integers from 0 to {n_features - 1}"
            raise ValueError(f"permutations is {short(pair.tolist())}: it must be {rule}")
        q, r = pair.astype(np.intp)
    factors = [check_number("term_weights", factor) for factor in term_weights]
    if len(factors) != 3 or not any(factors):
        raise ValueError(f"term_weights is {short(term_weights)}: it must be three finite numbers, not all 0")
    shares = [check_number("quantiles", share) for share in quantiles]
    if not shares or np.diff(shares, prepend=0, append=1).min() <= 0:
        rule = "one or more numbers that increase strictly between 0 and 1"
        raise ValueError(f"quantiles is {short(quantiles)}: it must be {rule}")

    # McRank Sec. 6.1: "random cubic polynomials"
    ones, columns = np.ones(n_features), np.stack([np.arange(n_features), q, r], axis=1)
    terms = scale_term(w, columns[:, :1]), scale_term(ones, columns[:, :2]), scale_term(ones, columns)
    uncut = CubicPolynomial(terms, (factors[0], factors[1], factors[2]), np.empty(0))

    # Paper is silent: how labels come from F. The cuts are order statistics of one reference sample, not of
    # each split and not of each query, so a label means the same everywhere.
    rng = np.random.default_rng([REFERENCE, polynomial_seed])
    target = np.empty(n_reference)
    for rows, X in _draw_rows(rng, n_reference, n_features):
        target[rows] = uncut.target(X)
    places = [math.ceil(share * n_reference) - 1 for share in shares]
    return replace(uncut, thresholds=np.partition(target, places)[places])


def _draw_rows(
    rng: np.random.Generator, n_samples: int, n_features: int
) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Yield chunks of documents and their rows, uniform on the multiples of 2^-23 in [-1, 1)."""
    for start in range(0, n_samples, CHUNK_ROWS):
        rows = slice(start, min(start + CHUNK_ROWS, n_samples))
        X = rng.random((rows.stop - rows.start, n_features), dtype=np.float32)  # multiples of 2^-24 in [0, 1)
        X *= 2
        X -= 1  # exact, like the doubling
        yield rows, X
