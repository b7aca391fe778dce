"""Catalogues of planted mistakes; and the table: each mistake is carried out in this process, and leaves no trace."""

import pytest

from generators.cases import FAMILIES
from refrank.mcrank import softmax_boosting
from refrank.metrics import dcg, discounts
from refrank.trees.growth import grower
from refrank.trees.splitter import FUNCTIONS
from yardstick.planting import Mistake, PlantedPlace, find_mutant, list_functions, plant, read_mistakes, read_table
from yardstick.scorecard.trainings import TRAININGS
from yardstick.vectors.reading import load_own

BLOCKS = """
wrong sum at a.py::f
Eq. 1, line 2 at a.py::g.h
by test_a.py::test_f
- a
-     + b
+ a - b
- c at d
+
in sum at e.py
by test_a.py::test_g

off by one at b.c
- n
+ n + 1
"""


def test_blocks_are_read():
    places = PlantedPlace("wrong sum", "a.py", "f"), PlantedPlace("Eq. 1, line 2", "a.py", "g.h")
    notes = ("by", "test_a.py::test_f"), ("in", "sum at e.py"), ("by", "test_a.py::test_g")
    first, second = read_mistakes(BLOCKS)
    assert first == Mistake(places, (("a\n    + b", "a - b"), ("c at d", "")), notes)
    assert (first.words, first.file, first.find_note("hint")) == ("wrong sum", "a.py", "")
    assert first.find_notes("by") == ("test_a.py::test_f", "test_a.py::test_g")
    assert second == Mistake((PlantedPlace("off by one", "b.c", ""),), (("n", "n + 1"),))


@pytest.mark.parametrize(
    "block",
    [
        *("", "a at b.py", "a\n- b\n+ c", "- b\n+ c", "a at b.py\n- c", "a at b.py\n+ c", "a at b.py\n- c\n+ c"),
        "a at b.py\nc at d.py\n- e\n+ f",
    ],
)
def test_other_blocks_are_refused(block):
    with pytest.raises(ValueError, match="not WORDS at FILE"):
        read_mistakes(block)


def test_a_mistake_is_planted_where_its_text_stands_once():
    [mistake] = read_mistakes("a at b.py\n- two\n+ 2\n- three\n+ 3")
    assert mistake.plant("one two three") == "one 2 3"
    for text, n in (("one three", 0), ("two two three", 2)):
        with pytest.raises(ValueError, match=f"a: b.py has {n} times 'two': it must have it once"):
            mistake.plant(text)


def test_every_mutant_has_a_use():
    """Answers under its flag, a function of the vectors or of the kernel, or a training."""
    faults = {(answer.flag, case.function) for case in load_own().cases for answer in case.answers}
    flags = {flag for mutant in read_table() for flag in mutant.find_note("flag").split()}
    answering = {find_mutant(*fault) for fault in faults if fault[0] in flags}
    functions = {function.name for family in FAMILIES for function in family.functions} | {*FUNCTIONS}
    for mutant in read_table():
        named = {*mutant.find_note("in").split()}
        assert named <= functions, mutant
        assert (mutant in answering) == bool(mutant.find_note("flag")), mutant
        assert mutant in answering or named & {*FUNCTIONS} or mutant.find_note("of") in TRAININGS, mutant


def test_a_mutant_is_planted_in_functions_methods_and_tables_and_taken_out_again():
    before = [function.__code__ for module in (softmax_boosting, grower) for function in list_functions(vars(module))]
    right = dcg([1, 2], [2.0, 1.0], [0, 0])
    with plant(find_mutant("discount-ln", "dcg")):
        assert dcg([1, 2], [2.0, 1.0], [0, 0]) > right
    code = grower.Grower.grow_from.__code__
    with plant(find_mutant("leaves-one-more", "grow_tree")):
        assert grower.Grower.grow_from.__code__ != code
    with pytest.raises(ZeroDivisionError), plant(find_mutant("discount-ln", "dcg")):
        raise ZeroDivisionError
    [constant] = read_mistakes("a at refrank/metrics/discounts.py\n- SHORTEST_TABLE = 64\n+ SHORTEST_TABLE = 2\nin dcg")
    with plant(constant):
        assert discounts.SHORTEST_TABLE == 2
    assert discounts.SHORTEST_TABLE == 64
    assert dcg([1, 2], [2.0, 1.0], [0, 0]) == right
    after = [function.__code__ for module in (softmax_boosting, grower) for function in list_functions(vars(module))]
    assert all(ours is theirs for ours, theirs in zip(before, after, strict=True))
