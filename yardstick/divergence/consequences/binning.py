"""Recomputed bins, and residuals on their grid: the input of a tree."""

from typing import Any

import numpy as np

from refrank.arrays import Codes, Flags, Ints
from refrank.estimators.binning import choose_binning
from refrank.trees.bins.binning import MOST_BINS, BinnedFeatures
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.grid import to_grid
from refrank.trees.splitting import GROUP
from yardstick.divergence.consequences.evidence import Arrays, Evidence
from yardstick.traces.stages import Place

HERE = Place()


def bins(evidence: Evidence, place: Place) -> Arrays:
    """Place the cuts of all features; the bins of the rows follow from the port's own cuts."""
    ranker: Any = evidence.ranker
    X = evidence.data("X")
    binned = choose_binning(ranker.binning, ranker.n_bins, getattr(ranker, "growth", 2.0))(
        X, evidence.weight, SPECIFICATION
    )
    cuts, offsets = evidence.array("bins", HERE, "cuts"), evidence.array("bins", HERE, "offsets").astype(np.int64)
    codes = np.zeros(X.shape, np.int64)
    if len(offsets) == X.shape[1] + 1 and len(cuts) == offsets[-1] - X.shape[1] and (np.diff(offsets) >= 1).all():
        for f in range(X.shape[1]):
            edges = cuts[offsets[f] - f : offsets[f + 1] - f - 1]
            codes[:, f] = np.searchsorted(edges, X[:, f], side="right")
    return {"cuts": np.concatenate(binned.cuts), "offsets": binned.offsets, "codes": codes}


def find_offsets(evidence: Evidence) -> Ints:
    """Return the port's first slot of each feature, (n_features + 1,), if features can have such slots."""
    offsets = evidence.array("bins", HERE, "offsets").astype(np.int64)
    sizes = np.diff(offsets)
    if (
        offsets.shape != (evidence.data("X").shape[1] + 1,)
        or offsets[0] != 0
        or ((sizes < 1) | (sizes > MOST_BINS)).any()
    ):
        raise ValueError("the offsets are not those of features with bins")
    return offsets


def bin_features(evidence: Evidence) -> BinnedFeatures:
    """Return the features in the port's own bins."""
    offsets = find_offsets(evidence)
    by_row = evidence.array("bins", HERE, "codes")
    cuts = evidence.array("bins", HERE, "cuts")
    n_groups = -(-by_row.shape[1] // GROUP)
    wide = int(by_row.max(initial=0)) > 255
    padded = np.zeros((len(by_row), n_groups * GROUP), np.uint16 if wide else np.uint8)
    padded[:, : by_row.shape[1]] = by_row
    codes: Codes = np.ascontiguousarray(padded.reshape(len(by_row), n_groups, GROUP).transpose(1, 0, 2))
    edges = tuple(cuts[offsets[f] - f : offsets[f + 1] - f - 1] for f in range(by_row.shape[1]))
    return BinnedFeatures(codes, edges, offsets, SPECIFICATION, find_missing(evidence))


def find_missing(evidence: Evidence) -> Flags | None:
    """Find the features with three-way cuts, if the ranker makes such cuts."""
    ranker: Any = evidence.ranker
    if getattr(ranker, "missing", None) != "three-way":
        return None
    from refrank.igbrt.missing_values import is_missing

    missed = np.any(is_missing(evidence.data("X"), ranker.missing_value), axis=0)
    return np.where(missed, ranker.three_way_cuts.flag, 0).astype(np.int8)


def grid(evidence: Evidence, place: Place) -> Arrays:
    """Round the residual to its grid."""
    gridded = to_grid(np.ascontiguousarray(evidence.array("residual", place, "values"), np.float64), SPECIFICATION)
    return {"integers": gridded.integers, "exponent": np.asarray(gridded.exponent)}


def put_weights_on_grid(evidence: Evidence) -> tuple[Ints | None, int]:
    """Return the weights of the rows on their grid, and its exponent."""
    if evidence.weight is None:
        return None, 0
    gridded = to_grid(evidence.weight, SPECIFICATION)
    return gridded.integers, gridded.exponent
