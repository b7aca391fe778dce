"""Regions that the keyboard can scroll: tables and blocks of code, which may be wider than a page."""

import html
import re

PLACE = re.compile(
    r"<h[1-6]>(?P<title>.*?)</h[1-6]>|<div class=\"table-wrapper|<div class=\"highlight\"><pre>", re.DOTALL
)
NAME = re.compile(r'(<span class="pre">[^<]*?::)')  # a long name may be broken where its file ends
TOGGLE = ' aria-label="Toggle hidden content"'  # of folded code: it says less than the text that it labels
EMPTY_HEAD = '<th class="head"><p></p></th>'
TAG = re.compile(r"<a class=\"headerlink.*?</a>|<[^>]*>", re.DOTALL)


def mark_regions(body: str) -> str:
    """Make each table a region, labelled by its number and the heading above it, and each block focusable.

    >>> mark_regions('<h2>Gains</h2><div class="table-wrapper docutils">')
    '<h2>Gains</h2><div tabindex="0" role="region" aria-label="Table 1: Gains" class="table-wrapper docutils">'
    """
    heading, number = "", 0

    def mark(match: re.Match[str]) -> str:
        nonlocal heading, number
        if match["title"] is not None:
            heading = TAG.sub("", match["title"])
            return match[0]
        if match[0].endswith("<pre>"):
            return match[0].replace("<pre>", '<pre tabindex="0">')
        number += 1
        label = html.escape(f"Table {number}: {html.unescape(heading)}")
        return match[0].replace("<div", f'<div tabindex="0" role="region" aria-label="{label}"')

    plain = body.replace(EMPTY_HEAD, "<td></td>").replace(TOGGLE, "")
    return PLACE.sub(mark, NAME.sub(r"\1<wbr>", plain))
