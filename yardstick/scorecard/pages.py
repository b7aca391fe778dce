"""A scorecard as text, as JSON, as a page of HTML, and as a badge."""

import html
import json
from typing import Any

from refrank.checks import print_text
from yardstick.divergence.reporting import as_document as describe_comparison
from yardstick.scorecard.card import AGREE, DEPART, DIFFER, FAIL, NOT_OFFERED, STATES, CardLine, Scorecard
from yardstick.scorecard.levels import describe_level

COLOURS = {AGREE: "#2e7d32", DEPART: "#9a6700", DIFFER: "#b3261e", FAIL: "#b3261e", NOT_OFFERED: "#5f6368"}
HEADINGS = {
    "training": "Trainings, stage by stage",
    "function": "Functions, by the vectors",
    "lemma": "Lemmas, on instances that are drawn",
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #202124; }
table { border-collapse: collapse; width: 100%; margin: 1em 0 2em; }
th, td { text-align: left; vertical-align: top; padding: .3em .8em .3em 0; border-bottom: 1px solid #dadce0; }
td.told { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
td.reason { font-style: italic; }
p.absent { color: #5f6368; }
"""


def write_text(card: Scorecard) -> str:
    """Write the lines of a scorecard that are offered, and the number of lines in each state."""
    lines = []
    for line in card.lines:
        if line.state != NOT_OFFERED:
            why = f": {line.why}" if line.why else ""
            reason = f" (on purpose: {line.reason})" if line.reason else ""
            lines.append(print_text(f"{line.state:<9} {line.kind} {line.name}{why}{reason}", 500))
    counts = [f"{state} {card.count(state)}" for state in STATES if card.count(state)]
    lines.append(
        f"{print_text(card.port, 80)}: {', '.join(counts)} (mode {card.mode.name}; level {describe_level(card.level)})"
    )
    return "\n".join(lines)


def as_document(card: Scorecard) -> dict[str, Any]:
    """Return a scorecard as JSON."""
    return {
        "format": "refrank-scorecard",
        "version": 1,
        "port": card.port,
        "mode": card.mode.name,
        "ulps": card.mode.ulps,
        "level": card.level,
        "passes": card.passes,
        "counts": {state: card.count(state) for state in STATES},
        "lines": [describe(line) for line in card.lines],
    }


def describe(line: CardLine) -> dict[str, Any]:
    """Return a line as JSON, without its empty fields."""
    document: dict[str, Any] = {"kind": line.kind, "name": line.name, "state": line.state}
    document |= {key: value for key, value in (("told", line.why), ("reason", line.reason)) if value}
    if line.n_cases:
        document["cases"] = line.n_cases
    if line.comparison is not None:
        document["comparison"] = describe_comparison(line.comparison)
    return document


def write_json(card: Scorecard) -> str:
    """Write a scorecard in JSON."""
    return json.dumps(as_document(card), indent=1, allow_nan=False) + "\n"


def write_html(card: Scorecard) -> str:
    """Write a scorecard as a self-contained page."""
    title = html.escape(f"{card.port} beside refrank")
    counts = ", ".join(f"{state} {card.count(state)}" for state in STATES)
    tables = "".join(
        f"<h2>{heading}</h2>{write_table([line for line in card.lines if line.kind == kind])}"
        for kind, heading in HEADINGS.items()
    )
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    said = f"Level: {describe_level(card.level)}. {counts}. Mode: {card.mode.name}."
    return f"{head}<h1>{title}</h1><p>{said}</p>{tables}</html>\n"


def write_table(lines: list[CardLine]) -> str:
    """Write lines as a table of HTML, and below it the names of those not offered."""
    absent = ", ".join(html.escape(line.name) for line in lines if line.state == NOT_OFFERED)
    lines = [line for line in lines if line.state != NOT_OFFERED]
    rows = "".join(
        f'<tr><td>{html.escape(line.name)}</td><td style="color: {COLOURS[line.state]}">{line.state}</td>'
        f'<td class="told">{html.escape(line.why)}</td><td class="reason">{html.escape(line.reason)}</td></tr>'
        for line in lines
    )
    head = "<tr><th>name</th><th>state</th><th>first difference</th><th>reason</th></tr>"
    below = f'<p class="absent">Not offered: {absent}.</p>' if absent else ""
    return (f"<table>{head}{rows}</table>" if lines else "") + below


def write_badge(card: Scorecard) -> str:
    """Write an SVG badge: the level, and how many of the offered items agree."""
    offered = len(card.lines) - card.count(NOT_OFFERED)
    title = "refrank" + ("" if card.level is None else f" L{card.level}")
    text = f"{card.count(AGREE)} of {offered} agree"
    colour = COLOURS[AGREE if card.passes else DIFFER]
    left, right = (14 + 7 * len(words) for words in (title, text))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{title}: {text}"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:g}" y="14">{title}</text><text x="{left + right / 2:g}" y="14">{text}</text></g></svg>\n'
    )
