"""The doors of the site: the chapters that a door's page lists are its pages, in that order."""

import os
import re

from docs.site.source import ROOT

GENERATED = {  # pages of a door that the build writes, and that a chapter cannot link to
    "learn": ["papers"],
    "prove": ["verdicts"],
    "port": [
        "repository/examples/port/README",
        "repository/yardstick/vectors/data/README",
        "repository/refrank/kernel/README",
    ],
    "reference": ["repository/benchmarks/README"],
}
LISTED = re.compile(r"^- \[[^\]]*\]\(([^)#:]+)\.md\)", re.MULTILINE)


def make_contents(folder: str, text: str) -> str:
    """Return the table of contents of a door's page, as a directive of MyST.

    >>> print(make_contents("use", "- [Rounds](rounds.md) measures ...\\n- [By hand](../learn/by_hand.md) carries ..."))
    <BLANKLINE>
    ```{toctree}
    :hidden:
    <BLANKLINE>
    /use/rounds
    /learn/by_hand
    ```
    <BLANKLINE>
    """
    pages = [os.path.normpath(f"{folder}/{page}") for page in LISTED.findall(text)]
    generated = [f"generated/{page}" for page in GENERATED.get(folder, ())]
    pages += [page for page in generated if (ROOT / "docs" / f"{page}.md").is_file()]
    return "\n".join(["", "```{toctree}", ":hidden:", "", *(f"/{page}" for page in pages), "```", ""])
