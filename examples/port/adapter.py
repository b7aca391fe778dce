"""The port in C, as `yardstick.scorecard.page` describes it: trainings, told stage by stage, and lemmas.

REFRANK_PORT names another library than the one beside this file.
"""

import ctypes
import math
import os
from pathlib import Path

import numpy as np

NAME = "the port in C"
LIBRARY = ctypes.CDLL(os.environ.get("REFRANK_PORT", str(Path(__file__).with_name("libport.so"))))
LIBRARY.port_mean.restype = ctypes.c_double
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
        ("output", INT),
        ("code_bytes", ctypes.c_int32),
        ("at_midpoints", ctypes.c_int32),
        ("holds", ctypes.c_int32),
        ("n_unseen", INT),
        ("weight", POINTER),
        ("missing", POINTER),
        ("tell", TELL),
        ("codes", POINTER),
    ]


def at(array):
    """Return the address of an array."""
    return ctypes.c_void_p(array.ctypes.data)


class Case:
    """A training as the library takes it: rows of weight 0 come last, and are scored alone."""

    def __init__(self, case, tell):
        self.parameters, self.tell, self.told, self.silent = case.parameters, tell, set(), ()
        kept = np.ones(len(case.y), bool) if case.weight is None else case.weight > 0
        self.rows = np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)])
        self.n, self.y = int(kept.sum()), case.y[kept].astype(np.int64)
        self.weight = None if case.weight is None else np.ascontiguousarray(case.weight[kept], float)
        X, self.missing = fill(np.asarray(case.X, float)[self.rows], self.n, case.parameters)
        self.X, self.cuts = np.ascontiguousarray(X), np.ascontiguousarray(case.cuts)
        self.offsets, self.callback = np.ascontiguousarray(case.offsets, np.int64), TELL(self.hear)

    def hear(self, stage, field, round, tree, output, kind, data, n, m, length):
        """Pass on one field; the bins, once."""
        if stage in self.silent or (stage == b"bins" and field in self.told):
            return
        self.told.add(field)
        shape = [] if n < 0 else [n, *(size for size in (m, length) if size)]
        values = np.ctypeslib.as_array((TYPES[kind] * int(np.prod(shape, dtype=int))).from_address(data)).reshape(shape)
        place = {"round": round, "tree": tree, "output": output}
        self.tell(stage.decode(), **{k: v for k, v in place.items() if v >= 0}, **{field.decode(): values.copy()})

    def train(self, output=0, weight=None, **parameters):
        """Describe a training of one output."""
        given = {**self.parameters, **parameters}
        self.own = self.weight if weight is None else weight
        return Training(
            at(self.X),
            self.n,
            self.X.shape[1],
            at(self.cuts),
            at(self.offsets),
            given.get("n_rounds", 0),
            given.get("n_leaves") or 0,
            given.get("max_depth") or -1,
            given.get("min_samples_leaf", 1),
            given.get("learning_rate", 1.0),
            output,
            2 if np.diff(self.offsets).max() > 256 else 1,
            given.get("cut_at") == "midpoint",
            given.get("clip") == "each-round" and given.get("setting") == "classification",
            len(self.rows) - self.n,
            None if self.own is None else at(self.own),
            None if self.missing is None else at(self.missing),
            self.callback,
            None,
        )

    def count_classes(self):
        """Return K."""
        return self.parameters["n_classes"] or int(self.y.max()) + 1

    def tabulate(self, name):
        """Return T of each class."""
        k, given = np.arange(self.count_classes(), dtype=float), self.parameters[name]
        return {"k": k, "2^k": 2.0**k, "2^k-1": 2.0**k - 1}[given] if isinstance(given, str) else np.array(given, float)


def fill(X, n, parameters):
    """Put substitutes in the place of missing values; the first n rows are those trained on."""
    rule, value = parameters.get("missing"), parameters.get("missing_value")
    if rule is None:
        return X, None
    holes = np.isnan(X) if isinstance(value, dict) else value == X
    substitutes = {"-inf": -np.inf, "zero": 0.0}.get(rule, np.inf)
    if rule in ("mean", "median"):
        columns = [column[~absent].tolist() for column, absent in zip(X[:n].T, holes[:n].T, strict=True)]
        middle = {"mean": lambda x: math.fsum(x) / len(x), "median": np.median}[rule]
        substitutes = np.array([middle(column) if column else 0.0 for column in columns])
    missing = holes[:n].any(axis=0).astype(np.int8) if rule == "three-way" else None
    return np.where(holes, substitutes, X), missing


def train(case, tell):
    """Train by the algorithm of a case, and rank its rows."""
    if case.algorithm not in TRAIN or case.parameters.get("three_way") == "rt-rank":
        raise NotImplementedError
    own = Case(case, tell)
    scores = np.empty(len(case.y))
    scores[own.rows] = TRAIN[case.algorithm](own)
    starts = np.append(np.unique(case.qid, return_index=True)[1], len(case.qid)).astype(np.int64)
    y = np.ascontiguousarray(case.y, np.int64)
    code = LIBRARY.port_rank(at(scores), at(y), at(starts), INT(len(starts) - 1), INT(4), own.callback)
    if code != 0:
        raise MemoryError(f"port_rank returned {code}")


def call(function, training, *arguments):
    """Call a function of the library, and see that it has done its work."""
    code = function(ctypes.byref(training), *arguments)
    if code != 0:
        raise MemoryError(f"{function.__name__} returned {code}")


def ls(case):
    """McRank Alg. 2."""
    target, scores = case.tabulate("target")[case.y], np.empty(len(case.rows))
    call(LIBRARY.port_ls, case.train(), at(target), at(scores))
    return scores


def list_targets(case):
    """List the targets of the problems of iGBRT Sec. 6, or y alone."""
    if case.parameters["setting"] == "regression":
        return [case.y.astype(float)]
    return [(case.y < c).astype(float) for c in range(1, case.count_classes())]


def rank(case, values):
    """Score the rows by the problems of iGBRT Sec. 6, or by the regression."""
    if case.parameters["setting"] == "regression":
        return values[0]
    held = [np.clip(value, 0.0, 1.0) if case.parameters["clip"] else value for value in values]
    return relate(np.diff([np.zeros(len(case.rows)), *held, np.ones(len(case.rows))], axis=0))


def relate(proba, relevance=None):
    """Compute sum_k p_k T(k), of p (n_classes, n_samples)."""
    proba, scores = np.ascontiguousarray(proba), np.empty(proba.shape[1])
    relevance = np.arange(len(proba), dtype=float) if relevance is None else relevance
    LIBRARY.port_relevance(at(proba), INT(len(scores)), INT(len(proba)), at(relevance), at(scores))
    return scores


def boost(case, target, start, output, **parameters):
    """Boost by iGBRT Alg. 2, from a start, (n_rows,) or a number."""
    scores = np.broadcast_to(np.float64(start), len(case.rows)).copy()
    call(LIBRARY.port_gbrt, case.train(output, **parameters), at(np.ascontiguousarray(target)), at(scores))
    return scores


def gbrt(case):
    """Train by iGBRT Alg. 2."""
    targets, training = list_targets(case), case.train()
    is_mean = case.parameters["initial"] == "mean"
    starts = [LIBRARY.port_mean(ctypes.byref(training), at(target)) if is_mean else 0.0 for target in targets]
    case.tell("start", values=starts)
    return rank(case, [boost(case, target, starts[c], c) for c, target in enumerate(targets)])


def grow_forests(case, targets):
    """Train by iGBRT Alg. 1, a forest per problem, each with its own seed."""
    share, n_features = case.parameters["max_features"], case.X.shape[1]
    n_candidates = share if isinstance(share, int) else max(1, int(share * n_features))
    seed, values = case.parameters["random_state"], []
    for c, target in enumerate(targets):
        scores, own = np.empty(len(case.rows)), seed if c == 0 else draw(seed, c) >> 1
        given = INT(case.parameters["n_trees"]), INT(n_candidates), ctypes.c_uint64(own)
        call(LIBRARY.port_forest, case.train(c), at(target), *given, at(scores))
        values.append(scores)
    return values


def draw(key, i):
    """Return number i of a stream of SplitMix64."""
    z = (key + (i + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def rf(case):
    """Train by iGBRT Alg. 1."""
    return rank(case, grow_forests(case, list_targets(case)))


def igbrt(case):
    """Train by iGBRT Alg. 3."""
    targets = list_targets(case)
    forests = grow_forests(case, targets)
    case.tell("start", values=np.zeros(len(targets)))
    values = []
    for c, (target, forest) in enumerate(zip(targets, forests, strict=True)):
        values.append(
            boost(case, target, forest, c)
            if case.train().holds
            else forest + boost(case, target - forest[: case.n], 0.0, c)
        )
    return rank(case, values)


def softmax(case):
    """McRank Alg. 1, ranked by the expected relevance."""
    n_rows, n_classes = len(case.rows), case.count_classes()
    F, proba = np.empty((n_classes, n_rows)), np.empty((n_classes, n_rows))
    simultaneous = ctypes.c_int32(case.parameters["update"] == "simultaneous")
    call(LIBRARY.port_softmax, case.train(), at(case.y), INT(n_classes), simultaneous, at(F))
    LIBRARY.refrank_softmax(at(F), INT(n_rows), INT(n_classes), INT(0), INT(n_classes), at(proba), ctypes.c_int32(1))
    return relate(proba, case.tabulate("relevance"))


def ordinal(case):
    """McRank Sec. 4, ranked by the expected relevance."""
    n_rows, n_classes = len(case.rows), case.count_classes()
    if case.parameters["update"] != "sequential" or case.y.min() > 0:
        raise NotImplementedError
    n_learned = int(case.y.max())  # problems with two groups
    F = np.empty((n_learned, 2, n_rows))
    call(LIBRARY.port_ordinal, case.train(), at(case.y), INT(n_learned + 1), at(F))
    cumulative = np.ones((n_classes + 1, n_rows))
    cumulative[0] = 0.0
    for k in range(n_learned):
        args = INT(n_rows), INT(2), INT(0), INT(1), at(cumulative[k + 1]), ctypes.c_int32(1)
        LIBRARY.refrank_softmax(at(F[k]), *args)
    return relate(np.diff(cumulative, axis=0), case.tabulate("relevance"))


def cocr(case):
    """COCR over GBRT: one regression per grade, weighted by the steps of its costs."""
    n_classes, cost, base = case.count_classes(), case.parameters["cost"], case.parameters["base"]
    if base.get("algorithm") != "gbrt":
        raise NotImplementedError
    y, k = np.arange(n_classes)[:, np.newaxis], np.arange(n_classes)
    tables = {"absolute": abs(y - k), "squared": (y - k) ** 2, "oerr": (2**y - 2**k) ** 2}
    table = tables[cost] if isinstance(cost, str) else np.array(cost, float)
    scores, case.silent = np.zeros(len(case.rows)), (b"bins", b"leaf_values")
    for problem in range(1, n_classes):
        weight = abs(np.diff(table[case.y], axis=1))[:, problem - 1] * (1.0 if case.weight is None else case.weight)
        answer = (case.y >= problem).astype(float)
        asked = answer[weight > 0]
        values = np.full(len(case.rows), asked[0] if len(asked) else 0.0)
        if len(set(asked.tolist())) == 2:
            total = float(len(weight)) if case.weight is None else math.fsum(case.weight)
            weight = np.ldexp(weight, -np.frexp(weight.max())[1])
            weight = weight * (total / math.fsum(weight))
            given = {} if (weight == 1.0).all() else {"weight": weight}
            training = case.train(weight=given.get("weight"))
            is_mean = base["parameters"]["initial"] == "mean"
            start = LIBRARY.port_mean(ctypes.byref(training), at(answer)) if is_mean else 0.0
            values = boost(case, answer, start, problem - 1, **base["parameters"], **given)
        case.tell("answers", output=problem - 1, values=order_back(case, values))
        scores += values
    return scores


def order_back(case, values):
    """Put values in the order of the rows as they were given."""
    ordered = np.empty(len(values))
    ordered[case.rows] = values
    return ordered


TRAIN = {"ls": ls, "gbrt": gbrt, "softmax": softmax, "ordinal": ordinal, "rf": rf, "igbrt": igbrt, "cocr": cocr}


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
    limits = n_rounds, n_leaves, -1, 1, learning_rate
    code_bytes = 2 if np.diff(offsets).max() > 256 else 1
    given = 0, code_bytes, 0, 0, 0, None, None
    training = Training(at(X), *X.shape, at(cuts), at(offsets), *limits, *given, callback, None)
    scores = np.zeros(len(target))
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
    return relate(np.transpose(proba).astype(float))


LEMMAS = {
    "tree": tree,
    "random_forest": random_forest,
    "ls_boosting": ls_boosting,
    "err": err,
    "expected_relevance": expected_relevance,
}
