"""`refrank check`: run the vectors of a task on the function in a student's file."""

import argparse

WRONG = 3


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank check`."""
    command.add_argument("file", nargs="?", metavar="FILE", help="Python file, which is executed: check your own only")
    command.add_argument("--task", metavar="NAME", help="task, and name of the function in the file")
    command.add_argument("--list", action="store_true", dest="lists", help="list the tasks")
    command.add_argument("--skeleton", action="store_true", help="print the file to begin with")
    command.add_argument("--exact", action="store_true", help="compare every bit; by default, floats within 2^16 ulps")
    command.add_argument(
        "--time-limit", type=float, default=argparse.SUPPRESS, metavar="S", help="seconds until it is stopped (20)"
    )


def run(file: str | None, task: str | None, lists: bool, skeleton: bool, exact: bool, **limits: float) -> int:
    """Print the first mistake; return 0 if there is none, and 3 otherwise."""
    from tutor.tasks import ULPS, check_homework, find_task, list_tasks, write_skeleton

    if lists:
        for name, listed in list_tasks().items():
            print(f"{name:<20} {listed.paper}: {listed.formula}")
        return 0
    if task is None:
        raise ValueError("--task is missing: it must name a task (refrank check --list)")
    if skeleton:
        print(write_skeleton(find_task(task)), end="")
        return 0
    if file is None:
        raise ValueError("FILE is missing: it must be a Python file with the function of the task")
    is_right, lines = check_homework(file, task, ulps=0 if exact else ULPS, **limits)
    print("\n".join(lines))
    return 0 if is_right else WRONG
