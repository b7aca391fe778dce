"""A scorecard as text, as JSON, as a page of HTML, and as a badge."""

import html
import json
from pathlib import Path
from string import Template
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
COLUMNS = "<tr><th>name</th><th>state</th><th>first difference</th><th>reason</th></tr>"


def write_text(card: Scorecard) -> str:
    """Write the lines of a scorecard that are offered, and the number of lines in each state."""
    lines = []
    for line in card.lines:
        if line.state != NOT_OFFERED:
            why = f": {line.why}" if line.why else ""
            reason = f" (on purpose: {line.reason})" if line.reason else ""
            lines.append(print_text(f"{line.state:<9} {line.kind} {line.name}{why}{reason}", 500))
    counts = ", ".join(f"{state} {card.count(state)}" for state in STATES if card.count(state))
    end = f"{counts} (mode {card.mode.name}; level {describe_level(card.level)})"
    return "\n".join([*lines, f"{print_text(card.port, 80)}: {end}"])


def write_json(card: Scorecard) -> str:
    """Write a scorecard in JSON."""
    document = {
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
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def describe(line: CardLine) -> dict[str, Any]:
    """Return a line as JSON, without its empty fields."""
    comparison = None if line.comparison is None else describe_comparison(line.comparison)
    more = {"told": line.why, "reason": line.reason, "cases": line.n_cases, "comparison": comparison}
    document = {"kind": line.kind, "name": line.name, "state": line.state}
    return document | {name: value for name, value in more.items() if value}


def write_html(card: Scorecard) -> str:
    """Write a scorecard as a self-contained page."""
    counts = ", ".join(f"{state} {card.count(state)}" for state in STATES)
    tables = (f"<h2>{heading}</h2>{write_table(card, kind)}" for kind, heading in HEADINGS.items())
    said = f"Level: {describe_level(card.level)}. {counts}. Mode: {card.mode.name}."
    title = html.escape(f"{card.port} beside refrank")
    return fill_template("card.html", title=title, said=said, tables="".join(tables))


def write_table(card: Scorecard, kind: str) -> str:
    """Write lines as a table of HTML, and below it the names of those not offered."""
    rows, absent = [], []
    for line in card.lines:
        name, why, reason = map(html.escape, (line.name, line.why, line.reason))
        if line.kind == kind and line.state == NOT_OFFERED:
            absent.append(name)
        elif line.kind == kind:
            state = f'<td style="color: {COLOURS[line.state]}">{line.state}</td>'
            texts = f'<td class="told">{why}</td><td class="reason">{reason}</td>'
            rows.append(f"<tr><td>{name}</td>{state}{texts}</tr>")
    below = f'<p class="absent">Not offered: {", ".join(absent)}.</p>' if absent else ""
    return (f"<table>{COLUMNS}{''.join(rows)}</table>" if rows else "") + below


def write_badge(card: Scorecard) -> str:
    """Write an SVG badge: the level, and how many of the offered items agree."""
    title = "refrank" + ("" if card.level is None else f" L{card.level}")
    text = f"{card.count(AGREE)} of {len(card.lines) - card.count(NOT_OFFERED)} agree"
    left, right = (14 + 7 * len(words) for words in (title, text))
    sizes = {"width": left + right, "left": left, "right": right}
    places = {"middle": f"{left / 2:g}", "centre": f"{left + right / 2:g}"}
    colour = COLOURS[AGREE if card.passes else DIFFER]
    return fill_template("badge.svg", title=title, text=text, colour=colour, **sizes, **places)


def fill_template(name: str, **words: object) -> str:
    """Fill a template beside this file."""
    return Template(Path(__file__).with_name(name).read_text(encoding="utf-8")).substitute(words)
