"""Right solutions of the exercises that round, in plain Python and from the papers' lines, without refrank."""

import math


def dcg(y, score, k):
    ranked = [int(y[i]) for i in in_order(score)][:k]
    return sum((2**label - 1) / math.log2(1 + i) for i, label in enumerate(ranked, start=1))


def ndcg(y, score, k):
    ideal = dcg(y, [int(label) for label in y], k)
    return dcg(y, score, k) / ideal if ideal > 0 else 0.0


def in_order(score):
    return sorted(range(len(score)), key=lambda i: -score[i])


def err(y, score, k, max_grade):
    total, looking = 0.0, 1.0
    for i, document in enumerate(in_order(score)[:k], start=1):
        stop = (2 ** int(y[document]) - 1) / 2**max_grade
        total += looking * stop / i
        looking *= 1 - stop
    return total


def softmax(scores):
    return [softmax_of_row(row) for row in scores.tolist()]


def softmax_of_row(row):
    terms = [math.exp(F - max(row)) for F in row]
    return [term / sum(terms) for term in terms]


def expected_relevance(class_proba, transform):
    T = {"k": lambda k: k, "2^k": lambda k: 2**k, "2^k-1": lambda k: 2**k - 1}[transform or "k"]
    return [sum(p * T(k) for k, p in enumerate(row)) for row in class_proba.tolist()]


def class_proba(cumulative_proba):
    bounded = [[0.0, *row, 1.0] for row in cumulative_proba.tolist()]
    return [[row[k + 1] - row[k] for k in range(len(row) - 1)] for row in bounded]


def best_split(sums, offsets, min_samples_leaf, missing):
    best = (-1, -1, 0.0, 0, 0, 0)
    for f in range(len(offsets) - 1):
        slots = [[int(entry) for entry in slot] for slot in sums[offsets[f] : offsets[f + 1]]]
        for bin in range(len(slots) - 1):
            left = [sum(column) for column in zip(*slots[: bin + 1], strict=True)]
            right = [sum(column) for column in zip(*slots[bin + 1 :], strict=True)]
            if min(left[1], right[1]) < min_samples_leaf or min(left[-1], right[-1]) == 0:
                continue
            gain = (left[0] / left[-1] - right[0] / right[-1]) ** 2 * left[-1] * right[-1] / (left[-1] + right[-1])
            if gain > best[2]:
                best = (f, bin, gain, *left[:2], left[-1])
    return best


def leaf_values(residual, proba, leaf, n_classes, weight):
    w = [1.0] * len(leaf) if weight is None else weight
    values = []
    for j in range(max(leaf) + 1):
        rows = [i for i in range(len(leaf)) if leaf[i] == j]
        above = sum(w[i] * residual[i] for i in rows)
        below = sum(w[i] * proba[i] * (1 - proba[i]) for i in rows)
        values.append((n_classes - 1) / n_classes * above / below if below else 0.0)
    return values


def softmax_round(y, scores, leaf, learning_rate, weight):
    F, K = [list(row) for row in scores], len(scores[0])
    for k in range(K):
        p = [softmax_of_row(row)[k] for row in F]
        residual = [(y[i] == k) - p[i] for i in range(len(y))]
        beta = leaf_values(residual, p, [row[k] for row in leaf], K, weight)
        for i in range(len(y)):
            F[i][k] += learning_rate * beta[leaf[i][k]]
    return F


def ordinal_round(y, n_classes, leaf, learning_rate):
    cumulative = []
    for k in range(n_classes - 1):
        group = [1 if label > k else 0 for label in y]
        F = softmax_round(group, [[0.0, 0.0] for _ in y], [[row[k], row[k]] for row in leaf], learning_rate, None)
        learned = [softmax_of_row(row)[0] for row in F]
        cumulative.append(learned if len(set(group)) == 2 else [1.0 - answer for answer in group])
    return [list(row) for row in zip(*cumulative, strict=True)]


def ls_round(target, scores, leaf, learning_rate, weight):
    return step_leaves(target, scores, leaf, learning_rate, weight, mean)


def lad_round(target, scores, leaf, learning_rate, weight):
    return step_leaves(target, scores, leaf, learning_rate, weight, median)


def step_leaves(target, scores, leaf, learning_rate, weight, choose):
    w = [1.0] * len(leaf) if weight is None else weight
    F = scores.tolist()
    for j in set(leaf.tolist()):
        rows = [i for i in range(len(leaf)) if leaf[i] == j]
        step = choose([target[i] - scores[i] for i in rows], [w[i] for i in rows])
        for i in rows:
            F[i] += learning_rate * step
    return F


def mean(values, weight):
    return sum(w * value for w, value in zip(weight, values, strict=True)) / sum(weight)


def median(values, weight):
    w = [1.0] * len(values) if weight is None else list(weight)
    pairs = sorted((value, entry) for value, entry in zip(values, w, strict=True) if entry > 0)
    if not pairs:
        return 0.0
    total, below = sum(entry for _, entry in pairs), 0.0
    for at, (value, entry) in enumerate(pairs):
        below += entry
        if 2 * below == total:
            return (value + pairs[at + 1][0]) / 2
        if 2 * below > total:
            return value
    raise AssertionError("half of the weight is somewhere")


def igbrt_start(y, predictions):
    return [y[i] - sum(tree[i] for tree in predictions) / len(predictions) for i in range(len(y))]


def lambda_gradients(scores, y, truncation):
    n, order = len(y), in_order(scores)
    cost, lambdas = 0.0, [0.0] * n
    for i in range(n):
        for j in range(n):
            if y[i] > y[j]:
                swapped = [{i: j, j: i}.get(d, d) for d in order]
                change = abs(ndcg_of(y, swapped, truncation) - ndcg_of(y, order, truncation))
                margin = float(scores[i] - scores[j])
                cost += change * (math.log1p(math.exp(-abs(margin))) + max(-margin, 0.0))
                slope = -change / (1 + math.exp(min(margin, 700.0)))
                lambdas[i], lambdas[j] = lambdas[i] + slope, lambdas[j] - slope
    return cost, lambdas


def ndcg_of(y, order, k):
    return ndcg(y, [-order.index(d) for d in range(len(y))], k)
