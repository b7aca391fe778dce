"""`refrank grade`: check the submissions of a folder, several at a time."""

import argparse


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank grade`."""
    command.add_argument(
        "folder", metavar="FOLDER", help="of STUDENT.py or STUDENT/TASK.py, which are executed, each within bounds"
    )
    command.add_argument("--task", metavar="NAME", help="the task of STUDENT.py, or the only one of STUDENT/TASK.py")
    command.add_argument("--csv", metavar="OUT", help="file for the grades, a row per student and task")
    command.add_argument("--html", metavar="OUT", help="page for the same")
    command.add_argument("--variants", metavar="FILE", help="lines STUDENT,KEY: each student's cases come from a key")
    command.add_argument("--n-jobs", type=int, default=-1, metavar="N", help="submissions at a time (-1: all cores)")
    command.add_argument(
        "--time-limit", type=float, default=argparse.SUPPRESS, metavar="S", help="seconds of a submission (20)"
    )


def run(
    folder: str,
    task: str | None,
    csv: str | None,
    html: str | None,
    variants: str | None,
    n_jobs: int,
    **limits: float,
) -> int:
    """Grade, print a line per submission, and write the files."""
    from refrank.datasets.whole_file import replace_file
    from tutor.grading import describe_grades, grade_folder, read_keys, write_csv, write_html

    grades = grade_folder(folder, task, read_keys(variants) if variants else None, n_jobs, **limits)
    for grade in grades:
        mistake = f" ({grade.mistake})" if grade.mistake else ""
        print(f"{grade.student} {grade.task}: {grade.score} of {grade.cases}{mistake}")
    print(describe_grades(grades))
    for path, write in ((csv, write_csv), (html, write_html)):
        if path:
            with replace_file(path) as file:
                file.write(write(grades).encode())
    return 0
