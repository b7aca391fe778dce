"""The reproductions print what texts.txt has: a change of a word or a number is a change of that file."""

import pytest

from tests.regenerate import renew_with
from tests.reproduce.texts import FILE, RUNS, print_run

TEXTS = {
    lines.partition("\n")[0]: lines.strip("\n").split("\n")
    for lines in f"\n{FILE.read_text(encoding='utf-8')}".split("\n# ")[1:]
    if lines.strip() != "end"
}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_prints_what_it_did(name):
    assert print_run(name)[1:-1] == TEXTS[name][1:], renew_with("tests/reproduce/texts.txt")


def test_every_text_is_of_a_run():
    assert [*TEXTS] == [*RUNS], renew_with("tests/reproduce/texts.txt")
