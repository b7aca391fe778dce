"""Weights by which a change of several outputs becomes a change of one score, exactly.

    symbol    in code      shape
    F         outputs      (n_samples, n_outputs)
    F0        base         (n_outputs,)
    p, p0     -            probabilities by F and F0
    T         relevance    (n_classes,)
    w         -            (n_samples, n_outputs), with S(F) - S(F0) = sum_c w_c (F_c - F0_c)

**Softmax** (McRank, Eq. 5, S = sum_k p_k T(k)). The derivative of S is p_k (T(k) - S). Here each p_k is replaced by the
logarithmic mean of p_k and p0_k, L(a, b) = (a - b) / (ln a - ln b), and S by the mean of T with these weights:

    w_k = L_k (T(k) - t),    t = sum_k L_k T(k) / sum_k L_k

*Why it is exact.* p_k - p0_k = L_k (ln p_k - ln p0_k) = L_k (F_k - F0_k - d), where d, the change of the logarithm of
sum_s exp(F_s), is the same for all k. These differences add up to 0, so sum_k L_k (F_k - F0_k) = d sum_k L_k. Hence
S(F) - S(F0) = sum_k T(k) L_k (F_k - F0_k) - d sum_k L_k T(k) = sum_k L_k (T(k) - t) (F_k - F0_k). The weights add up to
0, since a number added to all F changes nothing; F and F0 may change places; and nothing is integrated. The rule is
known from index numbers, as that of Montgomery and Vartia.

**Ordinal** (Sec. 4). S = T(K-1) - sum_k P_k (T(k+1) - T(k)), and each P_k is the softmax of two scores.

**Cumulative** (iGBRT, Sec. 6). The same with P_k = F_k, so w_k = -1; where P_k is clipped, the clipped difference over
the difference.
"""

import numpy as np

from refrank.arrays import Floats


def weigh_softmax(base: Floats, outputs: Floats, relevance: Floats) -> Floats:
    """Weigh the scores of classes.

    >>> base, outputs, T = np.array([0.0, 0.0]), np.array([[0.0, np.log(3)]]), np.array([0.0, 1.0])
    >>> (weigh_softmax(base, outputs, T) * (outputs - base)).sum().round(12).tolist()  # from 1/2 to 3/4
    0.25
    """
    logs, logs_0 = compute_logarithms(outputs), compute_logarithms(base[np.newaxis])
    gap = np.abs(logs - logs_0)
    with np.errstate(invalid="ignore"):
        shrunk = np.where(gap > 0, -np.expm1(-gap) / gap, 1.0)
    mean = np.exp(np.maximum(logs, logs_0)) * shrunk
    center = (mean * relevance).sum(axis=1) / mean.sum(axis=1)
    return mean * (relevance - center[:, np.newaxis])


def compute_logarithms(scores: Floats) -> Floats:
    """Compute the logarithms of the probabilities, (n_samples, n_classes)."""
    shifted = scores - scores.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def weigh_ordinal(base: Floats, outputs: Floats, constants: tuple[float | None, ...], relevance: Floats) -> Floats:
    """Weigh the scores of the problems that are not one-sided: two each, or F_0 alone, with F_1 = -F_0."""
    mirrored = outputs.shape[1] == constants.count(None)
    steps = [step for step, constant in zip(np.diff(relevance), constants, strict=True) if constant is None]
    columns = []
    for problem, step in enumerate(steps):
        both = [problem, problem] if mirrored else [2 * problem, 2 * problem + 1]
        signs = np.array([1.0, -1.0]) if mirrored else np.ones(2)
        weights = -step * signs * weigh_softmax(base[both] * signs, outputs[:, both] * signs, np.array([1.0, 0.0]))
        columns.append(weights.sum(axis=1, keepdims=True) if mirrored else weights)
    return np.hstack([np.empty((len(outputs), 0)), *columns])


def weigh_cumulative(base: Floats, outputs: Floats, clip: bool) -> Floats:
    """Weigh cumulative probabilities, which may be clipped to [0, 1].

    >>> weigh_cumulative(np.array([0.5]), np.array([[0.75], [1.5]]), clip=True)
    array([[-1. ],
           [-0.5]])
    """
    if not clip:
        return np.full(outputs.shape, -1.0)
    change = outputs - base
    inside = (outputs > 0) & (outputs < 1)
    slope = np.divide(np.clip(outputs, 0, 1) - np.clip(base, 0, 1), change, out=inside * 1.0, where=change != 0)
    return -slope
