"""The document of the page: what each ranker reached on each set, and verdicts on refrank's differences.

Each training is a cell. Beside the data and the parameters, its key has the version of the library and the code that
trains, so a cell of other code is not taken.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from benchmarks.accuracy.quality.libraries import list_rankers
from benchmarks.accuracy.quality.page import name_claim
from benchmarks.accuracy.quality.rankers import ComparedRanker, SharedParameters
from refrank.datasets import Fold
from refrank.metrics import PRESETS, ndcg
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.verdicts import judge_claims

CONVENTION = PRESETS["paper"]


def measure_rankers(sets: Iterator[tuple[str, Fold]], cells: Path, given: SharedParameters) -> dict[str, Any]:
    """Train what has no cell yet, on each set, which comes with the name of its data, and return the document."""
    entries, versions, left_out = list_rankers()
    measured: dict[str, dict[str, dict[str, Arrays]]] = {}  # by data, set and ranker
    for data, fold in sets:
        of_set = measured.setdefault(data, {}).setdefault(fold.name, {})
        for entry in tqdm(entries, f"{data}, {fold.name}", unit="cell", disable=None):
            setting = given.describe() | {"call": entry.call, "version": versions[entry.library], "code": entry.code}
            store, name = CellStore(cells, fold, setting, CONVENTION), f"{data} {fold.name} {entry.name}"
            of_set[entry.name] = store.fetch(name.replace(",", ""), partial(run_cell, entry, fold, given))
    return {
        "versions": versions | {"numpy": np.__version__},
        "left_out": left_out,
        "parameters": given.describe(),
        "rankers": {entry.name: {"family": entry.family, "call": entry.call} for entry in entries},
        "data": {data: summarize_data(entries, of_data) for data, of_data in measured.items()},
    }


def run_cell(entry: ComparedRanker, fold: Fold, given: SharedParameters) -> Arrays:
    """Train one ranker and measure it: `test`, NDCG@10 in percent, (n_queries,), and `n_rounds`, ()."""
    outcome = entry.train(fold, given)
    values = ndcg(fold.test.y, outcome.scores, fold.test.qid, k=10, spec=CONVENTION, per_query=True)
    return {"test": 100 * np.asarray(values), "n_rounds": np.array(outcome.n_rounds)}


def summarize_data(entries: Sequence[ComparedRanker], cells: dict[str, dict[str, Arrays]]) -> dict[str, Any]:
    """Summarize the cells of one data, by set and ranker: means and rounds of each set, and all verdicts."""
    of_sets = [*cells.values()]
    verdicts = judge_claims(
        [
            {name_claim(ours, it): of[ours]["test"] - of[it]["test"] for ours, it in list_claims(entries)}
            for of in of_sets
        ]
    )
    return {
        "sets": [*cells],
        "n_queries": sum(len(of[entries[0].name]["test"]) for of in of_sets),
        "rows": {
            entry.name: {
                "means": [float(of[entry.name]["test"].mean()) for of in of_sets],
                "n_rounds": [int(of[entry.name]["n_rounds"]) for of in of_sets],
            }
            for entry in entries
        },
        "claims": [verdict.to_json() for verdict in verdicts],
    }


def list_claims(entries: Sequence[ComparedRanker]) -> list[tuple[str, str]]:
    """List the pairs that are compared: each ranker, after refrank's of the same loss and its ordinal boosting."""
    names = {entry.name for entry in entries}
    pairs = [(f"refrank, {loss}", it.name) for it in entries for loss in (it.family, "ordinal")]
    return [(ours, it) for ours, it in dict.fromkeys(pairs) if ours in names and ours != it]
