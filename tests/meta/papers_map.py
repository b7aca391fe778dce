"""The map from papers to code: `python -m tests.meta.papers_map` writes docs/reference/papers.md.

A comment in refrank/ or proofs_check/ that begins with a reference is a place of that reference; a test that fails
when the place is wrong says so by a marker:

    # McRank Alg. 1, line 6                                     above the code
    @pytest.mark.paper("McRank Alg. 1, line 6")                 above the test
    @pytest.mark.paper("McRank Alg. 1, line 6", at="softmax")   where a reference has several places

The names `at` are those of functions, classes or constants, which carry the reference in a comment or a docstring;
"module.NAME" is one of several of a name.
`contents` lists what each paper holds, in its order; `breaks` has a change for each row that its tests must find.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from tests.meta.claims import igbrt, mcrank, write_claims
from tests.meta.contents import CONTENTS, NOT_CODE

ROOT = Path(__file__).parents[2]
NUMBERED = r"(?:Eq\.|Lemma|Theorem|Definition|Table|Fig\.) \d+"
PLACE = rf"(?:Alg\. \d+(?:, line \d+)?|{NUMBERED}|Sec\. \d+(?:\.\d+)*(?:, claim \d+)?|App\. [A-Z]+)"
REFERENCE = re.compile(rf"(Departs from )?((?:McRank|iGBRT|COCR) {PLACE})")
DEPARTURE = re.compile(r"Departs from ([^:]+):")
SILENCE = re.compile(r"(?:Paper is|Papers are) silent")
HEAD = """# The map from papers to code

One table per paper, in the paper's order: the place, where it is carried out, and the tests that fail when it is not.
`tests/meta/contents.py` lists what each paper holds; a place without a row, and a row that is not a place, fail a test.

This page is generated from comments in `refrank/` and `proofs_check/` that begin with a reference, and from markers on
the tests (`python -m tests.meta.papers_map`). For each row, `tests/meta/breaks/` has a small change to its code with
which its tests must fail: `python -m tests.meta.break_lines` makes these changes in a copy, one by one. Rows of
`refrank/trees/splitting.py` name the specification; their tests run twice, on the kernel and, with
REFRANK_NO_EXTENSION=1, on the specification.

The claims of [McRank](#claims-of-mcrank) and [iGBRT](#claims-of-igbrt) have tables of their own (`tests/meta/claims/`):
sentences about experiments, or about theory outside of a numbered lemma, in our words. *Holds* and *does not hold* are
about what was run or proved here, *depends* names what decides, and *not examined* gives the reason. Where a verdict
rests on figures, the linked chapter has them with their intervals.
"""
CLAIMS = {"McRank": mcrank.CLAIMS, "iGBRT": igbrt.CLAIMS}  # COCR's claims are places of its map
IGBRT_LINES = """The boxes print no line numbers; ours count from 1 below "Input":

| line | Alg. 1 | Alg. 2 | Alg. 3 |
|---|---|---|---|
| 1 | for t = 1 to M_RF | r_i = y_i | F <- RandomForests(D, K_RF, M_RF) |
| 2 | D_t, sampled with replacement | for t = 1 to M_B | r_i = y_i - F(x_i) |
| 3 | h_t <- Cart(D_t, K, infinity) | T_t <- Cart({(x_i, r_i)}, f, d) | for t = 1 to M_B |
| 4 | end for | for i = 1 to n | T_t <- Cart({(x_i, r_i)}, f, d) |
| 5 | T = 1/M_RF sum_t h_t | r_i <- r_i - alpha T_t(x_i) | for i = 1 to n |
| 6 | return T | end for | r_i <- r_i - alpha T_t(x_i) |
| 7 | | end for | end for |
| 8 | | T = alpha sum_t T_t | end for |
| 9 | | return T | T = F + alpha sum_t T_t |
| 10 | | | return T |

Lines 3 to 8 of Alg. 3 are lines 2 to 7 of Alg. 2, written once. Cart is `Grower` in `refrank/trees/growth/grower.py`,
and for d = infinity `grow_forest_tree` in `refrank/trees/growth/forest_growth.py`."""
SECTIONS = {  # title: how its references begin, and what is said before them
    "McRank": (
        ("McRank",),
        "Alg. 1 is multiple classification, Sec. 4 multiple ordinal classification, Alg. 2 regression, App. I binning.",
    ),
    "Papers that McRank cites": (
        ("Burges 2010", "Friedman 2001"),
        '"Burges 2010" is MSR-TR-2010-82, the overview of RankNet, LambdaRank and LambdaMART. "Friedman 2001" is '
        "McRank's [9],\n*Greedy function approximation: a gradient boosting machine*.",
    ),
    "McRank's successors": (
        ("Li 2010",),
        '"Li 2010" is *Robust LogitBoost and Adaptive Base Class (ABC) LogitBoost*, UAI 2010, by the first author of '
        "McRank. Only its\nbeginning is at hand: the numbers of the steps are ours "
        "([departures](departures.md#mcranks-successors)).",
    ),
    "iGBRT": (("iGBRT",), IGBRT_LINES),
    "COCR": (
        ("COCR",),
        "Algorithm 1 is a picture that the text at hand lacks; its row is for the whole of it. Eq. 7, 11 and 12 are "
        "steps of\nproofs, which `proofs_check` settles. The text lacks the bodies of the tables, too; the numbers of "
        "Sec. 5's claims\nare ours.",
    ),
    "M5P, COCR's base learner": (
        ("Quinlan 1992", "Wang & Witten 1997", "Weka M5P"),
        '"Quinlan 1992" is "Learning with continuous classes" (M5), "Wang & Witten 1997" is "Inducing model trees for '
        "continuous\nclasses\" (M5'); the words after the comma name the step, for the second mostly a procedure of "
        'its pseudo-code. "Weka M5P"\nis what `weka.classifiers.trees.M5P` of Weka 3.6 does, which COCR Sec. 5.2 ran.',
    ),
}


class Row(NamedTuple):
    """One test of one place; a line of the map names all tests of its place."""

    reference: str
    file: str
    name: str
    test_file: str
    test: str


class Marker(NamedTuple):
    """References that a test is marked with."""

    reference: str
    at: str | None
    file: str
    test: str


class Sources:
    """The texts that the map speaks of, file by file: a folder, or, in the tests of the checker, a few made-up ones."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.tests = [file for file in texts if Path(file).name.startswith("test_")]
        self.code = [f for f in texts if f.startswith(("refrank/", "proofs_check/")) and f not in self.tests]

    def comments(self, file: str) -> Iterator[tuple[int, str]]:
        """Yield the line and the words of each comment of a file; the tokens of .pyx files are those of Python."""
        for token in tokenize.generate_tokens(io.StringIO(self.texts[file]).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string.lstrip("# ")

    def named(self, file: str) -> dict[str, range]:
        """Find the names of a file and their lines."""
        return find_names(self.texts[file], file.endswith(".pyx"))

    def enclosing(self, file: str, line: int) -> str:
        """Find the innermost name around a line, "" outside of all."""
        around = {name: lines for name, lines in self.named(file).items() if line in lines}
        return min(around, key=lambda name: len(around[name]), default="")

    def places(self) -> dict[str, set[tuple[str, str]]]:
        """Find the places of each reference: file and name around each comment that begins with it."""
        where: dict[str, set[tuple[str, str]]] = {}
        begins = tuple(paper for papers, _ in SECTIONS.values() for paper in papers)
        for file in self.code:
            for line, comment in self.comments(file):
                text = comment.removeprefix("Departs from ")
                if text.startswith(begins):
                    match = REFERENCE.match(text)
                    reference = match[2] if match else text.split(":")[0]
                    where.setdefault(reference, set()).add((file, self.enclosing(file, line)))
        return where

    def markers(self) -> Iterator[Marker]:
        """Yield what the tests say that they hold."""
        for file in self.tests:
            for node in ast.walk(ast.parse(self.texts[file])):
                for mark in getattr(node, "decorator_list", []):
                    if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.paper":
                        (at,) = [ast.literal_eval(word.value) for word in mark.keywords if word.arg == "at"] or [None]
                        for reference in map(ast.literal_eval, mark.args):
                            yield Marker(reference, at, file, node.name)


@cache
def find_names(text: str, cython: bool) -> dict[str, range]:
    """Find the lines of every function, class, method and constant of a source, with the comments above it."""
    lines, of_names = text.splitlines(), {}
    if cython:
        top = [i for i, line in enumerate(lines) if re.match(r"(c?p?def\b|class\b|ctypedef\b|[A-Z]\w* =)", line)]
        for start, stop in zip(top, [*top[1:], len(lines)], strict=True):
            if match := re.search(r"(\w+)\s*(?:\(|=)", lines[start]):
                of_names[match[1]] = range(start + 1, stop + 1)
        return of_names

    def visit(body: list[ast.stmt], start: int, prefix: str) -> None:
        for node in body:
            targets = getattr(node, "targets", [getattr(node, "target", node)])  # of an assignment
            names = [getattr(target, "id", getattr(target, "name", None)) for target in targets]
            end = (node.end_lineno or node.lineno) + 1
            of_names.update({prefix + name: range(start, end) for name in names if name})
            if isinstance(node, ast.ClassDef):
                visit(node.body, node.lineno + 1, f"{prefix}{node.name}.")
            start = end

    visit(ast.parse(text).body, 1, "")
    return of_names


def carries(text: str, reference: str) -> bool:
    """Return whether a text holds a reference; "Alg. 1" is not in "Alg. 10", and is in "Alg. 1, line 5" as its whole.

    "Figure 1" is Fig. 1.
    """
    words = " ".join(text.replace("#", " ").replace("Figure ", "Fig. ").split())
    return re.search(rf"(?<!\w){re.escape(reference)}(?!\.?\d)", words) is not None


def find_places(sources: Sources, places: dict[str, set[tuple[str, str]]], marker: Marker) -> set[tuple[str, str]]:
    """Find the places that a marker speaks of."""
    if marker.at is None:
        return places.get(marker.reference, set())
    matches = {
        (file, name)
        for file, name in places.get(marker.reference, ())
        if marker.at in (*name.split("."), f"{Path(file).stem}.{name}")
    }
    if matches:
        return matches
    for file in sources.code:
        body = sources.texts[file].splitlines()
        for name, lines in sources.named(file).items():
            if name == marker.at and carries("\n".join(body[lines.start - 1 : lines.stop - 1]), marker.reference):
                matches.add((file, name))
    return matches


def make_rows(sources: Sources) -> list[Row]:
    """Make the rows of the map."""
    places = sources.places()
    return sorted(
        Row(marker.reference, file, name, marker.file, marker.test)
        for marker in set(sources.markers())
        for file, name in find_places(sources, places, marker)
    )


def find_faults(sources: Sources, departures: str, contents: tuple[str, ...]) -> list[str]:
    """List what does not hold, one line each; `contents` are the places that the papers have."""
    faults: list[str] = []
    places, rows = sources.places(), make_rows(sources)
    mapped = {(row.reference, row.file, row.name) for row in rows}
    # (a) Each place of a reference is held by a test.
    for reference, where in sorted(places.items()):
        for file, name in sorted(where):
            if REFERENCE.match(reference) and (reference, file, name) not in mapped:
                faults.append(f"{file}::{name}: no test is marked paper({reference!r})")
    # (b) Each marker speaks of a place.
    for marker in sources.markers():
        if not find_places(sources, places, marker):
            at = "" if marker.at is None else f" at {marker.at}"
            faults.append(f"{marker.file}::{marker.test}: nothing carries {marker.reference}{at}")
    # (c) Each departure, and each silence, has its entry.
    for file in sources.code:
        for line, comment in sources.comments(file):
            if (match := DEPARTURE.match(comment)) and not carries(departures, match[1]):
                faults.append(f"{file}:{line}: docs/reference/departures.md has no entry for {match[1]}")
            if SILENCE.match(comment) and (name := f"`{file}::{sources.enclosing(file, line)}`") not in departures:
                faults.append(
                    f"{file}:{line}: the paper is silent, and docs/reference/departures.md does not name {name}"
                )
    # (d) Every place of a paper is mapped, or said not to be code, and not both; what is mapped is a place of a paper.
    references = {row.reference for row in rows}
    faults += [
        f"nothing carries {reference}" for reference in contents if reference not in references | NOT_CODE.keys()
    ]
    faults += [f"{reference} is mapped, and said not to be code" for reference in sorted(references & NOT_CODE.keys())]
    unlisted = {reference for reference in references if REFERENCE.match(reference)} - {*contents}
    faults += [f"{reference} is not in the list of what its paper holds" for reference in sorted(unlisted)]
    return faults


def order_of(reference: str, contents: tuple[str, ...]) -> tuple[object, ...]:
    """Return the place of a reference in its paper; of papers without a list, by paper, numbers, words."""
    if reference in contents:
        return 0, contents.index(reference)
    paper = next(i for i, (papers, _) in enumerate(SECTIONS.values()) if reference.startswith(papers))
    return 1, paper, [int(number) for number in re.findall(r"\d+", reference)], reference


def write_map(rows: list[Row], contents: tuple[str, ...] = CONTENTS) -> str:
    """Write the page."""
    lines = [HEAD]
    cells = {
        place: (f"`{place[1]}::{place[2]}`", ", ".join(f"`{row.test_file}::{row.test}`" for row in tests))
        for place, tests in groupby(sorted(rows), key=lambda row: row[:3])
    }
    cells |= {(reference, "", ""): (f"not code: {why}", "") for reference, why in NOT_CODE.items()}
    ordered = sorted(cells, key=lambda place: (order_of(place[0], contents), place))
    for title, (papers, prose) in SECTIONS.items():
        lines += [f"## {title}\n", f"{prose}\n", "| place | code | tests |", "|---|---|---|"]
        lines += [f"| {' | '.join((place[0], *cells[place]))} |" for place in ordered if place[0].startswith(papers)]
        lines.append("")
        if title in CLAIMS:
            lines += [f"### Claims of {title}\n", *write_claims(CLAIMS[title]), ""]
    return "\n".join(lines)


def read_packages(*packages: str) -> dict[str, str]:
    """Read the modules of packages, by their path from the root."""
    paths = [path for package in packages for path in sorted(ROOT.glob(f"{package}/**/*.py"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}


def read_project() -> Sources:
    """Take the sources and the tests of this project."""
    patterns = ("refrank/**/*.py", "refrank/**/*.pyx", "tests/**/test_*.py")
    patterns += tuple(f"proofs_check/{room}/*.py" for room in ("mcrank", "igbrt", "cocr", "tests"))
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    return Sources({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths})


if __name__ == "__main__":
    (ROOT / "docs" / "reference" / "papers.md").write_text(write_map(make_rows(read_project())), encoding="utf-8")
