"""Wrong solutions: a change of `tests/yardstick/solutions.py`, the task that it spoils, and the fault it is named."""

from pathlib import Path
from typing import NamedTuple

SOLUTIONS = Path(__file__).with_name("solutions.py")


class Wrong(NamedTuple):
    """One change."""

    task: str
    old: str
    new: str
    fault: str  # "" where the mistake has no name
    case: str  # where it is seen first


def change(wrong: Wrong) -> str:
    """The text of the file, changed in one place."""
    text = SOLUTIONS.read_text(encoding="utf-8")
    assert text.count(wrong.old) == 1, wrong
    return text.replace(wrong.old, wrong.new)


IN_ORDER = "return sorted(range(len(score)), key=lambda i: -score[i])"
BINS = "for bin in range(len(slots) - 1):"
FACTOR = "(n_classes - 1) / n_classes * "
RIGHT = f"values.append({FACTOR}above / below if below else 0.0)"
BETA = "F[i][k] += learning_rate * beta[leaf[i][k]]"
LAMBDAS = "lambdas[i] + slope, lambdas[j] - slope"
MIDDLE = "return (value + pairs[at + 1][0]) / 2"
WRONG = [
    Wrong("dcg", "math.log2(1 + i)", "math.log(1 + i)", "discount-ln", "three-documents"),
    Wrong("dcg", "math.log2(1 + i)", "math.log2(2 + i)", "discount-starts-at-2", "three-documents"),
    Wrong("dcg", "sum((2**label - 1)", "sum(label", "gain-linear", "three-documents"),
    Wrong("dcg", IN_ORDER, IN_ORDER.replace("-score", "score"), "order-rising", "three-documents"),
    Wrong("dcg", IN_ORDER, IN_ORDER.replace("-score[i]", "(-score[i], -i)"), "ties-last-first", "everything-tied"),
    Wrong("dcg", "in in_order(score)][:k]", "in in_order(score)]", "cut-off-ignored", "cut-off"),
    Wrong("ndcg", "if ideal > 0 else 0.0", "if ideal > 0 else 1.0", "", "none-relevant"),
    Wrong("ndcg", "[int(label) for label in y], k)", "[int(label) for label in y], None)", "", "cut-off"),
    Wrong("err", "/ 2**max_grade", "/ (2**max_grade - 1)", "stop-over-2^K-1", "three-documents"),
    Wrong("err", "/ 2**max_grade", "/ 2 ** int(max(y))", "max-grade-of-data", "three-documents"),
    Wrong("err", "looking * stop / i", "looking * stop", "reciprocal-missing", "three-documents"),
    Wrong("softmax", "math.exp(F - max(row))", "math.exp(F)", "", "far-apart"),
    Wrong("expected_relevance", "p * T(k) for k", "p * (k + 1) for k", "classes-from-1", "expected-grade"),
    Wrong("class_proba", "[0.0, *row, 1.0]", "[*row, 1.0, 1.0]", "one-class-short", "ascending"),
    Wrong("quantize", "if cut <= one)", "if cut < one)", "cut-goes-left", "at-the-cuts"),
    Wrong("histogram", "for i in rows:\n        for f", "for i in range(6):\n        for f", "all-rows", "weighted"),
    Wrong("histogram", "+= int(weights[i])", "+= 1", "", "weighted"),
    Wrong("best_split", "if gain > best[2]:", "if gain > 0 and gain >= best[2]:", "ties-to-the-last", "ties"),
    Wrong("best_split", BINS, BINS.replace("- 1", "- 2"), "last-cut-missed", "two-features"),
    Wrong("best_split", BINS, BINS.replace("(", "(1, ", 1), "first-cut-missed", "first-bin"),
    Wrong("best_split", "< min_samples_leaf", "<= min_samples_leaf", "min-samples-leaf-exceeded", "ties"),
    Wrong("leaf_values", RIGHT, RIGHT.replace(FACTOR, ""), "factor-missing", "two-leaves"),
    Wrong(
        "leaf_values", RIGHT, RIGHT.replace("below if below else 0.0", "len(rows)"), "curvature-missing", "two-leaves"
    ),
    Wrong("softmax_round", BETA, BETA.replace("learning_rate * ", ""), "shrinkage-missing", "three-classes"),
    Wrong("softmax_round", BETA, BETA.replace("learning_rate", "learning_rate**2"), "shrinkage-twice", "three-classes"),
    Wrong("softmax_round", BETA, BETA.replace("+=", "-="), "gradient-for-residual", "three-classes"),
    Wrong("softmax_round", RIGHT, RIGHT.replace(FACTOR, ""), "factor-missing", "three-classes"),
    Wrong("ordinal_round", "1 if label > k else 0", "1 if label >= k else 0", "groups-shifted", "four-classes"),
    Wrong("ordinal_round", "1 if label > k else 0", "1 if label <= k else 0", "groups-swapped", "four-classes"),
    Wrong("ls_round", "S[i] += learning_rate * beta", "S[i] += beta", "shrinkage-missing", "two-leaves"),
    Wrong("median", MIDDLE, "return value", "", "even"),
    Wrong("lad_round", "F[i] += learning_rate * gamma", "F[i] += gamma", "shrinkage-missing", "two-leaves"),
    Wrong("lad_round", MIDDLE, "return value", "lower-median", "two-leaves"),
    Wrong("bootstrap", "i) * n_samples // 2**64", "i) % n_samples", "bootstrap-by-remainder", "ten-rows"),
    Wrong(
        "bootstrap", "number(key, i) * n_samples", "number(key, i + 1) * n_samples", "bootstrap-off-by-one", "ten-rows"
    ),
    Wrong("bootstrap", "number(0, seed), tree)", "number(0, seed), tree + 1)", "trees-from-1", "ten-rows"),
    Wrong("igbrt_start", " / len(predictions) for i", " for i", "sum-for-mean", "three-trees"),
    Wrong("binary_target", "if label < c", "if label <= c", "at-most-c", "1"),
    Wrong("oerr_weights", "(2**label - 2**k) ** 2", "(label - k) ** 2", "weights-of-squared", "five-grades"),
    Wrong("oerr_weights", " - c(int(label), k - 1))", ")", "costs-for-weights", "five-grades"),
    Wrong("reduction", "1.0 if label >= k", "1.0 if label > k", "question-above-k", "absolute"),
    Wrong("reduction", "w[i] * step", "step", "", "weighted"),
    Wrong("hard_rank", "h >= 0.5", "h > 0.5", "half-is-no", "half"),
    Wrong("lambda_gradients", LAMBDAS, "lambdas[i] - slope, lambdas[j] + slope", "sign-swapped", "tied"),
    Wrong("lambda_gradients", "slope = -change / (", "slope = -2 * change / (", "", "tied"),
]
