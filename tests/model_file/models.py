"""Small trained boosters, and what the tests do to the files that hold models."""

import copy

import numpy as np

from refrank.model_file import RANKERS

X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 4.0], [3.0, 1.0], [4.0, 2.0], [5.0, 0.0]])
Y = np.array([1, 2, 1, 3, 2, 3])
MODELS = {
    name: kind(n_rounds=2, n_leaves=3, learning_rate=0.5, n_classes=5).fit(X, Y) for name, kind in RANKERS.items()
}


def replaced(document, place, value):
    """A copy of a JSON document in which one place, a path of keys and indices, holds something else."""
    changed = copy.deepcopy(document)
    *above, last = place
    inner = changed
    for step in above:
        inner = inner[step]
    inner[last] = value
    return changed


def lacking_a_field(document):
    """Yield the place of each field of a model document and of its "model", and a copy of the document without it."""
    for place in ([], ["model"]):
        for name in document["model"] if place else document:
            changed = copy.deepcopy(document)
            del (changed["model"] if place else changed)[name]
            yield ".".join([*place, name]), changed
