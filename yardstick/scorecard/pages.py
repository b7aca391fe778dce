"""A scorecard as text, as JSON, as a page of HTML, and as a badge."""

import html
import json
from pathlib import Path
from string import Template
from typing import Any

from refrank.checks import print_text
from yardstick.divergence.reporting import as_document as describe_comparison
from yardstick.scorecard.card import AGREE, DEPART, DIFFER, FAIL, MEANINGS, NOT_OFFERED, STATES, CardLine, Scorecard

COLOURS = {AGREE: "#2e7d32", DEPART: "#9a6700", DIFFER: "#b3261e", FAIL: "#b3261e", NOT_OFFERED: "#5f6368"}
ROW = '<tr><td>{}</td><td>{}</td><td style="color: {}">{}</td><td class="told">{}</td><td class="reason">{}</td></tr>'


def write_text(card: Scorecard) -> str:
    """Write the lines of a scorecard that are offered, and the number of lines in each state."""
    lines = []
    for line in card.offered:
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
    """Write a scorecard as a self-contained page: what is offered in a table, and the names of the rest."""
    absent = ", ".join(f"{line.kind} {line.name}" for line in card.lines if line.state == NOT_OFFERED)
    cells = ((of.kind, of.name, COLOURS[of.state], of.state, of.why, of.reason) for of in card.offered)
    rows = "\n".join(ROW.format(*map(html.escape, row)) for row in cells)
    counts = ", ".join(f"{state} {card.count(state)}" for state in STATES)
    said = f"Level: {describe_level(card.level)}. {counts}. Mode: {card.mode.name}."
    texts = {"title": f"{card.port} beside refrank", "said": said, "absent": absent or "nothing"}
    return fill_template("card.html", rows=rows, **{name: html.escape(text) for name, text in texts.items()})


def write_badge(card: Scorecard) -> str:
    """Write an SVG badge: the level, and how many of the offered items agree."""
    title = "refrank" + ("" if card.level is None else f" L{card.level}")
    text = f"{card.count(AGREE)} of {len(card.offered)} agree"
    return fill_template("badge.svg", title=title, text=text, colour=COLOURS[AGREE if card.passes else DIFFER])


def fill_template(name: str, **words: object) -> str:
    """Fill a template beside this file."""
    return Template(Path(__file__).with_name(name).read_text(encoding="utf-8")).substitute(words)


def describe_level(level: int | None) -> str:
    """Describe a level in words."""
    return "none" if level is None else f"L{level}, {MEANINGS[level]}"
