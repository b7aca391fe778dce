"""Homework: run the cases of a task on a student's function, and name the first wrong number.

The student's file is executed: it is the user's own, like any program that a user starts. It runs in its own process
(yardstick/homework/child.py) under limits of time, memory and file size, and what it starts ends with it.
"""

import os
import time

from refrank.checks import check_number, print_text
from refrank.datasets.foreign_file import check_file
from yardstick.homework.child import LARGEST_FILE, MOST_MEMORY, run_file
from yardstick.homework.tasks import ULPS, find_task
from yardstick.processes import Worker

TIME_LIMIT = 20.0  # seconds


def check_homework(
    file: str | os.PathLike[str], task: str, time_limit: float = TIME_LIMIT, ulps: int = ULPS
) -> tuple[bool, list[str]]:
    """Run the cases of a task on the function of that name in a student's file of Python, which is executed.

    Returns whether all are right, and lines for people.
    Floats are right within `ulps` units in the last place of the largest entry; 0: every bit. A ValueError refuses a
    file that cannot be used: its text is not Python, its import fails, or it has no such function.
    """
    find_task(task)
    seconds = check_number("--time-limit", time_limit, above=0, at_most=3600)
    check_file(file, "homework")
    shown, running, began = print_text(str(file), 200), list[str](), time.monotonic()
    arguments = str(file), task, str(ulps)
    with Worker(run_file, *arguments, name=shown, memory=MOST_MEMORY, file_size=LARGEST_FILE, quiet=True) as worker:
        try:
            while "lines" not in (said := worker.receive(seconds, began)):
                if "unusable" in said:
                    raise ValueError(said["unusable"])
                running = said["running"]
            return said["is_right"], said["lines"]
        except TimeoutError as fault:
            ended = f"{fault} (--time-limit)"
        except ChildProcessError as fault:
            ended = str(fault)
    if not running:
        raise ValueError(f"{shown} {ended} while it was imported: it must define functions")
    return False, [f"{task}: it {ended}", *running]
