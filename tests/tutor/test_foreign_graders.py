"""The forms that nbgrader 0.9.6 and otter-grader 7.0.0 ask for: both were run on such exports."""

import ast
import json
import re

import pytest

from tutor.exports import N_VISIBLE, choose_cases, export_exercise
from tutor.tasks import find_task

EXERCISES = "ndcg", "softmax_round"
SOLUTION = re.compile(r"^( *)### BEGIN SOLUTION\n.*?^ *### END SOLUTION$", re.MULTILINE | re.DOTALL)
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS", re.DOTALL)
STUB = r"\1# YOUR CODE HERE\n\1raise NotImplementedError()"  # nbgrader's own
NBGRADER = {"grade", "locked", "solution", "task", "grade_id", "schema_version", "cell_type"}


def read_sources(text):
    return [(cell, cell["source"]) for cell in json.loads(text)["cells"]]


@pytest.mark.parametrize("name", EXERCISES)
def test_nbgrader_makes_the_students_notebook_from_the_source(name):
    files = export_exercise(find_task(name), "nbgrader")
    teacher, student = (read_sources(files[f"{folder}/{name}.ipynb"]) for folder in ("teacher", "student"))
    made = [HIDDEN.sub("# a hidden case", SOLUTION.sub(STUB, source)) for _, source in teacher]
    assert made == [source for _, source in student]
    assert sum(bool(SOLUTION.search(source)) for _, source in teacher) == 1
    assert sum(bool(HIDDEN.search(source)) for _, source in teacher) == len(choose_cases(find_task(name), None)) - 2
    for cell, _ in teacher:
        marks = cell["metadata"]["nbgrader"]
        assert {*marks} - {"points"} == NBGRADER
        assert (marks["schema_version"], marks["cell_type"], marks["task"]) == (3, cell["cell_type"], False)
        assert marks["locked"] != marks["solution"]  # autograde puts locked cells back, and keeps the student's other
        assert ("points" in marks) == marks["grade"]
        assert re.fullmatch(r"[\w-]+", marks["grade_id"])


@pytest.mark.parametrize("name", EXERCISES)
def test_otter_finds_the_tests_by_the_name_of_their_file(name):
    files = export_exercise(find_task(name), "otter")
    for folder, hidden in (("student", 0), ("teacher", len(choose_cases(find_task(name), None)) - N_VISIBLE)):
        form, test = ast.parse(files[f"{folder}/tests/{name}.py"]).body  # otter reads OK_FORMAT before it runs the file
        assert ast.unparse(form) == "OK_FORMAT = True"
        test = ast.literal_eval(test.value)
        assert ({*test}, test["name"]) == ({"name", "points", "suites"}, name)
        [suite] = test["suites"]
        assert {*suite} == {"cases", "scored", "setup", "teardown", "type"}
        assert (suite["type"], suite["scored"]) == ("doctest", True)
        for case in suite["cases"]:
            assert ({*case}, case["points"], case["locked"]) == ({"code", "hidden", "locked", "points"}, 1, False)
        assert [case["hidden"] for case in suite["cases"]] == [False] * N_VISIBLE + [True] * hidden
        sources = [source for _, source in read_sources(files[f"{folder}/{name}.ipynb"])]
        assert sources[1].startswith("import otter\n")
        assert f'otter.Notebook("{name}.ipynb")' in sources[1]
        assert sources[-1] == f'grader.check("{name}")'
