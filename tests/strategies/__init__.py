"""Inputs: Hypothesis strategies that the tests of binning, splitting, trees, boosters and rankers share.

Arrays are drawn entry by entry, as places in small pools of values, so that ties are frequent and a failure shrinks to
a few rows of the first value of each pool. Only node cases of many rows (`binned_case`) take their numbers from a
seeded NumPy generator: thousands of labels are too many to draw one by one.
tests/meta/test_strategies.py holds that the rare inputs do occur.
"""

import datetime
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from refrank.trees.bins.binning import BinnedFeatures, bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, Engine
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import Leaves, Tree
from refrank.trees.splitting import GROUP

SEEDS = st.integers(0, 2**32 - 1)
DTYPES = st.sampled_from([np.float64, np.float32])
THREADS = st.integers(1, 3)
UP_TO_11, UP_TO_40 = st.integers(1, 11), st.integers(1, 40)
CLASSES = st.integers(2, 5)
ENGINE = Engine(DEFAULT_SPLITTER)  # what refrank runs on, on one thread

PLACES = 64  # the largest pool
NORMAL = np.random.default_rng(0).normal(size=PLACES)
SCALES = NORMAL * 10.0 ** np.random.default_rng(1).integers(-30, 31, PLACES)


def pool(*values) -> NDArray[np.float64]:
    return np.array(values, np.float64)


def step_up(start: float) -> NDArray[np.float64]:
    """Six values next to each other among the float32."""
    return (np.float32(start).view(np.int32) + np.arange(6, dtype=np.int32)).view(np.float32).astype(np.float64)


COLUMN_POOLS = {  # of each kind of feature, what one column is made of; every value is finite in float32 too
    "constant": [pool(0.0), pool(-1.5), pool(1e-12), pool(3e30)],
    "few values": [pool(0.0, 1.0, -0.3)],
    "integers": [np.arange(-4.0, 5.0)],
    "normal": [NORMAL],
    "tiny scale": [NORMAL * scale for scale in (1e-12, 1e-9, 1e-8)],  # below or around the initial bin length, 1e-8
    "huge scale": [NORMAL * scale for scale in (1e10, 1e30)],  # start + length is start in float64
    "all scales": [SCALES],
    "signed zeros": [pool(0.0, -0.0, 1e-300, -1e-300, 1.0)],
    "neighbours": [step_up(start) for start in (1.0, 1e-8, -3e7)],
    "clusters": [np.add.outer(pool(0.0, 1e-9, 1e-8, 0.1), np.arange(4.0)).ravel()],  # gaps wider than bins
}
RESIDUAL_POOLS = {
    "zeros": [pool(0.0, -0.0)],
    "equal": [pool(1.0), pool(-0.1), pool(NORMAL[0])],
    "signs": [pool(1.0, -1.0), pool(0.0, 1.0, -1.0)],  # ties between nodes too
    "dyadic": [np.arange(-8.0, 9.0) / 8],  # few bits: on the grid without rounding, with many ties between cuts
    "normal": [NORMAL],
    "one large": [NORMAL],  # and one that takes bits from all others on the grid
    "tiny scale": [NORMAL * 1e-310],
    "huge scale": [NORMAL * 1e270],  # times any weight below, still finite
    "all scales": [SCALES],
}
RESIDUAL_KINDS = tuple(RESIDUAL_POOLS)
POSITIVE = np.random.default_rng(2).uniform(0.1, 5.0, PLACES)
WEIGHT_POOLS = {
    "ones": [pool(1.0)],
    "whole": [np.arange(1.0, 5.0)],
    "with zeros": [pool(0.0, 0.5, 3.0)],
    "one row only": [pool(0.0)],
    "any": [POSITIVE],
    "tiny scale": [POSITIVE * 1e-100],
    "all scales": [10.0 ** np.arange(-30, 31)],
}
WEIGHT_KINDS = ("none", *WEIGHT_POOLS)


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def places(shape) -> st.SearchStrategy[NDArray[np.uint8]]:
    """Places in pools, drawn one by one."""
    return hnp.arrays(np.uint8, shape, elements=st.integers(0, PLACES - 1), fill=st.nothing())


@st.composite
def columns(draw, n_samples=UP_TO_40):
    """One feature, (n_samples,)."""
    values = draw(st.sampled_from(draw(st.sampled_from([*COLUMN_POOLS.values()]))))
    return values[draw(places(draw(n_samples))) % len(values)]


@st.composite
def features(draw, n_samples=UP_TO_40, n_features=UP_TO_11):
    """X, (n_samples, n_features): either float type, C or F order, some rows repeated."""
    n = draw(n_samples)
    X = np.column_stack([draw(columns(st.just(n))) for _ in range(draw(n_features))])
    if draw(st.booleans()):
        X = X[draw(places(n)) % n]  # rows that occur more than once
    return np.asarray(X, draw(DTYPES), order=draw(st.sampled_from("CF")))


@st.composite
def residuals(draw, n_samples, kinds=RESIDUAL_KINDS):
    """One residual per row, (n_samples,): what a tree is fitted to."""
    kind = draw(st.sampled_from(kinds))
    values = draw(st.sampled_from(RESIDUAL_POOLS[kind]))
    residual = values[draw(places(n_samples)) % len(values)]
    if kind == "one large":
        residual[0] = 1e12
    return residual


@st.composite
def weights(draw, n_samples, kinds=WEIGHT_KINDS):
    """One weight per row, (n_samples,), at least one above 0; or None."""
    kind = draw(st.sampled_from(kinds))
    if kind == "none":
        return None
    values = draw(st.sampled_from(WEIGHT_POOLS[kind]))
    weight = values[draw(places(n_samples)) % len(values)]
    if not weight.any():
        weight[draw(st.integers(0, n_samples - 1))] = 1.0
    return weight


@st.composite
def labels(draw, n_samples, n_classes):
    """Labels 0..n_classes-1 as int64, at least two of them different; classes may be empty."""
    present = np.array(draw(st.permutations(range(n_classes)))[: draw(st.integers(2, n_classes))], np.int64)
    y = present[draw(places(n_samples)) % len(present)]
    y[draw(st.permutations(range(n_samples)))[:2]] = present[:2]
    return y


def qids(n_samples):
    """One query id per row, of any type that ids have."""
    numbers, texts = ([1, 2, 3], [2**62, -5, 0], [1.5, -0.0, 2.0]), (["q", "a long id", ""], [b"x", b"y"])
    others = [datetime.date(2007, 12, 3), datetime.date(2011, 1, 1)], [("web", 1), ("web", 2)]
    ids = st.sampled_from([*numbers, *texts, *others])
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

    @property
    def column_codes(self) -> NDArray:
        """(n_features, n_samples): the labels column by column."""
        return np.stack([self.codes[f // GROUP, :, f % GROUP] for f in range(self.n_features)])


def pack(labels: list[NDArray], rows, n_bins: list[int], dtype: type) -> BinnedCase:
    """Lay the labels of each feature, (n_samples,), out in groups."""
    codes = np.zeros((-(-len(n_bins) // GROUP), len(labels[0]), GROUP), dtype)
    for f, label in enumerate(labels):
        codes[f // GROUP, :, f % GROUP] = label
    return BinnedCase(codes, np.cumsum([0, *n_bins], dtype=np.int64), np.array(rows, np.int32))


def binned_case(rng: np.random.Generator, n_samples: int, n_rows: int, n_bins: list[int], dtype: type) -> BinnedCase:
    """Labels of many rows, by a seed: n_samples of them, of which a node holds n_rows; feature f has n_bins[f] bins."""
    labels = []
    for n in n_bins:
        few = rng.integers(0, n, rng.integers(1, 5))  # most rows in few bins, the last bin among them at times
        labels.append(np.where(rng.random(n_samples) < 0.7, rng.choice(few, n_samples), rng.integers(0, n, n_samples)))
    return pack(labels, rng.permutation(n_samples)[:n_rows], n_bins, dtype)


@st.composite
def binned_cases(draw):
    """One byte or two per label; one feature or several groups; one row or many; one bin or as many as fit."""
    two_bytes = draw(st.booleans())
    dtype = np.uint16 if two_bytes else np.uint8
    sizes = st.sampled_from([1, 2, 3, 17, 255, 256, *([257, 3000, 65536] if two_bytes else [])])
    n_bins = draw(st.lists(sizes, min_size=1, max_size=4 if two_bytes else 19))
    n_samples = draw(st.sampled_from([1, 2, 3, 7, 20, 33, 150]))
    n_rows = draw(st.integers(1, n_samples))
    if n_samples > 20:
        return binned_case(rng_of(draw(SEEDS)), n_samples, n_rows, n_bins, dtype)
    at = draw(places((n_samples, len(n_bins)))).astype(np.int64)
    ends = np.array([[0, n - 1, 1 % n, n // 2] for n in n_bins])  # where most rows are
    labels = [np.where(at[:, f] < 48, ends[f][at[:, f] % 4], at[:, f] * n // PLACES) for f, n in enumerate(n_bins)]
    return pack(labels, draw(st.permutations(range(n_samples)))[:n_rows], n_bins, dtype)


@dataclass(frozen=True)
class TreeCase:
    """Everything a tree is grown from."""

    X: NDArray
    n_bins: int
    residual: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    min_samples_leaf: int
    n_leaves: int

    def binned(self, engine: Engine = ENGINE) -> BinnedFeatures:
        return bin_features(self.X, self.n_bins, engine=engine)

    def grow(self, engine: Engine = ENGINE, **limits) -> tuple[Tree, Leaves]:
        """Grow best first to `n_leaves`, or to the limits that are given instead."""
        limits = {"min_samples_leaf": self.min_samples_leaf} | (limits or {"n_leaves": self.n_leaves})
        return Grower(self.binned(engine), **limits)(self.residual, self.weight)


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

    def take(self, rows: NDArray[np.integer]) -> "RankingCase":
        """These rows, in this order."""
        return RankingCase(self.X[rows], self.y[rows], self.n_classes, self.n_leaves, self.n_bins)

    def grower(self, engine: Engine = ENGINE) -> Grower:
        """Grower that fits a tree to a residual."""
        return Grower(bin_features(self.X, self.n_bins, engine=engine), n_leaves=self.n_leaves)


@st.composite
def ranking_cases(draw, max_samples=30, n_classes=CLASSES):
    """Small labelled data; a class may be empty."""
    X = draw(features(n_samples=st.integers(2, max_samples), n_features=st.integers(1, 4)))
    n, n_leaves, n_bins = draw(n_classes), draw(st.sampled_from([2, 3, 5, 10])), draw(st.sampled_from([2, 4, 256, 300]))
    return RankingCase(X, draw(labels(len(X), n)), n, n_leaves, n_bins)


def columns_of(binned: BinnedFeatures | BinnedCase) -> list[list[int]]:
    """Bin labels feature by feature, (n_features, n_samples), as plain integers."""
    return [binned.codes[f // GROUP, :, f % GROUP].tolist() for f in range(binned.n_features)]


def listed(binned: BinnedFeatures, case: TreeCase) -> tuple[list[list[int]], list[float], list[float] | None]:
    """Arguments of an oracle: bin labels feature by feature, residuals, weights."""
    return columns_of(binned), case.residual.tolist(), None if case.weight is None else case.weight.tolist()
