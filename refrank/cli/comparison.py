"""`refrank compare`: two rankings of one file, tests of their difference, and the number of queries that it needs."""

import argparse
import functools
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.checks import check_scores
from refrank.cli.evaluation import format_figure
from refrank.cli.inputs import FILE, N_FEATURES, SCORES, check_inputs, check_n_features, open_input
from refrank.cli.outputs import measure
from refrank.cli.prediction import rank_file
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets import LetorData
from refrank.datasets.reading import Reading
from refrank.datasets.scores import read_scores
from refrank.datasets.source import Source, open_source
from refrank.metrics import PRESETS, MetricSpec, PairedComparison, compare_systems

SEED = 0
Given = tuple[str, str]  # the flag of a ranking, and its file


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank compare`. Models and scores form one list, in the order of the command line."""
    command.add_argument("file", metavar="FILE", help=FILE)
    for flag, what in (("scores", f"files of {SCORES}"), ("model", "model files")):
        command.add_argument(
            f"--{flag}",
            dest="rankings",
            action="extend",
            nargs="+",
            default=[],
            metavar=flag[0].upper(),
            type=functools.partial(lambda flag, path: (flag, path), flag),
            help=f"{what}; two rankings in all: a, then b",
        )
    command.add_argument("--spec", default="paper", choices=[*PRESETS], help="convention; default paper")
    command.add_argument("--k", type=int, default=10, help="truncation level of NDCG; default 10")
    command.add_argument("--max-grade", type=int, help="highest label there can be, for ERR; default that of the spec")
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    command.add_argument("--n-features", type=int, help=f"with --scores: {N_FEATURES}")
    add_reading(command)


def run(
    file: str,
    rankings: list[Given],
    spec: str,
    k: int,
    max_grade: int | None,
    as_json: bool,
    **flags: Any,
) -> int:
    """Print how two rankings of a file's rows differ; a model or a file of scores gives each ranking."""
    if len(rankings) != 2:
        named = "1 ranking" if len(rankings) == 1 else f"{len(rankings)} rankings"
        raise ValueError(f"--model and --scores name {named}: compare needs two, a and b")
    convention = PRESETS[spec] if max_grade is None else replace(PRESETS[spec], max_grade=max_grade)
    scores = [name for flag, name in rankings if flag == "scores"]
    check_inputs(file, *scores)
    check_n_features(flags["n_features"], *scores)
    reading = take_reading(flags)
    with open_source(open_input(file)) as source:  # each of two models reads it
        # read once for two files of scores
        load = functools.cache(functools.partial(reading.load, source, flags["n_features"], reading.choose_absent()))
        (data, a), (_, b) = (rank(source, given, reading, load) for given in rankings)
    results = compare(data, a, b, convention, k)
    heading = {"convention": str(convention), "a": rankings[0][1], "b": rankings[1][1]}
    if as_json:
        document = {**heading, "seed": SEED, "n_queries": len(np.unique(data.qid))}
        document["metrics"] = {name: asdict(result) for name, result in results.items()}
        print(json.dumps(document, allow_nan=False))
    else:
        print("\n".join([*(f"{name} {value}" for name, value in heading.items()), *as_table(results)]))
    return 0


def rank(file: Source, given: Given, reading: Reading, load: Callable[[], LetorData]) -> tuple[LetorData, Floats]:
    """Read the rows of a file, and their scores, (n_samples,), which a model computes or a file holds."""
    flag, path = given
    if flag == "model":
        return rank_file(file, path, reading)
    data = load()
    return data, check_scores(read_scores(open_input(path)), len(data.y), path)


def compare(data: LetorData, a: Floats, b: Floats, convention: MetricSpec, k: int) -> dict[str, PairedComparison]:
    """Compare two scores of the same rows, (n_samples,), by NDCG@k, and by ERR if the convention has it."""
    of_a, of_b = (measure(data, score, convention, [k]) for score in (a, b))
    return {name: compare_systems(of_a[name], of_b[name], SEED) for name in of_a}


def as_table(results: dict[str, PairedComparison]) -> list[str]:
    """Write the comparisons as lines of text, with a column per metric, over the queries that the convention counts."""
    rows: dict[str, list[str]] = {
        "": [*results],
        "queries": [str(result.difference.n_queries) for result in results.values()],
        "queries that differ": [str(result.n_differ) for result in results.values()],
        "mean of a": [format_figure(result.a.mean) for result in results.values()],
        "mean of b": [format_figure(result.b.mean) for result in results.values()],
        "a - b": [format_figure(result.difference.mean) for result in results.values()],
        "  sd over queries": [format_figure(result.difference.sd) for result in results.values()],
        "  95% interval, from": [format_figure(result.interval.low) for result in results.values()],
        "  to": [format_figure(result.interval.high) for result in results.values()],
        "p, paired t-test": [f"{result.t_test.p_value:.3g}" if result.t_test else "-" for result in results.values()],
        "p, randomization": [f"{result.randomization.p_value:.3g}" for result in results.values()],
        "queries needed": ["-" if result.n_needed is None else f"{result.n_needed}" for result in results.values()],
    }
    return [
        *(f"{name:22}{''.join(f'{cell:>12}' for cell in cells)}".rstrip() for name, cells in rows.items()),
        *(f"randomization, {name}: {describe_swaps(result)}" for name, result in results.items()),
        f"interval: percentile bootstrap, {next(iter(results.values())).interval.n_resamples} resamples, seed {SEED}",
        "tests are two-sided; needed: queries that resolve a difference of this size, at 80% power and the 5% level",
    ]


def describe_swaps(result: PairedComparison) -> str:
    """Describe the randomization test: exact, or with the number of drawn swaps."""
    if result.randomization.exact:
        return f"exact, all 2^{result.n_differ} swaps of the queries that differ"
    return f"sampled, {result.randomization.n_resamples} of the 2^{result.n_differ} swaps, seed {SEED}"
