"""The mutation score itself: a mutant is found and named, an equal one is not, and what no port has is not drawn."""

import re

import pytest

from tests.mutants.mutations import Mutant, name_around
from tests.score import planted
from tests.score.branches import ROOT
from tests.score.doors import Door, ask_cases, open_kernel, open_trainings
from tests.score.drawn import draw_mutants
from tests.score.stages import is_named

BROKEN = "{0}(*_):\n    raise KeyError\n{0}_other("
MUTANTS = [  # file, old text, new one, the door, and where the first difference is
    ("trees/numbers/draws", "draw(key, CHILDREN + j)", "draw(key, j)", "vectors", "draws"),
    ("cocr/rankers", ">= 0.5", "> 0.5", "vectors", "cocr"),
    ("mcrank/ls_boosting", "range(1, n_rounds + 1)", "iter(int, 1)", "vectors", "regression"),  # without end
    ("trees/numbers/grid", "def weigh(", BROKEN.format("def weigh"), "vectors", "trees"),
    ("trees/numbers/grid", "import math", "import maths", "vectors", "-"),
    ("trees/numbers/draws", "draw(key, CHILDREN + j)", "draw(key, j)", "trainings", "tree/rf"),
    ("mcrank/loss_boosting", "scores, learning_rate,", "scores, 2 * learning_rate,", "trainings", "step/ls"),
    ("trees/splitting", "def histogram(", BROKEN.format("def histogram"), "trainings", "error/ls"),
    ("trees/numbers/exact_gain", "return 0", "return -1", "trainings", "-"),
    ("trees/splitting", "missed[1] == 0 or", "missed[1] > 0 or", "trainings", "partition/gbrt, three-way"),
    ("trees/splitting", '"""', '"""  ', "trainings", ""),
    ("trees/splitting", "return int(np.count_nonzero(goes_left))", "return 1", "kernel", "partition"),
    ("trees/numbers/exact_gain", "Fraction(s * s, w)", "Fraction(s, w)", "kernel", "best_split"),
    ("trees/splitting", "while stack:", "while True:", "kernel", "grow_deep"),
    ("trees/splitting", '"""Reorder', '"""  Reorder', "kernel", ""),
]


@pytest.fixture(scope="module")
def doors(tmp_path_factory):
    trainings = open_trainings(tmp_path_factory.mktemp("golden"), ("ls", "rf", "gbrt, three-way"))
    kernel = open_kernel(("best_split", "partition", "grow_deep"))
    return {"vectors": Door(ask_cases), "trainings": trainings, "kernel": kernel}


@pytest.mark.parametrize(("file", "old", "new", "door", "place"), MUTANTS)
def test_a_mutant_is_found_at_the_stage_of_its_code(doors, file, old, new, door, place, monkeypatch):
    monkeypatch.setattr(planted, "SECONDS", 3)
    path = f"refrank/{file}.py"
    text = (ROOT / path).read_text()
    name = name_around(text, text[: text.index(old)].count("\n") + 1)
    [verdict] = planted.judge_all([Mutant(path, name, 1, old, new, text.replace(old, new))], doors[door].find)
    first = verdict.first if door == "trainings" else verdict.first.partition("/")[0]
    assert (first, is_named(verdict.mutant, door, verdict.first)) == (place, place not in ("", "-")), verdict


def test_mutants_are_of_what_a_port_has():
    drawn = [*draw_mutants(40, 7, ["refrank/metrics/reciprocal_rank.py", "refrank/cocr/costs.py"])]
    assert len({mutant.identity for mutant in drawn}) == 40
    assert not [mutant for mutant in drawn if re.match(r"@|def |check_|raise ", mutant.old)]
