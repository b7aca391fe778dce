"""Trees of an imported ranker as trees on unchanged features: cuts move instead of the features that a program changes.

    in code    meaning
    r(x)       the feature x as the program of the file reads it (`ImportedRanker.read_features`)
    cut        r(x) < cut goes left
    cut'       the least float64 x with r(x) >= cut; since r never falls, x < cut' goes left: the same x

LightGBM reads magnitudes up to TINY as 0, so a cut among them becomes an end of that range. XGBoost rounds to float32,
so a cut becomes the midpoint of it and the float32 below, or the next float64 if the midpoint is rounded down.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from refrank.arrays import Floats
from refrank.estimators.imported import TINY, ImportedRanker, Source
from refrank.models.exchange.portable import DirectedTree
from refrank.models.exchange.xgboost import round_up
from refrank.trees.model.tree import LEAF, Tree

LEFT = {"nan left": True, "nan right": False}  # "nan is zero" depends on the cut


def direct_imported(ranker: ImportedRanker) -> Callable[[Tree], DirectedTree]:
    """Return the function from a tree on columns to a tree on features, with directions of missing entries.

    Raises a ValueError if a rule treats 0 as missing, which formats cannot hold beside NaN.
    """
    for rule in ranker.rules_:
        if rule not in (*LEFT, "nan is zero"):
            raise ValueError(f"rules_ has {rule!r}: it must be a rule for NaN, the only missing entry of a format")
    return partial(direct, ranker.rules_, ranker.n_features_in_, ranker.source_)


def direct(rules: tuple[str, ...], n_features: int, source: Source, tree: Tree) -> DirectedTree:
    """Turn a tree on columns, where feature f under rule r is r * n_features + f, into one on features."""
    inner = tree.feature != LEAF
    left = np.zeros(len(inner), np.bool_)
    for place, rule in enumerate(rules):
        of_rule = inner & (tree.feature // n_features == place)
        left[of_rule] = LEFT.get(rule, tree.cut[of_rule] > 0)
    feature = np.where(inner, tree.feature % n_features, LEAF).astype(np.int32)
    cut = np.where(inner, move_cuts(tree.cut, source), 0.0)
    columns = {name: getattr(tree, name) for name in vars(tree)} | {"feature": feature, "cut": cut}
    return DirectedTree(Tree(**columns), left)


def move_cuts(cut: Floats, source: Source) -> Floats:
    """Move cuts, (n_nodes,), to match how the program reads features.

    >>> move_cuts(np.array([-1e-36, 1e-36, 0.5]), "lightgbm").tolist() == [-TINY, np.nextafter(TINY, 1), 0.5]
    True
    >>> cut = np.array([0.7, 1.0])  # the float32 next to 0.7 is below it; 1 - 2**-25 is a tie, which rounds to 1
    >>> least = move_cuts(cut, "xgboost")
    >>> (np.float32(least) >= cut) & (np.float32(np.nextafter(least, 0)) < cut)
    array([ True,  True])
    """
    if source == "lightgbm":
        among = np.abs(cut) <= TINY
        return np.where(among & (cut > 0), np.nextafter(TINY, np.inf), np.where(among, -TINY, cut))
    with np.errstate(over="ignore", invalid="ignore"):  # beyond float32 a cut does not move
        upper = round_up(cut)
        lower = np.nextafter(upper, np.float32(-np.inf)).astype(np.float64)
        middle = lower + (upper - lower) / 2
        moved = np.where(middle.astype(np.float32) >= upper, middle, np.nextafter(middle, np.inf))
    return np.where(np.isfinite(upper) & np.isfinite(lower), moved, cut)
