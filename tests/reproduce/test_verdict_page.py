"""docs/learn/verdicts.md is what its files say, and new training sets reverse no verdict of it."""

import json

import pytest

from refrank.cli import main
from refrank.reproduce.replication import FEWEST_SETS, read_recorded
from tests.meta.papers_map import ROOT
from tests.regenerate import renew_with
from tests.reproduce.verdict_page import FILES, LEARN, PAGE, TABLE_HEAD, TITLES, write_page

papers = pytest.mark.parametrize("paper", TITLES)


def test_the_page_is_what_its_files_say():
    assert PAGE.read_text(encoding="utf-8") == write_page(), renew_with("docs/learn/verdicts.md")


def test_rows_of_the_page_that_stand_elsewhere_are_those_of_the_page():
    rows = set(PAGE.read_text(encoding="utf-8").split("\n"))
    for place in (ROOT / "README.md", *(LEARN / f"{paper}.md" for paper in TITLES)):
        _, *tables = place.read_text(encoding="utf-8").split(TABLE_HEAD)
        quoted = [row for table in tables for row in table.split("\n\n")[0].strip().split("\n")]
        assert quoted, f"{place.name} has no verdict"
        assert [row for row in quoted if row not in rows] == []


@papers
def test_each_file_has_verdicts_on_enough_training_sets(paper):
    assert read_recorded(FILES / f"{paper}.json", paper)
    assert len(json.loads((FILES / f"{paper}.json").read_text())["seeds"]) >= FEWEST_SETS


@papers
def test_new_training_sets_reverse_no_verdict(paper, deep, tmp_path):
    if not deep:
        pytest.skip("a quarter of an hour for each paper: pytest --deep")
    words = ["reproduce", paper, "--replicate", "8", "--seed", "1000", "--out", str(tmp_path)]
    assert main([*words, "--against", str(FILES / f"{paper}.json")]) == 0
