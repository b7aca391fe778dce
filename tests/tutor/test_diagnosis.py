"""The cause of a wrong number: factors, conventions and steps are recognised, and nothing is made up."""

import numpy as np
import pytest

from refrank.metrics import ndcg
from tutor.answers import solutions
from tutor.checking import check_function, check_stages
from tutor.reporting import describe_report
from tutor.tasks import find_task


def diagnose(task, function):
    return check_function(find_task(task), {task: function}).diagnosis


FACTORS = [
    ("leaf_values", 1.5, "your values are 1.5 times the right ones"),
    ("ls_round", -1.0, "your steps are -1 times the right ones: the sign is swapped"),
    ("softmax_round", 2.0, "your steps are 2 times the right ones: they are doubled"),
    ("softmax_round", 1.3, "your steps are 1.3 times the right ones"),
]


@pytest.mark.parametrize(("task", "factor", "words"), FACTORS, ids=range(len(FACTORS)))
def test_a_factor_is_recognised(task, factor, words):
    def scaled(**given):
        start = given.get("scores", 0.0)
        return start + factor * (getattr(solutions, task)(**given) - start)

    [sentence] = diagnose(task, scaled).sentences[:1]
    assert words in sentence or "factor-missing" in sentence


def test_a_factor_with_a_name_is_named_in_a_variant():
    def scaled(**given):
        return solutions.class_proba(**given) * 2

    report = check_function(find_task("class_proba"), {"class_proba": scaled}, variant="ada")
    assert report.diagnosis.sentences == ("your values are 2 times the right ones: they are doubled",)


CONVENTIONS = {
    "trec_eval": "trec_eval",
    "sklearn": "scikit-learn",
    "lightgbm": "lightgbm",
    "yahoo": "the Yahoo! challenge",
}


@pytest.mark.parametrize("spec", CONVENTIONS)
def test_a_convention_is_recognised(spec):
    said = diagnose("ndcg", lambda y, score, k: ndcg(y, score, k=k, spec=spec)).sentences[-1]
    assert said.startswith("this is NDCG as ")
    assert CONVENTIONS[spec] in said


def test_another_number_has_no_diagnosis():
    assert diagnose("ndcg", lambda **_: 0.123) == ("", "", ())
    assert diagnose("softmax", lambda scores: np.eye(*scores.shape)) == ("", "", ())


def test_steps_whose_functions_are_there_are_judged_apart():
    task = find_task("softmax_round")
    offered = {
        "softmax": solutions.softmax,
        "leaf_values": lambda residual, proba, leaf, n_classes, weight: np.zeros(2),
        "softmax_round": solutions.softmax_round,
    }
    assert [stage[::2] for stage in check_stages(task, offered, 2**16)] == [("p", True), ("beta", False)]
    offered["softmax"] = lambda: None  # it has other arguments, and is not judged
    assert [stage.step for stage in check_stages(task, offered, 2**16)] == ["beta"]


def test_hints_tell_more_from_level_to_level_and_floats_are_plain():
    def without_factor(**given):
        return 1.5 * solutions.leaf_values(**given)

    report = check_function(find_task("leaf_values"), {"leaf_values": without_factor})
    levels = [describe_report(report, hint) for hint in (1, 2, 3)]
    assert levels[2][0] == "leaf_values: 0 of 4 cases are right"
    assert {*levels[0]} < {*levels[1]} < {*levels[2]}
    assert "factor" in " ".join(levels[2])
    assert not any("0x" in line or "ulp" in line for line in levels[2])
    assert "0x" in " ".join(describe_report(report, exact=True))
