"""The cheat sheet has the names and the shapes of the notation, and the places of the papers."""

import re

from tests.meta.contents import CONTENTS
from tests.meta.test_docs import ROOT

CELL = re.compile(r"(?<!\\)\|")
REFERENCE = ROOT / "docs" / "reference"


def read_rows(page):
    """Read the rows of the tables of a page, without their heads."""
    lines = (REFERENCE / f"{page}.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in CELL.split(line)[1:-1]] for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("symbol", "idea")]


def list_strange(rows, notation):
    """List the names and shapes of rows that the notation does not have, and the places that no paper has."""
    text = "\n".join(" ".join(row) for row in notation)
    strange = []
    for _, *_, code, shape, where in rows:
        names = [name.partition("(")[0] for name in re.findall(r"`([^`]+)`", code)]
        strange += [name for name in names if not re.search(rf"`[^`]*\b{name}\b", text)]
        strange += [axes for axes in re.findall(r"\([^()]*\)", shape) if axes not in text]
        places = re.findall(r"(?:McRank|iGBRT|COCR) [A-Z][a-z]+\.? [\dA-Z.]*\d", where)
        strange += [place for place in places if not any(full.startswith(place) for full in CONTENTS)]
    return strange


def test_the_cheat_sheet_is_a_choice_from_the_notation():
    rows, notation = read_rows("cheat_sheet"), read_rows("notation")
    assert len(rows) > 20
    assert {len(row) for row in rows} == {7}
    assert list_strange(rows, notation) == []
    planted = ["leaf", "", "", "", "`leafs`, `values`", "(n_leafs,)", "McRank Eq. 99"]
    assert list_strange([planted], notation) == ["leafs", "(n_leafs,)", "McRank Eq. 99"]
