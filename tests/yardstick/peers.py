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
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.levels import HIGHEST, MODES, hold_level
from yardstick.scorecard.page import read_page
from yardstick.scorecard.trainings import TRAININGS, train_golden
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
    "with_ydf": "ydf",
}
OFFERED = ("ls", "ls, app-i", "softmax, simultaneous")
PAPER = {
    "start": "mean of y; 0",
    "residual": "y - F; y_k - p_k",
    "gain": "s^2 / n; s^2 / n",
    "leaf": "s / n; (K-1)/K s / h",
    "floats": "sums of integers on a grid, else float64",
}
INTRODUCTION = """# Well-known programs as ports

How far do well-known programs agree with the papers, number by number? This document treats some of them as ports of
LS boost (McRank Alg. 2) and of softmax boosting (McRank Alg. 1, all classes of a round at once). A Python file per
program, its page, is the adapter for `refrank conform run` ([how](conformance.md#a-scorecard)).
`python -m tests.yardstick.peers` writes this document.

Each program gets parameters as close to the paper's as it allows: the same learning rate and number of leaves, no limit
on the depth, no regularization, no subsampling. It is trained on refrank's bins in place of the features, so that it
chooses among the same cuts. A page reports what its program shows; it reports a cut between two rows as the lowest bin
that separates them in this way.

## Levels

The [level](conformance.md#levels) of each training: every number of it follows from the program's own earlier ones,
within what float32 (L1) or float64 (L2) may differ by, or in every bit (L3). A choice among cuts that gain equally
is lawful, and nothing is held against the program that makes another one than refrank. Where not even L1 is held, the
first number that does not follow is listed below.

The last column is about the second round of softmax boosting. It is the value that a leaf adds to F, divided
by the value of McRank Alg. 1, line 6 for the same rows and the same F.
"""
FORMULAS = """## Formulas

Of LS boost; of softmax boosting. Over the rows of a leaf, or of a side of a cut, s is the sum of the residuals, n the
number of rows, and h the sum of the second derivatives, p (1 - p) in the paper. A cut gains what both its sides have,
less what their node has. A step is the leaf times the learning rate.
"""


def write_document(folder: Path) -> str:
    """Write the document."""
    levels = [f"| program | release | {' | '.join(OFFERED)} | leaf by line 6 |", f"|{'---|' * (len(OFFERED) + 3)}"]
    formulas = [f"| program | {' | '.join(PAPER)} |", f"|{'---|' * (len(PAPER) + 1)}"]
    formulas.append(f"| the papers | {' | '.join(PAPER.values())} |")
    differences = []
    for page in PROGRAMS:
        module = read_page(str(FOLDER / f"{page}.py"))
        name = f"[{module['NAME']}](../../examples/peers/{page}.py)"
        (folder / page).mkdir()
        judged = list(judge_program(page, folder / page))
        cells = [module["VERSION"], *(f"L{level}" if level else "none" for _, level, _, _ in judged), judged[-1][-1]]
        levels.append(f"| {name} | {' | '.join(cells)} |")
        differences += [f"| {module['NAME']} | {training} | {why} |" for training, _, why, _ in judged if why]
        formulas.append(f"| {module['NAME']} | {' | '.join(module['FORMULAS'][stage] for stage in PAPER)} |")
    head = ["| program | training | first number that does not follow in float32 |", "|---|---|---|"]
    parts = [INTRODUCTION.strip(), *map("\n".join, (levels, [*head, *differences])), FORMULAS.strip()]
    return "\n\n".join([*parts, "\n".join(formulas)]) + "\n"


def judge_program(page: str, folder: Path) -> Iterator[tuple[str, int, str, str]]:
    """Have a program train; yield trainings, their levels, the first difference in float32, and factors of leaves."""
    port = load_adapter(str(FOLDER / f"{page}.py"))
    for i, name in enumerate(OFFERED):
        golden = train_golden(TRAININGS[name], folder / f"golden{i}")
        theirs = port.run(golden, folder / f"port{i}")
        if theirs is None:
            raise ValueError(f"{page} does not offer {name}: it must, to stand in {DOCUMENT.name}")
        comparison, why, factors = compare_traces(golden, theirs, MODES[1]), "", ""
        if not comparison.passes and comparison.first is not None:
            first = comparison.first
            given, wanted = (text.partition(" (")[0] for text in (first.actual, first.expected))
            why = f"{STAGES[first.judgement.stage].title}, {first.where}: {given} in place of {wanted}"
        if name == OFFERED[-1]:
            factors = " to ".join(dict.fromkeys(f"{factor:.4g}" for factor in measure_factors(golden, theirs)))
        yield name, hold_level(HIGHEST, golden, theirs, comparison), why, factors


def measure_factors(golden: Trace, theirs: Trace) -> tuple[float, float]:
    """Divide what the leaves of round 2 add to F by what McRank adds; return the lowest and the highest quotient."""
    records, y, rate = (
        index_records(theirs),
        TRAININGS[OFFERED[-1]].rows.y,
        golden.manifest["parameters"]["learning_rate"],
    )
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


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as new:
        DOCUMENT.write_text(write_document(Path(new)))
    print(DOCUMENT)
