"""What McRank prints, held as data: Table 1, and the sizes of its test sets (Sec. 6.1)."""

from dataclasses import dataclass

from refrank.metrics import Summary


@dataclass(frozen=True)
class PrintedRow:
    """One row of Table 1: test NDCG at L = 10 in percent, and one-sided p-values against McRank.

    Parameters
    ----------
    name : str
    ndcg : tuple of (mean, standard deviation)
        Of ordinal classification (not obtained for Web-2), classification, regression and LambdaRank.
    n_test_queries : int
    p_regression, p_lambdarank : float
        Of ordinal classification against the column; of classification for Web-2.
    """

    name: str
    ndcg: tuple[tuple[float, float] | None, ...]
    n_test_queries: int
    p_regression: float
    p_lambdarank: float

    @property
    def summaries(self) -> list[Summary | None]:
        """The columns of the row."""
        return [None if cell is None else Summary(*cell, self.n_test_queries) for cell in self.ndcg]


# McRank Table 1. Web-3 is averaged over five folds, in which each of its 26,000 queries is tested once (Sec. 6.1).
TABLE_1 = (
    PrintedRow("Artificial", ((85.0, 9.5), (83.7, 9.9), (82.9, 10.2), (74.9, 12.6)), 10_000, 0.0, 0.0),
    PrintedRow("Web-1", ((72.4, 24.1), (72.2, 24.1), (71.7, 24.4), (71.2, 24.5)), 10_000, 0.021, 0.0002),
    PrintedRow("Web-2", (None, (75.8, 23.8), (74.7, 24.4), (74.3, 24.3)), 3_800, 0.023, 0.003),
    PrintedRow("Web-3", ((72.5, 26.5), (72.4, 27.3), (72.0, 27.6), (71.3, 28.8)), 26_000, 0.017, 3.8e-7),
)
