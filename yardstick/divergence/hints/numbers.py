"""Hints from the numbers of a record: a factor, a shift, another way to round."""

import math
from collections.abc import Iterator

import numpy as np

from refrank.arrays import Floats
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.exponential import exp
from refrank.trees.numbers.grid import find_exponent, from_grid, round_to_grid, to_grid
from yardstick.divergence.hints.evidence import Evidence

COUNTED = ("draws", "order", "bins", "histogram", "cut", "partition", "tree", "leaves")
NUMBERED = ("bins", "partition", "order", "tree")


def find_other_length(evidence: Evidence) -> str | None:
    """Find one extra or missing entry."""
    expected, actual = evidence.expected, evidence.actual
    if expected.shape == actual.shape:
        return None
    if evidence.stage == "partition" and evidence.field == "nodes":
        return f"the tree ends with {len(actual) + 1} leaves, in place of {len(expected) + 1}"
    if evidence.field == "nodes" and actual.ndim == 1:
        wanting = sorted({*expected.tolist()} - {*actual.tolist()})
        return f"of node {wanting[0]} there is nothing" if wanting else None
    return f"shape {actual.shape} in place of {expected.shape}"


def find_factor(evidence: Evidence) -> str | None:
    """Find a common factor by which all entries are off."""
    expected, actual = evidence.pair_up()
    used = (expected != 0) & np.isfinite(expected)
    if evidence.stage in COUNTED or used.sum() < 1 or (actual[~used] != expected[~used]).any():
        return None
    quotients = actual[used] / expected[used]
    ratio = float(np.median(quotients))
    if abs(ratio - 1.0) < 2.0**-16 or not np.allclose(quotients, ratio, rtol=1e-9, atol=0.0) or not np.isfinite(ratio):
        return None
    size = f"all values are {ratio:.6g} times the expected ones"
    for usual, meaning in list_factors(evidence):
        if usual != 1.0 and abs(abs(ratio) - usual) <= 1e-9 * usual:
            return f"{size}: {meaning}{', and the sign is wrong' if ratio < 0 else ''}"
    return f"{size}: the sign is wrong" if ratio == -1.0 else size


def list_factors(evidence: Evidence) -> Iterator[tuple[float, str]]:
    """List the factors that mistakes make."""
    if evidence.stage in ("leaf_values", "step", "scores", "prediction"):
        rate = float(getattr(evidence.ranker, "learning_rate", 1.0))
        yield rate, f"the learning rate, {rate:g}, is applied twice"
        yield 1 / rate, f"the learning rate, {rate:g}, is not applied"
    n = evidence.count_classes()
    if n > 1 and evidence.stage in ("leaf_values", "step") and evidence.ranker.algorithm in ("softmax", "ordinal"):
        yield (n - 1) / n, f"the factor (K - 1) / K = {n - 1}/{n} is applied twice"
        yield n / (n - 1), f"the factor (K - 1) / K = {n - 1}/{n} is forgotten"
    yield 2.0, "a factor 2 too many"
    yield 0.5, "a factor 2 is missing"
    yield float(np.log(2.0)), "a logarithm to base 2 where the natural one belongs"
    yield 1 / float(np.log(2.0)), "a natural logarithm where that to base 2 belongs"


def find_shift(evidence: Evidence) -> str | None:
    """Find entries, or numbers, that are off by one."""
    expected, actual = evidence.pair_up()
    if len(expected) < 2:
        return None
    off = actual - expected
    if evidence.expected.dtype.kind in "iu" and evidence.stage in NUMBERED:
        wrong = off[off != 0]
        if (np.abs(wrong) == 1).all() and (wrong == wrong[0]).all():
            share = "all" if len(wrong) == len(off) else f"{len(wrong)} of {len(off)}"
            return f"{share} numbers are {abs(int(wrong[0]))} too {'high' if wrong[0] > 0 else 'low'}: off by one"
    if np.array_equal(expected[:-1], actual[1:]) or np.array_equal(expected[1:], actual[:-1]):
        return "the expected numbers, one place further: off by one"
    return None


def find_rounding(evidence: Evidence) -> str | None:
    """Find numbers that are computed as they should be, and rounded otherwise; each way is tried."""
    expected, actual = evidence.pair_up()
    largest = np.abs(expected).max()
    if (
        not np.isfinite(actual).all()
        or largest == 0.0
        or evidence.stage in ("draws", "order", "bins", "cut", "partition", "tree")
    ):
        return None
    if evidence.field == "sums" and not np.array_equal(evidence.expected[..., 1], evidence.actual[..., 1]):
        return None
    single = expected.astype(np.float32).astype(np.float64)
    off = np.abs(actual - expected).max() / largest
    if np.array_equal(single, actual):
        return "the expected values, rounded to float32"
    for meaning, values in list_roundings(evidence):
        if np.array_equal(np.ravel(values), actual):
            return meaning
    if 0 < off <= 2.0**-16:
        is_single = evidence.expected.dtype.kind == "f" and np.array_equal(actual.astype(np.float32), actual)
        kind = ": float32" if is_single or (evidence.stage == "histogram" and off > 2.0**-28) else ""
        return f"the numbers agree to about {int(-np.log2(off))} bits{kind}"
    return None


def list_roundings(evidence: Evidence) -> Iterator[tuple[str, Floats]]:
    """List the numbers that usual programs compute in place of the specified ones."""
    if evidence.stage == "proba":
        scores, k = evidence.judge.inputs["scores"], evidence.judge.inputs["first"]
        below = scores - scores.max(axis=1, keepdims=True)
        for meaning, powers in (
            ("exp of the system's library, in place of the specified exp", np.exp(below)),
            ("exp in float32", exp(below.ravel()).astype(np.float32).astype(np.float64).reshape(below.shape)),
            ("exp in float32", np.exp(below.astype(np.float32)).astype(np.float64)),
        ):
            for total in (powers.sum(axis=1), np.cumsum(powers, axis=1)[:, -1]):
                yield f"these are the probabilities by {meaning}", powers[:, k] / total
    if evidence.stage == "leaf_sums" and evidence.field in ("numerator", "denominator"):
        meaning, values = "these are sums of floats, {}, in place of sums of integers", evidence.read_summed()
        exponent = find_exponent(values, SPECIFICATION)
        leaves = evidence.list_leaves(values)
        for order, add in (
            ("row after row", lambda leaf: np.cumsum(leaf)[-1]),
            ("in pairs", np.sum),
            ("exact", math.fsum),
        ):
            sums = np.array([add(leaf) for leaf in leaves])
            yield meaning.format(order), sums
            yield meaning.format(order), from_grid(round_to_grid(sums, exponent, 1), exponent)
        gridded = to_grid(values.astype(np.float32).astype(np.float64))
        sums = np.array([leaf.sum() for leaf in evidence.list_leaves(gridded.integers)])
        yield "these are sums of values in float32", from_grid(sums, gridded.exponent)
