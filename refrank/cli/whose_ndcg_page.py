"""The page of `refrank whose-ndcg`: static HTML with one small style, and no script; names from files are escaped."""

from collections.abc import Iterator
from html import escape
from itertools import islice

from refrank.cli.evaluation import format_figure
from refrank.cli.figures import Figures, count, describe_rules
from refrank.datasets.whole_file import replace_file
from refrank.inspection.document import make_cell, make_table, write_document
from refrank.metrics import PresetValue

MOST_QUERIES = 1000  # on a page; a file of --per-query has all

WORDS = ("convention", "query", "by", "each rule alone")  # columns of words


def write_page(path: str, figures: Figures) -> None:
    """Write the page, whole or not at all."""
    with replace_file(path) as file:
        page = write_document(figures.ranking.title, list_parts(figures))
        file.write(page.encode("utf-8", "backslashreplace"))


def list_parts(figures: Figures) -> Iterator[str]:
    """Yield the page, part by part: all figures, the rules of each measure, the queries, the conventions."""
    title, queries = escape(figures.ranking.title), figures.ranking.queries
    yield f"<h1>Whose NDCG?</h1>\n<p>{title}: {count(len(queries), 'query')}."
    yield from (f"<br>{escape(note)}." for note in figures.ranking.notes)
    yield f"</p>\n<p>Figures in blue differ from those of <b>{escape(figures.base.name)}</b>.</p>"
    presets = [*zip(*figures.values.values(), strict=True)]
    rows = ([make_cell(of[0].spec.name), *map(mark_figure, of), make_cell(of[0].n_counted, "n")] for of in presets)
    yield from make_table(["convention", *figures.values, "queries"], rows, WORDS)
    for name, values in figures.values.items():
        base = figures.find_base(name)
        yield f"<h2>{escape(name)}: from {format_figure(base.value)} ({escape(base.spec.name)}) to</h2>"
        others = (value for value in values if value.problem or value.needed)
        yield from make_table(["convention", "figure", "by", "each rule alone"], map(list_cells, others), WORDS)
    columns = [figures.find_base(name).values.tolist() for name in figures.values]
    yield f"<h2>Each query, by {escape(figures.base.name)}</h2>"
    if len(queries) > MOST_QUERIES:
        yield f"<p>The first {MOST_QUERIES} of {len(queries)}; --per-query writes all.</p>"
    lines = (
        [make_cell(query), *(make_cell(format_figure(v), "n") for v in of)]
        for query, *of in zip(queries, *columns, strict=True)
    )
    yield from make_table(["query", *figures.values], islice(lines, MOST_QUERIES), WORDS)
    yield "<h2>Conventions</h2>\n<ul>"
    yield from (f"<li>{escape(str(of[0].spec))}</li>" for of in presets)
    yield "</ul>"


def mark_figure(value: PresetValue) -> str:
    """Write a figure, marked where it differs from that of the base."""
    return make_cell(format_figure(value.value), '"n o"' if value.needed else "n")


def list_cells(value: PresetValue) -> list[str]:
    """List the cells of a convention: its figure, the rules that lead to it, and what each of its rules does alone."""
    alone = (f"{by.rule} {by.preset_choice}: {format_figure(by.value)}" for by in value.effects)
    rules = value.problem or describe_rules(value)
    return [make_cell(value.spec.name), mark_figure(value), make_cell(rules), make_cell("; ".join(alone), "b")]
