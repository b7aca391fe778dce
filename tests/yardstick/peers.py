"""Well-known programs as ports, the pages of examples/peers: `python -m tests.yardstick.peers` writes
docs/port/peers.md.

The page changes with the versions of the programs; all of them must be installed (the extras `test` and `bench`).
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from refrank.mcrank.softmax_boosting import softmax
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import TraceComparison
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.page import read_page
from yardstick.scorecard.trainings import make_rows, train_golden
from yardstick.traces.reader import Trace
from yardstick.traces.records import index_records
from yardstick.traces.stages import STAGES, Place

ROOT = Path(__file__).parents[2]
DOCUMENT, FOLDER = ROOT / "docs" / "port" / "peers.md", ROOT / "examples" / "peers"
PROGRAMS = {  # page -> the module that it needs
    "gradient_boosting": "sklearn",
    "hist_gradient_boosting": "sklearn",
    "with_lightgbm": "lightgbm",
    "with_xgboost": "xgboost",
    "with_catboost": "catboost",
}
OFFERED = ("ls", "ls, app-i", "softmax, simultaneous")
INTRODUCTION = """# Well-known programs as ports

How far do well-known programs agree with the papers, number by number? This document treats some of them as ports of
LS boost (McRank Alg. 2) and of softmax boosting (McRank Alg. 1, all classes of a round at once). A Python file per
program, its page, is the adapter for `refrank conform run` ([how](conformance.md#a-scorecard)).
`python -m tests.yardstick.peers` writes this document.

Each program gets parameters as close to the paper's as it allows: the same learning rate and number of leaves, no limit
on the depth, no regularization, no subsampling. It is trained on refrank's bins in place of the features, so that it
chooses among the same cuts. A page reports what its program shows; it reports a cut between two rows as the lowest bin
that separates them in this way.

A stage agrees where all of its records are equal in every bit. The first difference is the first in the order of
training. The last column is about the second round of softmax boosting. It is the value that a leaf adds to F, divided
by the value of McRank Alg. 1, line 6 for the same rows and the same F: the learning rate times (K - 1) / K times the
sum of y - p over the sum of p (1 - p).
"""


def write_rows(page: str, folder: Path) -> Iterator[str]:
    """Have a program train, and write the line of each training; the folder is empty."""
    port = load_adapter(str(FOLDER / f"{page}.py"))
    for i, name in enumerate(OFFERED):
        golden = train_golden(name, folder / f"golden{i}")
        theirs = port.run(golden, folder / f"port{i}")
        if theirs is None:
            raise ValueError(f"{page} does not offer {name}: it must, to stand in {DOCUMENT.name}")
        factors = measure_factors(golden, theirs) if name.startswith("softmax") else ()
        yield write_row(name, compare_traces(golden, theirs), factors)


def measure_factors(golden: Trace, theirs: Trace) -> tuple[float, float]:
    """Divide what the leaves of round 2 add to F by what McRank adds; return the lowest and the highest quotient."""
    records, y, rate = index_records(theirs), make_rows().y, golden.manifest["parameters"]["learning_rate"]
    n_classes = int(y.max()) + 1
    before, after = (
        np.column_stack(
            [records["scores", Place(round=m, output=k)].values("values").astype(float) for k in range(n_classes)]
        )
        for m in (1, 2)
    )  # (n_samples, n_classes)
    proba, quotients = softmax(before), []
    for k in range(n_classes):
        added = after[:, k] - before[:, k]
        leaf = np.unique(np.round(added, 6), return_inverse=True)[1]  # XGBoost's F has 24 bits
        numerator, denominator = (
            np.bincount(leaf, values) for values in ((y == k) - proba[:, k], proba[:, k] * (1 - proba[:, k]))
        )
        step = rate * (n_classes - 1) / n_classes * numerator / denominator
        quotients += (added / step[leaf]).tolist()
    return min(quotients), max(quotients)


def write_document(folder: Path) -> str:
    """Write the document."""
    parts, versions = [], ["| program | version | page |", "|---|---|---|"]
    for page in PROGRAMS:
        module = read_page(str(FOLDER / f"{page}.py"))
        (folder / page).mkdir()
        versions.append(f"| {module['NAME']} | {module['VERSION']} | [{page}.py](../../examples/peers/{page}.py) |")
        rows = write_rows(page, folder / page)
        parts.append("\n".join([f"## {module['NAME']}", "", *HEAD, *rows, "", module["WHY"].strip()]))
    return "\n\n".join([INTRODUCTION.strip(), "\n".join(versions), *parts]) + "\n"


HEAD = (
    "| training | agree | first difference | refrank | program | ulps | leaf by line 6 |",
    "|---|---|---|---|---|---|---|",
)


def write_row(name: str, comparison: TraceComparison, factors: tuple[float, ...]) -> str:
    """Write the line of a training; the factors are the lowest and the highest of softmax boosting."""
    agree = [stage for stage in STAGES if set(comparison.counts.get(stage, ())) == {"agrees"}]
    first = comparison.findings[0]  # in the order of training
    numbers = [text.partition(" (")[0] for text in (first.expected, first.actual)]
    quotients = " to ".join(dict.fromkeys(f"{factor:.4g}" for factor in factors))
    where = f"{STAGES[first.judgement.stage].title}, {first.where}"
    cells = [name, ", ".join(agree), where, *numbers, "" if first.ulps is None else str(first.ulps), quotients]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as new:
        DOCUMENT.write_text(write_document(Path(new)))
    print(DOCUMENT)
