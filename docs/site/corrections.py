"""Departures and errata by place: the entries of docs/reference/departures.md and errata.md that name it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REFERENCE = Path(__file__).parents[1] / "reference"
HEADING = re.compile(r"(#+) (.*)")
ENTRY = re.compile(r"- (?:\*\*(?P<bold>.+?)\*\*|\*(?P<slanted>[^*]+)\*)(?P<rest>.*)", re.DOTALL)
END = re.compile(r"(?<!Alg)(?<!Eq)(?<!Sec)(?<!App)(?<!Fig)[.?]\"?(?= [A-Z*`(]|$)")  # of a sentence
LATER = re.compile(r"((?:Alg|Eq|Sec|App)\.) ([\d.]+\d|\d)( and | to )(\d[\d.]*\d|\d)(?![\w.])")


class Correction(NamedTuple):
    """An entry: where it stands, what places its head names, and how it begins."""

    page: str  # "departures" or "errata"
    anchor: str  # of the heading above it
    paper: str  # "McRank" ...; the part of the page that it stands in
    head: str
    words: str  # its first sentence
    code: str  # `file::name` of a silence, "" otherwise

    def names(self, place: str) -> bool:
        """Return whether the head names a place: "McRank Eq. 8", or "Eq. 8" in the part on McRank."""
        paper, _, within = place.partition(" ")
        return carries(self.head, place) or (self.paper == paper and carries(self.head, within))


def carries(head: str, place: str) -> bool:
    """Return whether a head names a place, and not only a longer one that begins like it.

    >>> carries("Alg. 1: line 4, and Sec. 6.3 and 6.4", "Sec. 6.4"), carries("Alg. 1: line 4", "Alg. 1, line 4")
    (True, True)
    >>> carries("Eq. 13", "Eq. 1"), carries("Alg. 1, line 4", "Alg. 1"), carries("COCR Eq. 8", "Eq. 8")
    (False, False, False)
    """
    spelled = LATER.sub(r"\1 \2 and \1 \4", head.replace("Figure ", "Fig. ").replace(": line", ", line"))
    before = r"(?<!\w)(?<!COCR )(?<!iGBRT )(?<!McRank )"
    return re.search(rf"{before}{re.escape(place)}(?!\.?\d|, line \d)", spelled) is not None


def list_corrections() -> list[Correction]:
    """List the entries of both pages, in their order."""
    pages = ("departures", "errata")
    return [entry for page in pages for entry in read_page(page, (REFERENCE / f"{page}.md").read_text("utf-8"))]


def read_page(page: str, text: str) -> Iterator[Correction]:
    """Yield the entries of a page: headings with the text below them, points of a list, and rows of tables."""
    paper, title = "", ""
    blocks = re.split(r"\n\n|\n(?=- |\| )", text)
    for block, below in zip(blocks, [*blocks[1:], ""], strict=True):
        if match := HEADING.match(block):
            title = match[2]
            paper = title.partition(" ")[0] if len(match[1]) == 2 else paper
            if page == "errata" and len(match[1]) == 3:
                *_, words = title.partition(": ")
                words = f"{capitalize(words)}. {take_sentence(below)}" if words else take_sentence(below)
                yield Correction(page, make_anchor(title), paper, title, words, "")
        elif match := ENTRY.match(block):
            head = match["bold"] or match["slanted"]
            whole = head.endswith(".")  # the first sentence is the head alone: the second says why
            words = f"{head} {take_sentence(match['rest'].strip())}" if whole else take_sentence(head + match["rest"])
            yield Correction(page, make_anchor(title), paper, head, capitalize(words), "")
        elif block.startswith("| "):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", block)[1:-1]]
            code = cells[-1].strip("`") if page == "departures" else ""
            if len(cells) > 3:
                words = (
                    f"{cells[0]}. Here: {cells[1]}."
                    if code
                    else f"*Printed*: {cells[1] or cells[0]}. *Wrong*: {cells[2]}."
                )
                yield Correction(page, make_anchor(title), paper, cells[0], capitalize(words), code)


def take_sentence(text: str) -> str:
    """Take the first sentence of a text.

    >>> take_sentence("McRank Alg. 1, line 4: p is computed once\\nper round, as in Eq. 7. The default ...")
    'McRank Alg. 1, line 4: p is computed once per round, as in Eq. 7.'
    """
    words = " ".join(text.split())
    end = END.search(words)
    return words[: end.end()] if end else words


def capitalize(words: str) -> str:
    """Begin with a capital letter."""
    return words[:1].upper() + words[1:]


def make_anchor(title: str) -> str:
    """Make the anchor of a heading, as forges and MyST do.

    >>> make_anchor("McRank Alg. 1: line 4, and \\"taken from [9, Algorithm 6]\\"")
    'mcrank-alg-1-line-4-and-taken-from-9-algorithm-6'
    """
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
