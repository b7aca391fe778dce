"""Exports: the notebooks are valid, the key passes its own tests, and students get no answers but the visible ones."""

import json

import pytest

from tests.cli.command_line import run
from tutor.exports import BEGIN, N_VISIBLE, TARGETS, choose_cases, export_exercise, write_test
from tutor.tasks import find_task, list_tasks


def read_cells(text):
    nbformat = pytest.importorskip("nbformat")
    nbformat.validate(nbformat.reads(text, 4))
    return [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("name", list_tasks())
def test_nbgrader_cells_pass_with_the_key_and_fail_without(name):
    task = find_task(name)
    files = export_exercise(task, "nbgrader")
    teacher, student = (read_cells(files[f"{of}/{name}.ipynb"]) for of in ("teacher", "student"))
    space = {}
    for cell in teacher:
        exec(cell["source"], space)
    marks = [cell["metadata"]["nbgrader"] for cell in teacher]
    assert [of["solution"] for of in marks].count(True) == 1
    assert sum(of.get("points", 0) for of in marks) == len(choose_cases(task, None)) >= 2
    assert len({of["grade_id"] for of in marks}) == len(marks)
    assert [cell["metadata"] for cell in student] == [cell["metadata"] for cell in teacher]
    exec("\n".join(cell["source"] for cell in student[:2]), space)
    with pytest.raises(NotImplementedError):
        exec(student[2]["source"], space)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("variant", [None, "ada"])
def test_students_have_no_answers_but_those_of_the_visible_cases(target, variant):
    task = find_task("softmax_round")
    files = export_exercise(task, target, variant)
    shown = "".join(text for path, text in files.items() if path.startswith("student/"))
    kept = "".join(text for path, text in files.items() if path.startswith("teacher/"))
    assert BEGIN in kept
    assert BEGIN not in shown
    assert "np.bincount" not in shown
    for i, case in enumerate(choose_cases(task, variant)):
        assert write_test(task, case) in kept
        assert (write_test(task, case) in shown) == (i < N_VISIBLE)


def test_otter_tests_are_doctests_that_the_key_passes(tmp_path):
    doctest = pytest.importorskip("doctest")
    files = export_exercise(find_task("reduction"), "otter")
    space, test = {}, {}
    exec(files["teacher/tests/reduction.py"], test)
    exec(read_cells(files["teacher/reduction.ipynb"])[1]["source"], space)
    cases = test["test"]["suites"][0]["cases"]
    assert [case["hidden"] for case in cases] == [False, False, True, True]
    for case in cases:
        parsed = doctest.DocTestParser().get_doctest(case["code"], dict(space), "case", None, 0)
        assert doctest.DocTestRunner(verbose=False).run(parsed) == (0, len(parsed.examples))


def test_the_command_writes_both_folders(capsys, tmp_path):
    code, lines, _ = run(capsys, "exercise", "ndcg", "--to", "otter", "--out", tmp_path / "new")
    assert (code, len(lines)) == (0, 4)
    assert (tmp_path / "new" / "student" / "tests" / "ndcg.py").exists()
