"""What `refrank evaluate` prints: the quality of one ranking, always with its convention."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.metrics import MetricSpec, PresetValue, Summary, err, ndcg, rmse, summarize
from refrank.metrics.averaging import mean_of_queries


@dataclass(frozen=True)
class Quality:
    """A ranking's NDCG@1..10, ERR where the convention has one, and the error of its scores."""

    convention: MetricSpec
    n_queries: int
    n_rows: int
    metrics: dict[str, Summary]  # over the queries that count; the sd of a single query is NaN
    rmse: float


def measure(
    y: NDArray[np.int64], score: NDArray[np.float64], qid: NDArray[np.int64], convention: MetricSpec
) -> Quality:
    """Measure a ranking; y, score and qid are (n_samples,).

    Raises
    ------
    ValueError
        As the metrics do; where every query is skipped.
    """
    values = {f"NDCG@{k}": ndcg(y, score, qid, k, convention, per_query=True) for k in range(1, 11)}
    if convention.max_grade is not None:
        values["ERR"] = err(y, score, qid, None, convention, per_query=True)
    metrics = {name: summary(np.asarray(value)) for name, value in values.items()}
    return Quality(convention, len(np.unique(qid)), len(y), metrics, rmse(y, score))


def summary(values: NDArray[np.float64]) -> Summary:
    """Summarize the values of queries, NaN where skipped; a single query has a mean and no standard deviation.

    Examples
    --------
    >>> summary(np.array([0.25, np.nan]))
    Summary(mean=0.25, sd=nan, n_queries=1)
    """
    n_counted = int(np.count_nonzero(~np.isnan(values)))
    return summarize(values) if n_counted > 1 else Summary(mean_of_queries(values), math.nan, n_counted)


def as_table(quality: Quality, presets: list[PresetValue] | None) -> list[str]:
    """Write the quality as lines of text, and NDCG@10 by every convention where that is asked for."""
    counted = quality.metrics["NDCG@10"].n_queries
    skipped = f", {quality.n_queries - counted} more skipped" if counted < quality.n_queries else ""
    lines = [
        f"convention {quality.convention}",
        f"{'':8}{'mean':>10}{'sd':>10}   over {counted} queries{skipped}",
        *(f"{name:8}{value.mean:10.4f}{figure(value.sd):>10}" for name, value in quality.metrics.items()),
        f"{'RMSE':8}{quality.rmse:10.4f}{'':10}   of the score against the label, over {quality.n_rows} rows",
    ]
    if presets is None:
        return lines
    lines += ["", f"{'convention':12}{'NDCG@10':>10}{'ERR':>10}{'queries':>10}   rules that differ from paper's"]
    for preset in presets:
        rules = [f"{effect.rule} {effect.preset_choice} (alone {figure(effect.ndcg)})" for effect in preset.effects]
        lines.append(
            f"{preset.spec.name:12}{figure(preset.ndcg):>10}{figure(preset.err):>10}{preset.n_counted:10}"
            f"   {preset.problem or '; '.join(rules)}".rstrip()
        )
    return lines


def figure(value: float | None) -> str:
    """Write a figure, or "-" where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.4f}"


def as_document(quality: Quality, presets: list[PresetValue] | None) -> dict[str, Any]:
    """Write the quality as a JSON object: null where there is no figure."""
    document = {
        "convention": str(quality.convention),
        "n_queries": quality.n_queries,
        "metrics": {
            name: {"mean": value.mean, "sd": or_null(value.sd), "n_counted": value.n_queries}
            for name, value in quality.metrics.items()
        },
        "rmse": quality.rmse,
    }
    if presets is not None:
        document["compare"] = {
            preset.spec.name: {
                "convention": str(preset.spec),
                "ndcg@10": or_null(preset.ndcg),
                "err": or_null(preset.err),
                "n_counted": preset.n_counted,
                "problem": preset.problem,
                "alone": {effect.rule: or_null(effect.ndcg) for effect in preset.effects},
            }
            for preset in presets
        }
    return document


def or_null(value: float | None) -> float | None:
    """JSON has no NaN."""
    return None if value is None or math.isnan(value) else value
