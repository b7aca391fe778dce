"""The run of a bench: every configuration of every system on every fold, each in a cell that is kept.

symbol    in code     shape
n         number      1..budget, of a configuration
-         history     (n_measured,): the mean of the first measure over the validation queries after each round
-         scores      (n_samples,): of the test rows, by the model of the best round

What is learned and chosen depends on training and validation rows alone; `measure_test` reads the labels of test rows.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import auto

from refrank.arrays import Floats
from refrank.datasets import Fold
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.measures import Measure
from refrank.reproduce.bench.peers import PEERS, check_installed
from refrank.reproduce.bench.plan import BenchPlan
from refrank.reproduce.bench.result import BenchResult, Choice
from refrank.reproduce.bench.search import draw_configuration
from refrank.reproduce.bench.systems import Limits, System, make_system
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.run import Reproduction


@dataclass(frozen=True, eq=False)
class BenchRun:
    """A result, and what it was made of."""

    result: BenchResult
    checksums: Mapping[str, str]  # fold -> of its rows
    n_trained: int  # by this run
    n_kept: int  # trainings of earlier runs


@dataclass(frozen=True, eq=False)
class FoldFigures:
    """The chosen configuration of each system on one fold, and its figures on the test queries."""

    name: str
    checksum: str
    qid: tuple[str, ...]  # of each test query
    choices: tuple[Choice, ...]  # one per system
    values: Mapping[str, Floats]  # text of a measure -> (n_systems, n_queries)


@dataclass(frozen=True, eq=False)
class Bench:
    """A plan that is ready to run."""

    plan: BenchPlan
    run: Reproduction
    systems: tuple[System, ...]
    measures: tuple[Measure, ...]
    bar: Any  # of progress
    trained: list[str] = field(default_factory=list)  # the cells that this run computed

    @property
    def limits(self) -> Limits:
        """The limits that all trainings share."""
        plan = self.plan
        missing = "three-way" if plan.reading.absent == "nan" else None
        budget = plan.n_rounds, plan.early_stopping_rounds, plan.seed
        return Limits(self.measures[0], *budget, self.run.n_threads, missing)


def run_bench(plan: BenchPlan, folder: Path, n_threads: int | None = None, verbose: int = 0) -> BenchRun:
    """Train all systems on all folds, or take from `folder` what is there; return the figures.

    `n_threads` is that of the rankers, and changes no figure; `verbose` shows a progress bar in a terminal.

    Raises a ValueError, before any training, if a package is missing, or a measure cannot measure the labels.
    """
    systems = tuple(list_systems(plan))
    run = Reproduction(folder, Path(plan.folds), plan.reading, n_threads)
    total = len(plan.reading.list_folds(plan.folds)) * len(systems) * plan.budget
    with auto.tqdm(total=total, unit="training", disable=None if verbose else True) as bar:
        bench = Bench(plan, run, systems, plan.list_measures(), bar)
        folds = [run_fold(bench, fold) for fold in run.load()]
    n_trained = len(bench.trained)
    return BenchRun(
        join_folds(bench, folds), {fold.name: fold.checksum for fold in folds}, n_trained, total - n_trained
    )


def list_systems(plan: BenchPlan) -> Iterator[System]:
    """List the systems of a plan, ours first; refuse one whose package is not installed."""
    for name in plan.peers:
        check_installed(PEERS[name])
    yield from map(make_system, plan.rankers)
    yield from (PEERS[name] for name in plan.peers)


def run_fold(bench: Bench, fold: Fold) -> FoldFigures:
    """Train all systems on a fold, choose a configuration of each, and measure it on the test queries."""
    for measure in bench.measures:
        for data in (fold.valid, fold.test):
            mean_of_queries(measure(data.y, np.zeros(len(data.y)), data.qid))  # before any training
    stores = [make_store(bench, fold, system) for system in bench.systems]
    chosen = [choose_configuration(bench, store, system) for store, system in zip(stores, bench.systems, strict=True)]
    values = measure_test(fold, bench.measures, [scores for _, scores in chosen])
    qid = tuple(str(query) for query in dict.fromkeys(fold.test.qid.tolist()))
    checksum = json.loads(stores[0].made_with)["data"]
    return FoldFigures(fold.name, checksum, qid, tuple(choice for choice, _ in chosen), values)


def make_store(bench: Bench, fold: Fold, system: System) -> CellStore:
    """Make the store of a system's cells on a fold, which depend on no other system, and not on the budget."""
    limits = bench.limits
    setting: dict[str, Any] = {
        "system": system.name,
        "versions": system.list_versions(),
        "measure": str(limits.measure),
    }
    setting |= {"n_rounds": limits.n_rounds, "patience": limits.patience, "seed": limits.seed}
    setting["missing"] = limits.missing
    return CellStore(bench.run.folder / "cells", fold, setting, limits.measure.spec)


def choose_configuration(bench: Bench, store: CellStore, system: System) -> tuple[Choice, Floats]:
    """Try the configurations of a system; return the best on the validation queries, and its scores of the test rows.

    Of equal ones, it is the first.
    """
    best: tuple[Choice, Floats] | None = None
    for number in range(1, bench.plan.budget + 1):
        bench.bar.set_postfix_str(f"{store.fold.name} {system.name} {number}/{bench.plan.budget}", refresh=False)
        configuration = draw_configuration(system.name, system.space, bench.plan.seed, number)
        cell = train_cell(bench, store, system, number, configuration)
        valid, n_rounds = float(cell["history"].max()), int(cell["n_rounds"]) or None
        if best is None or valid > best[0].valid:
            best = Choice(configuration, bench.plan.budget, valid, n_rounds), cell["scores"]
        bench.bar.update()
    assert best is not None
    return best


def train_cell(bench: Bench, store: CellStore, system: System, number: int, configuration: Mapping[str, Any]) -> Arrays:
    """Train a configuration, unless its cell is there."""
    fold, name = store.fold, f"{store.fold.name} {system.name} {number}"

    def train() -> Arrays:
        bench.trained.append(name)
        try:
            fitted = system.fit(configuration, fold.train, fold.valid, bench.limits)
        except Exception as fault:
            if isinstance(fault, ValueError) or system.name in PEERS:
                raise ValueError(f"{fold.name}: {system.name} with {dict(configuration)}: {fault}") from fault
            raise
        scores = np.asarray(fitted.predict(fold.test.X), np.float64)
        return {"history": fitted.history, "n_rounds": np.array(fitted.n_rounds or 0), "scores": scores}

    return store.fetch(name, train)


def measure_test(fold: Fold, measures: tuple[Measure, ...], scores: list[Floats]) -> dict[str, Floats]:
    """Measure the scores of each system on the test queries: text of a measure -> (n_systems, n_queries)."""
    test = fold.test
    return {
        str(measure): np.array([measure(test.y, of_system, test.qid) for of_system in scores]) for measure in measures
    }


def join_folds(bench: Bench, folds: list[FoldFigures]) -> BenchResult:
    """Join the figures of all folds, in their order."""
    return BenchResult(
        collection=bench.run.collection,
        systems=bench.plan.systems,
        measures=bench.measures,
        folds=tuple(fold.name for fold in folds),
        fold_of_query=np.repeat(np.arange(len(folds)), [len(fold.qid) for fold in folds]),
        qid=tuple(query for fold in folds for query in fold.qid),
        values={
            str(measure): np.concatenate([fold.values[str(measure)] for fold in folds], axis=1)
            for measure in bench.measures
        },
        choices={name: tuple(fold.choices[place] for fold in folds) for place, name in enumerate(bench.plan.systems)},
    )
