"""What McRank prints, held as data: Table 1, and the sizes of its test sets (Sec. 6.1)."""

from typing import NamedTuple

from refrank.metrics import Summary


class PrintedRow(NamedTuple):
    """One row of Table 1: test NDCG at L = 10 in percent, and one-sided p-values against McRank.

    McRank's own column is ordinal classification; classification for Web-2, for which the other was not obtained.
    """

    name: str
    summaries: tuple[Summary | None, ...]  # of ordinal classification, classification, regression, LambdaRank
    p_regression: float
    p_lambdarank: float


def make_row(name: str, n_queries: int, p_values: tuple[float, float], *ndcg: tuple[float, float] | None) -> PrintedRow:
    """Make a row from its p-values and the mean and standard deviation of each column."""
    return PrintedRow(name, tuple(None if cell is None else Summary(*cell, n_queries) for cell in ndcg), *p_values)


# McRank Table 1. Web-3 is averaged over five folds, in which each of its 26,000 queries is tested once (Sec. 6.1).
TABLE_1 = (
    make_row("Artificial", 10_000, (0.0, 0.0), (85.0, 9.5), (83.7, 9.9), (82.9, 10.2), (74.9, 12.6)),
    make_row("Web-1", 10_000, (0.021, 0.0002), (72.4, 24.1), (72.2, 24.1), (71.7, 24.4), (71.2, 24.5)),
    make_row("Web-2", 3_800, (0.023, 0.003), None, (75.8, 23.8), (74.7, 24.4), (74.3, 24.3)),
    make_row("Web-3", 26_000, (0.017, 3.8e-7), (72.5, 26.5), (72.4, 27.3), (72.0, 27.6), (71.3, 28.8)),
)
