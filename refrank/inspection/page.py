"""Pieces of HTML for notebooks: static, without scripts, and with every word of a user escaped."""

from collections.abc import Iterable
from html import escape

from refrank.inspection.style import GREY, INK

FONT = f"font: 13px sans-serif; color: {INK}; background: #fff; padding: 6px; overflow-x: auto"


def write_page(heading: str, *pieces: str) -> str:
    """Write a heading, which is escaped, and pieces of HTML below each other."""
    return f'<div style="{FONT}"><p style="margin: 0 0 6px"><b>{escape(heading)}</b></p>{"".join(pieces)}</div>'


def write_table(rows: Iterable[tuple[str, object]]) -> str:
    """Write names and values, which are escaped, as the rows of a table."""
    cell = 'style="text-align: left; padding: 1px 14px 1px 0; background: #fff"'
    lines = (f"<tr><td {cell}>{escape(name)}</td><td {cell}>{escape(str(value))}</td></tr>" for name, value in rows)
    return f'<table style="border-collapse: collapse; margin: 0; font: inherit">{"".join(lines)}</table>'


def write_note(text: str, inside: str = "") -> str:
    """Write a line in grey; with HTML inside, it opens."""
    if inside:
        return f'<details><summary style="color: {GREY}">{escape(text)}</summary>{inside}</details>'
    return f'<p style="color: {GREY}; margin: 4px 0">{escape(text)}</p>'
