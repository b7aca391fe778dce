"""The papers, annotated: for each place its step, formula, code, departures, errata, tests and value on the toy query.

The words and formulas are those of docs/papers/*.toml, all else is found: the code and the tests by the map
(tests/meta/papers_map.py), the corrections by the places that they name, the values by a recorded training.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from docs.site.corrections import Correction, list_corrections
from docs.site.live import show_stage
from docs.site.places import CONTENTS, Excerpt, Implementation, find_implementations, name_anchor
from docs.site.source import ROOT, find_line, find_page
from tests.meta.contents import CLAIMS, NOT_CODE
from tests.meta.papers_map import SECTIONS

TITLES = {"mcrank": "McRank", "igbrt": "iGBRT", "cocr": "COCR"}
FRAMES = ROOT / "refrank" / "inspection" / "step" / "view"
LATE, OPEN = ("/reproduce/", "/bounds/", "proofs_check/", "/swap_change"), 2  # excerpts that are not folded
CALLED = {"departures": ("Departure", "note"), "errata": ("Erratum", "warning")}


def write(folder: Path) -> None:
    """Write a page for each paper, and the page that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    implementations, corrections, shown = find_implementations(), list_corrections(), read_shown_places()
    for paper, contents in CONTENTS.items():
        steps = read_steps(paper)
        lines = [f"# {TITLES[paper]}, annotated", "", introduce(paper), ""]
        for place in contents:
            step = steps.get(place, {"words": f"The claim: {CLAIMS.get(place)}."})
            if "part" in step:
                lines += [f"## {step['part']}", ""]
            lines += describe_place(place, step, implementations.get(place, Implementation([], [])), corrections, shown)
        (folder / f"annotated_{paper}.md").write_text("\n".join(lines), encoding="utf-8")
    (folder / "papers.md").write_text(CONTENTS_PAGE, encoding="utf-8")


CONTENTS_PAGE = """# The papers, annotated

Each paper, place by place and in its order: the step in our words and as a formula, its value on a query of eight
documents, the lines of code that carry it out, where we depart from it, what is wrong in it, and its test.

- [McRank](annotated_mcrank.md): boosted trees for classes, for grades and for gains.
- [iGBRT](annotated_igbrt.md): forests, boosted trees, and boosting that starts from a forest.
- [COCR](annotated_cocr.md): costs, questions about grades, and their answers.

```{toctree}
:hidden:

annotated_mcrank
annotated_igbrt
annotated_cocr
```
"""


def introduce(paper: str) -> str:
    """Write what stands above the places of a paper."""
    example = (
        "The toy query has eight documents, a to h. What is shown on it is the first record of a stage, of a training "
        "that was recorded when this page was built."
    )
    return f"{SECTIONS[TITLES[paper]][1]}\n\n{example}"


def read_steps(paper: str) -> Mapping[str, Mapping[str, Any]]:
    """Read the words and formulas of a paper's places."""
    return tomllib.loads((ROOT / "docs" / "papers" / f"{paper}.toml").read_text(encoding="utf-8"))


def read_shown_places() -> frozenset[str]:
    """Find the places that the page of steps has frames of."""
    texts = [file.read_text(encoding="utf-8") for file in sorted(FRAMES.glob("*.js"))]
    places = (place for contents in CONTENTS.values() for place in contents)
    named = {place: re.compile(rf"{re.escape(place)}(?!\w)") for place in places}
    return frozenset(place for place in named if any(named[place].search(text) for text in texts))


def describe_place(
    place: str,
    step: Mapping[str, Any],
    implementation: Implementation,
    corrections: list[Correction],
    shown: frozenset[str],
) -> Iterator[str]:
    """Yield the lines of a place."""
    yield from (f"({name_anchor(place)})=", f"### {place.partition(' ')[2]}", "")
    yield from (step["words"].strip(), "")
    if "tex" in step:
        yield from ("```{math}", step["tex"], "```", "")
    if "live" in step:
        yield from (f"**On the toy query**, {show_stage(*step['live'])}", "")
    if place in shown:
        yield from (f'<a href="../step.html#place={quote(place)}">Watch this step on the toy query</a>', "")
    if place in NOT_CODE:
        yield from (f"*No code of its own*: {NOT_CODE[place]}.", "")
    yield from show_excerpts(implementation.excerpts)
    if not implementation.excerpts and implementation.rows:  # a docstring names the place
        yield from (", ".join(sorted({link_name(row.file, row.name) for row in implementation.rows})), "")
    for entry in corrections:
        if entry.names(place) or any(corrects(entry, excerpt) for excerpt in implementation.excerpts):
            yield from show_correction(entry)
    if implementation.rows:
        tests = sorted({(row.test_file, row.test) for row in implementation.rows})
        yield from (f"**Tests:** {', '.join(link_name(file, name) for file, name in tests)}", "")


def corrects(entry: Correction, excerpt: Excerpt) -> bool:
    """Return whether an entry is the one of a silence in an excerpt."""
    return entry.code == f"{excerpt.file}::{excerpt.name}" and "silent" in excerpt.text


def show_correction(entry: Correction) -> Iterator[str]:
    """Yield the lines of a departure or an erratum: how it begins, and a link to the whole."""
    name, kind = CALLED[entry.page]
    link = f"[The whole entry](../reference/{entry.page}.md#{entry.anchor})"
    yield from (f"```{{admonition}} {name}", f":class: {kind}", "", entry.words, link, "```", "")


def show_excerpts(excerpts: list[Excerpt]) -> Iterator[str]:
    """Yield the lines of the excerpts of a place, those of experiments last; the later ones are folded."""
    ordered = sorted(excerpts, key=lambda excerpt: [room in excerpt.file for room in LATE])
    for excerpt in ordered[:OPEN]:
        yield from show_excerpt(excerpt)
    if rest := ordered[OPEN:]:
        yield from (f"````{{dropdown}} {len(rest)} more in the code", "")
        for excerpt in rest:
            yield from show_excerpt(excerpt)
        yield from ("````", "")


def show_excerpt(excerpt: Excerpt) -> Iterator[str]:
    """Yield the lines of an excerpt of code, with the address of its source."""
    address = f"../{find_page(excerpt.file)}#L{excerpt.line}"
    link = f'<a href="{address}"><code>{excerpt.file}</code>, line {excerpt.line}</a>'
    yield from (link, "", "```python", excerpt.text, "```", "")


def link_name(file: str, name: str) -> str:
    """Link a function to the lines that define it."""
    line = find_line((ROOT / file).read_text(encoding="utf-8"), name)
    return f'<a href="../{find_page(file)}#L{line}"><code>{name}</code></a>'
