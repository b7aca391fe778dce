"""The trace of a model recomputed: its trees are given, and the steps, F and the prediction follow from them.

The port is a predictor for the same model. What it reads from the model (the start, the trees, the leaf of each
row) must equal what refrank reads; a step follows from the port's own tree, F from its own steps and leaves, the
prediction from its own F.
"""

from collections.abc import Callable, Mapping

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees.model.tree import Tree, check_trees
from yardstick.divergence.consequences import ranking
from yardstick.divergence.consequences.evidence import Arrays, Evidence, Unknown
from yardstick.divergence.consequences.losses import read_before
from yardstick.traces.models import OUTPUT, SOFTMAX, TracedModel
from yardstick.traces.stages import STAGES, Place
from yardstick.traces.models import list_leaf_values


def make_reader(stage: str) -> Callable[[Evidence, Place], Arrays]:
    """Return a function that takes a record as refrank reads it from the model."""

    def read(evidence: Evidence, place: Place) -> Arrays:
        record = evidence.golden[stage, place]
        arrays = {name: record.values(name) for name in STAGES[stage].fields if name in record.fields}
        if any(values is None for values in arrays.values()):
            raise Unknown
        return {name: values for name, values in arrays.items() if values is not None}

    return read


def get_model(evidence: Evidence) -> TracedModel:
    """Return the settings that turn the sums into a prediction."""
    if not isinstance(evidence.ranker, TracedModel):
        raise Unknown
    return evidence.ranker


def read_initial(evidence: Evidence) -> tuple[float, ...]:
    """Return the start of each output as refrank reads it from the model."""
    return tuple(make_reader("start")(evidence, Place())["values"].tolist())


def step(evidence: Evidence, place: Place) -> Arrays:
    """Shrink the values of the leaves, from left to right."""
    tree = Tree(**{name: evidence.array("tree", place, name) for name in STAGES["tree"].fields})
    check_trees([tree], evidence.data("X").shape[1])  # a port's tree may contain a cycle
    return {"values": get_model(evidence).learning_rate * list_leaf_values(tree)}


def scores(evidence: Evidence, place: Place) -> Arrays:
    """Add the step of its leaf to F of each row."""
    if place.round is None or place.output is None:
        raise Unknown
    before = read_before(evidence, read_initial(evidence), place.round, place.output)
    leaves, values = evidence.array("leaves", place, "values"), evidence.array("step", place, "values")
    if leaves.min(initial=0) < 0:
        raise Unknown
    return {"values": before + values[leaves]}


def prediction(evidence: Evidence, place: Place) -> Arrays:
    """Turn the sums into ranking scores."""
    model = get_model(evidence)
    F = read_last_sums(evidence)  # (n_samples, n_outputs)
    if model.averages:
        F = F / max(1, model.n_rounds)
    if model.head == OUTPUT:
        return {"values": F[:, 0]}
    if model.head == SOFTMAX:
        return {"values": expected_relevance(softmax(F))}
    raise Unknown


def read_last_sums(evidence: Evidence) -> Floats:
    """Return F after the last round, (n_samples, n_outputs)."""
    m, initial = get_model(evidence).n_rounds + 1, read_initial(evidence)
    return np.column_stack([read_before(evidence, initial, m, k) for k in range(len(initial))])


CONSEQUENCES: Mapping[str, Callable[[Evidence, Place], Arrays]] = {
    "start": make_reader("start"),
    "tree": make_reader("tree"),
    "leaves": make_reader("leaves"),
    "step": step,
    "scores": scores,
    "answers": make_reader("answers"),
    "prediction": prediction,
    "order": ranking.order,
    "metric": ranking.metric,
}
