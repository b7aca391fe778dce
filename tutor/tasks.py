"""The tasks of the exercises, and their cases.

The tasks are the functions of the vectors that have a formula, the paper's line that a student codes, without the cases
that only an exact port can pass.
"""

from refrank.checks import check_choice
from yardstick.vectors.case import Case, Signature
from yardstick.vectors.files import load_vectors

LEFT_OUT = frozenset({"order-of-operations", "three-way", "many-bins", "refuse"})  # flags of cases that no task has


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
