"""Places of the papers in the code: the lines that carry each out, and the tests that hold them."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tests.meta.contents import COCR, IGBRT, MCRANK
from tests.meta.papers_map import REFERENCE, Row, Sources, make_rows, read_project

CONTENTS: Mapping[str, tuple[str, ...]] = {"mcrank": MCRANK, "igbrt": IGBRT, "cocr": COCR}
LONGEST = 20  # lines of an excerpt


class Excerpt(NamedTuple):
    """Lines that carry out a place."""

    file: str
    line: int  # of the first
    name: str  # of the function around it, "" outside of all
    text: str


class Implementation(NamedTuple):
    """The lines that carry out a place, and the rows of the map, which name its tests."""

    excerpts: list[Excerpt]
    rows: list[Row]


def find_implementations() -> Mapping[str, Implementation]:
    """Find the lines and the tests of every place of the papers."""
    sources = read_project()
    implementations: defaultdict[str, Implementation] = defaultdict(lambda: Implementation([], []))
    for reference, excerpt in find_excerpts(sources):
        implementations[reference].excerpts.append(excerpt)
    for row in make_rows(sources):
        implementations[row.reference].rows.append(row)
    return implementations


def find_excerpts(sources: Sources) -> Iterator[tuple[str, Excerpt]]:
    """Yield each place with the lines below each comment that begins with it."""
    for file in sources.code:
        lines = sources.texts[file].splitlines()
        for number, comment in sources.comments(file):
            if match := REFERENCE.match(comment):
                text = cut_excerpt(lines, number - 1)
                yield match[2], Excerpt(file, number, sources.enclosing(file, number), text)


def cut_excerpt(lines: list[str], start: int) -> str:
    r"""Cut out the lines from a reference to the next one, a blank line or a dedent.

    References that stand on one another share the code below them; a reference beside code is one line.

    >>> lines = ["    # McRank Alg. 1, line 1", "    F = 0", "    # McRank Alg. 1, line 2", "    for m in rounds:"]
    >>> print(cut_excerpt(lines, 0))
    # McRank Alg. 1, line 1
    F = 0
    >>> cut_excerpt(["    # McRank Eq. 1", "    return dcg", "def ndcg(): ..."], 0)
    '# McRank Eq. 1\nreturn dcg'
    """
    first = lines[start]
    indent = len(first) - len(first.lstrip())
    kept, has_code = [first], not first.lstrip().startswith("#")
    for line in () if has_code else lines[start + 1 :]:
        if len(line) - len(line.lstrip()) < indent or not line.strip():
            break
        is_reference = REFERENCE.match(line.lstrip("# ")) is not None and line.lstrip().startswith("#")
        if has_code and is_reference:
            break
        has_code |= not line.lstrip().startswith("#")
        kept.append(line)
    if len(kept) > LONGEST:
        kept = [*kept[: LONGEST - 1], " " * indent + "..."]
    return "\n".join(line[indent:].rstrip() for line in kept)


def name_anchor(place: str) -> str:
    """Make the anchor of a place.

    >>> name_anchor("McRank Alg. 1, line 6")
    'mcrank-alg-1-line-6'
    """
    return re.sub(r"\W+", "-", place.lower())
