"""The table of mutants: each is carried out in this process, is asked of some function, and leaves no trace."""

import pytest

from generators.cases import FAMILIES
from generators.mutants import find_mutant, list_functions, plant, read_table
from refrank.mcrank import softmax_boosting
from refrank.metrics import dcg, discounts
from refrank.trees.growth import grower
from yardstick.planting import read_mistakes
from yardstick.vectors.reading import load_own


def test_every_mutant_gives_an_answer():
    faults = {(answer.flag, case.function) for case in load_own().cases for answer in case.answers}
    used = {find_mutant(flag, function) for flag, function in faults if flag in read_table()}
    assert {mutant for mutants in read_table().values() for mutant in mutants} - used == set()
    functions = {function.name for family in FAMILIES for function in family.functions}
    named = {name for mutants in read_table().values() for mutant in mutants for name in mutant.find_note("in").split()}
    assert named - functions <= {"best_split_inside", "grow_deep"}  # of the kernel


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
