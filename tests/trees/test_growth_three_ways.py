"""`refrank.trees.growth.grower` to J leaves where cuts go three ways: equal to the oracle, however computed."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from refrank.trees.growth.grower import Grower
from tests.strategies import ENGINE, SEEDS, THREADS, rng_of
from tests.strategies.igbrt import deep_cases
from tests.trees.compare import equals_oracle, same_tree
from tests.trees.shards import shard

pytestmark = pytest.mark.kernel

LEAVES = st.integers(3, 9)


def grow(case, engine=ENGINE, **limits):
    """The tree of a case, and its leaves."""
    small = case.small
    grower = Grower(case.binned(engine), min_samples_leaf=small.min_samples_leaf, **limits)
    return grower(small.residual, small.weight)


@given(deep_cases(), LEAVES)
def test_best_first_equals_the_oracle(case, n_leaves):
    """By both rules of cuts three ways, and with a limit to the depth: a cut that does not fit is passed over."""
    limits = {"n_leaves": n_leaves, "max_depth": case.max_depth}
    tree, leaves = grow(case, **limits)
    equals_oracle(case.binned(), tree, case.leafwise(case.small.residual.tolist(), **limits), leaves)


@given(deep_cases(), LEAVES, THREADS, SEEDS)
def test_what_changes_no_bit(kernel, case, n_leaves, n_threads, seed):
    """Kernel or specification, threads, shards, and the order of the rows."""
    expected = grow(case, Engine(splitting), n_leaves=n_leaves)[0]
    rows = rng_of(seed).permutation(len(case.X))
    weight = None if case.small.weight is None else case.small.weight[rows]
    permuted = replace(case.small, X=case.small.X[rows], residual=case.small.residual[rows], weight=weight)
    same_tree(grow(case, Engine(kernel, n_threads), n_leaves=n_leaves)[0], expected)
    same_tree(grow(case, Engine(shard(n_threads + 1)), n_leaves=n_leaves)[0], expected)
    same_tree(grow(replace(case, small=permuted, holes=case.holes[rows]), n_leaves=n_leaves)[0], expected)


def test_a_cut_three_ways_that_does_not_fit_is_passed_over():
    """The first cut parts both halves. Of these, the one to be cut in three gains more, and needs two leaves."""
    X = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [np.inf, 0.0, 0.0], [0.0, 9.0, 0.0], [1.0, 9.0, 1.0]])
    binned = replace(bin_features(X, 256, engine=ENGINE), missing=np.array([1, 0, 0], np.int8))
    residual = np.array([0.0, 50.0, 100.0, 1001.0, 1000.0])
    values = [Grower(binned, n_leaves)(residual)[0].value.tolist() for n_leaves in (3, 4, 5)]
    assert [sorted(filter(None, value)) for value in values] == [
        [50.0, 1000.0, 1001.0],
        [50.0, 100.0, 1000.5],
        [50.0, 100.0, 1000.0, 1001.0],
    ]


def test_two_leaves_are_too_few_for_a_cut_three_ways():
    binned = replace(bin_features(np.arange(3.0)[:, None], 9, engine=ENGINE), missing=np.ones(1, np.int8))
    message = "n_leaves is 2: it must be at least 3 where cuts go three ways, since one adds two leaves"
    with pytest.raises(ValueError, match=re.escape(message)):
        Grower(binned, n_leaves=2)
