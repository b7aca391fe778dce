"""One-line mistakes in the example port: each is named by the functions that it is in, and by no other.

planted_in_port.txt lists them: a name, the file of examples/port, a text that occurs once in it, what stands there
instead, the functions that this is in, and words of the hint that is given for the first of them, if one is.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from refrank.trees import splitting
from refrank.trees.foreign.splitter import load_splitter
from tests.yardstick.libraries import NEEDS_COMPILER, build_port
from yardstick.kernel.case import FUNCTIONS, Case, run_case
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import judge

pytestmark = NEEDS_COMPILER

PLANTED = Path(__file__).with_name("planted_in_port.txt").read_text().split("\n\n")
FORM = re.compile(r"(.+)\n(\w+\.c)\n- (.+)\n\+ ?(.*)\nin (.+)(?:\nhint (.+))?")
MISTAKES = {(found := FORM.fullmatch(text.strip("\n")))[1]: found.groups()[1:] for text in PLANTED}


@cache
def list_all() -> dict[str, list[Case]]:
    """The cases of each function; their arguments, of which a call gets copies, are made once for all mistakes."""
    every = list_cases()
    return {one: [replace(case, make=cache(case.make)) for case in cases] for one, cases in every.items()}


@cache
def specify(case: Case):
    """Outputs of the specification for a case, once for all mistakes."""
    return run_case(splitting, case)


def judge_all(library, some=()):
    """The functions that differ, and where; of those that are in `some`, every fourth case suffices."""
    splitter = load_splitter(library)
    cases = {one: cases[::4] if one in some else cases for one, cases in list_all().items()}
    verdicts = [judge(splitter, one, cases[one], specify=specify, alone=True) for one in FUNCTIONS]
    return {verdict.function: verdict.first for verdict in verdicts if not verdict.passed}


def test_the_port_passes(port):
    assert judge_all(port) == {}
    assert load_splitter(port).offered == {*FUNCTIONS}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_by_its_function(tmp_path, mistake, deep):
    file, old, new, functions, hint = MISTAKES[mistake]
    others = () if deep else {*FUNCTIONS} - {*functions.split()}
    found = judge_all(build_port(tmp_path, {file: (old, new)}), others)
    assert [*found] == functions.split()
    if hint:
        assert hint in str(found[functions.split()[0]].hint), found


def test_every_function_has_mistakes():
    assert len(MISTAKES) == len(PLANTED) > 30
    assert {one for *_, functions, _ in MISTAKES.values() for one in functions.split()} == {*FUNCTIONS}
