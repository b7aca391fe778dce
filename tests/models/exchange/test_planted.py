"""Errors planted in what is written are found by the verification, in every format."""

from dataclasses import replace

import numpy as np
import pytest

from refrank import GBRTRanker
from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.packing import make_portable
from refrank.models.exchange.portable import direct_right
from refrank.models.exchange.verification import verify
from refrank.trees.model.tree import LEAF
from tests.models.exchange.cases import formats, need, with_cuts
from tests.models.kinds import HOLES, OTHER, SMALL, Y, train

FLOAT32_CUTS = (0.0, 0.5, -3.25, 1024.0)  # every format holds them as they are


def change_trees(portable, change):
    """Change every tree of what is written."""
    rounds = tuple(tuple(map(change, trees)) for trees in portable.sums.rounds)
    return replace(portable, sums=replace(portable.sums, rounds=rounds))


def keep_cuts(portable):
    """Cut at x <= cut in place of x < cut."""
    return change_trees(portable, lambda tree: replace(tree, cut=np.nextafter(tree.cut, np.inf)))


def shrink_twice(portable):
    return change_trees(portable, lambda tree: replace(tree, value=0.5 * tree.value))


def exchange_children(portable):
    return change_trees(portable, lambda tree: replace(tree, left=tree.right, right=tree.left))


def swap_classes(portable):
    rounds = tuple((trees[1], trees[0], *trees[2:]) for trees in portable.sums.rounds)
    return replace(portable, sums=replace(portable.sums, rounds=rounds))


def forget_last(portable):
    return replace(portable, sums=replace(portable.sums, rounds=portable.sums.rounds[:-1]))


def shift_features(portable):
    def shift(tree):
        return replace(tree, feature=np.where(tree.feature == LEAF, LEAF, (tree.feature + 1) % 5).astype(np.int32))

    return change_trees(portable, shift)


def forget_start(portable):
    return replace(portable, sums=replace(portable.sums, initial=(0.0,)))


def forget_mean(portable):
    return replace(portable, divisor=1)


def send_missing_right(portable):
    return replace(portable, direct=direct_right)


FILLED = GBRTRanker(**SMALL["gbrt"], missing="-inf").fit(HOLES, Y)
BROKEN = {
    "x <= cut": (with_cuts(FLOAT32_CUTS), keep_cuts, np.array([[cut] for cut in FLOAT32_CUTS])),
    "learning rate applied twice": (train("softmax"), shrink_twice, OTHER),
    "left and right exchanged": (train("ls"), exchange_children, OTHER),
    "class order swapped": (train("softmax"), swap_classes, OTHER),
    "problem order swapped": (train("cocr over gbrt"), swap_classes, OTHER),
    "last round forgotten": (train("ordinal"), forget_last, OTHER),
    "features numbered from 1": (train("ls"), shift_features, OTHER),
    "start of the sum forgotten": (train("gbrt"), forget_start, OTHER),
    "mean of a forest forgotten": (train("rf"), forget_mean, OTHER),
    "missing entries sent right": (FILLED, send_missing_right, HOLES),
}


@formats
@pytest.mark.parametrize("name", BROKEN)
def test_a_planted_error_is_found(name, to):
    need(to)
    ranker, plant, X = BROKEN[name]
    portable = make_portable(ranker)
    assert verify(FORMATS[to].write(portable), to, portable, X, None).within
    result = verify(FORMATS[to].write(plant(portable)), to, portable, X, None)
    assert not result.within
    assert max(output.ulps for output in result.outputs) > 0


def test_an_error_is_at_the_row_where_it_is_largest():
    need("lightgbm")
    ranker, plant, X = BROKEN["x <= cut"]
    portable = make_portable(ranker)
    result = verify(FORMATS["lightgbm"].write(plant(portable)), "lightgbm", portable, X, None)
    assert (result.score.row, result.score.largest, result.score.bound) == (0, 1.0, 0.0)  # the first cut weighs 1
    ranker, plant, X = BROKEN["class order swapped"]
    portable = make_portable(ranker)
    assert verify(FORMATS["lightgbm"].write(plant(portable)), "lightgbm", portable, X, None).pairs.reversed > 0
