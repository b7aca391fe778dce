"""Grade a folder of submissions: several at a time, each in a process of its own with limits; one row per submission.

    FOLDER/ada.py           the submission of ada, for the task that is named
    FOLDER/ada/ndcg.py      the submission of ada for the task ndcg

A submission that crashes, loops, or starts other programs ends alone, and is one row as any other.
"""

import csv
import html
import io
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from joblib import Parallel, delayed

from refrank.checks import check_choice, print_text
from refrank.datasets.foreign_file import read_file
from tutor.checking import ENDED, TIME_LIMIT, ULPS, check_homework
from tutor.reporting import describe_in_one_line
from tutor.tasks import find_task, list_cases, list_tasks
from tutor.variants import N_CASES

MEMORY = 2**30  # bytes that a submission may use
FIELDS = "student", "task", "score", "cases", "first mistake", "fault", "seconds"
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Grades</title><style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ border-bottom: 1px solid #8888; padding: .3rem .6rem; text-align: left; vertical-align: top; }}
td {{ font-variant-numeric: tabular-nums; overflow-wrap: break-word; }}
@media (max-width: 48rem) {{
  thead, td:empty {{ display: none; }}
  table, tbody, tr, td {{ display: block; }}
  tr {{ border-bottom: 1px solid #8888; padding: .5rem 0; }}
  td {{ border: 0; padding: 0; }}
  td::before {{ content: attr(title) ": "; opacity: .7; }}
}}
</style></head><body><h1>Grades</h1><p>{summary}</p>
<table><thead><tr>{head}</tr></thead><tbody>
{rows}
</tbody></table></body></html>
"""


class Submission(NamedTuple):
    """A student's file for a task."""

    student: str
    task: str
    path: Path


class Grade(NamedTuple):
    """The outcome of a submission."""

    student: str
    task: str
    score: int
    cases: int
    mistake: str  # the first one, in one line; "" if all is right
    fault: str  # its name, if it is a known one; "ended" or "refused" if the file cannot be judged
    seconds: float


def find_submissions(folder: str | os.PathLike[str], task: str | None) -> list[Submission]:
    """Find the submissions of a folder, in the order of students and tasks.

    In a folder of students' folders, a task that one of them has is a submission of each, with or without its file.
    """
    if not Path(folder).is_dir():
        raise ValueError(f"FOLDER is {print_text(str(folder), 200)}: it must be a folder")
    found_here = sorted(Path(folder).glob("*.py"))
    if found_here and task is None:
        raise ValueError("--task is missing: it must name the task of the files of FOLDER")
    named = [Submission(path.stem, find_task(task).name, path) for path in found_here if task is not None]
    folders = [
        path for path in Path(folder).iterdir() if path.is_dir() and path.suffix != ".py" and path.name[0] not in "._"
    ]
    handed_in = {path.stem for of in folders for path in of.glob("*.py")}
    tasks = handed_in & {*list_tasks()} if task is None else {check_choice("--task", task, list_tasks())}
    inner = [Submission(of.name, name, of / f"{name}.py") for of in folders for name in tasks]
    return sorted([*named, *(of for of in inner if of.path.exists() or not found_here)])


def grade_folder(
    folder: str | os.PathLike[str],
    task: str | None = None,
    keys: Mapping[str, str] | None = None,
    n_jobs: int = -1,
    time_limit: float = TIME_LIMIT,
) -> list[Grade]:
    """Grade all submissions of a folder, those of `keys` on the cases of the student's own key."""
    submissions = find_submissions(folder, task)
    with discard_errors():
        grade = delayed(grade_submission)
        return list(
            Parallel(n_jobs=n_jobs, prefer="threads")(grade(of, keys, time_limit) for of in submissions)  # in order
        )


def grade_submission(submission: Submission, keys: Mapping[str, str] | None, time_limit: float) -> Grade:
    """Grade a submission."""
    student, task, path = submission
    began = time.monotonic()
    n_cases = N_CASES if keys is not None else sum(not case.of for case in list_cases(find_task(task)))
    try:
        if not path.exists():
            raise ValueError(f"{student} has no file {path.name}")
        if keys is not None and student not in keys:
            raise ValueError(f"{student} has no key: the file of --variants must have a line of this student")
        variant = None if keys is None else keys[student]
        report = check_homework(path, task, time_limit, ULPS, variant, MEMORY)
    except (ValueError, OSError) as fault:
        text = print_text(str(fault), 200)
        return Grade(student, task, 0, n_cases, text, "refused", time.monotonic() - began)
    mistake = describe_in_one_line(report)
    fault_name = "ended" if mistake.startswith(ENDED) else report.diagnosis.fault
    return Grade(student, task, report.n_right, report.n_cases, mistake, fault_name, time.monotonic() - began)


@contextmanager
def discard_errors() -> Iterator[None]:
    """Discard what submissions print: their processes have this one's stderr."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def read_keys(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read the keys of students: lines of a student's name, a comma, and the key."""
    keys: dict[str, str] = {}
    for number, line in enumerate(read_file(path, "homework").decode("utf-8").splitlines(), start=1):
        student, comma, key = (part.strip() for part in line.partition(","))
        if line.strip() and not (student and comma and key):
            raise ValueError(f"--variants at line {number} is {print_text(line, 80)!r}: it must be STUDENT,KEY")
        if line.strip():
            keys[student] = key
    return keys


def list_cells(grade: Grade) -> list[str]:
    """List the cells of a row; none of them is a formula for a spreadsheet."""
    cells = [*map(str, grade[:-1]), f"{grade.seconds:.1f}"]
    return [f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell for cell in cells]


def write_csv(grades: Sequence[Grade]) -> str:
    """Write grades as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([FIELDS, *map(list_cells, grades)])
    return text.getvalue()


def write_html(grades: Sequence[Grade]) -> str:
    """Write grades as a page without scripts."""
    head = "".join(f"<th>{field}</th>" for field in FIELDS)
    titled = (zip(FIELDS, map(html.escape, list_cells(grade)), strict=True) for grade in grades)
    rows = "\n".join("<tr>" + "".join(f'<td title="{of}">{cell}</td>' for of, cell in row) + "</tr>" for row in titled)
    return PAGE.format(summary=describe_grades(grades), head=head, rows=rows)


def describe_grades(grades: Sequence[Grade]) -> str:
    """Describe how many submissions are right."""
    return f"{sum(grade.mistake == '' for grade in grades)} of {len(grades)} submissions are right"
