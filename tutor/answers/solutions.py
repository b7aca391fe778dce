"""Right solutions of the exercises, the teacher's key: the papers' lines in NumPy, without refrank."""

import numpy as np


def dcg(y, score, k):
    ranked = y[in_order(score)][:k]
    return sum((2.0**ranked - 1) / np.log2(2 + np.arange(len(ranked))))


def in_order(score):
    return np.argsort(-score, kind="stable")


def ndcg(y, score, k):
    ideal = dcg(y, y, k)
    return dcg(y, score, k) / ideal if ideal > 0 else 0.0


def err(y, score, k, max_grade):
    stop = (2.0 ** y[in_order(score)][:k] - 1) / 2.0**max_grade
    looking = np.cumprod(np.append(1.0, 1 - stop))[:-1]
    return sum(looking * stop / np.arange(1, len(stop) + 1))


def softmax(scores):
    terms = np.exp(scores - scores.max(axis=1, keepdims=True))
    return terms / terms.sum(axis=1, keepdims=True)


def expected_relevance(class_proba, transform):
    k = np.arange(class_proba.shape[1])
    return class_proba @ {"k": k, "2^k": 2.0**k, "2^k-1": 2.0**k - 1}[transform or "k"]


def class_proba(cumulative_proba):
    return np.diff(cumulative_proba, prepend=0.0, append=1.0)


def best_split(sums, offsets, min_samples_leaf, missing):
    best = (-1, -1, 0.0, 0, 0, 0)
    for f in range(len(offsets) - 1):
        slots = sums[offsets[f] : offsets[f + 1]]
        for bin in range(len(slots) - 1):
            left, right = slots[: bin + 1].sum(axis=0), slots[bin + 1 :].sum(axis=0)
            if min(left[1], right[1]) < min_samples_leaf or min(left[-1], right[-1]) == 0:
                continue
            gain = (left[0] / left[-1] - right[0] / right[-1]) ** 2 / (1 / left[-1] + 1 / right[-1])
            if gain > best[2]:
                best = (f, bin, gain, *left[:2], left[-1])
    return best


def leaf_values(residual, proba, leaf, n_classes, weight):
    w = 1.0 if weight is None else weight
    above, below = np.bincount(leaf, w * residual), np.bincount(leaf, w * proba * (1 - proba))
    return (n_classes - 1) / n_classes * above / np.where(below > 0, below, np.inf)


def softmax_round(y, scores, leaf, learning_rate, weight):
    F, K = scores.copy(), scores.shape[1]
    for k in range(K):
        p = softmax(F)[:, k]
        beta = leaf_values((y == k) - p, p, leaf[:, k], K, weight)
        F[:, k] += learning_rate * beta[leaf[:, k]]
    return F


def ordinal_round(y, n_classes, leaf, learning_rate):
    cumulative = []
    for k in range(n_classes - 1):
        group = 1 * (y > k)
        F = softmax_round(group, np.zeros((len(y), 2)), leaf[:, [k, k]], learning_rate, None)
        cumulative.append(softmax(F)[:, 0] if len({*group}) == 2 else 1.0 - group)
    return np.column_stack(cumulative)


def ls_round(target, scores, leaf, learning_rate, weight):
    w = np.ones(len(leaf)) if weight is None else weight
    mean = np.bincount(leaf, w * (target - scores)) / np.bincount(leaf, w)
    return scores + learning_rate * mean[leaf]


def lad_round(target, scores, leaf, learning_rate, weight):
    F, w = scores.copy(), np.ones(len(leaf)) if weight is None else weight
    for rows in (leaf == j for j in range(max(leaf) + 1)):
        F[rows] += learning_rate * median((target - scores)[rows], w[rows])
    return F


def median(values, weight):
    w = np.ones(len(values)) if weight is None else weight
    order = np.argsort(values)
    order = order[w[order] > 0]
    if len(order) == 0:
        return 0.0
    below = np.cumsum(w[order])
    middle = [np.searchsorted(below, below[-1] / 2, side) for side in ("left", "right")]
    return values[order[middle]].mean()


def igbrt_start(y, predictions):
    return y - predictions.mean(axis=0)


def lambda_gradients(scores, y, truncation):
    place, ideal = np.argsort(in_order(scores)), dcg(y, y, truncation) or 1.0
    discount = (place < (truncation or len(y))) / np.log2(2 + place)
    change = abs(np.subtract.outer(2.0**y, 2.0**y) * np.subtract.outer(discount, discount)) / ideal
    margin, is_pair = np.subtract.outer(scores, scores), np.greater.outer(y, y)
    cost = (change * np.logaddexp(0.0, -margin))[is_pair].sum()
    slope = np.where(is_pair, -change, 0.0) * np.exp(-np.logaddexp(0.0, margin))
    return cost, slope.sum(axis=1) - slope.sum(axis=0)


def bootstrap(seed, tree, n_samples):
    key = splitmix64(splitmix64(splitmix64(0, seed), tree), 0)
    return np.array([splitmix64(key, i) * n_samples >> 64 for i in range(n_samples)])


def splitmix64(key, i):
    z = (key + (i + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def quantize(x, cuts):
    return np.searchsorted(cuts, x, side="right")


def histogram(codes, offsets, rows, integers, weights):
    parts = [integers, np.ones_like(integers)] + ([] if weights is None else [weights])
    sums = np.zeros((offsets[-1], len(parts)), np.int64)
    for i in rows:
        sums[offsets[:-1] + codes[i]] += [part[i] for part in parts]
    return sums


def binary_target(y, c):
    return 1.0 * (y < c)


def oerr_weights(y, max_grade):
    cost = (2 ** y[:, np.newaxis] - 2 ** np.arange(max_grade + 1)) ** 2
    return abs(np.diff(cost))


def reduction(y, max_grade, cost, sample_weight):
    grades = np.arange(max_grade + 1)
    transform = 2.0**grades if cost == "oerr" else 1.0 * grades
    away = abs(transform[y][:, np.newaxis] - transform)
    weights = abs(np.diff(away if cost == "absolute" else away**2))
    w = np.ones(len(y)) if sample_weight is None else sample_weight
    return 1.0 * (y[:, np.newaxis] >= grades[1:]), weights * w[:, np.newaxis]


def hard_rank(answers):
    return (answers >= 0.5).sum(axis=1)
