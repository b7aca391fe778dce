"""Descriptions of model files, for people."""

from collections.abc import Iterator
from textwrap import fill
from typing import Any

from sklearn.base import BaseEstimator

from refrank.cocr.m5p.tree import M5Tree
from refrank.cocr.reduction import Constant
from refrank.estimators import ImportedRanker
from refrank.models.codec import NOT_WRITTEN, list_defaults
from refrank.trees.model.tree import Tree

Line = tuple[str, object]  # a name and a value
SIZES = {"best round": "best_round_", "classes": "n_classes_", "queries": "n_queries_", "features": "n_features_in_"}
COSTS = "costs, of predicting each column where the row is true"


def describe(estimator: Any, n_bytes: int) -> str:
    """Describe a fitted estimator of refrank, and the size of its file, on several lines."""
    parameters = list(list_parameters(estimator))
    head: list[Line] = [("estimator", type(estimator).__name__), ("file", f"{n_bytes:,} bytes")]
    sections: dict[str, list[Line]] = {
        estimator.algorithm: head,
        "parameters that differ from their defaults": [(name, value) for name, value, same in parameters if not same],
        "parameters at their defaults": [(name, value) for name, value, same in parameters if same],
        "learned": list(list_sizes(estimator)),
    }
    if hasattr(estimator, "cost_table_"):
        costs = [" ".join(f"{cost:8.5g}" for cost in row) for row in estimator.cost_table_]
        classifiers = estimator.model_.soft_classifiers
        words = [f"always {h.value:g}" if isinstance(h, Constant) else type(h.regressor).__name__ for h in classifiers]
        sections[COSTS] = [(str(y), row) for y, row in enumerate(costs)]
        sections["answers"] = [(f"y >= {k}", answer) for k, answer in enumerate(words, start=1)]
    width = max(len(name) for lines in sections.values() for name, _ in lines)
    text_lines = []
    for title, lines in sections.items():
        text_lines += [title] if lines else []
        for name, value in lines:  # only printable characters of a file reach a terminal
            text = f"  {name:<{width}}  " + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value))
            text_lines.append(fill(text, width + 94, subsequent_indent=" " * (width + 4), break_long_words=False))
    return "\n".join(text_lines)


def list_parameters(estimator: Any, prefix: str = "") -> Iterator[tuple[str, object, bool]]:
    """List names, values, and whether they are the defaults; the parameters of a base follow its name."""
    for name, default in list_defaults(type(estimator)).items():
        value = getattr(estimator, name)
        same = repr(value) == repr(default)
        if isinstance(value, BaseEstimator):
            yield prefix + name, type(value).__name__, False
            yield from list_parameters(value, f"{prefix}{name}__")
        elif name not in NOT_WRITTEN:
            yield prefix + name, value if same else f"{value} (default {default})", same


def list_sizes(estimator: Any) -> Iterator[Line]:
    """List the origin of an imported model's trees, and the size of a model."""
    if isinstance(estimator, ImportedRanker):
        outputs = len(estimator.model_.initial)
        yield "read from", estimator.source_
        yield "missing entries", ", ".join(estimator.rules_)
        yield "score", "the output" if outputs == 1 else f"expected relevance of a softmax of {outputs} outputs"
    nodes = [len(tree.feature) for tree in find_trees(estimator)]
    sizes = {"rounds": getattr(estimator, "n_rounds_", 0), "trees": len(nodes), "nodes": sum(nodes)}
    sizes["hidden units"] = len(getattr(getattr(estimator, "model_", None), "hidden_bias", ()))
    sizes |= {word: getattr(estimator, name, 0) for word, name in SIZES.items()}
    yield from ((word, f"{size:,}") for word, size in sizes.items() if size)
    if hasattr(estimator, "feature_names_in_"):
        yield "feature names", ", ".join(f"{number} {name}" for number, name in enumerate(estimator.feature_names_in_))


def find_trees(value: Any) -> Iterator[Tree | M5Tree]:
    """Find all trees in a model."""
    if isinstance(value, Tree | M5Tree):
        yield value
    else:
        for item in value if isinstance(value, tuple) else getattr(value, "__dict__", {}).values():
            yield from find_trees(item)
