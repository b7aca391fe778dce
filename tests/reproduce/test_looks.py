"""Figures look as looks.txt has them: a change of a picture is a change of that file."""

import pytest

from tests.regenerate import renew_with
from tests.reproduce.looks import DRAWINGS, FILE, describe

LOOKS = {lines.split("\n")[0]: lines.split("\n") for lines in FILE.read_text(encoding="utf-8").strip().split("\n\n")}


@pytest.mark.parametrize("draw", DRAWINGS)
def test_a_figure_looks_as_it_did(draw):
    assert describe(draw) == LOOKS[f"# {draw.__name__}"], renew_with("tests/reproduce/looks.txt")


def test_every_look_is_of_a_drawing():
    assert [*LOOKS] == [f"# {draw.__name__}" for draw in DRAWINGS], renew_with("tests/reproduce/looks.txt")
