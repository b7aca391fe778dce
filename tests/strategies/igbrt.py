"""Inputs of the iGBRT rooms: small trees and forests whose rows miss features, repeat and weigh."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.bins.binning import BinnedFeatures, bin_features
from refrank.trees.engine import Engine
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.model.tree import Tree
from refrank.trees.numbers.draws import FEATURES, tree_key
from tests.oracles import igbrt as naive_igbrt
from tests.oracles import trees as naive
from tests.strategies import ENGINE, RESIDUAL_KINDS, SEEDS, TreeCase, listed, places, tree_cases


@dataclass(frozen=True)
class DeepCase:
    """Everything a deep tree is grown from."""

    small: TreeCase
    holes: NDArray[np.bool_]  # (n_samples, n_features)
    flags: int  # whether the binned features say which of them are missed; 2: in the way of RT-Rank
    seed: int
    tree: int
    n_candidates: int
    max_depth: int | None

    @property
    def X(self) -> NDArray:
        """X with +inf in its holes."""
        return np.where(self.holes, np.inf, self.small.X)

    def binned(self, engine: Engine = ENGINE) -> BinnedFeatures:
        binned = bin_features(self.X, self.small.n_bins, engine=engine)
        return replace(binned, missing=(self.flags * self.holes.any(axis=0)).astype(np.int8)) if self.flags else binned

    def grow(self, engine: Engine = ENGINE, **changed) -> Tree:
        """The tree of a forest."""
        small, limits = self.small, {"key": tree_key(self.seed, self.tree, FEATURES), "max_depth": self.max_depth}
        counts = bootstrap_counts(self.seed, self.tree, len(small.X))
        limits |= {"n_candidates": self.n_candidates, "min_samples_leaf": small.min_samples_leaf} | changed
        return grow_forest_tree(self.binned(engine), small.residual, small.weight, counts, **limits)

    def all_features(self, residual: list[float], max_depth: int | None) -> naive.Growth:
        """The tree of GBRT as the oracle grows it: every row once, all features at every node."""
        columns, _, weight = listed(self.binned(), self.small)
        return self._oracle(columns, residual, weight, range(len(residual)), max_depth=max_depth)

    def leafwise(self, residual: list[float], **limits) -> naive.Growth:
        """The tree of McRank's rankers as the oracle grows it."""
        columns, _, weight = listed(self.binned(), self.small)
        least = self.small.min_samples_leaf
        of_holes = self.missed_bins, self.flags == 2
        return naive_igbrt.leafwise_tree(columns, residual, weight, *of_holes, min_samples_leaf=least, **limits)

    def drawn(self, tree: int, max_depth: int | None = None) -> naive.Growth:
        """Tree number `tree` of the forest as the oracle grows it, its rows and features drawn once more."""
        binned = self.binned()
        return self._oracle(
            *listed(binned, self.small),
            naive_igbrt.drawn_rows(self.seed, tree, len(self.small.X)),
            features_of=lambda key: naive_igbrt.drawn_features(key, self.n_candidates, binned.n_features),
            key=naive_igbrt.root_key(self.seed, tree, 1),
            max_depth=max_depth,
        )

    def _oracle(self, *arguments, **named) -> naive.Growth:
        least = self.small.min_samples_leaf
        return naive_igbrt.deep_tree(
            *arguments, missed_bin=self.missed_bins, needs_cut=self.flags == 2, min_samples_leaf=least, **named
        )

    @property
    def missed_bins(self) -> list[int | None]:
        """Of each feature that may be missed, the bin of the rows that miss it."""
        may_miss = self.holes.any(axis=0) & bool(self.flags)
        return [len(cut) if may else None for cut, may in zip(self.binned().cuts, may_miss, strict=True)]


@st.composite
def deep_cases(draw, max_samples=25):
    """Trees of a forest: rows drawn with replacement, some holes, some limit to the depth."""
    kinds = (*RESIDUAL_KINDS, *3 * ("dyadic", "normal"))  # more of those that give trees of some depth
    case = draw(tree_cases(max_samples=max_samples, residual_kinds=kinds))
    n_features = case.X.shape[1]
    share = draw(st.sampled_from([0, 8, 13, 13, 19, 32, 64]))  # of 64
    present = draw(st.sets(st.integers(0, n_features - 1), max_size=2))  # features that no row misses
    holes = draw(places(case.X.shape)) >= 64 - share if share else np.zeros(case.X.shape, bool)
    holes[:, sorted(present)] = False
    return DeepCase(
        case,
        holes,
        flags=draw(st.sampled_from([1, 1, 2, 2, 0])),
        seed=draw(SEEDS),
        tree=draw(st.integers(0, 5)),
        n_candidates=draw(st.just(n_features) | st.integers(1, n_features)),
        max_depth=draw(st.sampled_from([None, None, None, 0, 1, 2, 3])),
    )
