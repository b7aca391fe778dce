"""`refrank exercise`: write an exercise for another grader."""

import argparse
from pathlib import Path


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank exercise`."""
    command.add_argument("task", metavar="TASK", help="task (refrank check --list)")
    command.add_argument("--to", required=True, choices=("nbgrader", "otter"), dest="target", help="grader")
    command.add_argument("--out", required=True, metavar="DIR", help="folder: student/, and teacher/ with the answers")
    command.add_argument("--variant", metavar="KEY", help="cases that are drawn from a key: a student's own")


def run(task: str, target: str, out: str, variant: str | None) -> int:
    """Write the files, and print their names."""
    from refrank.datasets.whole_file import replace_file
    from tutor.exports import export_exercise
    from tutor.tasks import find_task

    for name, text in export_exercise(find_task(task), target, variant).items():
        path = Path(out, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as file:
            file.write(text.encode())
        print(path)
    return 0
