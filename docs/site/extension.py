"""The extension of Sphinx that makes the chapters, which are plain Markdown, pages of a site.

A chapter links to `../../refrank/arrays.py`, or names `refrank/arrays.py::Floats` as code: on a forge, the link works,
and on the site both lead to the file's page.
"""

import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.ext import autosummary
from sphinx.transforms import SphinxTransform

from docs.site.blocks import choose_lexer
from docs.site.broken import list_broken
from docs.site.documents import find_docname
from docs.site.doors import complete
from docs.site.regions import mark_regions
from docs.site.source import ROOT, find_line, find_page, write_pages
from refrank.inspection.step.page import write_page

ABBREVIATIONS = ("Alg.", "App.", "Eq.", "Fig.", "Sec.")  # after which a sentence goes on
NAMED = re.compile(r"([\w-]+(?:/[\w.-]+)*/[\w-]+\.\w+|[A-Z]+\.md)(?:::([\w.]+))?")


class LinkFiles(SphinxTransform):
    """Turn the links to files, and the files that are named as code, into links to their pages."""

    default_priority = 300

    def apply(self, **kwargs: Any) -> None:
        """Replace the nodes of one document."""
        for link in self.document.findall(addnodes.pending_xref):  # to Markdown beside docs/
            if link.get("refdomain") == "doc" and link["reftarget"].startswith(f"{ROOT}{os.sep}"):
                link["reftarget"] = find_docname(Path(f"{link['reftarget']}.md"))
        folder = (ROOT / "docs" / self.env.docname).parent
        for link in list(self.document.findall(addnodes.download_reference)):
            file = Path(os.path.normpath(folder / link["reftarget"]))
            link.replace_self(self.point_to(file, None, link.children))
        for code in list(self.document.findall(lambda node: isinstance(node, nodes.literal | nodes.title_reference))):
            match = NAMED.fullmatch(code.astext())
            if match and (ROOT / match[1]).is_file() and not isinstance(code.parent, nodes.reference | nodes.title):
                code.replace_self(self.point_to(ROOT / match[1], match[2], [code.deepcopy()]))

    def point_to(self, file: Path, name: str | None, children: list[nodes.Node]) -> nodes.Node:
        """Return a link to the page of a file: a chapter, or a page of source at the line that defines the name."""
        docname = find_docname(file)
        if docname in self.env.found_docs:
            inner = nodes.inline("", "", *children)
            keys = {"refdomain": "doc", "reftype": "myst", "refexplicit": True, "reftargetid": None}
            return addnodes.pending_xref("", inner, reftarget=docname, refdoc=self.env.docname, **keys)
        line = find_line(file.read_text(encoding="utf-8"), name) if name else None
        up = "../" * self.env.docname.count("/")
        address = f"{up}{find_page(file.relative_to(ROOT))}{f'#L{line}' if line else ''}"
        return nodes.reference("", "", *children, refuri=address, internal=True)


class ReadBlocks(SphinxTransform):
    """Typeset the blocks of formulas, and give the blocks without a language the one that their lines show."""

    default_priority = 300

    def apply(self, **kwargs: Any) -> None:
        """Replace the formulas of one document, and set the languages."""
        for block in list(self.document.findall(nodes.literal_block)):
            if block.get("language") == "math":
                block.replace_self(nodes.math_block("", block.astext(), number=None, label=None))
            elif block.get("language", "none") == "none":
                block["language"] = choose_lexer(block.astext())


class PairPictures(SphinxTransform):
    """Show a picture that has a dark variant beside it on light pages alone, and the variant on dark ones."""

    default_priority = 300

    def apply(self, **kwargs: Any) -> None:
        """Pair the pictures of one document."""
        folder = (ROOT / "docs" / self.env.docname).parent
        for light in list(self.document.findall(nodes.image)):
            dark, path = light.deepcopy(), Path(light["uri"])
            dark["uri"] = path.with_name(f"{path.stem}_dark{path.suffix}").as_posix()
            if (folder / dark["uri"]).is_file():
                light["classes"].append("only-light")
                dark["classes"].append("only-dark")
                light.parent.insert(light.parent.index(light) + 1, dark)


def complete_door(app: Sphinx, docname: str, source: list[str]) -> None:
    """Append to the page of a door what only the site has."""
    folder, _, name = docname.rpartition("/")
    if name == "README" and folder and not folder.startswith("generated"):
        source[0] = complete(folder, source[0])


def mark_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Mark the regions of a page before it is written."""
    if "body" in context:
        context["body"] = mark_regions(context["body"])


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages that Sphinx does not know, and fail if a link leads nowhere."""
    if exception is None:
        site = Path(app.outdir)
        write_page(None, site / "step.html")
        write_pages(site)
        if broken := list(list_broken(site)):
            raise ExtensionError("\n  ".join([f"{len(broken)} links lead nowhere:", *broken[:50]]))


def setup(app: Sphinx) -> dict[str, bool]:
    """Enter the parts into Sphinx."""
    autosummary.WELL_KNOWN_ABBREVIATIONS += ABBREVIATIONS
    app.add_transform(LinkFiles)
    app.add_transform(ReadBlocks)
    app.add_transform(PairPictures)
    app.connect("source-read", complete_door)
    app.connect("html-page-context", mark_page)
    app.connect("build-finished", finish, priority=900)  # after the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
