"""What inputs exist: Hypothesis strategies that the tests of binning, splitting, trees, boosters and rankers share.

Hypothesis draws sizes, kinds and a seed, and shrinks those; the numbers themselves come from NumPy's generator, which
is a hundred times faster than drawing them one by one. tests/meta/test_strategies.py holds that the rare inputs do occur.
"""

import datetime
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from refrank.trees.binning import BinnedFeatures
from refrank.trees.splitting import GROUP

SEEDS = st.integers(0, 2**32 - 1)
DTYPES = st.sampled_from([np.float64, np.float32])
THREADS = st.integers(1, 3)
UP_TO_11, UP_TO_40 = st.integers(1, 11), st.integers(1, 40)
CLASSES = st.integers(2, 5)

COLUMN_KINDS = (
    "constant",
    "few values",
    "integers",
    "normal",
    "tiny scale",
    "huge scale",
    "all scales",
    "signed zeros",
    "neighbours",
    "clusters",
)
RESIDUAL_KINDS = ("zeros", "equal", "dyadic", "normal", "one large", "tiny scale", "huge scale", "all scales")
WEIGHT_KINDS = ("none", "ones", "whole", "with zeros", "one row only", "any", "tiny scale", "all scales")


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def column(rng: np.random.Generator, kind: str, n_samples: int) -> NDArray[np.float64]:
    """One feature; every value is finite in float32 too."""
    normal = rng.normal(size=n_samples)
    match kind:
        case "constant":
            return np.full(n_samples, rng.choice([0.0, -1.5, 1e-12, 3e30]))
        case "few values":
            return rng.choice(rng.normal(size=3), n_samples)
        case "integers":
            return rng.integers(-4, 5, n_samples).astype(np.float64)
        case "normal":
            return normal
        case "tiny scale":  # below or around the initial bin length, 1e-8
            return normal * rng.choice([1e-12, 1e-9, 1e-8])
        case "huge scale":  # start + length is start in float64
            return normal * rng.choice([1e10, 1e30])
        case "all scales":
            return normal * 10.0 ** rng.integers(-30, 31, n_samples)
        case "signed zeros":
            return rng.choice([0.0, -0.0, 1e-300, -1e-300, 1.0], n_samples)
        case "neighbours":  # next to each other among the float32
            start = np.float32(rng.choice([1.0, 1e-8, -3e7]))
            steps = start.view(np.int32) + rng.integers(0, 6, n_samples).astype(np.int32)
            return steps.view(np.float32).astype(np.float64)
        case "clusters":  # gaps wider than bins
            return rng.integers(0, 4, n_samples) + rng.choice([0.0, 1e-9, 1e-8, 0.1], n_samples)
    raise AssertionError(kind)


@st.composite
def features(draw, n_samples=UP_TO_40, n_features=UP_TO_11):
    """X, (n_samples, n_features): either float type, C or F order, some rows repeated."""
    rng, n = rng_of(draw(SEEDS)), draw(n_samples)
    X = np.column_stack([column(rng, draw(st.sampled_from(COLUMN_KINDS)), n) for _ in range(draw(n_features))])
    if draw(st.booleans()):
        X = X[rng.integers(0, n, n)]  # rows that occur more than once
    return np.asarray(X, draw(DTYPES), order=draw(st.sampled_from("CF")))


def residual(rng: np.random.Generator, kind: str, n_samples: int) -> NDArray[np.float64]:
    """What a tree is fitted to."""
    normal = rng.normal(size=n_samples)
    match kind:
        case "zeros":
            return rng.choice([0.0, -0.0], n_samples)
        case "equal":
            return np.full(n_samples, normal[0])
        case "dyadic":  # few bits: on the grid without rounding, with many ties between cuts
            return rng.integers(-8, 9, n_samples) / 8.0
        case "normal":
            return normal
        case "one large":  # all others lose bits on the grid
            return np.where(np.arange(n_samples) == 0, 1e12, normal)
        case "tiny scale":
            return normal * 1e-310
        case "huge scale":
            return normal * 1e270  # times any weight below, still finite
        case "all scales":
            return normal * 10.0 ** rng.integers(-30, 31, n_samples)
    raise AssertionError(kind)


@st.composite
def residuals(draw, n_samples, kinds=RESIDUAL_KINDS):
    """A residual a row, (n_samples,)."""
    return residual(rng_of(draw(SEEDS)), draw(st.sampled_from(kinds)), n_samples)


def weight(rng: np.random.Generator, kind: str, n_samples: int) -> NDArray[np.float64] | None:
    """Sample weights, or none."""
    match kind:
        case "none":
            return None
        case "ones":
            return np.ones(n_samples)
        case "whole":
            return rng.integers(1, 5, n_samples).astype(np.float64)
        case "with zeros":
            return np.where(np.arange(n_samples) == 0, 1.0, rng.choice([0.0, 0.5, 3.0], n_samples))
        case "one row only":
            return (np.arange(n_samples) == rng.integers(n_samples)).astype(np.float64)
        case "any":
            return rng.uniform(0.1, 5.0, n_samples)
        case "tiny scale":
            return rng.uniform(0.1, 5.0, n_samples) * 1e-100
        case "all scales":
            return 10.0 ** rng.integers(-30, 31, n_samples)
    raise AssertionError(kind)


@st.composite
def weights(draw, n_samples, kinds=WEIGHT_KINDS):
    """A weight a row, (n_samples,), at least one above 0; or None."""
    return weight(rng_of(draw(SEEDS)), draw(st.sampled_from(kinds)), n_samples)


@st.composite
def labels(draw, n_samples, n_classes):
    """Labels 0..n_classes-1 as int64, at least two of them different; classes may be empty."""
    rng = rng_of(draw(SEEDS))
    present = rng.permutation(n_classes)[: draw(st.integers(2, n_classes))]
    y = rng.choice(present, n_samples)
    y[rng.permutation(n_samples)[:2]] = present[:2]
    return y.astype(np.int64)


def qids(n_samples):
    """A query id a row, of any type that ids have."""
    ids = st.sampled_from(
        [
            [1, 2, 3],
            [2**62, -5, 0],
            ["q", "a long id", ""],
            [1.5, -0.0, 2.0],
            [b"x", b"y"],
            [datetime.date(2007, 12, 3), datetime.date(2011, 1, 1)],
            [("web", 1), ("web", 2)],
        ]
    )
    return ids.flatmap(lambda some: st.lists(st.sampled_from(some), min_size=n_samples, max_size=n_samples))


@dataclass(frozen=True)
class BinnedCase:
    """Random bin labels, as no binning need have made them: bins may be empty."""

    codes: NDArray
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]  # some of the rows, in any order

    @property
    def n_samples(self) -> int:
        return self.codes.shape[1]

    @property
    def n_features(self) -> int:
        return len(self.offsets) - 1


def binned_case(rng: np.random.Generator, n_samples: int, n_rows: int, n_bins: list[int], dtype: type) -> BinnedCase:
    """Labels of n_samples rows, of which a node holds n_rows; feature f has n_bins[f] bins."""
    offsets = np.concatenate([[0], np.cumsum(n_bins)]).astype(np.int64)
    codes = np.zeros((-(-len(n_bins) // GROUP), n_samples, GROUP), dtype)
    for f, n in enumerate(n_bins):
        few = rng.integers(0, n, rng.integers(1, 5))  # most rows in few bins, the last bin among them at times
        column = np.where(rng.random(n_samples) < 0.7, rng.choice(few, n_samples), rng.integers(0, n, n_samples))
        codes[f // GROUP, :, f % GROUP] = column
    return BinnedCase(codes, offsets, rng.permutation(n_samples)[:n_rows].astype(np.int32))


@st.composite
def binned_cases(draw):
    """One byte or two a label; one feature or several groups; one row or many; one bin or as many as fit."""
    rng, two_bytes = rng_of(draw(SEEDS)), draw(st.booleans())
    sizes = st.sampled_from([1, 2, 3, 17, 255, 256, *([257, 3000, 65536] if two_bytes else [])])
    n_bins = draw(st.lists(sizes, min_size=1, max_size=4 if two_bytes else 19))
    n_samples = draw(st.sampled_from([1, 2, 3, 7, 33, 150]))
    n_rows = draw(st.integers(1, n_samples))
    return binned_case(rng, n_samples, n_rows, n_bins, np.uint16 if two_bytes else np.uint8)


@dataclass(frozen=True)
class TreeCase:
    """Everything a tree is grown from."""

    X: NDArray
    n_bins: int
    residual: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    min_samples_leaf: int
    n_leaves: int


@st.composite
def tree_cases(draw, max_samples=40, residual_kinds=RESIDUAL_KINDS, weight_kinds=WEIGHT_KINDS):
    """Small data for trees."""
    X = draw(features(n_samples=st.integers(1, max_samples), n_features=st.integers(1, 10)))
    return TreeCase(
        X,
        n_bins=draw(st.sampled_from([2, 3, 8, 256, 300, 65536])),
        residual=draw(residuals(len(X), residual_kinds)),
        weight=draw(weights(len(X), weight_kinds)),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 5])),
        n_leaves=draw(st.sampled_from([2, 3, 4, 10, 100])),
    )


@dataclass(frozen=True)
class RankingCase:
    """Small labelled data for boosters."""

    X: NDArray
    y: NDArray[np.int64]
    n_classes: int
    n_leaves: int
    n_bins: int


@st.composite
def ranking_cases(draw, max_samples=30, n_classes=CLASSES):
    """Small labelled data; a class may be empty."""
    X = draw(features(n_samples=st.integers(2, max_samples), n_features=st.integers(1, 4)))
    n = draw(n_classes)
    return RankingCase(
        X, draw(labels(len(X), n)), n, draw(st.sampled_from([2, 3, 5, 10])), draw(st.sampled_from([2, 4, 256, 300]))
    )


def columns_of(binned: BinnedFeatures | BinnedCase) -> list[list[int]]:
    """Bin labels feature by feature, (n_features, n_samples), as plain integers."""
    return [binned.codes[f // GROUP, :, f % GROUP].tolist() for f in range(binned.n_features)]
