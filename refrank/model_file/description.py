"""What is in a model file, for people."""

import inspect
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from textwrap import wrap
from typing import Any

from sklearn.base import BaseEstimator

from refrank.model_file.codec import NOT_WRITTEN

Line = tuple[str, object]  # a name and a value


def describe(estimator: Any, n_bytes: int) -> str:
    """Describe a fitted estimator of refrank, and the size of its file, on several lines."""
    changed, same = list_parameters(estimator, "")
    sections: dict[str, list[Line]] = {
        getattr(estimator, "algorithm", "m5p"): [
            ("estimator", type(estimator).__name__),
            ("file", f"{n_bytes:,} bytes"),
        ],
        "parameters that differ from their defaults": changed,
        "parameters at their defaults": same,
        "learned": list(list_sizes(estimator)),
    }
    if hasattr(estimator, "cost_table_"):
        rows = [" ".join(f"{cost:8.5g}" for cost in row) for row in estimator.cost_table_]
        sections["costs, of predicting each column where the row is true"] = list(zip(map(str, range(99)), rows))  # noqa: B905
        sections["answers"] = [
            (f"y >= {k}", f"always {h.value:g}" if hasattr(h, "value") else type(h.regressor).__name__)
            for k, h in enumerate(estimator.model_.soft_classifiers, start=1)
        ]
    width = max(len(name) for lines in sections.values() for name, _ in lines)
    told = []
    for title, lines in sections.items():
        told += [title] if lines else []
        for name, value in lines:  # of what a file says, only printable characters reach a terminal
            text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value))
            for number, row in enumerate(wrap(text, 90, break_long_words=False) if len(text) > 90 else [text]):
                told.append(f"  {'' if number else name:<{width}}  {row}")
    return "\n".join(told)


def list_parameters(estimator: Any, prefix: str) -> tuple[list[Line], list[Line]]:
    """List the parameters, those of a base after its name; those that differ from their defaults come first."""
    changed: list[Line] = []
    same: list[Line] = []
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        value, default = getattr(estimator, name), parameter.default
        if isinstance(value, BaseEstimator):
            of_base = list_parameters(value, f"{prefix}{name}__")
            changed += [(prefix + name, type(value).__name__), *of_base[0]]
            same += of_base[1]
        elif name not in NOT_WRITTEN:
            is_same = repr(value) == repr(default)
            (same if is_same else changed).append((prefix + name, value if is_same else f"{value} (default {default})"))
    return changed, same


def list_sizes(estimator: Any) -> Iterator[Line]:
    """List how large a model is."""
    counts = count_trees(estimator)
    hidden = len(getattr(estimator.model_, "hidden_bias", ()))
    sizes = {"rounds": getattr(estimator, "n_rounds_", 0)} | dict(counts) | {"hidden units": hidden}
    attributes = {
        "best epoch": "best_epoch_",
        "classes": "n_classes_",
        "queries": "n_queries_",
        "features": "n_features_in_",
    }
    sizes |= {word: getattr(estimator, attribute, 0) for word, attribute in attributes.items()}
    yield from ((word, f"{size:,}") for word, size in sizes.items() if size)
    if hasattr(estimator, "feature_names_in_"):
        yield "feature names", ", ".join(f"{number} {name}" for number, name in enumerate(estimator.feature_names_in_))


def count_trees(value: Any) -> Counter[str]:
    """Count the trees in a model, wherever they are, and their nodes."""
    nodes = getattr(getattr(value, "tree_", value), "feature", None)
    if nodes is not None:
        return Counter(trees=1, nodes=len(nodes))
    inner: Iterable[Any] = value if isinstance(value, list | tuple) else ()
    if isinstance(value, BaseEstimator):
        inner = [held for name, held in vars(value).items() if name.endswith("_")]
    elif is_dataclass(value):
        inner = [getattr(value, field.name) for field in fields(value)]
    return sum((count_trees(item) for item in inner), Counter())
