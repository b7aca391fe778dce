"""`refrank data check`: counts of what files hold and of what may be wrong in them, and leaks between them."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from refrank.cli.inputs import FILE, N_FEATURES, check_inputs, open_input
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets.checking import FileReport, Leak, check_data

FAULTY = 3  # exit code
SHOWN = 8  # of a list, in the table
NAMES = (  # of the rows of the table; those of the labels stand after the fourth
    *("rows", "features", "queries", "documents of a query, fewest / median / most"),
    *("queries of one grade", "  of them, of grade 0", "values that rows do not list", "features that no row lists"),
    *("constant features", "features equal to an earlier one", "rows repeated in their query"),
    "  of them, with another label",
)


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the part `check`, and its arguments."""
    parts = command.add_subparsers(required=True, dest="part", metavar="part")
    summary = "count what files hold, and what leaks from one into another"
    check = parts.add_parser("check", help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
    check.epilog = (
        "Exit code 3: two files share a query or a row, or no query of a file has two grades. "
        "Example: refrank data check train.txt vali.txt test.txt"
    )
    check.add_argument("files", nargs="+", metavar="FILE", help=FILE)
    check.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    check.add_argument("--n-features", type=int, metavar="N", help=f"{N_FEATURES}; here of all files")
    add_reading(check)


def run(part: str, files: list[str], as_json: bool, n_features: int | None, **flags: Any) -> int:
    """Print a table of the files, or a JSON object; 3 if there is a leak or a file that teaches no ranking."""
    check_inputs(*files)
    reading = take_reading(flags)
    data = [reading.load(open_input(file), n_features, float("nan")) for file in files]
    reports, leaks = check_data(data)
    faults = [*describe_faults(files, reports, leaks)]
    if as_json:
        of_files = [{"file": file, **asdict(report)} for file, report in zip(files, reports, strict=True)]
        of_leaks = [{**asdict(leak), "a": files[leak.a], "b": files[leak.b]} for leak in leaks]
        print(json.dumps({"files": of_files, "leaks": of_leaks, "faults": faults}, allow_nan=False))
    else:
        print("\n".join([*as_table(files, reports), "", *(faults or ["no fault"])]))
    return FAULTY if faults else 0


def describe_faults(files: Sequence[str], reports: Sequence[FileReport], leaks: Sequence[Leak]) -> Iterator[str]:
    """Yield a sentence for each fault."""
    for file, report in zip(files, reports, strict=True):
        if report.queries_of_one_grade == report.queries:
            yield f"{file}: no query has two grades: there is nothing to rank"
    for leak in leaks:
        a, b = files[leak.a], files[leak.b]
        if leak.queries:
            n = len(leak.queries)
            yield f"{a} and {b} share {n} {'queries' if n > 1 else 'query'}: {shorten(leak.queries)}"
        if leak.rows:
            yield f"{a} has {leak.rows} row{'s' * (leak.rows > 1)} of {b}, equal in all features"


def as_table(files: Sequence[str], reports: Sequence[FileReport]) -> Iterator[str]:
    """Yield the lines of a table with a column per file."""
    labels = sorted({label for report in reports for label in report.labels})
    columns = [[file, *describe_report(report, labels)] for file, report in zip(files, reports, strict=True)]
    names = ["", *NAMES[:4], *(f"rows of label {label}" for label in labels), *NAMES[4:]]
    width = max(map(len, names)) + 2
    widths = [max(map(len, column)) + 2 for column in columns]
    for name, *cells in zip(names, *columns, strict=True):
        yield f"{name:<{width}}" + "".join(f"{cell:>{wide}}" for cell, wide in zip(cells, widths, strict=True))


def describe_report(report: FileReport, labels: Sequence[int]) -> list[str]:
    """Write the cells of a file, with one for each of the labels."""
    fewest, median, most = report.documents_per_query
    return [
        *(f"{count:,}" for count in (report.rows, report.features, report.queries)),
        f"{fewest} / {median} / {most}",
        *(f"{report.labels.get(label, 0):,}" for label in labels),
        f"{report.queries_of_one_grade:,}",
        f"{report.queries_of_grade_0:,}",
        f"{report.missing_values:,}",
        shorten(map(str, report.features_nowhere)),
        shorten(map(str, report.constant_features)),
        shorten(f"{feature}={first}" for feature, first in report.duplicate_features.items()),
        f"{report.duplicate_rows:,}",
        f"{report.contradicting_rows:,}",
    ]


def shorten(words: Iterable[str]) -> str:
    """Write a list, the end of a long one as a number; "-" if there is nothing.

    >>> shorten("abc"), shorten("abcdefghijk"), shorten("")
    ('a b c', 'a b c d e f g h and 3 more', '-')
    """
    listed = [*words]
    more = [f"and {len(listed) - SHOWN} more"] if len(listed) > SHOWN else []
    return " ".join([*listed[:SHOWN], *more]) or "-"
