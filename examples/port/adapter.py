"""The port in C, as `yardstick.scorecard.page` describes it: trainings, told stage by stage, and lemmas.

REFRANK_PORT names another library than the one beside this file.
"""

import ctypes
import os
from pathlib import Path

import numpy as np

NAME = "the port in C"
LIBRARY = ctypes.CDLL(os.environ.get("REFRANK_PORT", str(Path(__file__).with_name("libport.so"))))
TYPES = (ctypes.c_double, ctypes.c_int64, ctypes.c_int32)
INT, DOUBLE, POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
TELL = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, INT, INT, INT, ctypes.c_int32, POINTER, INT, INT, INT)


class Training(ctypes.Structure):
    """`port_training` of training.h."""

    _fields_ = [
        ("X", POINTER),
        ("n_samples", INT),
        ("n_features", INT),
        ("cuts", POINTER),
        ("offsets", POINTER),
        ("n_rounds", INT),
        ("n_leaves", INT),
        ("max_depth", INT),
        ("min_samples_leaf", INT),
        ("learning_rate", DOUBLE),
        ("tell", TELL),
        ("codes", POINTER),
    ]


def at(array):
    """Return the address of an array."""
    return ctypes.c_void_p(array.ctypes.data)


def train(case, tell):
    """Train by the algorithm of a case, and rank its rows."""
    parameters = case.parameters
    offered = (
        case.weight is None and parameters.get("n_bins", 256) <= 256 and parameters.get("cut_at", "bins") == "bins"
    )
    if not offered or parameters.get("setting") == "classification" or case.algorithm not in TRAIN:
        raise NotImplementedError

    def hear(stage, field, round, tree, output, kind, data, n, m, length):
        shape = [] if n < 0 else [n, *(size for size in (m, length) if size)]
        values = np.ctypeslib.as_array((TYPES[kind] * int(np.prod(shape, dtype=int))).from_address(data)).reshape(shape)
        place = {"round": round, "tree": tree, "output": output}
        tell(stage.decode(), **{k: v for k, v in place.items() if v >= 0}, **{field.decode(): values.copy()})

    kept = [np.ascontiguousarray(case.X), np.ascontiguousarray(case.cuts), np.ascontiguousarray(case.offsets, np.int64)]
    callback = TELL(hear)
    training = Training(
        at(kept[0]),
        *case.X.shape,
        at(kept[1]),
        at(kept[2]),
        parameters.get("n_rounds", 0),
        parameters.get("n_leaves") or 0,
        parameters.get("max_depth") or -1,
        parameters.get("min_samples_leaf", 1),
        parameters.get("learning_rate", 1.0),
        callback,
        None,
    )
    scores = TRAIN[case.algorithm](training, case)
    starts = np.append(np.unique(case.qid, return_index=True)[1], len(case.qid)).astype(np.int64)
    y = np.ascontiguousarray(case.y, np.int64)
    code = LIBRARY.port_rank(at(scores), at(y), at(starts), INT(len(starts) - 1), INT(4), callback)
    if code != 0:
        raise MemoryError(f"port_rank returned {code}")


def call(function, training, *arguments):
    """Call a function of the library, and see that it has done its work."""
    code = function(ctypes.byref(training), *arguments)
    if code != 0:
        raise MemoryError(f"{function.__name__} returned {code}")


def ls(training, case):
    """McRank Alg. 2, on y~ = 2^y - 1."""
    target, scores = 2.0**case.y - 1.0, np.empty(len(case.y))
    call(LIBRARY.port_ls, training, at(target), at(scores))
    return scores


def gbrt(training, case):
    """Train by iGBRT Alg. 2."""
    if case.parameters["initial"] != "zero":
        raise NotImplementedError
    target, scores = case.y.astype(float), np.empty(len(case.y))
    call(LIBRARY.port_gbrt, training, at(target), at(scores))
    return scores


def softmax(training, case):
    """McRank Alg. 1, ranked by the expected relevance."""
    n_samples, n_classes = len(case.y), int(case.y.max()) + 1
    F, proba, scores = np.empty((n_classes, n_samples)), np.empty((n_classes, n_samples)), np.empty(n_samples)
    simultaneous = ctypes.c_int32(case.parameters["update"] == "simultaneous")
    call(LIBRARY.port_softmax, training, at(case.y), INT(n_classes), simultaneous, at(F))
    LIBRARY.refrank_softmax(at(F), INT(n_samples), INT(n_classes), INT(0), INT(n_classes), at(proba), ctypes.c_int32(1))
    LIBRARY.port_relevance(at(proba), INT(n_samples), INT(n_classes), at(scores))
    return scores


def ordinal(training, case):
    """McRank Sec. 4, ranked by the expected relevance."""
    n_samples, n_classes = len(case.y), int(case.y.max()) + 1
    if case.parameters["update"] != "sequential" or len(np.unique(case.y)) != n_classes:
        raise NotImplementedError
    F, scores = np.empty((n_classes - 1, 2, n_samples)), np.empty(n_samples)
    call(LIBRARY.port_ordinal, training, at(case.y), INT(n_classes), at(F))
    cumulative = np.empty((n_classes + 1, n_samples))
    cumulative[0], cumulative[n_classes] = 0.0, 1.0
    for k in range(n_classes - 1):
        args = INT(n_samples), INT(2), INT(0), INT(1), at(cumulative[k + 1]), ctypes.c_int32(1)
        LIBRARY.refrank_softmax(at(F[k]), *args)
    proba = np.ascontiguousarray(np.diff(cumulative, axis=0))
    LIBRARY.port_relevance(at(proba), INT(n_samples), INT(n_classes), at(scores))
    return scores


def rf(training, case):
    """Train by iGBRT Alg. 1."""
    share, n_features = case.parameters["max_features"], case.X.shape[1]
    n_candidates = share if isinstance(share, int) else max(1, int(share * n_features))
    target, scores, seed = case.y.astype(float), np.empty(len(case.y)), ctypes.c_uint64(case.parameters["random_state"])
    n_trees = INT(case.parameters["n_trees"])
    call(LIBRARY.port_forest, training, at(target), n_trees, INT(n_candidates), seed, at(scores))
    return scores


TRAIN = {"ls": ls, "gbrt": gbrt, "softmax": softmax, "ordinal": ordinal, "rf": rf}


def make_bins(X):
    """Cut each feature of X, (n_samples, n_features), between its values: cuts and offsets, as a case has them."""
    cuts, offsets = [], [0]
    for column in X.T:
        values = np.unique(column)
        cuts += [(values[1:] + values[:-1]) / 2]
        offsets += [offsets[-1] + len(values)]
    return np.concatenate(cuts), np.array(offsets, np.int64)


def learn(function, X, y, *arguments, hear=None, n_rounds=1, n_leaves=0, learning_rate=1.0):
    """Call a training of the library on rows without a case; return the scores, (n_samples,)."""
    X, target = np.ascontiguousarray(X, float), np.ascontiguousarray(y, float)
    cuts, offsets = make_bins(X)
    callback = TELL(hear or (lambda *_: None))
    training = Training(
        at(X), *X.shape, at(cuts), at(offsets), n_rounds, n_leaves, -1, 1, learning_rate, callback, None
    )
    scores = np.empty(len(target))
    call(function, training, at(target), *arguments, at(scores))
    return scores


def tree(X, y, weight, n_leaves):
    """Grow one tree: GBRT of one round, from 0."""
    if weight is not None:
        raise NotImplementedError
    return learn(LIBRARY.port_gbrt, X, y, n_leaves=n_leaves)


def random_forest(X, y, n_trees, seed):
    """Grow a forest that draws rows, and no features."""
    return learn(LIBRARY.port_forest, X, y, INT(n_trees), INT(np.shape(X)[1]), ctypes.c_uint64(seed))


def ls_boosting(X, y, n_rounds, n_leaves, nu):
    """Boost, and return the scores after each round, the start included."""
    scores = []

    def hear(stage, field, round, tree, output, kind, data, n, m, length):
        if stage in (b"start", b"scores"):
            entries = np.ctypeslib.as_array((ctypes.c_double * n).from_address(data))
            scores.append(np.array(np.broadcast_to(entries, len(y))))

    learn(LIBRARY.port_ls, X, y, hear=hear, n_rounds=n_rounds, n_leaves=n_leaves, learning_rate=nu)
    return np.array(scores)


def err(y, score):
    """Measure ERR of one query."""
    values = []

    def hear(stage, field, round, tree, output, kind, data, n, m, length):
        if field == b"err":
            values.append(ctypes.c_double.from_address(data).value)

    labels, scores = np.ascontiguousarray(y, np.int64), np.ascontiguousarray(score, float)
    starts, callback = np.array([0, len(labels)], np.int64), TELL(hear)
    code = LIBRARY.port_rank(at(scores), at(labels), at(starts), INT(1), INT(4), callback)
    if code != 0:
        raise MemoryError(f"port_rank returned {code}")
    return values[0]


def expected_relevance(proba):
    """Compute sum_k p_k k of each row of class probabilities, (n_samples, n_classes)."""
    columns, scores = np.ascontiguousarray(np.transpose(proba), float), np.empty(len(proba))
    LIBRARY.port_relevance(at(columns), INT(len(scores)), INT(len(columns)), at(scores))
    return scores


LEMMAS = {
    "tree": tree,
    "random_forest": random_forest,
    "ls_boosting": ls_boosting,
    "err": err,
    "expected_relevance": expected_relevance,
}
