"""Catalogues of planted mistakes; and the table: each mistake is carried out in this process, and leaves no trace."""

import pytest

from generators.cases import FAMILIES
from generators.cases.making import find_mutant
from refrank.mcrank import softmax_boosting
from refrank.metrics import dcg, discounts
from refrank.trees.growth import grower
from refrank.trees.splitter import FUNCTIONS
from yardstick.planting import Mistake, list_functions, plant, read_mistakes, read_table
from yardstick.scorecard.trainings import TRAININGS
from yardstick.vectors.files import load_vectors

BLOCKS = """
wrong sum at a.py::f
Eq. 1, line 2 at a.py::g.h
- a
-     + b
+ a - b
- c at d
+
in sum at e.py
by test_g

off by one at b.c
- n
+ n + 1
"""


def test_blocks_are_read_and_others_refused():
    places = ("wrong sum", "a.py", "f"), ("Eq. 1, line 2", "a.py", "g.h")
    first = Mistake(places, (("a\n    + b", "a - b"), ("c at d", "")), (("in", "sum at e.py"), ("by", "test_g")))
    second = Mistake((("off by one", "b.c", ""),), (("n", "n + 1"),))
    assert read_mistakes(BLOCKS) == [first, second]
    assert (first.find_note("by"), first.find_note("hint")) == ("test_g", "")
    assert second.plant("one") == "on + 1e"
    for text, n in (("a", 0), ("nn", 2)):
        with pytest.raises(ValueError, match=f"off by one: b.c has {n} times 'n': it must have it once"):
            second.plant(text)
    change = "- e\n+ f"
    for block in ("", "a at b.py", f"a\n{change}", change, *(f"a at b.py\n{of}" for of in ("- c", "+ c", "- c\n+ c"))):
        with pytest.raises(ValueError, match="not WORDS at FILE"):
            read_mistakes(block)
    with pytest.raises(ValueError, match="not WORDS at FILE"):
        read_mistakes(f"a at b.py\nc at d.py\n{change}")


def test_every_mutant_has_a_use():
    """Answers under its flag, a function of the vectors or of the kernel, or a training."""
    faults = {(answer.flag, case.function) for case in load_vectors().cases for answer in case.answers}
    flags = {flag for mutant in read_table() for flag in mutant.find_note("flag").split()}
    answering = {find_mutant(*fault) for fault in faults if fault[0] in flags}
    functions = {function.name for family in FAMILIES for function in family.functions} | {*FUNCTIONS}
    for mutant in read_table():
        named = {*mutant.find_note("in").split()}
        assert named <= functions, mutant
        assert (mutant in answering) == bool(mutant.find_note("flag")), mutant
        assert mutant in answering or named & {*FUNCTIONS} or mutant.find_note("of") in TRAININGS, mutant


def test_a_mutant_is_planted_in_functions_methods_and_tables_and_taken_out_again():
    def read():
        functions = [*list_functions(vars(softmax_boosting)), *list_functions(vars(grower))]
        return [dcg([1, 2], [2.0, 1.0], [0, 0]), discounts.SHORTEST_TABLE, *(of.__code__ for of in functions)]

    before = read()
    [constant] = read_mistakes("a at refrank/metrics/discounts.py\n- SHORTEST_TABLE = 64\n+ SHORTEST_TABLE = 2\nin dcg")
    for mutant in (find_mutant("discount-ln", "dcg"), find_mutant("leaves-one-more", "grow_tree"), constant):
        with plant(mutant):
            assert read() != before
        assert read() == before
    with pytest.raises(ZeroDivisionError), plant(constant):
        raise ZeroDivisionError
    assert read() == before
