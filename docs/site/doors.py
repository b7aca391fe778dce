"""The doors of the site: the chapters that a door's page lists are its pages, in that order."""

import os
import re

from docs.site.documents import GENERATED

BESIDE = {
    "port": ["examples/port/README", "yardstick/vectors/data/README", "refrank/kernel/README"],
    "reference": ["benchmarks/README"],
}
LISTED = re.compile(r"^- \[[^\]]*\]\(([^)#:]+)\.md\)", re.MULTILINE)


def make_contents(folder: str, text: str) -> str:
    """Return the table of contents of a page, as a directive of MyST.

    >>> print(make_contents("learn", "- [By hand](by_hand.md) carries ...\\n- [Rounds](../use/rounds.md) ..."))
    <BLANKLINE>
    ```{toctree}
    :hidden:
    <BLANKLINE>
    /learn/by_hand
    /use/rounds
    ```
    <BLANKLINE>
    """
    pages = "\n".join("/" + os.path.normpath(f"{folder}/{page}") for page in LISTED.findall(text))
    pages += "".join(f"\n/{GENERATED}/{page}" for page in BESIDE.get(folder, ()))
    return f"\n```{{toctree}}\n:hidden:\n\n{pages}\n```\n"
