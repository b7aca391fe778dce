"""The page of `refrank whose-ndcg`: static HTML with one small style, and no script; names from files are escaped."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import islice

from refrank.cli.evaluation import format_figure
from refrank.cli.figures import Figures, count, describe_rules
from refrank.datasets.whole_file import replace_file
from refrank.metrics import PresetValue

MOST_QUERIES = 1000  # on a page; a file of --per-query has all

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; max-width: 68em; margin: 2em auto; padding: 0 1em; color: #1c1c1c }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .2em .9em .2em 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd }
td.n, th.n { text-align: right } td.o { font-weight: 600; color: #005a9c } td.b { color: #666 }
"""


def write_page(path: str, figures: Figures) -> None:
    """Write the page, whole or not at all."""
    with replace_file(path) as file:
        file.write("\n".join(list_parts(figures)).encode("utf-8", "backslashreplace"))


def list_parts(figures: Figures) -> Iterator[str]:
    """Yield the page, part by part: all figures, the rules of each measure, the queries, the conventions."""
    title, queries = escape(figures.ranking.title), figures.ranking.queries
    yield f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield f"<style>{STYLE}</style></head><body>\n<h1>Whose NDCG?</h1>\n<p>{title}: {count(len(queries), 'query')}."
    yield from (f"<br>{escape(note)}." for note in figures.ranking.notes)
    yield f"</p>\n<p>Figures in blue differ from those of <b>{escape(figures.base.name)}</b>.</p>"
    presets = [*zip(*figures.values.values(), strict=True)]
    rows = ([make_cell(of[0].spec.name), *map(mark_figure, of), make_cell(of[0].n_counted, "n")] for of in presets)
    yield from make_table(["convention", *figures.values, "queries"], rows)
    for name, values in figures.values.items():
        base = figures.find_base(name)
        yield f"<h2>{escape(name)}: from {format_figure(base.value)} ({escape(base.spec.name)}) to</h2>"
        others = (value for value in values if value.problem or value.needed)
        yield from make_table(["convention", "figure", "by", "each rule alone"], map(list_cells, others))
    columns = [figures.find_base(name).values.tolist() for name in figures.values]
    yield f"<h2>Each query, by {escape(figures.base.name)}</h2>"
    if len(queries) > MOST_QUERIES:
        yield f"<p>The first {MOST_QUERIES} of {len(queries)}; --per-query writes all.</p>"
    lines = (
        [make_cell(query), *(make_cell(format_figure(v), "n") for v in of)]
        for query, *of in zip(queries, *columns, strict=True)
    )
    yield from make_table(["query", *figures.values], islice(lines, MOST_QUERIES))
    yield "<h2>Conventions</h2>\n<ul>"
    yield from (f"<li>{escape(str(of[0].spec))}</li>" for of in presets)
    yield "</ul>\n</body></html>\n"


def make_table(heads: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Yield the lines of a table; the first column and those of words stand on the left."""
    words = ("convention", "query", "by", "each rule alone")
    cells = (f"<th{'' if head in words else ' class=n'}>{escape(head)}</th>" for head in heads)
    yield f"<table>\n<tr>{''.join(cells)}</tr>"
    yield from (f"<tr>{''.join(row)}</tr>" for row in rows)
    yield "</table>"


def make_cell(text: object, kind: str = "") -> str:
    """Write a cell; its kind is a class of the style."""
    return f"<td{f' class={kind}' if kind else ''}>{escape(str(text))}</td>"


def mark_figure(value: PresetValue) -> str:
    """Write a figure, marked where it differs from that of the base."""
    return make_cell(format_figure(value.value), '"n o"' if value.needed else "n")


def list_cells(value: PresetValue) -> list[str]:
    """List the cells of a convention: its figure, the rules that lead to it, and what each of its rules does alone."""
    alone = (f"{by.rule} {by.preset_choice}: {format_figure(by.value)}" for by in value.effects)
    rules = value.problem or describe_rules(value)
    return [make_cell(value.spec.name), mark_figure(value), make_cell(rules), make_cell("; ".join(alone), "b")]
