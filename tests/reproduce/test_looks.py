"""Figures look as looks.txt has them: a change of a picture is a change of that file."""

import pytest

from tests.regenerate import renew_with
from tests.reproduce.looks import DRAWINGS, FILE, describe

LOOKS = {lines.split("\n")[0]: lines.split("\n") for lines in FILE.read_text(encoding="utf-8").strip().split("\n\n")}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_figure_looks_as_it_did(name):
    assert describe(name) == LOOKS[f"# {name}"], renew_with("tests/reproduce/looks.txt")


def test_every_look_is_of_a_drawing():
    assert [*LOOKS] == [f"# {name}" for name in DRAWINGS], renew_with("tests/reproduce/looks.txt")
