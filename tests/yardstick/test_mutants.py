"""The table of mutants: each is carried out in this process, is asked of some function, and leaves no trace."""

import pytest

from generators.cases import FAMILIES
from refrank.mcrank import softmax_boosting
from refrank.metrics import dcg, discounts
from refrank.trees.growth import grower
from refrank.trees.splitter import FUNCTIONS
from yardstick.mutants import find_mutant, list_functions, plant, read_table
from yardstick.planting import read_mistakes
from yardstick.scorecard.trainings import TRAININGS
from yardstick.vectors.reading import load_own


def test_every_mutant_with_a_flag_gives_an_answer():
    faults = {(answer.flag, case.function) for case in load_own().cases for answer in case.answers}
    flagged = {flag: mutant for mutant in read_table() for flag in mutant.find_note("flag").split()}
    assert {find_mutant(*fault) for fault in faults if fault[0] in flagged} == {
        mutant for mutant in read_table() if mutant.find_note("flag")
    }


def test_mutants_name_functions_of_the_vectors_and_the_kernel():
    functions = {function.name for family in FAMILIES for function in family.functions} | {*FUNCTIONS}
    for mutant in read_table():
        named = {*mutant.find_note("in").split()}
        assert named <= functions, mutant
        assert mutant.find_note("flag") or named & {*FUNCTIONS} or mutant.find_note("of") in TRAININGS, mutant


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
