"""The mutation score itself: a mutant is found and named, an equal one is not, and what no port has is not drawn."""

import re

import pytest

from tests.mutants.mutations import Mutant
from tests.yardstick import score, score_trainings
from tests.yardstick.branches import ROOT
from tests.yardstick.score import draw_mutants, judge
from yardstick.scorecard.trainings import TRAININGS, train_golden

MUTANTS = [  # file, old text, new one, the family of the first case that fails, whether it is named
    ("trees/numbers/draws", "draw(key, CHILDREN + j)", "draw(key, j)", "draws", True),
    ("cocr/rankers", ">= 0.5", "> 0.5", "cocr", True),
    ("mcrank/ls_boosting", "range(1, n_rounds + 1)", "iter(int, 1)", "regression", True),  # without end
    ("trees/numbers/grid", "def weigh(", "def weigh(*_):\n    raise KeyError\ndef other(", "trees", True),
    ("trees/numbers/grid", "import math", "import maths", "-", False),
]


@pytest.mark.parametrize(("file", "old", "new", "family", "is_named"), MUTANTS)
def test_a_mutant_is_found_by_the_family_of_its_file(file, old, new, family, is_named, monkeypatch):
    monkeypatch.setattr(score, "SECONDS", 3)
    path = f"refrank/{file}.py"
    text = (ROOT / path).read_text()
    verdict = judge(Mutant(path, "f", 1, old, new, text.replace(old, new)))
    assert (verdict.first.partition("/")[0], verdict.is_named) == (family, is_named), verdict


def test_a_mutant_is_found_by_the_stage_of_its_code(tmp_path):
    golden = {name: train_golden(TRAININGS[name], tmp_path / name) for name in ("ls", "rf")}
    for file, old, new, *expected in [
        ("trees/numbers/draws", "draw(key, CHILDREN + j)", "draw(key, j)", "tree/rf", True),
        ("mcrank/loss_boosting", "scores, learning_rate,", "scores, 2 * learning_rate,", "step/ls", True),
        ("trees/splitting", "def histogram(", "def histogram(*_):\n    raise KeyError\ndef other(", "error/ls", True),
        ("trees/splitting", '"""', '"""  ', "", False),
    ]:
        path = f"refrank/{file}.py"
        text = (ROOT / path).read_text()
        verdict = score_trainings.judge(Mutant(path, "f", 1, old, new, text.replace(old, new)), golden)
        assert [verdict.first, verdict.is_named] == expected, verdict


def test_mutants_are_of_what_a_port_has():
    drawn = [*draw_mutants(40, 7, ["refrank/metrics/reciprocal_rank.py", "refrank/cocr/costs.py"])]
    assert len({mutant.identity for mutant in drawn}) == 40
    assert not [mutant for mutant in drawn if re.match(r"@|def |check_|raise ", mutant.old)]
