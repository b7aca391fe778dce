"""One-line mistakes, in the example port and in the specification: each is named by the functions that it is in.

planted_in_port.txt is a catalogue (yardstick/planting.py) of files of examples/port. Its notes are `in`, the functions
that a mistake is in, `verdict`, if it is not that they differ, and `hint`, words of the hint for the first of them.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from refrank.trees import splitting
from refrank.trees.foreign.splitter import load_splitter
from tests.yardstick.libraries import NEEDS_COMPILER, build_port
from yardstick.kernel.case import FUNCTIONS, find_difference, run_case
from yardstick.kernel.cases import list_cases
from yardstick.kernel.hints import count_explained
from yardstick.kernel.verdict import judge
from yardstick.mutants import plant, read_table
from yardstick.planting import read_mistakes

MISTAKES = read_mistakes(Path(__file__).with_name("planted_in_port.txt").read_text())


@cache
def list_all():
    """The cases of each function; their arguments, of which a call gets copies, are made once for all mistakes."""
    cases = list_cases()
    return {name: [replace(case, make=cache(case.make)) for case in of_function] for name, of_function in cases.items()}


@cache
def specify(case):
    """Outputs of the specification for a case, once for all mistakes."""
    return run_case(splitting, case)


def judge_all(library, some=()):
    """The functions that do not agree, and where; of those that are in `some`, every fourth case suffices."""
    splitter = load_splitter(library)
    cases = {name: every[::4] if name in some else every for name, every in list_all().items()}
    verdicts = [judge(splitter, name, cases[name], specify=specify, alone=True) for name in FUNCTIONS]
    return {verdict.function: verdict.first for verdict in verdicts if verdict.first is not None}


@NEEDS_COMPILER
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.words)
def test_a_mistake_is_named_by_its_function(tmp_path, mistake, deep):
    functions, hint = mistake.find_note("in").split(), mistake.find_note("hint")
    faults = judge_all(build_port(tmp_path, mistake), () if deep else {*FUNCTIONS} - {*functions})
    assert [*faults] == functions
    assert {fault.verdict for fault in faults.values()} == {*(mistake.find_note("verdict") or "differs").split()}
    assert hint in str(faults[functions[0]].hint), faults


def test_every_function_has_mistakes():
    assert len({mistake.words for mistake in MISTAKES}) == len(MISTAKES) > 30
    assert {name for mistake in MISTAKES for name in mistake.find_note("in").split()} == {*FUNCTIONS}


@pytest.mark.parametrize("mutant", read_table(), ids=lambda mutant: mutant.words)
def test_a_mutant_of_the_kernel_shows_in_each_of_its_functions_and_explains_itself(mutant):
    for function in {*mutant.find_note("in").split()} & {*FUNCTIONS}:
        for case in sorted(list_all()[function], key=lambda case: "many rows" in case.name):  # fast ones first
            with plant(mutant):
                made = run_case(splitting, case)
            if find_difference(specify(case), made) is not None:
                break
        assert count_explained(mutant, [(case, {}, made), (case, {}, specify(case))]) == 1
