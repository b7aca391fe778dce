"""The table of a bench for a paper: LaTeX, with the rules of booktabs."""

import re
from collections.abc import Iterator, Sequence

from refrank.reproduce.bench.comparisons import MeasureComparison
from refrank.reproduce.bench.result import BenchResult
from refrank.reproduce.bench.rows import MEANS, Row, describe_setting, describe_tests, list_means

HEADS = MEANS[:-1]  # the last column is told by the marks
CLOSE = r"$^{\dagger}$"
SPECIAL = {
    **{sign: rf"\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


def write_latex(result: BenchResult, comparisons: Sequence[MeasureComparison]) -> str:
    """Write a table with a block per measure: the best in bold, and a dagger where a system is not told apart from it.

    It needs `\\usepackage{booktabs}`.
    """
    return "\n".join([*list_lines(result, comparisons), ""])


def list_lines(result: BenchResult, comparisons: Sequence[MeasureComparison]) -> Iterator[str]:
    """Yield the lines of the table."""
    marks = f"Bold: the highest mean; {CLOSE}: does not differ from it."
    sentences = [*map(quote, describe_setting(result)), marks, *map(quote, describe_tests(comparisons))]
    yield from (r"\begin{table}", r"  \centering", r"  \footnotesize")
    yield f"  \\caption{{Systems on {quote(result.collection)}. {' '.join(sentences)}}}"
    yield r"  \label{tab:bench}"
    yield f"  \\begin{{tabular}}{{l{'r' * (len(HEADS) - 1)}}}"
    yield r"    \toprule"
    yield f"    {' & '.join(map(quote, HEADS))} \\\\"
    for of in comparisons:
        yield r"    \midrule"
        yield rf"    \multicolumn{{{len(HEADS)}}}{{l}}{{\emph{{{quote(str(of.measure))}}}}} \\"
        yield from (f"    {' & '.join(mark_row(of, row))} \\\\" for row in list_means(of))
    yield from (r"    \bottomrule", r"  \end{tabular}", r"\end{table}")


def mark_row(comparison: MeasureComparison, row: Row) -> Row:
    """Escape the cells of a row of `HEADS`, and mark the mean."""
    system, mean, *others = map(quote, row[: len(HEADS)])
    if system.startswith(("[", "*")):  # which the end of the line above would take for its argument
        system = f"{{}}{system}"
    if row[0] == comparison.best:
        mean = rf"\textbf{{{mean}}}"
    return [system, mean + CLOSE if comparison.is_close(row[0]) else mean, *others]


def quote(text: str) -> str:
    """Write text so that LaTeX prints each of its characters, on one line."""
    return re.sub(r"[&%$#_{}\\~^<>|]", lambda sign: SPECIAL[sign[0]], " ".join(text.split()))
