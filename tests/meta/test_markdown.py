"""Markdown keeps the formulas: what a page shows is what its source says, without the marks that are meant as marks.

A wrapped `>=` would open a quotation, a wrapped `+` or `-` a list, and `_` or `*` inside formulas would be emphasis.
"""

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from docs.site.documents import list_chapters

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(page for page in list_chapters() if page.parent.name != "stories")])  # notebooks
PARSER = MarkdownIt("gfm-like", {"linkify": False})
UNUSED = {"blockquote_open": "a quotation", "hr": "a rule", "html_block": "HTML"}
LISTS = ("bullet_list_open", "ordered_list_open")
CODE = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"!?\[((?:[^][]|\[[^][]*\])*)\]\([^()\s]*\)")
EMPHASIS = re.compile(r"""(?<![^\s("'|])(\*{1,2})(?=[^\s*])(.+?)(?<=[^\s*])\1(?![\w*])""", re.DOTALL)


def find_lost(text: str) -> list[str]:
    """List the places of a page where the text that is shown is not the text that is written."""
    lines, references = text.splitlines(), {}
    tokens = PARSER.parse(text, references)
    found = [f"a link's definition: {name}" for name in references.get("references", {})]
    for token in tokens:
        line = lines[token.map[0]] if token.map else ""
        if token.type in UNUSED or (token.type == "heading_open" and not token.markup.startswith("#")):
            found.append(f"{UNUSED.get(token.type, 'a heading')}: {line}")
        elif token.type in LISTS and is_inside_a_sentence(lines[token.map[0] - 1] if token.map[0] else ""):
            found.append(f"a list: {line}")
        elif token.type == "table_open":
            rows = lines[slice(*token.map)]
            found += [f"a table's cell: {row}" for row in rows if count_bars(row) != count_bars(rows[0])]
        elif token.type == "inline" and (shown := squeeze(show(token.children))) != (written := write(token.content)):
            found.append(f"{written!r} is shown as {shown!r}")
    return found


def is_inside_a_sentence(before: str) -> bool:
    """Return whether a list that begins below this line was meant as a part of its sentence."""
    return bool(before.strip()) and not before.startswith(("#", "<!--")) and not before.rstrip().endswith(":")


def count_bars(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row))


def show(children) -> str:
    """Return the text that a reader sees; line breaks are spaces, and HTML is not seen."""
    texts = {"softbreak": " ", "hardbreak": " ", "html_inline": ""}
    return "".join(texts.get(child.type, child.content) for child in children)


def write(source: str) -> str:
    """Take the marks that are meant as marks off the source of a paragraph: code, links, emphasis around words."""
    kept: list[str] = []

    def keep(match: re.Match) -> str:
        kept.append(match[2])
        return f"\0{len(kept) - 1}\0"

    plain = CODE.sub(keep, source)
    for pattern, group in ((LINK, r"\1"), (EMPHASIS, r"\2"), (EMPHASIS, r"\2")):
        plain = pattern.sub(group, plain)
    plain = re.sub(r"\\([!-/:-@[-`{-~])", r"\1", plain)
    return squeeze(re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], plain))


def squeeze(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_every_formula_as_it_is_written(page):
    assert find_lost(page.read_text(encoding="utf-8")) == []


PLANTED = {
    "so the sum is\n>= 16 ERR_g, hence": "a quotation",
    "the sum of all\n+ the rest": "a list",
    "it is 2 C\n- c_n, which": "a list",
    "e_k = (D_k)_+ if g_k = 1, and (-D_k)_+ if g_k = 0": "is shown as",
    "the product a*b*c": "is shown as",
    "c_1 >= c_2\n=== equal": "",
    "all of it\n===": "a heading",
    "for a<b>c": "is shown as",
    "<b>\na < b": "HTML",
    "| a | b |\n|---|---|\n| |z| | 1 |": "a table's cell",
    "[y]: k": "a link's definition",
    "a ~~b~~ c": "is shown as",
}


@pytest.mark.parametrize(("text", "fault"), PLANTED.items())
def test_a_lost_formula_is_found(text, fault):
    assert [fault in line for line in find_lost(text)] == ([True] if fault else [])


def test_marks_that_are_meant_are_not_faults():
    text = "*Proof.* **Two documents suffice**: `a_b*c` is [a *link*](bounds.md), x_i * y_i, (K_n/2^K) |z|_2 \\* 2."
    assert find_lost(text + "\n\n1. one\n2. two:\n   - three\n\n    a _ + b_ +\n") == []
