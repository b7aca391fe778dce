"""The documents beside docs/, such as CONTRIBUTING.md: copies of them are pages of the site."""

import os
import re
from pathlib import Path

from docs.site.source import ROOT

DOCUMENTS = (
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "examples/port/README.md",
    "refrank/kernel/README.md",
    "yardstick/vectors/data/README.md",
)
GENERATED = "generated/repository"
WRITTEN = {"_build", "generated"}  # folders of docs/ that the build writes
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#]+)")


def list_chapters() -> list[Path]:
    """List the Markdown files of docs/, without what the build writes."""
    files = sorted((ROOT / "docs").rglob("*.md"))
    return [file for file in files if WRITTEN.isdisjoint(file.parts)]


def write(folder: Path) -> None:
    """Copy the documents into a folder of generated pages, where their links lead to the same files as before."""
    for document in DOCUMENTS:
        page = folder / document
        page.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / document).read_text(encoding="utf-8")
        for link in sorted(set(LINK.findall(text))):
            text = text.replace(f"]({link}", f"]({move(link, ROOT / document, page)}")
        page.write_text(text, encoding="utf-8")


def move(link: str, document: Path, page: Path) -> str:
    """Return a link of a document as its copy has it.

    >>> move("../docs/use/bench.md", Path("/a/benchmarks/README.md"), Path("/a/docs/generated/README.md"))
    '../use/bench.md'
    """
    return os.path.relpath(document.parent / link, page.parent)


def find_docname(file: Path) -> str | None:
    """Return the name of the page that Sphinx makes of a document of the repository."""
    place = file.relative_to(ROOT).as_posix().removesuffix(".md")
    if file.is_relative_to(ROOT / "docs"):
        return place.removeprefix("docs/")
    return f"{GENERATED}/{place}" if f"{place}.md" in DOCUMENTS else None
