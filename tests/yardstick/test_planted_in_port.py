"""One-line mistakes, in the example port and in the specification: each is named by the functions that it is in.

planted_in_port.txt is a catalogue (yardstick/planting.py) of files of examples/port. Its notes are `in`, the functions
that a mistake is in, `verdict`, if it is not that they differ, and `hint`, words of the hint for the first of them.
"""

from functools import cache, partial
from pathlib import Path

import pytest

from refrank.trees import splitting
from refrank.trees.foreign.splitter import load_splitter
from refrank.trees.splitter import FUNCTIONS
from tests.libraries import NEEDS_COMPILER, build_port
from yardstick.kernel import verdict
from yardstick.kernel.case import KernelCase, Trial, find_difference, run_case
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import count_explained, find_hint
from yardstick.planting import plant, read_mistakes, read_table

MISTAKES = read_mistakes(Path(__file__).with_name("planted_in_port.txt").read_text())


@pytest.fixture(scope="module")
def cases():
    """Of each function; arguments, of which a call gets copies, and right outputs are made once for all mistakes."""
    with pytest.MonkeyPatch.context() as changing:
        changing.setattr(verdict, "specify", cache(verdict.specify))
        changing.setattr(verdict, "run_at_once", lambda splitter, trials: None)
        yield {
            function: [KernelCase(function, case.name, cache(case.make)) for case in of]
            for function, of in list_cases().items()
        }


def find_hint_of(function, wrong, right):
    """Find the hint for one function; the others of a mistake would try the same mutants."""
    return find_hint(wrong, right) if wrong and wrong[0].case.function == function else None


@NEEDS_COMPILER
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.words)
def test_a_mistake_is_named_by_its_function(tmp_path, mistake, deep, cases, monkeypatch):
    """Of the functions that it is not in, every sixteenth case suffices; one function is asked for the hint, if any."""
    splitter, functions = load_splitter(build_port(tmp_path, mistake)), mistake.find_note("in").split()
    hint, of_first = mistake.find_note("hint"), partial(find_hint_of, functions[0])
    monkeypatch.setattr(verdict, "find_hint", of_first if hint else lambda *_: None)
    asked = {name: cases[name][:: 1 if deep else 2 if name in functions else 16] for name in FUNCTIONS}
    judged = {name: verdict.judge(splitter, name, of)["first"] for name, of in asked.items()}
    faults = {name: first for name, first in judged.items() if first is not None}
    assert [*faults] == functions
    assert {fault["verdict"] for fault in faults.values()} == {*(mistake.find_note("verdict") or "differs").split()}
    assert hint in str(faults[functions[0]]["hint"])


def test_every_function_has_mistakes():
    assert len({mistake.words for mistake in MISTAKES}) == len(MISTAKES) > 30
    assert {name for mistake in MISTAKES for name in mistake.find_note("in").split()} == {*FUNCTIONS}


@pytest.mark.parametrize("mutant", read_table(), ids=lambda mutant: mutant.words)
def test_a_mutant_of_the_kernel_shows_in_each_of_its_functions_and_explains_itself(mutant, cases):
    for function in {*mutant.find_note("in").split()} & {*FUNCTIONS}:
        for case in cases[function]:
            with plant(mutant):
                made = run_case(splitting, case)
            if find_difference(verdict.specify(case), made) is not None:
                break
        trials = (Trial(case, {}, outputs, "") for outputs in (made, verdict.specify(case)))
        assert count_explained(mutant, [*trials]) == 1
