"""The command line as the tests run it: in this process, or in one of its own."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from refrank.cli import main
from refrank.datasets import cubic_polynomial

# As a stranger has it: output is buffered. On the specification, what refrank says once is not what is tested here.
UNSET = ("PYTHONUNBUFFERED", "REFRANK_NUM_THREADS")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET} | {
    "PYTHONPATH": str(Path(__file__).parents[2]),
    "PYTHONWARNINGS": "ignore::RuntimeWarning",
}
COMMAND = [sys.executable, "-m", "refrank"]
FULL = cubic_polynomial(8, n_docs=12, n_features=4, n_reference=2000)
DATA = replace(FULL, X=np.where(abs(FULL.X) < 0.1, np.float32(0), FULL.X))  # 0 says missing, if --missing-value is 0


def write_letor(path, X, y, qid):
    """Write rows as LETOR lines that bring back every bit of X."""
    lines = (
        f"{label} qid:{query} " + " ".join(f"{j}:{x!r}" for j, x in enumerate(row, start=1)) + "\n"
        for row, label, query in zip(X.astype(float).tolist(), y.tolist(), qid.tolist(), strict=True)
    )
    path.write_text("".join(lines))


def write_pairs(folder, *queries, scores=((2, 1),)):
    """Write queries, each the labels of two documents, and files of scores, each a pair that is that of every query.

    Return the arguments of a command on these files.
    """
    rows = [f"{label} qid:{q} 1:{label}\n" for q, labels in enumerate(queries, start=1) for label in labels]
    (folder / "rows.txt").write_text("".join(rows))
    files = [folder / f"{name}.scores" for name in "ab"[: len(scores)]]
    for file, pair in zip(files, scores, strict=True):
        file.write_text("".join(f"{score}\n" for score in pair) * len(queries))
    return folder / "rows.txt", "--scores", *files


def run(capsys, *arguments):
    """Exit code, lines of output, lines of errors."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse ends the program itself
        code = end.code
    out, errors = capsys.readouterr()
    return code, out.splitlines(), errors.splitlines()


def read_json(capsys, *arguments):
    """The document that a command prints in one line; JSON has no NaN."""
    code, (line,), errors = run(capsys, *arguments, "--json")
    assert (code, errors) == (0, [])
    return json.loads(line, parse_constant=pytest.fail)
