"""Whole pages of HTML: static, with one small style and no script; words of a user are escaped."""

from collections.abc import Iterable, Iterator
from html import escape

from refrank.inspection.style import INK

STYLE = f"""
body {{ font: 15px/1.45 system-ui, sans-serif; max-width: 68em; margin: 2em auto; padding: 0 1em; color: {INK} }}
h1 {{ font-size: 1.5em }} h2 {{ font-size: 1.15em; margin-top: 2em }} h3 {{ font-size: 1em; margin: 1.6em 0 .4em }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ padding: .2em .9em .2em 0; text-align: left; vertical-align: top; border-bottom: 1px solid #ddd }}
td.n, th.n {{ text-align: right }} td.o {{ font-weight: 600; color: #005a9c }} td.b {{ color: #666 }}
"""


def write_document(title: str, parts: Iterable[str], style: str = "") -> str:
    """Write a page of parts, below each other; `style` adds to the rules of every page."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title>\n<style>{STYLE}{style}</style>'
    lines = [f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>', *parts, "</body></html>\n"]
    return "\n".join(lines)


def make_table(heads: Iterable[str], rows: Iterable[Iterable[str]], words: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a table of cells; columns whose head is among the words stand on the left."""
    left = {*words}
    cells = (f"<th{'' if head in left else ' class=n'}>{escape(head)}</th>" for head in heads)
    yield f"<table>\n<tr>{''.join(cells)}</tr>"
    yield from (f"<tr>{''.join(row)}</tr>" for row in rows)
    yield "</table>"


def make_cell(text: object, kind: str = "") -> str:
    """Write a cell; its kind is a class of the style."""
    return f"<td{f' class={kind}' if kind else ''}>{escape(str(text))}</td>"
