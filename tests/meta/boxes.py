"""The boxes of the algorithms' docstrings: each step names the line of a paper, whose comment stands above the code.

    McRank Alg. 1    in our words
    line 1           all scores F start at 0

A step whose reference is "-" is in no paper. A step that another module carries out names it, as `refrank/...py`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tests.meta.papers_map import ROOT, Sources

HEADER = re.compile(r"^    (?P<paper>\S.*?)  +in our words$")
MODULE = re.compile(r"`(refrank/[\w/]+\.py)`")

BOXED = (
    *(f"refrank/mcrank/{path.name}" for path in sorted((ROOT / "refrank" / "mcrank").glob("*_boosting.py"))),
    *(f"refrank/mcrank/{name}.py" for name in ("abc_logitboost", "lambdarank", "lambdamart", "robust_logitboost")),
    *(f"refrank/igbrt/{name}.py" for name in ("random_forest", "gbrt", "igbrt")),
    "refrank/cocr/reduction.py",
    *(f"refrank/cocr/m5p/{name}.py" for name in ("growth", "pruning", "smoothing")),
)


class Step(NamedTuple):
    """One line of a box, and what is continued below it."""

    reference: str  # as a comment begins: "McRank Alg. 1, line 4"; "" where the step is in no paper
    words: str


class Box(NamedTuple):
    """The box of a module."""

    paper: str  # "McRank Alg. 1"
    steps: list[Step]


def read_boxes(text: str) -> Iterator[Box]:
    """Yield the boxes in the docstring of a module."""
    lines = iter((ast.get_docstring(ast.parse(text)) or "").splitlines())
    for line in lines:
        if header := HEADER.match(line):
            paper, width, steps = header["paper"], line.index("in our words"), []
            for row in lines:
                if not row.strip():
                    break
                key, words = row[:width].strip(), row[width:].strip()
                if not key:
                    steps[-1] = Step(steps[-1].reference, f"{steps[-1].words} {words}")
                else:
                    steps.append(Step(refer(paper, key), words))
            yield Box(paper, steps)


def refer(paper: str, key: str) -> str:
    """Make the reference of a step: "McRank Alg. 1, line 4", "COCR Eq. 5", "Quinlan 1992, smoothing"."""
    if key == "-":
        return ""
    return f"{paper}, {key}" if key[0].islower() else f"{paper} {key}"


def begins(comment: str, reference: str) -> bool:
    """Return whether a comment begins with a reference: "line 1" is not "line 10", "Sec. 2" is not "Sec. 2.1"."""
    return re.match(rf"(Departs from )?{re.escape(reference)}(?!\.?\w)", comment) is not None


def find_box_faults(sources: Sources, boxed: tuple[str, ...]) -> list[str]:
    """List what does not hold, one line each."""
    found = []
    for file in boxed:
        boxes = list(read_boxes(sources.texts[file]))
        if not boxes:
            found.append(f"{file}: its docstring has no box")
        comments = [comment for _, comment in sources.comments(file)]
        for box in boxes:
            # Each step has a comment of its own, in the module that carries it out.
            places = [((MODULE.findall(step.words) or [file])[0], step.reference) for step in box.steps]
            for (where, reference), n_steps in Counter(place for place in places if place[1]).items():
                if sum(begins(comment, reference) for _, comment in sources.comments(where)) < n_steps:
                    found.append(f"{file}: fewer than {n_steps} comments of {where} begin with {reference}")
            # Each comment on the paper has its step.
            known = [reference for _, reference in places if reference]
            found += [
                f"{file}: the box has no step for {comment}"
                for comment in comments
                if begins(comment, box.paper) and not any(begins(comment, reference) for reference in known)
            ]
    return found
