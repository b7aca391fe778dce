"""Hints from the numbers of a record alone: a factor, a shift, the digits of a float."""

import numpy as np

from refrank.arrays import Floats
from yardstick.divergence.consequences.evidence import Evidence
from yardstick.divergence.judging import Judgement

FLOATING = (
    "proba",
    "residual",
    "grid",
    "histogram",
    "leaf_sums",
    "leaf_values",
    "step",
    "scores",
    "prediction",
    "start",
    "metric",
)


def find_other_length(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find one extra or missing entry."""
    expected, actual = judgement.expected, judgement.actual
    assert expected is not None
    assert actual is not None
    if expected.shape == actual.shape:
        return None
    if (judgement.stage, judgement.field) == ("partition", "nodes"):
        return f"the tree ends with {len(actual) + 1} leaves, in place of {len(expected) + 1}"
    return f"shape {actual.shape} in place of {expected.shape}"


def find_factor(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find a common factor by which all entries are off."""
    expected, actual = pair_up(judgement)
    used = (expected != 0) & np.isfinite(expected)
    if judgement.stage in ("draws", "order", "bins", "histogram", "cut", "partition") or used.sum() < 1:
        return None
    if (actual[~used] != expected[~used]).any():
        return None
    quotients = actual[used] / expected[used]
    ratio = float(np.median(quotients))
    if abs(ratio - 1.0) < 2.0**-16 or not np.allclose(quotients, ratio, rtol=1e-9, atol=0.0) or not np.isfinite(ratio):
        return None
    rate = float(getattr(evidence.ranker, "learning_rate", 1.0))
    classes = count_classes(evidence)
    meanings = {
        2.0: "a factor 2 too many",
        0.5: "a factor 2 is missing",
        float(np.log(2.0)): "a logarithm to base 2 where the natural one belongs",
        1 / float(np.log(2.0)): "a natural logarithm where that to base 2 belongs",
    }
    if judgement.stage in ("leaf_values", "step", "scores", "prediction"):
        meanings |= {
            rate: f"the learning rate, {rate:g}, is applied twice",
            1 / rate: f"the learning rate, {rate:g}, is not applied",
        }
    if judgement.stage in ("leaf_values", "step") and evidence.ranker.algorithm in ("softmax", "ordinal"):
        meanings |= {
            (classes - 1) / classes: f"the factor (K - 1) / K = {classes - 1}/{classes} is applied twice",
            classes / (classes - 1): f"the factor (K - 1) / K = {classes - 1}/{classes} is forgotten",
        }
    size = f"all values are {ratio:.6g} times the expected ones"
    for usual, meaning in meanings.items():
        if usual != 1.0 and abs(abs(ratio) - usual) <= 1e-9 * usual:
            return f"{size}: {meaning}{', and the sign is wrong' if ratio < 0 else ''}"
    return f"{size}: the sign is wrong" if ratio == -1.0 else size


def find_shift(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find entries, or numbers, that are off by one."""
    expected, actual = pair_up(judgement)
    assert judgement.expected is not None
    if len(expected) < 2:
        return None
    off = actual - expected
    if judgement.expected.dtype.kind in "iu" and judgement.stage in ("bins", "partition", "order", "growth", "tree"):
        wrong = off[off != 0]
        if (np.abs(wrong) == 1).all() and (wrong == wrong[0]).all():
            share = "all" if len(wrong) == len(off) else f"{len(wrong)} of {len(off)}"
            return f"{share} numbers are {abs(int(wrong[0]))} too {'high' if wrong[0] > 0 else 'low'}: off by one"
    if np.array_equal(expected[:-1], actual[1:]) or np.array_equal(expected[1:], actual[:-1]):
        return "the expected numbers, one place further: off by one"
    return None


def find_float_sums(judgement: Judgement, evidence: Evidence) -> str | None:
    """Find sums that are right only to the precision of a float32, or of a float64."""
    expected, actual = pair_up(judgement)
    if judgement.field == "sums" and not counts_agree(judgement):
        return None
    largest = np.abs(expected).max()
    if not np.isfinite(actual).all() or largest == 0.0 or judgement.stage not in FLOATING:
        return None
    off = np.abs(actual - expected).max() / largest
    if np.array_equal(expected.astype(np.float32).astype(np.float64), actual):
        return "the expected values, rounded to float32"
    if 0 < off <= 2.0**-40:
        bits = int(-np.log2(off))
        return f"the numbers agree to about {bits} bits: another order of operations, or sums of floats, in float64"
    if 2.0**-40 < off <= 2.0**-16:
        agreement = f"the numbers agree to about {int(-np.log2(off))} bits"
        return f"{agreement}: float32" if off > 2.0**-28 else agreement
    return None


def counts_agree(judgement: Judgement) -> bool:
    """Return whether histograms, (..., 2 or 3), differ only in the sums of residuals."""
    expected, actual = judgement.expected, judgement.actual
    assert expected is not None
    assert actual is not None
    return np.array_equal(expected[..., 1], actual[..., 1])


def pair_up(judgement: Judgement) -> tuple[Floats, Floats]:
    """Return the expected and the found entries as floats of one shape."""
    expected, actual = judgement.expected, judgement.actual
    assert expected is not None
    assert actual is not None
    if expected.shape != actual.shape:
        raise ValueError("shapes differ")
    return expected.astype(np.float64).reshape(-1), actual.astype(np.float64).reshape(-1)


def count_classes(evidence: Evidence) -> int:
    """Return K of the softmax; a binary problem has 2."""
    if evidence.ranker.algorithm != "softmax":
        return 2
    return int(getattr(evidence.ranker, "n_classes", None) or evidence.labels.max() + 1)
