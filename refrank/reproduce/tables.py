"""Text tables: a heading, named rows, columns aligned on the right, and "mean (sd)" cells."""

from collections.abc import Callable, Iterable, Sequence

from numpy.typing import ArrayLike

from refrank.metrics import SignificanceTest, Summary, summarize
from refrank.metrics.significance import Alternative

RunTest = Callable[[ArrayLike, ArrayLike, Alternative], SignificanceTest]

Row = tuple[str, Sequence[str]]  # its name, and a cell per column


def write_table(rows: Iterable[Row], name_width: int = 20, width: int = 16) -> list[str]:
    """Write the lines of a table; the first row is the heading.

    >>> print(*write_table([("NDCG", ["test", "p"]), ("McRank", [format_mean([70, 71, 72]), "-"])], 8, 12), sep="\\n")
    NDCG            test           p
    McRank    71.0 (1.0)           -
    """
    return [(f"{name:{name_width}}" + "".join(f"{cell:>{width}}" for cell in cells)).rstrip() for name, cells in rows]


def format_mean(values: ArrayLike | Summary, digits: int = 1) -> str:
    """Write the mean of values to a number of digits, and in parentheses their standard deviation."""
    summary = values if isinstance(values, Summary) else summarize(values)
    return f"{summary.mean:.{digits}f} ({summary.sd:.1f})"


def format_p_value(run_test: RunTest, a: ArrayLike, b: ArrayLike, alternative: Alternative) -> str:
    """Write the p-value of a test between the queries of two rankers, in two digits."""
    try:
        return f"{run_test(a, b, alternative).p_value:.2g}"
    except ValueError:  # a small test set may have no spread to test against
        return "none"
