"""What McRank prints, held as data: Table 1, and what Sec. 6.1 says of its data sets."""

from dataclasses import dataclass

from refrank.metrics import Summary


@dataclass(frozen=True)
class PrintedRow:
    """One row of Table 1: test NDCG at L = 10 in percent, mean (sd), and one-sided p-values against McRank."""

    name: str
    n_test_queries: int
    ordinal: Summary | None  # not obtained for Web-2
    classification: Summary
    regression: Summary
    lambdarank: Summary
    p_regression: float  # of ordinal classification against the column; of classification for Web-2
    p_lambdarank: float


def printed_row(
    name: str, n_test_queries: int, means_and_sds: list[tuple[float, float] | None], p: tuple[float, float]
) -> PrintedRow:
    """Make a row of its numbers, in the order of the table's columns."""
    ordinal, *others = (None if cell is None else Summary(*cell, n_test_queries) for cell in means_and_sds)
    classification, regression, lambdarank = (cell for cell in others if cell is not None)
    return PrintedRow(name, n_test_queries, ordinal, classification, regression, lambdarank, *p)


# McRank Table 1. Web-3 is averaged over five folds, in which each of its 26,000 queries is tested once (Sec. 6.1).
TABLE_1 = (
    printed_row("Artificial", 10_000, [(85.0, 9.5), (83.7, 9.9), (82.9, 10.2), (74.9, 12.6)], (0.0, 0.0)),
    printed_row("Web-1", 10_000, [(72.4, 24.1), (72.2, 24.1), (71.7, 24.4), (71.2, 24.5)], (0.021, 0.0002)),
    printed_row("Web-2", 3_800, [None, (75.8, 23.8), (74.7, 24.4), (74.3, 24.3)], (0.023, 0.003)),
    printed_row("Web-3", 26_000, [(72.5, 26.5), (72.4, 27.3), (72.0, 27.6), (71.3, 28.8)], (0.017, 3.8e-7)),
)
