"""`refrank data check`: counts by hand, leaks, and the exit code."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from refrank.datasets import load_letor
from refrank.datasets.checking import check_data
from tests.cli.command_line import read_json, run

TRAIN = """\
0 qid:1 1:5 2:1 3:1 5:2
1 qid:1 1:5 2:1 3:1 5:2
2 qid:2 1:5 2:3 3:3
0 qid:2 1:5 2:3 3:3
0 qid:2 1:5 2:4 3:4 5:7
0 qid:3 1:5 2:6 3:6
0 qid:3 1:5 2:6 3:6
"""
TEST = "1 qid:x 1:5 2:3 3:3\n0 qid:3 1:9 2:9 3:8\n1 qid:3\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The current folder, with three files: of train, the other two have a row and a query, and nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").write_text(TRAIN)
    (tmp_path / "test").write_text(TEST)
    (tmp_path / "apart").write_text("1 qid:8 1:1 2:2 3:0\n0 qid:8 1:1 2:2 3:-0\n1 qid:9\n")


def test_the_counts_are_those_by_hand(capsys, files):
    code, out, errors = run(capsys, "data", "check", "train")
    assert (code, errors) == (0, [])
    table = dict(re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in out[1:-2])
    counts = [7, 5, 3, "2 / 2 / 3", 5, 1, 1, 1, 1, 11, 4, 1, "3=2", 3, 2]
    assert [*table.values()][: len(counts)] == [str(count) for count in counts]
    assert out[-1] == "no fault"


def test_leaks_are_named_and_end_with_3(capsys, files):
    code, out, errors = run(capsys, "data", "check", "train", "test", "apart")
    assert (code, errors) == (3, [])
    assert out[out.index("") + 1 :] == [
        "train and test share 1 query: 3",
        "train has 1 row of test, equal in all features",
    ]
    code, out, _ = run(capsys, "data", "check", "train", "test", "--json")
    assert code == 3
    assert '"leaks": [{"a": "train", "b": "test", "queries": ["3"], "rows": 1}]' in out[0]
    report = read_json(capsys, "data", "check", "apart")["files"][0]
    assert (report["duplicate_rows"], report["contradicting_rows"], report["missing_values"]) == (1, 1, 3)


def test_a_file_that_teaches_no_ranking_ends_with_3(capsys, files, tmp_path):
    (tmp_path / "flat").write_text("1 qid:1 1:1\n1 qid:1 1:2\n0 qid:2 1:3\n")
    code, out, _ = run(capsys, "data", "check", "flat")
    assert (code, out[-1]) == (3, "flat: no query has two grades: there is nothing to rank")


@pytest.mark.skipif("REFRANK_DATA" not in os.environ, reason="REFRANK_DATA is not set: no MQ2008")
def test_the_folds_of_mq2008_leak_nothing():
    folds = [load_letor(Path(os.environ["REFRANK_DATA"], "mq2008", f"S{i}.txt"), absent=np.nan) for i in (1, 2)]
    reports, leaks = check_data(folds)
    assert leaks == []
    assert [report.duplicate_rows for report in reports] == [8, 23]
