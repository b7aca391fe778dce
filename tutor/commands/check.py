"""`refrank check`: run the cases of a task on the function in a student's file."""

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
        "--hint", type=int, choices=(1, 2, 3), default=3, help="1: where to look; 2: the formula; 3: what it is (3)"
    )
    command.add_argument("--variant", metavar="KEY", help="cases that are drawn from a key: a student's own")
    command.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    command.add_argument(
        "--time-limit", type=float, default=argparse.SUPPRESS, metavar="S", help="seconds until it is stopped (20)"
    )


def run(
    file: str | None, task: str | None, lists: bool, skeleton: bool, exact: bool, hint: int, as_json: bool, **more: str
) -> int:
    """Print the score and the first mistake; return 0 if there is none, and 3 otherwise."""
    from tutor.checking import ULPS, check_homework
    from tutor.reporting import describe_report, write_json
    from tutor.tasks import find_task, list_tasks, write_skeleton

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
    report = check_homework(file, task, ulps=0 if exact else ULPS, **more)  # type: ignore[arg-type]
    print(write_json(report) if as_json else "\n".join(describe_report(report, hint, exact)) + "\n", end="")
    return 0 if report.is_right else WRONG
