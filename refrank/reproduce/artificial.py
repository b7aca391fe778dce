"""The artificial data of McRank Sec. 6.1 as a fold, and the same with holes, on which iGBRT's runs try themselves."""

from dataclasses import replace

import numpy as np

from refrank.datasets import Fold, LetorData, cubic_polynomial


def artificial_fold(name: str, n_queries: tuple[int, int, int], seed: int) -> Fold:
    """Draw training, validation and test queries: three draws of documents labelled by one polynomial.

    Parameters
    ----------
    name : str
        What the fold is called.
    n_queries : three ints
        Queries of each split, of 50 documents with 50 features.
    seed : int
        Seed of the polynomial; those of the documents are 3 seed, 3 seed + 1 and 3 seed + 2.

    Examples
    --------
    >>> fold = artificial_fold("artificial", (4, 2, 3), seed=0)
    >>> fold.train.X.shape, len(fold.valid.y), len(fold.test.y)
    ((200, 50), 100, 150)
    """
    train, valid, test = (
        cubic_polynomial(n, random_state=3 * seed + split, polynomial_seed=seed) for split, n in enumerate(n_queries)
    )
    return Fold(name, train, valid, test)


def with_holes(fold: Fold, share: float, seed: int) -> Fold:
    """Make a share of the features NaN, at random; labels and queries stay.

    Examples
    --------
    >>> fold = with_holes(artificial_fold("artificial", (4, 2, 3), seed=0), 0.4, seed=0)
    >>> round(float(np.isnan(fold.train.X).mean()), 1)
    0.4
    """
    rng = np.random.default_rng(seed)

    def holed(data: LetorData) -> LetorData:
        return replace(data, X=np.where(rng.random(data.X.shape) < share, np.float32(np.nan), data.X))

    return replace(fold, train=holed(fold.train), valid=holed(fold.valid), test=holed(fold.test))
