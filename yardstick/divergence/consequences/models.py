"""The trace of a model again: its trees are given, and the steps, F and the prediction follow from them.

An engineer who has the same model tells what his own predictor makes of it. What is read off the model (the start, the
trees, the leaf of each row) must be what refrank reads; a step follows from the port's own tree, F from its own steps
and leaves, the prediction from its own F.
"""

from collections.abc import Callable, Mapping

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.model.tree import Tree, check_trees
from yardstick.divergence.consequences import ranking
from yardstick.divergence.consequences.known import Arrays, Known, Unknown
from yardstick.divergence.consequences.losses import column_before
from yardstick.traces.models import OUTPUT, SOFTMAX, TracedModel
from yardstick.traces.stages import STAGES, Place
from yardstick.traces.turns import list_leaf_values


def given(stage: str) -> Callable[[Known, Place], Arrays]:
    """Return a function that takes a record as refrank reads it off the model."""

    def read(known: Known, place: Place) -> Arrays:
        record = known.golden[stage, place]
        arrays = {name: record.values(name) for name in STAGES[stage].fields if name in record.fields}
        if any(values is None for values in arrays.values()):
            raise Unknown
        return {name: values for name, values in arrays.items() if values is not None}

    return read


def model_of(known: Known) -> TracedModel:
    """Return what makes a prediction of the sums."""
    if not isinstance(known.ranker, TracedModel):
        raise Unknown
    return known.ranker


def initial_of(known: Known) -> tuple[float, ...]:
    """Return the start of each output as refrank reads it off the model."""
    return tuple(given("start")(known, Place())["values"].tolist())


def step(known: Known, place: Place) -> Arrays:
    """Shrink the values of the leaves, from left to right."""
    tree = Tree(**{name: known.array("tree", place, name) for name in STAGES["tree"].fields})
    check_trees([tree], known.data("X").shape[1])  # a port's tree may lead in a circle
    return {"values": model_of(known).learning_rate * list_leaf_values(tree)}


def scores(known: Known, place: Place) -> Arrays:
    """Add to F of each row what its leaf adds."""
    if place.round is None or place.output is None:
        raise Unknown
    before = column_before(known, initial_of(known), place.round, place.output)
    leaves, values = known.array("leaves", place, "values"), known.array("step", place, "values")
    if leaves.min(initial=0) < 0:
        raise Unknown
    return {"values": before + values[leaves]}


def prediction(known: Known, place: Place) -> Arrays:
    """Turn the sums into what rows are ranked by."""
    model = model_of(known)
    F = last_sums(known)  # (n_samples, n_outputs)
    if model.averages:
        F = F / max(1, model.n_rounds)
    if model.head == OUTPUT:
        return {"values": F[:, 0]}
    if model.head == SOFTMAX:
        return {"values": expected_relevance(softmax(F))}
    raise Unknown


def last_sums(known: Known) -> Floats:
    """Return F after the last round, (n_samples, n_outputs)."""
    m, initial = model_of(known).n_rounds + 1, initial_of(known)
    return np.column_stack([column_before(known, initial, m, k) for k in range(len(initial))])


CONSEQUENCES: Mapping[str, Callable[[Known, Place], Arrays]] = {
    "start": given("start"),
    "tree": given("tree"),
    "leaves": given("leaves"),
    "step": step,
    "scores": scores,
    "answers": given("answers"),
    "prediction": prediction,
    "order": ranking.order,
    "metric": ranking.metric,
}
