"""NDCG@10 of refrank's rankers beside those of other libraries, with the same parameters: docs/use/quality.md.

    REFRANK_DATA=... python -m benchmarks.accuracy.quality --write     # all of it, about 15 minutes on one core
    python -m benchmarks.accuracy.quality --sets 2 --rounds 10         # artificial data alone: to try it
    python -m benchmarks.accuracy.quality --page                       # the page again, from quality.json

The data are the folds of MQ2008 in REFRANK_DATA, or of the collection that --data names, and --sets training sets of
artificial heavy-tailed data. Each set has weights, documents and queries of its own. Each training is a cell in the
folder --cells, so an interrupted run resumes where it stopped. A library that is not installed is named on the page.

The differences have two intervals of 95%: over the queries, given the training sets, by the paired bootstrap; and over
the training sets, by Student's t of the differences of their means.
"""

import argparse
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from benchmarks.accuracy.quality_page import write_page
from benchmarks.accuracy.quality_peers import list_rankers
from benchmarks.accuracy.quality_rankers import ComparedRanker, SharedParameters
from refrank.datasets import Fold, load_folds
from refrank.metrics import PRESETS, ndcg
from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.intervals import compute_difference
from refrank.reproduce.run import Reproduction

CONVENTION = PRESETS["paper"]
PAGE = Path(__file__).parents[2] / "docs" / "use" / "quality.md"
N_QUERIES = (1_000, 250, 2_000)  # of each artificial set: training, validation and test
ARTIFICIAL = "artificial, heavy-tailed"


def load_data(arguments: argparse.Namespace) -> Iterator[tuple[str, Fold]]:
    """Load or draw the sets one after another, each with the name of its data."""
    if arguments.data is not None:
        for fold in load_folds(arguments.data):
            yield Reproduction(arguments.cells, arguments.data).collection, fold
    for seed in range(arguments.sets):
        yield ARTIFICIAL, make_heavy_tailed_fold(arguments.queries, seed)


def run_cell(entry: ComparedRanker, fold: Fold, given: SharedParameters) -> Arrays:
    """Train one ranker and measure it: `test`, NDCG@10 in percent, (n_queries,), and `n_rounds`, ()."""
    outcome = entry.train(fold, given)
    values = ndcg(fold.test.y, outcome.scores, fold.test.qid, k=10, spec=CONVENTION, per_query=True)
    return {"test": 100 * np.asarray(values), "n_rounds": np.array(outcome.n_rounds)}


def measure_rankers(arguments: argparse.Namespace, given: SharedParameters) -> dict[str, Any]:
    """Train what has no cell yet, and return the document of the page."""
    entries, versions, left_out = list_rankers()
    cells: dict[str, dict[str, list[Arrays]]] = {}  # by data and ranker, a cell per set
    names: dict[str, list[str]] = {}
    for data, fold in load_data(arguments):
        names.setdefault(data, []).append(fold.name)
        of_data = cells.setdefault(data, {entry.name: [] for entry in entries})
        for entry in tqdm(entries, f"{data}, {fold.name}", unit="cell", disable=None):
            setting = given.describe() | {"call": entry.call, "version": versions[entry.library]}
            store = CellStore(arguments.cells, fold, setting, CONVENTION)
            cell = store.fetch(
                f"{data} {fold.name} {entry.name}".replace(",", ""), partial(run_cell, entry, fold, given)
            )
            of_data[entry.name].append(cell)
    return {
        "versions": versions | {"numpy": np.__version__},
        "left_out": left_out,
        "parameters": given.describe(),
        "artificial_queries": list(arguments.queries),
        "rankers": {entry.name: {"family": entry.family, "call": entry.call} for entry in entries},
        "data": {data: {"sets": names[data], **summarize_data(entries, of)} for data, of in cells.items()},
    }


def summarize_data(entries: list[ComparedRanker], cells: dict[str, list[Arrays]]) -> dict[str, Any]:
    """Summarize the cells of one collection: the means of each set, and differences of the joined queries."""
    joined = {name: np.concatenate([cell["test"] for cell in of]) for name, of in cells.items()}
    rows = {}
    for entry in entries:
        ours = {"ordinal": "refrank, ordinal", "same family": f"refrank, {entry.family}"}
        rows[entry.name] = {
            "means": [float(cell["test"].mean()) for cell in cells[entry.name]],
            "n_rounds": [int(cell["n_rounds"]) for cell in cells[entry.name]],
            "refrank_minus_it": {
                key: describe_difference(joined[name], joined[entry.name])
                for key, name in ours.items()
                if name in joined and name != entry.name
            },
        }
    return {"n_queries": len(joined[entries[0].name]), "rows": rows}


def describe_difference(a: np.ndarray, b: np.ndarray) -> list[float]:
    """Return the mean of a - b over the queries, and its interval, as [mean, low, high]."""
    difference = compute_difference(a, b)
    return [difference.mean, difference.low, difference.high]


def main(arguments: list[str] | None = None) -> None:
    """Train, and write quality.json and quality.md into the folder --out, or into docs/use with --write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mq2008 = Path(os.environ["REFRANK_DATA"], "mq2008") if "REFRANK_DATA" in os.environ else None
    parser.add_argument("--data", type=Path, default=mq2008, help="a collection in folds; default: MQ2008")
    parser.add_argument("--sets", type=int, default=12, help="training sets of artificial data, at least 2")
    parser.add_argument("--queries", type=int, nargs=3, default=N_QUERIES, help="training, validation and test queries")
    parser.add_argument("--rounds", type=int, default=SharedParameters.n_rounds)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cells", type=Path, default=Path("quality-cells"), help="folder of the finished trainings")
    parser.add_argument("--out", type=Path, default=Path())
    parser.add_argument("--write", action="store_true", help="write into docs/use instead of --out")
    parser.add_argument("--page", action="store_true", help="write the page of the quality.json that is there")
    given = parser.parse_args(arguments)
    if given.sets < 2:
        parser.error(f"--sets is {given.sets}: it must be an integer of at least 2")
    folder = PAGE.parent if given.write or given.page else given.out
    path = folder / "quality.json"
    if not given.page:
        document = measure_rankers(given, SharedParameters(n_rounds=given.rounds, threads=given.threads))
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    page = write_page(json.loads(path.read_text(encoding="utf-8")))
    (folder / PAGE.name).write_text(page, encoding="utf-8")
    print(f"wrote {path} and {folder / PAGE.name}")


if __name__ == "__main__":
    main()
