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


def of_rounds(change):
    """Change the rounds of what is written."""
    return lambda portable: replace(portable, sums=replace(portable.sums, rounds=change(portable.sums.rounds)))


def of_trees(change):
    """Change every tree of what is written."""
    return of_rounds(lambda rounds: tuple(tuple(map(change, trees)) for trees in rounds))


def shift_features(tree):
    return replace(tree, feature=np.where(tree.feature == LEAF, LEAF, (tree.feature + 1) % 5).astype(np.int32))


keep_cuts = of_trees(lambda tree: replace(tree, cut=np.nextafter(tree.cut, np.inf)))  # x <= cut in place of x < cut
shrink_twice = of_trees(lambda tree: replace(tree, value=0.5 * tree.value))
exchange_children = of_trees(lambda tree: replace(tree, left=tree.right, right=tree.left))
swap_classes = of_rounds(lambda rounds: tuple((trees[1], trees[0], *trees[2:]) for trees in rounds))
FILLED = GBRTRanker(**SMALL["gbrt"], missing="-inf").fit(HOLES, Y)
BROKEN = {
    "x <= cut": (with_cuts(FLOAT32_CUTS), keep_cuts, np.array([[cut] for cut in FLOAT32_CUTS])),
    "learning rate applied twice": (train("softmax"), shrink_twice, OTHER),
    "left and right exchanged": (train("ls"), exchange_children, OTHER),
    "class order swapped": (train("softmax"), swap_classes, OTHER),
    "problem order swapped": (train("cocr over gbrt"), swap_classes, OTHER),
    "last round forgotten": (train("ordinal"), of_rounds(lambda rounds: rounds[:-1]), OTHER),
    "features numbered from 1": (train("ls"), of_trees(shift_features), OTHER),
    "start of the sum forgotten": (train("gbrt"), lambda p: replace(p, sums=replace(p.sums, initial=(0.0,))), OTHER),
    "mean of a forest forgotten": (train("rf"), lambda portable: replace(portable, divisor=1), OTHER),
    "missing entries sent right": (FILLED, lambda portable: replace(portable, direct=direct_right), HOLES),
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
