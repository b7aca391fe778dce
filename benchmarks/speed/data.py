"""The data of the benchmarks: McRank's artificial documents, and sparse features with the zeros of MSLR and Yahoo.

Every data set comes with held-out queries of the same kind, to measure the quality of the trained models.
"""

from dataclasses import dataclass

import numpy as np

from refrank.datasets import cubic_polynomial
from refrank.metrics import ndcg

GRADE_SHARES = (0.52, 0.32, 0.13, 0.02, 0.01)  # of labels 0..4, as in MSLR-WEB30K
DOCS_PER_QUERY = 120
N_TEST_QUERIES = 400
CHUNK_ROWS = 65_536


@dataclass(frozen=True)
class RankingData:
    """Training rows, and held-out queries."""

    X: np.ndarray  # (n_samples, n_features) float32
    y: np.ndarray  # (n_samples,) labels 0..4
    X_test: np.ndarray
    y_test: np.ndarray
    qid_test: np.ndarray

    def score(self, scores: np.ndarray) -> float:
        """Compute the mean NDCG@10 of a ranking of the held-out queries."""
        return float(ndcg(self.y_test, scores, self.qid_test))

    def __str__(self) -> str:
        return f"{self.X.shape[0]:,} x {self.X.shape[1]}"


def draw_uniform(n_samples: int, n_features: int = 50, seed: int = 0) -> RankingData:
    """Draw McRank's artificial data: uniform features, five classes cut from a cubic polynomial, no noise."""
    train = cubic_polynomial(n_samples // 50, n_features=n_features, random_state=2 * seed)
    test = cubic_polynomial(N_TEST_QUERIES, n_features=n_features, random_state=2 * seed + 1)
    return RankingData(train.X, train.y, test.X, test.y, test.qid)


def draw_sparse(n_samples: int, n_features: int, zeros: float, seed: int = 0) -> RankingData:
    """Draw non-negative features on grids of different fineness, of which a share is zero.

    Labels 0..4 in the proportions of MSLR follow eight of the features, with noise.
    """
    rng = np.random.default_rng(seed)
    n_test = N_TEST_QUERIES * DOCS_PER_QUERY
    steps = (10.0 ** rng.uniform(1, 4, n_features) / 8).astype(np.float32)
    shares = rng.normal(0, 0.2, n_features)
    for _ in range(20):  # shares of zeros in [0, .98] with the mean that is asked for
        shares = np.clip(shares + zeros - shares.mean(), 0, 0.98)
    X = np.empty((n_samples + n_test, n_features), np.float32)
    for start in range(0, len(X), CHUNK_ROWS):
        chunk = X[start : start + CHUNK_ROWS]
        rng.standard_exponential(dtype=np.float32, out=chunk)
        np.ceil(chunk * steps, out=chunk)
        chunk /= steps
        chunk[rng.random(chunk.shape, dtype=np.float32) < shares] = 0
    target = sum(np.sqrt(X[:, j]) * (1 + X[:, j + 4] > 1.5) for j in range(4)) + rng.normal(size=len(X))
    y = np.searchsorted(np.quantile(target[:n_samples], np.cumsum(GRADE_SHARES)[:-1]), target)
    qid = np.repeat(np.arange(N_TEST_QUERIES), DOCS_PER_QUERY)
    return RankingData(X[:n_samples], y[:n_samples], X[n_samples:], y[n_samples:], qid)
