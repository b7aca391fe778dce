"""A round recomputed from its input: p, the residual, the sums and values of the leaves, the step, F after it."""

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.grid import find_exponent, from_grid, weigh
from yardstick.divergence.consequences.binning import put_weights_on_grid
from yardstick.divergence.consequences.evidence import Arrays, Evidence, Unknown
from yardstick.divergence.consequences.growth import find_ranges
from yardstick.divergence.consequences.losses import choose_loss, find_starts
from yardstick.traces.stages import Place


def locate(place: Place) -> tuple[int, int]:
    """Return round and output; other places belong to no booster."""
    if place.round is None or place.output is None or place.round < 1:
        raise Unknown
    return place.round, place.output


def start(evidence: Evidence, place: Place) -> Arrays:
    """Return F before the first round."""
    return {"values": np.array(choose_loss(evidence).initial)}


def proba(evidence: Evidence, place: Place) -> Arrays:
    """Compute the column of p for the output."""
    compute = choose_loss(evidence).proba
    if compute is None:
        raise Unknown
    return {"values": compute(*locate(place))}


def residual(evidence: Evidence, place: Place) -> Arrays:
    """Compute the target of the tree."""
    return {"values": weigh(choose_loss(evidence).residual(*locate(place)), evidence.weight)}


def leaf_sums(evidence: Evidence, place: Place) -> Arrays:
    """Sum residuals, and weights or p (1 - p), over the leaves."""
    starts = np.array(find_starts(evidence, place), np.int64)
    rows = evidence.array("partition", place, "rows").astype(np.int64)
    integers, exponent = (evidence.array("grid", place, name) for name in ("integers", "exponent"))
    numerator = from_grid(np.add.reduceat(integers.astype(np.int64)[rows], starts[:-1]), int(exponent))
    return {
        "nodes": list_leaves(evidence, place),
        "numerator": numerator,
        "denominator": sum_denominators(evidence, place, rows, starts),
    }


def list_leaves(evidence: Evidence, place: Place) -> Ints:
    """List the nodes of the leaves, in the order of their rows."""
    nodes, n_left = (evidence.array("partition", place, name).tolist() for name in ("nodes", "n_left"))
    ranges = find_ranges(nodes, n_left, len(evidence.data("y")))
    leaves = [node for node in range(len(ranges)) if node not in nodes]
    return np.array(sorted(leaves, key=lambda node: ranges[node]), np.int64)


def sum_denominators(evidence: Evidence, place: Place, rows: Ints, starts: Ints) -> Floats:
    """Sum the denominators."""
    if not choose_loss(evidence).by_curvature:
        weights, exponent = put_weights_on_grid(evidence)
        if weights is None:
            return np.diff(starts).astype(np.float64)
        return from_grid(np.add.reduceat(weights[rows], starts[:-1]), exponent)
    p = evidence.array("proba", place, "values")
    curvature = weigh((1.0 - p) * p, evidence.weight)
    exponent = find_exponent(curvature, SPECIFICATION)
    sums = SPECIFICATION.splitter.leaf_sums(curvature, exponent, rows.astype(np.int32), starts, 1)
    return from_grid(sums, exponent)


def leaf_values(evidence: Evidence, place: Place) -> Arrays:
    """Compute beta of the leaves."""
    sums = (evidence.array("leaf_sums", place, name) for name in ("numerator", "denominator"))
    return {"values": choose_loss(evidence).values(*locate(place), *sums)}


def step(evidence: Evidence, place: Place) -> Arrays:
    """Shrink the values of the leaves."""
    return {"values": choose_loss(evidence).factor * evidence.array("leaf_values", place, "values")}


def scores(evidence: Evidence, place: Place) -> Arrays:
    """Add the step to F, or to y - F, row by row."""
    rows, starts = evidence.array("partition", place, "rows"), find_starts(evidence, place)
    values = evidence.array("step", place, "values")
    if len(values) != len(starts) - 1:
        raise Unknown
    after = np.array(choose_loss(evidence).before(*locate(place)))
    for value, first, last in zip(values, starts[:-1], starts[1:], strict=True):
        after[rows[first:last]] += value
    return {"values": after}
