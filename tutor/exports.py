"""An exercise for nbgrader or otter-grader: the students' files, and apart from them the teacher's.

    student/     the notebook with the function to write and the visible cases; for otter, tests/TASK.py of these
    teacher/     the same with a solution and all cases: the source notebook of nbgrader, or otter's tests/TASK.py

The tests need NumPy alone. The students' files hold no answers but those of the first N_VISIBLE cases.
"""

import json
import textwrap
from collections.abc import Iterator
from typing import Any

import numpy as np

from tutor.answers.key import write_solution
from tutor.tasks import list_cases, write_skeleton
from tutor.variants import draw_cases
from yardstick.vectors.case import Case, Signature, Value

N_VISIBLE, MOST_CASES = 2, 8
MOST_ENTRIES = 80  # entries of a case that is exported
TARGETS = "nbgrader", "otter"
STUB = "    # YOUR CODE HERE\n    raise NotImplementedError()\n"
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
IMPORTS = "import numpy as np\nfrom numpy import inf, nan  # in arrays of the cases"
IS_RIGHT = '''def is_right(answer, lawful):
    """Return whether an answer is one of the lawful ones, but for the rounding of sums."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    pairs = [list(zip(parts, right)) for right in lawful if len(parts) == len(right)]
    same = [[np.shape(a) == np.shape(b) and np.allclose(a, b, 1e-9, 1e-12, True) for a, b in of] for of in pairs]
    return any(map(all, same))
'''

Cell = dict[str, Any]


def export_exercise(task: Signature, target: str, variant: str | None = None) -> dict[str, str]:
    """Write the files of an exercise: path -> text."""
    cases = choose_cases(task, variant)
    write = write_nbgrader if target == "nbgrader" else write_otter
    return dict(write(task, cases))


def choose_cases(task: Signature, variant: str | None) -> list[Case]:
    """Choose the small cases of a task, or those of a key."""
    cases = [case for case in list_cases(task) if not case.of] if variant is None else draw_cases(task, variant)
    return [
        case
        for case in cases
        if sum(np.size(value) for value in case.input.values() if isinstance(value, np.ndarray)) <= MOST_ENTRIES
    ][:MOST_CASES]


def print_value(value: Value) -> str:
    """Print a value as Python, with all its digits."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    return f"np.array({value.tolist()}, np.{value.dtype})" if value.ndim else repr(value.item())


def write_test(task: Signature, case: Case) -> str:
    """Write a case as an expression that is true for a right answer."""
    given = ", ".join(f"{name}={print_value(value)}" for name, value in case.input.items())
    lawful = [f"({', '.join(map(print_value, of.output.values()))},)" for of in case.answers]
    return f"is_right({task.name}({given}), [{', '.join(lawful)}])"


def write_function(task: Signature, solved: bool) -> str:
    """Write the function with its docstring: to be written, or solved by functions inside it."""
    head = write_skeleton(task).partition("\n\n\n")[2].removesuffix("    raise NotImplementedError\n")
    inner = write_solution(task.name).partition("\n\n\n")[2].replace("\n\n\n", "\n\n")
    last = f"return {task.name}({', '.join(task.inputs)})"
    key = textwrap.indent(f"{BEGIN}\n{inner}\n{last}\n{END}\n", "    ")
    return head + (key if solved else STUB)


def write_nbgrader(task: Signature, cases: list[Case]) -> Iterator[tuple[str, str]]:
    """Write the release notebook and the source notebook."""
    for folder, solved in (("student", False), ("teacher", True)):
        cells = [
            mark("text", write_text(task, f"{task.name}-text"), locked=True),
            mark("code", write_code(f"{IMPORTS}\n\n\n{IS_RIGHT}", f"{task.name}-right"), locked=True),
            mark("code", write_code(write_function(task, solved), f"{task.name}-solution"), solution=True),
        ]
        for i, case in enumerate(cases, start=1):
            test = f"assert {write_test(task, case)}, {case.comment!r}"
            if i > N_VISIBLE:
                test = f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS" if solved else "# a hidden case"
            cells.append(mark("code", write_code(test, f"{task.name}-case-{i}"), grade=True, locked=True, points=1))
        yield f"{folder}/{task.name}.ipynb", write_notebook(cells)


def write_otter(task: Signature, cases: list[Case]) -> Iterator[tuple[str, str]]:
    """Write the notebook, the tests that students have, and all tests with the solution."""
    check = f'grader.check("{task.name}")'
    for folder, solved in (("student", False), ("teacher", True)):
        sources = [
            f'import otter\n\ngrader = otter.Notebook("{task.name}.ipynb")',
            f"{IMPORTS}\n\n\n{write_function(task, solved)}",
            check,
        ]
        code = (write_code(source, f"{task.name}-{i}") for i, source in enumerate(sources))
        yield f"{folder}/{task.name}.ipynb", write_notebook([write_text(task, f"{task.name}-text"), *code])
        shown = cases if solved else cases[:N_VISIBLE]
        suite = {"cases": [*map(dict, list_doctests(task, shown))], "scored": True, "setup": "", "teardown": ""}
        test = {"name": task.name, "points": None, "suites": [suite | {"type": "doctest"}]}
        yield f"{folder}/tests/{task.name}.py", f"OK_FORMAT = True\n\ntest = {test!r}\n"


def list_doctests(task: Signature, cases: list[Case]) -> Iterator[Cell]:
    """Yield the cases as otter's test cases, each complete in itself."""
    lines = [line for line in IS_RIGHT.splitlines() if '"""' not in line]
    start = [f">>> {line}" for line in IMPORTS.splitlines()] + [f">>> {lines[0]}", *(f"... {of}" for of in lines[1:])]
    for i, case in enumerate(cases):
        code = "\n".join([*start, "... ", f">>> {write_test(task, case)}", "True"])
        yield {"code": code, "hidden": i >= N_VISIBLE, "locked": False, "points": 1}


def mark(kind: str, cell: Cell, points: int = 0, **flags: bool) -> Cell:
    """Give a cell the metadata of nbgrader."""
    marks = {"grade": False, "locked": False, "solution": False, "task": False} | flags
    own = marks | {"grade_id": cell["id"], "schema_version": 3} | ({"points": points} if points else {})
    return cell | {"metadata": {"nbgrader": own | {"cell_type": "code" if kind == "code" else "markdown"}}}


def write_text(task: Signature, id: str) -> Cell:
    """Write the cell that states the exercise."""
    text = f"# {task.name}\n\n{task.text}\n\n{task.paper}:\n\n    {task.formula}"
    return {"cell_type": "markdown", "id": id.replace("_", "-"), "metadata": {}, "source": text}


def write_code(source: str, id: str) -> Cell:
    """Write a cell of code."""
    own = {"cell_type": "code", "id": id.replace("_", "-"), "metadata": {}, "source": source.rstrip("\n")}
    return own | {"execution_count": None, "outputs": []}


def write_notebook(cells: list[Cell]) -> str:
    """Write a notebook, nbformat 4.5."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1) + "\n"
