"""The tasks of the exercises: a student's function, on the cases of the vectors, and the first wrong number.

The tasks are the functions of the vectors that have a formula, the paper's line that a student codes, without the cases
that only an exact port can pass. Floats are right within ULPS units in the last place: a student adds floats in any
order. The student's file, a page of Python (scorecard/page.py), is executed: it is the user's own, like any program
that a user starts. It runs in its own process under limits of time, memory and file size; what it starts ends with it.
"""

import os

import numpy as np

from refrank.checks import check_choice, check_number, print_text
from refrank.datasets.foreign_file import check_file
from yardstick.scorecard.adapters import load_adapter
from yardstick.vectors.case import Case, Signature
from yardstick.vectors.files import load_vectors
from yardstick.vectors.running import run_vectors

ULPS = 2**16  # float32 is 2**29 away
LEFT_OUT = frozenset({"order-of-operations", "three-way", "many-bins", "refuse"})  # flags of cases that no task has
TIME_LIMIT = 20.0  # seconds
MOST_MEMORY, LARGEST_FILE = 2**32, 2**26  # bytes of the process, and of each file that it writes
MOST_ENTRIES = 60  # entries of an array that is printed whole


def list_tasks() -> dict[str, Signature]:
    """List the tasks by their names, which a student's function has, too."""
    return {name: function for name, function in load_vectors().functions.items() if function.formula}


def find_task(name: str) -> Signature:
    """Return the task of a name."""
    tasks = list_tasks()
    return tasks[check_choice("--task", name, tasks)]


def list_cases(task: Signature) -> list[Case]:
    """List the cases of a task, each followed by the faults that share its input."""
    own = [case for case in load_vectors().cases if case.function == task.name]
    kept = {case.id for case in own if not LEFT_OUT & {*case.flags}}
    return [case for case in own if (case.of or case.id) in kept]


def write_skeleton(task: Signature) -> str:
    """Write the file with which a student begins."""
    tables = task.inputs, task.outputs
    inputs, outputs = ("\n".join(f"    {name} : {text}" for name, text in table.items()) for table in tables)
    text = f'''"""The exercise {task.name}: refrank check {task.name}.py --task {task.name}"""


def {task.name}({", ".join(task.inputs)}):
    """{task.text}

    {task.paper}:

        {task.formula}

    Parameters
    ----------
{inputs}

    Returns
    -------
{outputs}
    """
    raise NotImplementedError
'''
    return text.replace("null", "None")


def check_homework(
    file: str | os.PathLike[str], task: str, time_limit: float = TIME_LIMIT, ulps: int = ULPS
) -> tuple[bool, list[str]]:
    """Run the cases of a task on a student's function; return whether all are right, and lines for people.

    `ulps` is the tolerance of floats. A ValueError refuses a file whose import fails, or that has no such function.
    """
    signature, name, lawful, n_right = find_task(task), str(file), list[str](), 0
    seconds = check_number("--time-limit", time_limit, above=0, at_most=3600)
    check_file(file, "homework")
    if not name.endswith(".py"):
        raise ValueError(f"FILE is {print_text(name, 200)}: it must be a file of Python, *.py")
    offered = load_adapter(name, seconds, memory=MOST_MEMORY, file_size=LARGEST_FILE).functions
    if task not in offered:
        raise ValueError(f"{print_text(name, 200)} has no function {task}: it must define one of this name")
    cases = list_cases(signature)
    for case, outcome in zip(cases, run_vectors(offered, cases, ulps), strict=True):
        note = load_vectors().notes[case.id.partition("/")[0]].get(outcome.flag)
        if case.of:  # a fault of a case that is right
            continue
        if outcome.verdict not in ("passed", "acceptable"):
            head = f"{task}: wrong after {n_right} right case{'s' * (n_right != 1)}"
            wrong = str(outcome.difference or outcome.message) or "it is not written yet"
            fault = [f"this is what {outcome.flag} gives: {note}"] if note else []
            return False, [head, wrong, *fault, *describe_case(signature, case)]
        n_right += 1
        lawful += [f"{case.id}: {note}"] if note else []
    return True, [f"{task}: right in all {n_right} cases", *lawful]


def describe_case(task: Signature, case: Case) -> list[str]:
    """Describe a case: its purpose, its input, and the paper's formula; floats have all digits that name them."""
    inputs = list[str]()
    with np.printoptions(precision=17, floatmode="unique", threshold=MOST_ENTRIES, linewidth=100):
        for name, value in case.input.items():
            text = np.array2string(value, prefix=f"{name} = ") if isinstance(value, np.ndarray) else repr(value)
            inputs += [f"    {line}" for line in f"{name} = {text}".splitlines()]
    return [f"case {case.id}: {case.comment}", *inputs, f"{task.paper}: {task.formula}"]
