"""What inputs the iGBRT rooms have: small trees and forests whose rows miss features, repeat and weigh."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from refrank.trees.binning import BinnedFeatures, bin_features
from refrank.trees.engine import DEFAULT_SPLITTER
from tests.strategies import SEEDS, TreeCase, columns_of, rng_of, tree_cases


@dataclass(frozen=True)
class DeepCase:
    """Everything a deep tree is grown from."""

    small: TreeCase
    holes: NDArray[np.bool_]  # (n_samples, n_features)
    flags: bool  # whether the binned features say which of them are missed
    seed: int
    tree: int
    n_candidates: int
    max_depth: int | None

    def binned(self, splitter=DEFAULT_SPLITTER) -> BinnedFeatures:
        """Bins of X with +inf in its holes."""
        X = np.where(self.holes, np.inf, self.small.X)
        binned = bin_features(X, self.small.n_bins, splitter=splitter)
        return replace(binned, missing=self.holes.any(axis=0).astype(np.int8)) if self.flags else binned

    @property
    def missing(self) -> list[int]:
        """Which features may be missed, one number a feature."""
        return (self.holes.any(axis=0) & self.flags).astype(int).tolist()


@st.composite
def deep_cases(draw, max_samples=25):
    """Trees of a forest: rows drawn with replacement, some holes, some limit to the depth."""
    case = draw(tree_cases(max_samples=max_samples))
    rng = rng_of(draw(SEEDS))
    share = draw(st.sampled_from([0.0, 0.2, 0.3, 0.5, 1.0]))
    holes = (rng.random(case.X.shape) < share) & (rng.random(case.X.shape[1]) < 0.9)
    return DeepCase(
        case,
        holes,
        flags=draw(st.sampled_from([True, True, True, False])),
        seed=draw(SEEDS),
        tree=draw(st.integers(0, 5)),
        n_candidates=draw(st.integers(1, case.X.shape[1])),
        max_depth=draw(st.sampled_from([None, None, 0, 1, 2, 3])),
    )


def listed(binned: BinnedFeatures, case: TreeCase) -> tuple[list[list[int]], list[float], list[float] | None]:
    """What an oracle takes: bin labels feature by feature, residuals, weights."""
    return columns_of(binned), case.residual.tolist(), None if case.weight is None else case.weight.tolist()


def last_bins(binned: BinnedFeatures) -> list[int]:
    """The last bin of each feature."""
    return [len(cut) for cut in binned.cuts]
