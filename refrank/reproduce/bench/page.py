"""The page of a bench: the tables of each measure, its differences as a picture and a matrix, and every query."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from refrank.inspection.document import make_cell, make_table, write_document
from refrank.inspection.style import PALE
from refrank.reproduce.bench.comparisons import MeasureComparison
from refrank.reproduce.bench.drawings import MOST_NAMED, draw_differences, draw_scatter
from refrank.reproduce.bench.result import BenchResult
from refrank.reproduce.bench.rows import (
    CHOICES,
    LEFT,
    MEANS,
    Row,
    conclude,
    describe_setting,
    describe_tests,
    list_choices,
    list_folds,
    list_means,
)

STYLE = f"""table {{ font-size: 13px }} svg {{ margin: .3em 1em .6em 0; max-width: 100% }} pre {{ font-size: 12px }}
p.note, summary, table.matrix small {{ color: #555 }} div.wide {{ overflow-x: auto }}
table.matrix td {{ border: 1px solid #ddd; padding: .3em .7em; text-align: center; line-height: 1.35 }}
table.matrix td.y {{ background: {PALE} }}
"""


def write_page(result: BenchResult, comparisons: Sequence[MeasureComparison], sections: Mapping[str, str]) -> str:
    """Write the page, and the sections below: name -> text."""
    return write_document(f"Bench of {result.collection}", list_parts(result, comparisons, sections), STYLE)


def list_parts(
    result: BenchResult, comparisons: Sequence[MeasureComparison], sections: Mapping[str, str]
) -> Iterator[str]:
    """Yield the parts of the page."""
    yield f"<h1>Bench of {escape(result.collection)}</h1>"
    yield write_paragraph(map(conclude, comparisons))
    yield write_paragraph(describe_setting(result))
    for of in comparisons:
        yield f"<h2>{escape(str(of.measure))}</h2>"
        yield from list_tables(result, of)
        if of.pairs:
            yield from list_drawings(result, of)
    yield "<h2>What the figures are</h2>"
    yield write_paragraph(describe_tests(comparisons))
    yield "<h2>Chosen configurations</h2>"
    yield from write_wide(CHOICES, list_choices(result))
    for name, text in sections.items():
        yield f"<h2>{escape(name)}</h2>\n<pre>{escape(text)}</pre>"


def list_tables(result: BenchResult, comparison: MeasureComparison) -> Iterator[str]:
    """Yield the tables of a measure: means, differences from the best, folds."""
    yield from write_wide(MEANS, list_means(comparison), comparison.best)
    if len(result.folds) > 1:
        yield "<h3>Folds</h3>"
        yield from write_wide(["system", *result.folds, "mean of folds"], list_folds(comparison), comparison.best)


def list_drawings(result: BenchResult, comparison: MeasureComparison) -> Iterator[str]:
    """Yield the differences of a measure as drawing and matrix, and a scatter of each pair, those of the best first."""
    yield f"<h3>Below {escape(comparison.best)}</h3>"
    note = "95% intervals; differences within the pale band are not resolved. Filled: it differs."
    yield write_paragraph([note], "note")
    yield draw_differences(comparison)
    yield "<h3>Every pair: row minus column</h3>"
    yield write_paragraph(["Difference, its 95% interval, and what the pair resolves. Bold: the two differ."], "note")
    yield from write_matrix(comparison)
    yield "<h3>Every query</h3>"
    yield write_paragraph([f"A point is a query; the pointer shows the {MOST_NAMED} that differ most."], "note")
    rows = dict(zip(result.systems, result.values[str(comparison.measure)], strict=True))
    drawings = {
        (pair.a, pair.b): draw_scatter(pair, result.qid, rows[pair.a], rows[pair.b]) for pair in comparison.pairs
    }
    yield from (drawing for (a, _), drawing in drawings.items() if a == comparison.best)
    others = "".join(drawing for (a, _), drawing in drawings.items() if a != comparison.best)
    if others:
        yield f"<details><summary>The other pairs</summary>{others}</details>"


def write_paragraph(sentences: Iterable[str], kind: str = "") -> str:
    """Write sentences, which are escaped; the kind is a class of the style."""
    return f"<p{f' class={kind}' if kind else ''}>{' '.join(map(escape, sentences))}</p>"


def write_wide(heads: Row, rows: Iterable[Row], best: str | None = None) -> Iterator[str]:
    """Yield the lines of a table, which may scroll; the name and the mean of the best are marked."""
    yield "<div class=wide>"
    yield from make_table(heads, (list_cells(heads, row, row[0] == best) for row in rows), LEFT)
    yield "</div>"


def list_cells(heads: Row, row: Row, is_best: bool) -> Iterator[str]:
    """Yield the cells of a row."""
    for head, text in zip(heads, row, strict=True):
        kind = "" if head in LEFT else "n"
        yield make_cell(text, f'"{kind} o"' if is_best and head in ("system", "mean") else kind)


def write_matrix(comparison: MeasureComparison) -> Iterator[str]:
    """Yield the lines of the table of all differences, systems by falling mean."""
    names = [system.name for system in comparison.ranked]
    heads = "".join(f"<th>{escape(name)}</th>" for name in names)
    yield f"<div class=wide><table class=matrix>\n<tr><th></th>{heads}</tr>"
    for a in names:
        cells = "".join(write_difference(comparison, a, b) for b in names)
        yield f"<tr><th>{escape(a)}</th>{cells}</tr>"
    yield "</table></div>"


def write_difference(comparison: MeasureComparison, a: str, b: str) -> str:
    """Write the cell of a minus b."""
    pair = comparison.find_pair(a, b) if a != b else None
    if pair is None:
        return "<td></td>"
    sign = 1 if pair.a == a else -1
    low, high = sorted(sign * end for end in (pair.compared.interval.low, pair.compared.interval.high))
    difference = f"{sign * pair.compared.difference.mean:+.4f}"
    small = f"<small>[{low:+.4f}, {high:+.4f}]<br>resolves {pair.resolved:.4f}</small>"
    return f"<td class=y><b>{difference}</b><br>{small}</td>" if pair.differs else f"<td>{difference}<br>{small}</td>"
