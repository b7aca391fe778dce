"""The command line as the tests run it: in this process or in one of its own, on a folder with a trained model."""

import os
import subprocess
import sys
from pathlib import Path

from refrank import SoftmaxBoostRanker
from refrank.cli import main
from refrank.datasets import cubic_polynomial
from refrank.model_file import save_model

ROOT = Path(__file__).parents[2]
# As a stranger has it: output is buffered. On the specification, what refrank says once is not what is tested here.
UNSET = ("PYTHONUNBUFFERED", "REFRANK_NUM_THREADS")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET} | {
    "PYTHONPATH": str(ROOT),
    "PYTHONWARNINGS": "ignore::RuntimeWarning",
}
COMMAND = [sys.executable, "-m", "refrank"]
DATA = cubic_polynomial(8, n_docs=12, n_features=4, n_reference=2000)


def write_letor(path, X, y, qid):
    """Write rows as LETOR lines that bring back every bit of X."""
    lines = (
        f"{label} qid:{query} " + " ".join(f"{j}:{x!r}" for j, x in enumerate(row, start=1)) + "\n"
        for row, label, query in zip(X.astype(float).tolist(), y.tolist(), qid.tolist(), strict=True)
    )
    path.write_text("".join(lines))


def trained_folder(place):
    """A file of 8 queries, a ranker trained on it, and its scores."""
    write_letor(place / "train.txt", DATA.X, DATA.y, DATA.qid)
    ranker = SoftmaxBoostRanker(n_rounds=3, n_leaves=4).fit(DATA.X, DATA.y, DATA.qid)
    save_model(ranker, place / "m.refrank")
    (place / "scores.txt").write_text("".join(f"{score!r}\n" for score in ranker.predict(DATA.X).tolist()))
    return place


def run(capsys, *arguments):
    """Exit code, lines of output, lines of errors."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse ends the program itself
        code = end.code
    out, errors = capsys.readouterr()
    return code, out.splitlines(), errors.splitlines()


def shell(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, **options
    )
