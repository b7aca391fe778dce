"""The corpus: small files that refrank writes, and by hand what a fuzzer would take long to find."""

import gzip
import json

import numpy as np

from refrank.models import save_model
from tests.fuzz.letor import NUMBERS
from tests.fuzz.target import CORPUS

MODELS = (
    *("softmax", "ordinal", "mirrored", "own target", "igbrt of classes", "gbrt of classes", "lambdarank", "m5p"),
    *("weka-linear", "own cost", "cocr over m5p", "cocr over bagged ridge", "cocr over ridge", "cocr over gbrt"),
    *("cocr over cocr", "no forest"),
)
HARD = [
    "0 qid:1 1:0.5 2:1 # a\n1 qid:1 1:1e-3 3:2\n2 qid:2 2:-.5\n",
    "# heading\n\n1 qid:7 1:2\r\n0 qid:7 12:1\r\n",
    "-1 qid:1 1:2\n1 qid:1 1:3\n",
    "1 qid:1\n0 qid:1\n",
    "1 qid:1 2:1 1:1\n",
    "1 qid:1 1:1e39\n",
    "1 qid:1 4294967297:1\n",
    "",
]
TREC = [
    "q1 Q0 d1 1 2.5 mine\nq1 Q0 d2 2 1.5 mine\nq2 Q0 d1 1 1 mine\n",
    "q1 0 d2 1\nq1 0 d3 2\nq2 0 d1 -1\n",
    "q1 Q0 d1 1 2.5 mine\nq1 Q0 d1 2 1.5 mine\n",
    "",
]
COMMANDS = [
    ["train", "train", "--algorithm", "softmax", "--model", "new", "--n-rounds", "2"],
    ["train", "train", "--algorithm", "cocr", "--base", "m5p", "--cost", "squared", "--model", "new"],
    ["train", "train.gz", "--algorithm", "lambdarank", "--valid", "train", "--model", "new", "--n-epochs", "2"],
    ["train", "train", "--algorithm", "rf", "--model", "none/x", "--n-trees", "2"],
    ["predict", "train", "--model", "model"],
    ["evaluate", "train", "--model", "model", "--compare"],
    ["evaluate", "train", "--scores", "scores", "--json"],
    ["evaluate", "train", "--scores", "scores", "--run", "new", "--qrels", "other", "--per-query", "table"],
    ["whose-ndcg", "ranked", "qrels", "--html", "new", "--per-query", "other"],
    ["whose-ndcg", "--letor", "train", "--scores", "scores", "--json"],
    ["compare", "train", "--scores", "scores", "--model", "model"],
    ["bounds", "train", "--scores", "scores"],
    ["show", "model"],
    ["show", "a\nb\x1b[2J"],
    ["config"],
    [],
    ["export", "model", "--to", "lightgbm", "--out", "new", "--verify", "train"],
    ["import", "xgboost", "--from", "xgboost", "--model", "new"],
    ["trace", "ls", "train", "--out", "new", "--values", "json", "--n-rounds", "2"],
    ["trace", "cocr", "--out", "folder", "--base", "gbrt", "--n-rounds", "2"],
    ["conform", "diff", "golden", "golden", "--mode", "tie", "--junit", "new"],
    ["conform", "diff", "golden", "theirs", "--json"],
    ["conform", "diff", "golden", "short"],
]


def write_corpus() -> None:
    """Write every file anew."""
    from tests.models.kinds import train  # trains

    for folder in ("models", "letor", "scores", "trec", "commands"):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
        for old in (CORPUS / folder).iterdir():
            old.unlink()
    for name in MODELS:
        save_model(train(name), CORPUS / "models" / name.replace(" ", "-"))
    rows = make_rows()
    (CORPUS / "letor" / "rows").write_bytes(rows)
    (CORPUS / "letor" / "rows.gz").write_bytes(gzip.compress(rows, mtime=0))
    for number, text in enumerate(HARD):
        (CORPUS / "letor" / f"hard-{number}").write_bytes(text.encode())
    scores = np.random.default_rng(1).normal(size=rows.count(b"\n"))
    (CORPUS / "scores" / "numbers").write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    (CORPUS / "scores" / "hard").write_text("\n".join(NUMBERS))
    for number, text in enumerate(TREC):
        (CORPUS / "trec" / f"lines-{number}").write_bytes(text.encode())
    for number, words in enumerate(COMMANDS):
        (CORPUS / "commands" / f"{number:02}").write_text(json.dumps(words))


def make_rows() -> bytes:
    """Rows of as many features as the models of the corpus ask for, some of them absent."""
    rng = np.random.default_rng(0)
    lines = []
    for row, label in enumerate(np.resize([0, 1, 2], 12).tolist()):
        values = rng.normal(size=5).astype(np.float32).astype(float).tolist()
        items = " ".join(f"{j}:{x!r}" for j, x in enumerate(values, start=1) if (row + j) % 4)
        lines.append(f"{label} qid:{1 + row // 6} {items} # {row}\n")
    return "".join(lines).encode()
