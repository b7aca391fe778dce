"""The tables of a bench as Markdown, aligned to be read in a terminal, too."""

import re
from collections.abc import Iterable, Mapping, Sequence

from refrank.reproduce.bench.comparisons import MeasureComparison
from refrank.reproduce.bench.result import BenchResult
from refrank.reproduce.bench.rows import (
    CHOICES,
    LEFT,
    MEANS,
    PAIRS,
    Row,
    conclude,
    describe_setting,
    describe_tests,
    list_choices,
    list_folds,
    list_means,
    list_pairs,
)

SPECIAL = re.compile(r"[\\|<>&*`\[\]~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # a _ inside a word stands for itself


def write_markdown(result: BenchResult, comparisons: Sequence[MeasureComparison], sections: Mapping[str, str]) -> str:
    """Write all tables of a bench, and the sections: name -> text."""
    lines = [f"# Bench of {quote(result.collection)}", ""]
    lines += [*map(quote, map(conclude, comparisons)), "", *map(quote, describe_setting(result)), ""]
    for of in comparisons:
        lines += [f"## {of.measure}", "", *write_table(MEANS, list_means(of)), ""]
        if of.pairs:
            lines += ["Every pair, a being the system of the higher mean:", "", *write_table(PAIRS, list_pairs(of)), ""]
        if len(result.folds) > 1:
            lines += ["Means of the folds:", ""]
            lines += [*write_table(["system", *result.folds, "mean of folds"], list_folds(of)), ""]
    lines += [*map(quote, describe_tests(comparisons)), ""]
    lines += ["## Chosen configurations", "", *write_table(CHOICES, list_choices(result)), ""]
    for name, text in sections.items():
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
        lines += [f"## {quote(name)}", "", fence, *text.rstrip("\n").split("\n"), fence, ""]
    return "\n".join(lines)


def write_table(heads: Row, rows: Iterable[Row]) -> list[str]:
    """Write the lines of a Markdown table; numbers stand on the right, and names are escaped.

    >>> print(*write_table(["system", "mean"], [["a|b", "0.5"]]), sep="\\n")
    | system | mean |
    |:-------|-----:|
    | a\\|b   |  0.5 |
    """
    left = [head in LEFT for head in heads]
    cells = [[quote(cell) if words else cell for cell, words in zip(row, left, strict=True)] for row in rows]
    columns = [*zip(map(quote, heads), *cells, strict=True)]
    for place, words in enumerate(left):
        width = max(map(len, columns[place]))
        rule = f":{'-' * (width + 1)}" if words else f"{'-' * (width + 1)}:"
        head, *below = (f" {cell:{'<' if words else '>'}{width}} " for cell in columns[place])
        columns[place] = (head, rule, *below)
    return [f"|{'|'.join(line)}|" for line in zip(*columns, strict=True)]


def quote(text: str) -> str:
    """Write text so that Markdown shows each of its characters, on one line."""
    return SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
