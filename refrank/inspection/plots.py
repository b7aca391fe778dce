"""Plots of a model and its ranking, with matplotlib, in the style of the house; each returns the axes it drew on."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_integer, check_labels, check_scores
from refrank.inspection.named_tree import NamedTree
from refrank.inspection.permutation import PermutationImportances
from refrank.inspection.style import BLUE, GREEN, GREY, INK, ORANGE, PALE, follow_style, open_axes, shorten
from refrank.trees.model.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_tree(
    tree: Tree | NamedTree,
    feature_names: Sequence[str] | None = None,
    max_depth: int | None = None,
    axes: "Axes | None" = None,
) -> "Axes":
    """Draw a tree: cuts in blue boxes, leaves in green ones, rows to the left where the answer is yes.

    Parameters
    ----------
    tree : Tree or NamedTree
        A tree of a model, or what `ranker.tree(m, k)` returns.
    feature_names : sequence of str, optional
        The names of all features; by default those of the ranker, or x0, x1, ...
    max_depth : int, optional
        Leave out what is below so many cuts.
    axes : Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    Axes
    """
    if max_depth is not None:
        check_integer("max_depth", max_depth, 0)
    named = tree if isinstance(tree, NamedTree) else NamedTree(tree)
    names = named.names if feature_names is None else feature_names
    places = NamedTree(named.tree, named.title, names, named.fill).lay_out(max_depth)
    n_ends, deepest = sum(place.is_end for place in places), max(place.depth for place in places)
    axes = open_axes(axes, 1.0 + 1.25 * n_ends, 0.9 + 1.15 * deepest)
    for place in places:
        is_leaf = len(place.details) == 1
        if place.above >= 0:
            above = places[place.above]
            axes.plot([above.x, place.x], [-above.depth, -place.depth], color=GREY, linewidth=1, zorder=0)
            middle = (above.x + place.x) / 2, -(above.depth + place.depth) / 2
            axes.text(*middle, place.answer, ha="center", va="center", fontsize=8, color=INK, backgroundcolor="white")
        style = "--" if place.is_end and not is_leaf else "-"
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white" if is_leaf else PALE, "linestyle": style}
        box["edgecolor"] = GREEN if is_leaf else BLUE
        words = "\n".join([place.heading, *place.details]).replace("$", r"\$")
        axes.text(place.x, -place.depth, words, ha="center", va="center", fontsize=8, color=INK, bbox=box)
    axes.set(xlim=(-0.7, n_ends - 0.3), ylim=(-deepest - 0.4, 0.4))
    axes.axis("off")
    return axes


def plot_rounds(ranker: Any, measure: str | None = None, axes: "Axes | None" = None) -> "Axes":
    """Draw the measure of the validation queries after each round, with the best round marked.

    Parameters
    ----------
    ranker : estimator
        Fitted with validation queries: it has `history_` and `best_round_`.
    measure : str, optional
        The name of `eval_metric`, for the label of the axis; by default the ranker's `measure_`, which a file lacks.
    axes : Axes, optional
        Where to draw; several rankers may share them.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the ranker was fitted without validation queries.
    """
    history = getattr(ranker, "history_", None)
    if history is None:
        raise ValueError(f"{type(ranker).__name__} has no history_: fit measures rounds on X_val, y_val and qid_val")
    best, measure = int(ranker.best_round_), measure or getattr(ranker, "measure_", "mean")
    axes = open_axes(axes, 5.0, 3.0)
    values = np.asarray(history, np.float64)
    (line,) = axes.plot(np.arange(1, len(values) + 1), values, linewidth=1.3, label=type(ranker).__name__)
    axes.plot(best, values[best - 1], "o", color=line.get_color(), markersize=6)
    words = f"{values[best - 1]:.4g} in round {best:,}"
    axes.annotate(words, (best, values[best - 1]), xytext=(0, 7), textcoords="offset points", ha="center", color=INK)
    axes.set(xlabel="round", ylabel=f"{measure} of the validation queries")
    axes.margins(y=0.15)
    return axes


def plot_importances(
    importances: Any, n_most: int = 20, feature_names: Sequence[str] | None = None, axes: "Axes | None" = None
) -> "Axes":
    """Draw the largest importances as bars: by gain, of a ranker, or by permutation, with their intervals.

    Parameters
    ----------
    importances : estimator or PermutationImportances
        A fitted ranker that has `feature_importances_`, or what `permutation_importance` returns.
    n_most : int, default 20
        How many features to draw.
    feature_names : sequence of str, optional
        The names of all features; by default those of the ranker, or x0, x1, ...
    axes : Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    Axes
    """
    check_integer("n_most", n_most, 1)
    reach, values, label = None, None, "share of the gain of all cuts"
    if isinstance(importances, PermutationImportances):
        values, names = importances.mean, importances.names
        reach, label = importances.high - importances.mean, f"loss of {importances.measure} by permutation"
    else:
        values = importances.feature_importances_
        names = getattr(importances, "feature_names_in_", [f"x{f}" for f in range(len(values))])
    names = names if feature_names is None else feature_names
    order = np.argsort(-values, kind="stable")[:n_most]
    axes = open_axes(axes, 5.0, 0.7 + 0.22 * len(order))
    axes.barh(np.arange(len(order)), values[order], 0.7, color=BLUE, xerr=None if reach is None else reach[order],
              error_kw={"ecolor": INK, "elinewidth": 1})  # fmt: skip
    axes.set_yticks(np.arange(len(order)), [shorten(names[f]).replace("$", r"\$") for f in order])
    axes.invert_yaxis()
    axes.set(xlabel=label)
    return axes


def plot_ranking(y: ArrayLike, score: ArrayLike, axes: "Axes | None" = None) -> "Axes":
    """Draw the documents of one query by falling score, each with its label.

    The line at the place of a document rises to its score, and its colour says whether a better document stands below:
    then it is orange.

    Parameters
    ----------
    y : array-like of shape (n_documents,)
        Labels.
    score : array-like of shape (n_documents,)
        Scores; tied documents keep their order.
    axes : Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    Axes
    """
    labels = check_labels(y)
    scores = check_scores(score, len(labels))
    order = np.argsort(-scores, kind="stable")
    labels, scores = labels[order], scores[order]
    better_below = np.append(np.maximum.accumulate(labels[::-1])[::-1][1:], -1) > labels
    axes = open_axes(axes, 1.5 + 0.25 * len(labels), 3.0)
    lowest = scores.min() - 0.08 * (np.ptp(scores) or 1.0)
    place = np.arange(1, len(labels) + 1)
    for color, marker, chosen, meaning in (
        (BLUE, "o", ~better_below, "no better document below"),
        (ORANGE, "s", better_below, "a better document below"),
    ):
        axes.vlines(place[chosen], lowest, scores[chosen], color=color, linewidth=1.3)
        axes.plot(place[chosen], scores[chosen], marker, color=color, markersize=11, label=meaning)
    for at, (label, value) in enumerate(zip(labels.tolist(), scores.tolist(), strict=True), start=1):
        axes.text(at, value, str(label), ha="center", va="center", fontsize=8, color="white")
    axes.set(xlabel="position", ylabel="score, with the label of the document", xlim=(0.3, len(labels) + 0.7))
    axes.set_ylim(lowest, scores.max() + 0.12 * (np.ptp(scores) or 1.0))
    axes.set_xticks([at for at in range(1, len(labels) + 1) if len(labels) <= 20 or at % 10 == 0])
    axes.legend(frameon=False, fontsize=8)
    return axes


def save_svg(axes: "Axes", path: str | os.PathLike[str]) -> None:
    """Write the figure of the axes as SVG, whose text stays text; the same figure gives the same bytes.

    Parameters
    ----------
    axes : Axes
        What a plot returned.
    path : path
        A file there is replaced as a whole.
    """
    from refrank.datasets.whole_file import replace_file  # with all of `refrank.datasets`, which rankers do without

    with follow_style(), replace_file(path) as file:
        cast(Any, axes.figure).savefig(file, format="svg", metadata={"Date": None})
