"""The command line as the tests run it: in this process, or in one of its own."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

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


def run(capsys, *arguments):
    """Exit code, lines of output, lines of errors."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse ends the program itself
        code = end.code
    out, errors = capsys.readouterr()
    return code, out.splitlines(), errors.splitlines()
