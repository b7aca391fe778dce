"""docs/learn/verdicts.md is what its files say, and new training sets reverse no verdict of it."""

import json

import pytest

from refrank.cli import main
from refrank.reproduce.replication import FEWEST_SETS, read_recorded
from tests.regenerate import renew_with
from tests.reproduce.verdict_page import FILES, PAGE, TITLES, write_page

papers = pytest.mark.parametrize("paper", TITLES)


def test_the_page_is_what_its_files_say():
    assert PAGE.read_text(encoding="utf-8") == write_page(), renew_with("docs/learn/verdicts.md")


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
