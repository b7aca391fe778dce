"""One-line mistakes in the example port: each is named by the functions that it is in, and by no other.

planted_in_port.txt is their catalogue (yardstick/planting.py), of files of examples/port. Its notes are `in`, the
functions that a mistake is in, and `hint`, words of the hint that is given for the first of them, if one is.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from refrank.trees import splitting
from refrank.trees.foreign.splitter import load_splitter
from tests.yardstick.libraries import NEEDS_COMPILER, build_port
from yardstick.kernel.case import FUNCTIONS, KernelCase, run_case
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import judge
from yardstick.planting import read_mistakes

pytestmark = NEEDS_COMPILER

MISTAKES = read_mistakes(Path(__file__).with_name("planted_in_port.txt").read_text())


@cache
def list_all() -> dict[str, list[KernelCase]]:
    """The cases of each function; their arguments, of which a call gets copies, are made once for all mistakes."""
    cases = list_cases()
    return {name: [replace(case, make=cache(case.make)) for case in of_function] for name, of_function in cases.items()}


@cache
def specify(case: KernelCase):
    """Outputs of the specification for a case, once for all mistakes."""
    return run_case(splitting, case)


def judge_all(library, some=()):
    """The functions that differ, and where; of those that are in `some`, every fourth case suffices."""
    splitter = load_splitter(library)
    cases = {name: every[::4] if name in some else every for name, every in list_all().items()}
    verdicts = [judge(splitter, name, cases[name], specify=specify, alone=True) for name in FUNCTIONS]
    return {verdict.function: verdict.first for verdict in verdicts if not verdict.passed}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.words)
def test_a_mistake_is_named_by_its_function(tmp_path, mistake, deep):
    functions, hint = mistake.find_note("in").split(), mistake.find_note("hint")
    differences = judge_all(build_port(tmp_path, mistake), () if deep else {*FUNCTIONS} - {*functions})
    assert [*differences] == functions
    if hint:
        assert hint in str(differences[functions[0]].hint), differences


def test_every_function_has_mistakes():
    assert len({mistake.words for mistake in MISTAKES}) == len(MISTAKES) > 30
    assert {name for mistake in MISTAKES for name in mistake.find_note("in").split()} == {*FUNCTIONS}
