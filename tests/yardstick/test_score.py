"""The mutation score itself: a mutant is found and named, an equal one is not, and what no port has is not drawn."""

import re

import pytest

from tests.mutants.mutations import Mutant
from tests.yardstick import score
from tests.yardstick.branches import ROOT
from yardstick.scorecard.trainings import TRAININGS, train_golden

BROKEN = "{0}(*_):\n    raise KeyError\n{0}_other("
MUTANTS = [  # file, old text, new one, the door, and where the first difference is
    ("trees/numbers/draws", "draw(key, CHILDREN + j)", "draw(key, j)", "cases", "draws"),
    ("cocr/rankers", ">= 0.5", "> 0.5", "cases", "cocr"),
    ("mcrank/ls_boosting", "range(1, n_rounds + 1)", "iter(int, 1)", "cases", "regression"),  # without end
    ("trees/numbers/grid", "def weigh(", BROKEN.format("def weigh"), "cases", "trees"),
    ("trees/numbers/grid", "import math", "import maths", "cases", "-"),
    ("trees/numbers/draws", "draw(key, CHILDREN + j)", "draw(key, j)", "trainings", "tree/rf"),
    ("mcrank/loss_boosting", "scores, learning_rate,", "scores, 2 * learning_rate,", "trainings", "step/ls"),
    ("trees/splitting", "def histogram(", BROKEN.format("def histogram"), "trainings", "error/ls"),
    ("trees/splitting", '"""', '"""  ', "trainings", ""),
]


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    return {name: train_golden(TRAININGS[name], tmp_path_factory.mktemp("golden") / name) for name in ("ls", "rf")}


@pytest.mark.parametrize(("file", "old", "new", "door", "place"), MUTANTS)
def test_a_mutant_is_found_at_the_stage_of_its_code(golden, file, old, new, door, place, monkeypatch):
    monkeypatch.setattr(score, "SECONDS", 3)
    path = f"refrank/{file}.py"
    text = (ROOT / path).read_text()
    mutant = Mutant(path, "f", 1, old, new, text.replace(old, new))
    verdict = score.judge_cases(mutant) if door == "cases" else score.judge_training(mutant, golden)
    first = verdict.first.partition("/")[0] if door == "cases" else verdict.first
    assert (first, verdict.is_named) == (place, place not in ("", "-")), verdict


def test_mutants_are_of_what_a_port_has():
    drawn = [*score.draw_mutants(40, 7, ["refrank/metrics/reciprocal_rank.py", "refrank/cocr/costs.py"])]
    assert len({mutant.identity for mutant in drawn}) == 40
    assert not [mutant for mutant in drawn if re.match(r"@|def |check_|raise ", mutant.old)]
