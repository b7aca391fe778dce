"""`refrank evaluate`: the quality of one ranking, always printed with its convention."""

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from refrank.arrays import Floats
from refrank.cli.clusters import add_cluster, is_first, make_once, open_cluster
from refrank.cli.inputs import FILES, N_FEATURES, SCORES, check_inputs, check_n_features, open_input
from refrank.cli.outputs import LEVELS, add_outputs, measure, take_outputs
from refrank.cli.prediction import rank_file
from refrank.cli.reading import add_reading, take_reading
from refrank.cli.shard_scores import rank_files
from refrank.datasets import LetorData
from refrank.datasets.scores import read_scores
from refrank.metrics import PRESETS, MetricSpec, PresetValue, Summary, compare_presets, rmse, summarize

if TYPE_CHECKING:
    from refrank.cluster.engines import Cluster


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank evaluate`."""
    command.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    ranking = command.add_mutually_exclusive_group(required=True)
    ranking.add_argument("--model", metavar="MODEL", help="model file")
    ranking.add_argument("--scores", metavar="S", help=f"file of {SCORES}")
    command.add_argument("--spec", default="paper", choices=[*PRESETS], help="convention; default paper")
    command.add_argument("--max-grade", type=int, help="highest label there can be, for ERR; default that of the spec")
    command.add_argument("--compare", action="store_true", help="add NDCG@10 and ERR by the convention of every tool")
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    add_outputs(command, "NDCG@1..10 and ERR")
    command.add_argument("--n-features", type=int, help=f"with --scores: {N_FEATURES}")
    add_cluster(command)
    add_reading(command)


def run(
    files: Sequence[str],
    model: str | None,
    scores: str | None,
    spec: str,
    max_grade: int | None,
    compare: bool,
    as_json: bool,
    **flags: Any,
) -> int:
    """Print the quality of a ranking of a file's rows, given by a model or by scores."""
    outputs = take_outputs(flags)
    with open_cluster(flags, files) as cluster:
        make_once(cluster, partial(outputs.check, *files, model, scores))
        if cluster is None:
            data, score = load_ranking(files[0], model, scores, **flags)
        else:
            data, score = load_shards(cluster, files, model, scores, **flags)
        if is_first(cluster):
            convention = PRESETS[spec] if max_grade is None else replace(PRESETS[spec], max_grade=max_grade)
            by_query = measure(data, score, convention, LEVELS)
            metrics = {name: summarize(values) for name, values in by_query.items()}
            quality = Quality(convention, len(np.unique(data.qid)), len(data.y), metrics, rmse(data.y, score))
            names = ("ndcg@10", "err") if compare else ()
            of_tools = [compare_presets(data.y, score, data.qid, name, max_grade) for name in names]
            pairs = list(zip(*of_tools, strict=True))
            outputs.write(data, score, lambda: by_query)
            print(json.dumps(as_document(quality, pairs)) if as_json else "\n".join(as_table(quality, pairs)))
    return 0


def load_shards(
    cluster: "Cluster", files: Sequence[str], model: str | None, scores: str | None, **flags: Any
) -> tuple[LetorData, Floats]:
    """Load the rows of files on a cluster, and their scores, (n_samples,)."""
    check_n_features(flags["n_features"], scores)
    data, score = rank_files(cluster, files, model, take_reading(flags), flags["n_features"])
    if scores is not None and is_first(cluster):
        score = read_scores(open_input(scores))
    return data, score


def load_ranking(file: str, model: str | None, scores: str | None, **flags: Any) -> tuple[LetorData, Floats]:
    """Load the rows of a file and their scores, (n_samples,), which a model computes or a file holds."""
    check_inputs(file, scores)
    check_n_features(flags["n_features"], scores)
    reading = take_reading(flags)
    if model is not None:
        return rank_file(open_input(file), model, reading)
    data = reading.load(open_input(file), flags["n_features"], reading.choose_absent())
    return data, read_scores(open_input(str(scores)))


@dataclass(frozen=True)
class Quality:
    """A ranking's NDCG@1..10, ERR if the convention has one, and the error of its scores."""

    convention: MetricSpec
    n_queries: int
    n_rows: int
    metrics: dict[str, Summary]  # over the counted queries; the sd of a single query is NaN
    rmse: float


def as_table(quality: Quality, pairs: list[tuple[PresetValue, ...]]) -> list[str]:
    """Write the quality as lines of text, followed by pairs, if there are any: NDCG@10 and ERR by each convention."""
    counted = quality.metrics["NDCG@10"].n_queries
    skipped = f", {quality.n_queries - counted} more skipped" if counted < quality.n_queries else ""
    lines = [
        f"convention {quality.convention}",
        f"{'':8}{'mean':>10}{'sd':>10}   over {counted} queries{skipped}",
        *(f"{name:8}{value.mean:10.4f}{format_figure(value.sd):>10}" for name, value in quality.metrics.items()),
        f"{'RMSE':8}{quality.rmse:10.4f}{'':10}   of the score against the label, over {quality.n_rows} rows",
    ]
    if not pairs:
        return lines
    lines += ["", f"{'convention':12}{'NDCG@10':>10}{'ERR':>10}{'queries':>10}   rules that differ from paper's"]
    for preset, of_err in pairs:
        figures = f"{format_figure(preset.value):>10}{format_figure(of_err.value):>10}{preset.n_counted:10}"
        rules = (f"{by.rule} {by.preset_choice} (alone {format_figure(by.value)})" for by in preset.effects)
        lines.append(f"{preset.spec.name:12}{figures}   {preset.problem or '; '.join(rules)}".rstrip())
    return lines


def format_figure(value: float | None) -> str:
    """Write a figure, or "-" if there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.4f}"


def as_document(quality: Quality, pairs: list[tuple[PresetValue, ...]]) -> dict[str, Any]:
    """Write the quality as a JSON object, with null for a missing figure."""
    document = {
        "convention": str(quality.convention),
        "n_queries": quality.n_queries,
        "metrics": {
            name: {"mean": value.mean, "sd": replace_nan(value.sd), "n_counted": value.n_queries}
            for name, value in quality.metrics.items()
        },
        "rmse": quality.rmse,
    }
    if pairs:
        document["compare"] = {
            preset.spec.name: {
                "convention": str(preset.spec),
                "ndcg@10": replace_nan(preset.value),
                "err": replace_nan(of_err.value),
                "n_counted": preset.n_counted,
                "problem": preset.problem,
                "alone": {effect.rule: replace_nan(effect.value) for effect in preset.effects},
            }
            for preset, of_err in pairs
        }
    return document


def replace_nan(value: float | None) -> float | None:
    """Return null for a missing figure, since JSON has no NaN."""
    return None if value is None or math.isnan(value) else value
