"""Variants: the same key gives the same cases, another key others, and a copied table of answers fails."""

import hashlib

import pytest

from tutor.checking import check_function
from tutor.tasks import find_task, list_tasks
from tutor.variants import draw_cases


def print_inputs(task, key):
    return str([{name: str(value) for name, value in case.input.items()} for case in draw_cases(task, key)])


@pytest.mark.parametrize("task", list_tasks().values(), ids=lambda task: task.name)
def test_a_key_has_its_own_inputs_which_the_task_can_have(task):
    first = print_inputs(task, "ada")
    assert first == print_inputs(task, "ada")
    assert first != print_inputs(task, "bob")
    assert [*draw_cases(task, "ada")[0].input] == [*task.inputs] or {*draw_cases(task, "ada")[0].input} == {
        *task.inputs
    }


def test_the_cases_of_a_key_stay_as_they_are():
    text = "".join(print_inputs(task, "ada") for task in list_tasks().values())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "62abbf8fcd3456f7"


def test_answers_of_another_key_are_wrong():
    answers = iter([case.answers[0].output["ndcg"] for case in draw_cases(find_task("ndcg"), "ada")])
    report = check_function(find_task("ndcg"), {"ndcg": lambda **_: float(next(answers))}, variant="bob")
    assert report.n_right < 3
