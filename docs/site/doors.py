"""The doors of the site: the chapters that a door's page lists are its pages, in that order, then the build's."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

LISTED = re.compile(r"^- \[[^\]]*\]\(([^)#:]+)\.md\)", re.MULTILINE)


class Extra(NamedTuple):
    """A page that the build writes: no chapter can link to it. `page` is its name for Sphinx, or its file."""

    page: str
    title: str
    words: str


STEP = Extra(
    "step.html",
    "A ranking being learned",
    "computes the algorithms on documents that you can change.",
)
EXTRAS = {
    "learn": (
        STEP,
        Extra("generated/papers", "The papers, annotated", "puts each step beside its formula, its code and its test."),
    ),
    "use": (
        STEP,
        Extra("generated/api/index", "The public names", "have a page each: parameters, errors, an example."),
    ),
    "prove": (
        STEP,
        Extra("generated/verdicts", "What is proved, tested and refuted", "lists every statement with its verdict."),
    ),
    "port": (
        STEP,
        Extra("generated/repository/examples/port/README", "A port in C", "is an example of a foreign kernel."),
        Extra("generated/repository/yardstick/vectors/data/README", "The files of vectors", "says what a case holds."),
        Extra("generated/repository/refrank/kernel/README", "The kernel", "lists its files in reading order."),
    ),
    "reference": (Extra("generated/repository/benchmarks/README", "Benchmarks", "are of speed, accuracy and theory."),),
}
ELSEWHERE = {STEP.page, "generated/api/index"}  # not below a door in the table of contents


def complete(folder: str, text: str) -> str:
    """Return a door's page with its further pages, and with the table of contents that Sphinx needs, hidden."""
    extras = EXTRAS.get(folder, ())
    lines = [f'- <a href="../{link(extra)}">{extra.title}</a> {extra.words}' for extra in extras]
    further = ["## On this site", "", *lines] if extras else []
    return "\n".join([text, *further, *make_contents(folder, text, extras), ""])


def link(extra: Extra) -> str:
    """Return the address of a page below the site's root."""
    return extra.page if extra.page.endswith(".html") else f"{extra.page}.html"


def make_contents(folder: str, text: str, extras: Sequence[Extra]) -> list[str]:
    """Return the lines of a table of contents, as a directive of MyST.

    >>> make_contents("use", "- [Rounds](rounds.md) measures ...\\n- [By hand](../learn/by_hand.md) ...", (STEP,))[4:]
    ['/use/rounds', '/learn/by_hand', '```']
    """
    pages = [os.path.normpath(f"{folder}/{page}") for page in LISTED.findall(text)]
    pages += [extra.page for extra in extras if extra.page not in ELSEWHERE]
    return ["", "```{toctree}", ":hidden:", "", *(f"/{page}" for page in pages), "```"]
