"""Cases with coarse bins, and the cut that the kernel and the specification must find in them."""

from functools import cache

import numpy as np

from refrank.trees import splitting
from refrank.trees.bins.coarse import CoarseBins, coarsen
from tests.strategies import BinnedCase, pack, rng_of


def count_bins(case: BinnedCase):
    """Number of rows in each bin, of all rows."""
    every = [np.ones(case.n_samples, np.int64)]
    return splitting.root_sums(case.codes, case.offsets, every, 1)[0]


def join(case: BinnedCase, ends: list) -> CoarseBins:
    """Coarse bins that end at these bins of each feature."""
    codes = np.zeros(case.codes.shape, np.uint8)
    for f, last in enumerate(ends):
        codes[f // 8, :, f % 8] = np.searchsorted(last, case.codes[f // 8, :, f % 8])
    offsets = np.cumsum([0, *map(len, ends)])
    return CoarseBins(codes, offsets, np.concatenate(ends).astype(np.int64), np.zeros(offsets[-1], np.int64))


def random_ends(rng, n_bins: int, missed: int = 0):
    """Up to 256 ends, the last bin among them, and the last but one where the last holds the rows that miss it."""
    some = rng.choice(n_bins, min(int(rng.integers(1, 255)), n_bins), replace=False)
    return np.unique([*some, n_bins - 1, max(n_bins - 2, 0) if missed else n_bins - 1])


def finds_the_best(
    kernel, case, coarse, integers, weights=None, *, features=None, least=1, threads=(1, 2), missing=None
):
    """The kernel's cut, of all features by default, is that of the specification over every bin; return it."""
    node = case.rows, integers, weights
    features = np.arange(case.n_features, dtype=np.int32) if features is None else features
    over = splitting.histogram(coarse.codes, coarse.offsets, *node, 1)
    args = case.column_codes, case.offsets, coarse.offsets, coarse.ends, over, *node, features, least
    expected = splitting.best_split_inside(*args, 1, missing)
    for n_threads in threads:
        split = kernel.best_split_inside(*args, n_threads, missing)
        assert split == expected
        assert list(map(type, split)) == list(map(type, expected))
    return expected


FLAGS = np.arange(10, dtype=np.int8) % 3  # which features a cut goes three ways in
RESIDUALS = {
    "noise": lambda rng, x: rng.normal(size=len(x)),
    "signal": lambda rng, x: np.sin(5 * x) + rng.normal(size=len(x)),
    "step": lambda rng, x: (x > 0.37) + 0.0,
    "classes": lambda rng, x: (rng.random(len(x)) < 0.1) - 0.1,
    "heavy tail": lambda rng, x: rng.normal(size=len(x)) ** 9,
    "far from 0": lambda rng, x: 1e6 + rng.normal(size=len(x)),
    "far below 0": lambda rng, x: -1e12 + rng.normal(size=len(x)),
    "one large": lambda rng, x: np.where(np.arange(len(x)) == 7, 1e9, rng.normal(size=len(x))),
    "few values": lambda rng, x: rng.integers(-1, 2, len(x)) + 0.0,
    "at one end": lambda rng, x: rng.normal(size=len(x)) + 9 * (x < 3 / len(x)) - 9 * (x > 1 - 2 / len(x)),
    "equal": lambda rng, x: np.ones(len(x)),
}
WEIGHTS = {
    "few values": lambda rng, x: rng.choice([0.5, 1.0, 3.0], len(x)),
    "log-normal": lambda rng, x: 10 ** rng.normal(0, 2, len(x)),
    "from 1e-12 to 1e12": lambda rng, x: 10 ** rng.uniform(-12, 12, len(x)),  # most are 0 on their grid
    "one heavy": lambda rng, x: np.where(np.arange(len(x)) == 7, 1e9, rng.random(len(x)) + 0.1),
    "light ends": lambda rng, x: 1e-8 + (x > 0.1) * (x < 0.9),
    "heavy ends": lambda rng, x: 1e-6 + (x < 4 / len(x)) + (x > 1 - 4 / len(x)),
    "with zeros": lambda rng, x: rng.integers(0, 3, len(x)) + 0.0,
    "all but two are zero": lambda rng, x: (x > np.sort(x)[-3]) + 0.0,
}


@cache
def many_bins(n_rows: int, holed: bool = False) -> tuple[np.ndarray, BinnedCase, CoarseBins]:
    """Features of even and of uneven bins, one that decides, copies of it that tie, and some of a few bins.

    With holes, two rows of five miss a feature, and the last bins of those with `FLAGS` hold them.
    """
    rng = rng_of(n_rows)
    x = rng.random(20_000)
    even, uneven = (x * 65_536).astype(int), (x**8 * 65_536).astype(int)
    labels = [rng.integers(0, 65_536, len(x)), even, uneven, even]
    labels += [rng.integers(0, n, len(x)) for n in (3, 999)]
    labels += [np.where(x < 0.9, 5, even), *rng.integers(0, 40_000, (3, len(x)))]
    n_bins = [65_536, 65_536, 65_536, 65_536, 3, 1000, 65_536, 40_000, 40_000, 40_001]
    if holed:
        labels = [np.where(rng.random(len(x)) < 0.4, n - 1, label) for label, n in zip(labels, n_bins, strict=True)]
    case = pack(labels, np.sort(rng.permutation(len(x))[:n_rows]), n_bins, np.uint16)
    return x, case, coarsen(case.codes, case.offsets, count_bins(case), FLAGS if holed else None)
