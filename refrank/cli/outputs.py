"""The values of each query, and the files that commands write beside what they print: TREC runs, judgments, values."""

import argparse
import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refrank.arrays import Floats
from refrank.cli.inputs import check_not_read
from refrank.datasets import LetorData
from refrank.datasets.trec_run import name_documents, write_qrels, write_run
from refrank.datasets.whole_file import check_target, replace_file
from refrank.metrics import MetricSpec, err, ndcg

LEVELS = range(1, 11)  # of NDCG
IDS = "documents have the docid of their comments, or else their row number"
Values = Mapping[str, Floats]  # name of a column -> (n_queries,), by first appearance


@dataclass(frozen=True)
class Outputs:
    """Names of the files to be written; None: not asked for."""

    run_file: str | None
    qrels: str | None
    per_query: str | None

    @property
    def are_asked(self) -> bool:
        """Whether there is any."""
        return any(file is not None for file in (self.run_file, self.qrels, self.per_query))

    def check(self, *inputs: str | None) -> None:
        """Refuse a file that is read, or cannot be written."""
        check_outputs({"--run": self.run_file, "--qrels": self.qrels, "--per-query": self.per_query}, *inputs)

    def write(self, data: LetorData, score: Floats, measure: Callable[[], Values]) -> None:
        """Write the files that are asked for, of rows and their scores, (n_samples,)."""
        rows = data.qid.tolist(), name_documents(data.comments)
        if self.run_file is not None:
            write_run(self.run_file, *rows, score)
        if self.qrels is not None:
            write_qrels(self.qrels, *rows, data.y)
        if self.per_query is not None:
            write_values(self.per_query, [*dict.fromkeys(rows[0])], measure())


def add_outputs(command: argparse.ArgumentParser, values: str) -> None:
    """Add the flags of `Outputs`; `values` says what is measured of a query."""
    command.add_argument("--run", dest="run_file", metavar="FILE", help=f"write a TREC run; {IDS}")
    command.add_argument("--qrels", metavar="FILE", help="write the labels as TREC judgments of the same documents")
    command.add_argument("--per-query", metavar="CSV", help=f"write {values} of each query")


def take_outputs(flags: dict[str, Any]) -> Outputs:
    """Take the flags of `Outputs` out of those of a command."""
    return Outputs(*(flags.pop(name) for name in ("run_file", "qrels", "per_query")))


def check_outputs(targets: dict[str, str | None], *inputs: str | None) -> None:
    """Refuse an output, named by its flag, that is an input, another output, or cannot be written."""
    named = {flag: target for flag, target in targets.items() if target is not None}
    for flag, target in named.items():
        check_target(target)
        check_not_read(flag, target, *inputs)
        if [*named.values()].count(target) > 1:
            raise ValueError(f"{flag} {target}: it is written twice")


def measure(data: LetorData, score: Floats, convention: MetricSpec, levels: Iterable[int]) -> dict[str, Any]:
    """Measure a ranking by NDCG at some levels, and by ERR if the convention has it: (n_queries,) each."""
    values = {f"NDCG@{k}": ndcg(data.y, score, data.qid, k, convention, per_query=True) for k in levels}
    if convention.max_grade is not None:
        values["ERR"] = err(data.y, score, data.qid, None, convention, per_query=True)
    return values


def write_values(path: str, queries: Sequence[object], columns: Values) -> None:
    """Write a line per query: its id, and its value of each column, empty where it is skipped."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["query", *columns])
    for query, *values in zip(queries, *(column.tolist() for column in columns.values()), strict=True):
        table.writerow([query, *("" if math.isnan(value) else repr(value) for value in values)])
    with replace_file(path) as file:
        file.write(text.getvalue().encode("utf-8", "backslashreplace"))
