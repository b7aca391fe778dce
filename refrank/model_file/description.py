"""What is in a model file, for people."""

import inspect
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from refrank.model_file.codec import NOT_WRITTEN
from refrank.trees.tree import Tree

Line = tuple[str, object]


def describe(estimator: Any, n_bytes: int) -> str:
    """Describe a fitted estimator of refrank, and the size of its file, on several lines."""
    changed, same = list_parameters(estimator)
    sections: dict[str, list[Line]] = {
        getattr(estimator, "algorithm", "") or "m5p": [("estimator", type(estimator).__name__), ("file", f"{n_bytes:,} bytes")],
        "parameters that differ from their defaults": changed,
        "parameters at their defaults": same,
        "learned": list(list_sizes(estimator)),
    }
    if hasattr(estimator, "cost_table_"):
        table = estimator.cost_table_
        sections["costs, of predicting each column where the row is true"] = [
            (str(y), " ".join(f"{cost:>8.5g}" for cost in row)) for y, row in enumerate(table)
        ]
        sections["answers"] = [
            (f"y >= {k}", f"always {h.value:g}" if hasattr(h, "value") else type(h.regressor).__name__)
            for k, h in enumerate(estimator.model_.soft_classifiers, start=1)
        ]
    width = max(len(name) for lines in sections.values() for name, _ in lines)
    told = []
    for title, lines in sections.items():
        told += [title, *(row for line in lines for row in align(line, width))] if lines else []
    return "\n".join(told)


def align(line: Line, width: int) -> list[str]:
    """Set a name and its value in two columns; nothing of a file reaches a terminal except printable text."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(line[1]).replace("\n", " "))
    rows = [text] if "  " in text or len(text) < 90 else wrap(text, 90)
    return [f"  {name:<{width}}  {row}" for name, row in zip([line[0], *[""] * len(rows)], rows, strict=False)]


def list_parameters(estimator: Any, prefix: str = "") -> tuple[list[Line], list[Line]]:
    """List the parameters, those of a base after its name: first those that differ from their defaults."""
    changed: list[Line] = []
    same: list[Line] = []
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        value, default = getattr(estimator, name), parameter.default
        if name in NOT_WRITTEN:
            continue
        if isinstance(value, BaseEstimator):
            inner = list_parameters(value, f"{prefix}{name}__")
            changed += [(prefix + name, type(value).__name__), *inner[0]]
            same += inner[1]
        elif repr(value) == repr(default):
            same.append((prefix + name, value))
        else:
            was = "" if default is inspect.Parameter.empty else f" (default {default})"
            changed.append((prefix + name, f"{value}{was}"))
    return changed, same


def list_sizes(estimator: Any) -> Iterator[Line]:
    """List how large a model is."""
    counts = Counter[str]()
    for part in walk(estimator, set(NOT_WRITTEN)):
        nodes = getattr(getattr(part, "tree_", part), "feature", None)
        if isinstance(nodes, np.ndarray):
            counts.update(trees=1, nodes=len(nodes))
    for name, number in (
        ("rounds", getattr(estimator, "n_rounds_", None)),
        ("trees", counts["trees"] or None),
        ("nodes", counts["nodes"] or None),
        ("hidden units", len(estimator.model_.hidden_bias) if hasattr(estimator.model_, "hidden_bias") else None),
        ("best epoch", getattr(estimator, "best_epoch_", None)),
        ("classes", getattr(estimator, "n_classes_", None)),
        ("queries", getattr(estimator, "n_queries_", None)),
        ("features", estimator.n_features_in_),
    ):
        if number is not None:
            yield name, f"{number:,}"
    if hasattr(estimator, "feature_names_in_"):
        yield "feature names", ", ".join(f"{number} {name}" for number, name in enumerate(estimator.feature_names_in_))


def walk(value: Any, skipped: set[str]) -> Iterator[Any]:
    """Yield the trees in a model, wherever they are."""
    if isinstance(value, Tree) or hasattr(value, "tree_") or hasattr(value, "threshold"):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from walk(item, skipped)
    elif isinstance(value, BaseEstimator):
        yield from walk([held for name, held in vars(value).items() if name.endswith("_")], skipped)
    elif is_dataclass(value):
        yield from walk([getattr(value, field.name) for field in fields(value)], skipped)
