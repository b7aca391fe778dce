"""The port in C, as `yardstick.scorecard.page` describes it: trainings, told stage by stage, and lemmas.

REFRANK_PORT names another library than the one beside this file.
"""

import ctypes
import math
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

NAME = "the port in C"
LIBRARY = ctypes.CDLL(os.environ.get("REFRANK_PORT", str(Path(__file__).with_name("libport.so"))))
LIBRARY.port_mean.restype = ctypes.c_double
FLAG, INT, DOUBLE, POINTER = ctypes.c_int32, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
TELL = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, INT, INT, INT, FLAG, POINTER, INT, INT, INT)


class Training(ctypes.Structure):
    """`port_training` of training.h."""

    _fields_ = [
        *[("X", POINTER), ("n_samples", INT), ("n_features", INT), ("cuts", POINTER), ("offsets", POINTER)],
        *[("n_rounds", INT), ("n_leaves", INT), ("max_depth", INT), ("min_samples_leaf", INT)],
        *[("learning_rate", DOUBLE), ("output", INT), ("code_bytes", FLAG), ("at_midpoints", FLAG), ("holds", FLAG)],
        *[("n_unseen", INT), ("weight", POINTER), ("missing", POINTER), ("tell", TELL), ("codes", POINTER)],
    ]


def at(array):
    """Return the address of an array, which must be kept; None of None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


def call(function, *arguments):
    """Call a function of the library, and see that it has done its work."""
    code = function(*arguments)
    if code != 0:
        raise MemoryError(f"{function.__name__} returned {code}")


def listen(tell, silent=()):
    """Make the function that the library tells a field; the bins are passed on once, and silent stages never."""
    told = set()

    def hear(stage, field, round, tree, output, kind, data, n, m, length):
        if stage in silent or (stage == b"bins" and field in told):
            return
        told.add(field)
        shape = [] if n < 0 else [n, *(size for size in (m, length) if size)]
        values = np.ctypeslib.as_array(
            ((DOUBLE, INT, FLAG)[kind] * int(np.prod(shape, dtype=int))).from_address(data)
        ).reshape(shape)
        place = {"round": round, "tree": tree, "output": output}
        tell(stage.decode(), **{k: v for k, v in place.items() if v >= 0}, **{field.decode(): values.copy()})

    return TELL(hear)


class Case:
    """A training as the library takes it: rows of weight 0 come last, and are scored alone."""

    def __init__(self, case, tell):
        self.parameters, self.tell, self.silent = case.parameters, tell, set()
        kept = np.ones(len(case.y), bool) if case.weight is None else case.weight > 0
        self.rows = np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)])
        self.n, self.y = int(kept.sum()), case.y[kept].astype(np.int64)
        self.weight = None if case.weight is None else np.ascontiguousarray(case.weight[kept], float)
        X, self.missing = fill(np.asarray(case.X, float)[self.rows], self.n, case.parameters)
        self.X, self.cuts = np.ascontiguousarray(X), np.ascontiguousarray(case.cuts)
        self.offsets, self.callback = np.ascontiguousarray(case.offsets, np.int64), listen(tell, self.silent)
        self.holds = case.parameters.get("clip") == "each-round" and case.parameters["setting"] == "classification"
        self.n_classes = case.parameters.get("n_classes") or int(self.y.max()) + 1

    def train(self, output=0, weight=None, **parameters):
        """Describe a training of one output, by reference."""
        given = {**self.parameters, **parameters}
        self.own = self.weight if weight is None else weight
        training = Training(
            **{"X": at(self.X), "n_samples": self.n, "n_features": self.X.shape[1], "weight": at(self.own)},
            **{"cuts": at(self.cuts), "offsets": at(self.offsets), "missing": at(self.missing)},
            **{"n_rounds": given.get("n_rounds", 0), "n_leaves": given.get("n_leaves") or 0, "output": output},
            **{"max_depth": given.get("max_depth") or -1, "min_samples_leaf": given.get("min_samples_leaf", 1)},
            **{"learning_rate": given.get("learning_rate", 1.0), "at_midpoints": given.get("cut_at") == "midpoint"},
            **{"code_bytes": 2 if np.diff(self.offsets).max() > 256 else 1, "holds": self.holds},
            **{"n_unseen": len(self.rows) - self.n, "tell": self.callback},
        )
        return ctypes.byref(training)

    def tabulate(self, name):
        """Return T of each class."""
        k, given = np.arange(self.n_classes, dtype=float), self.parameters[name]
        return {"k": k, "2^k": 2.0**k, "2^k-1": 2.0**k - 1}[given] if isinstance(given, str) else np.array(given, float)


def fill(X, n, parameters):
    """Put substitutes in the place of missing values, if any; the first n rows are those trained on."""
    rule, value = parameters.get("missing"), parameters.get("missing_value")
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
    own, scores = Case(case, tell), np.empty(len(case.y))
    scores[own.rows] = TRAIN[case.algorithm](own)
    measure(case.y, scores, np.append(np.unique(case.qid, return_index=True)[1], len(case.qid)), tell)


def measure(y, scores, starts, tell):
    """Rank the rows of queries, which begin at `starts`, and tell order and quality."""
    y, starts = np.ascontiguousarray(y, np.int64), np.ascontiguousarray(starts, np.int64)
    scores, callback = np.ascontiguousarray(scores, float), listen(tell)
    call(LIBRARY.port_rank, at(scores), at(y), at(starts), INT(len(starts) - 1), INT(4), callback)


def learn(function, case, target, *arguments, start=0.0, output=0, **parameters):
    """Call a training of one output, from a start, (n_rows,) or a number; return the scores, (n_rows,)."""
    target, scores = np.ascontiguousarray(target, float), np.broadcast_to(np.float64(start), len(case.rows)).copy()
    call(function, case.train(output, **parameters), at(target), *arguments, at(scores))
    return scores


boost = partial(learn, LIBRARY.port_gbrt)  # by iGBRT Alg. 2


def list_targets(case):
    """List the targets of the problems of iGBRT Sec. 6, or y alone."""
    problems = [(case.y < c).astype(float) for c in range(1, case.n_classes)]
    return [case.y.astype(float)] if case.parameters["setting"] == "regression" else problems


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


def gbrt(case):
    """Train by iGBRT Alg. 2."""
    targets, is_mean = list_targets(case), case.parameters["initial"] == "mean"
    starts = [LIBRARY.port_mean(case.train(), at(target)) if is_mean else 0.0 for target in targets]
    case.tell("start", values=starts)
    return rank(case, [boost(case, target, start=starts[c], output=c) for c, target in enumerate(targets)])


def grow_forests(case, targets):
    """Train by iGBRT Alg. 1, a forest per problem, each with its own seed."""
    share, n_features = case.parameters["max_features"], case.X.shape[1]
    n_candidates = share if isinstance(share, int) else max(1, int(share * n_features))
    given, seed, values = (INT(case.parameters["n_trees"]), INT(n_candidates)), case.parameters["random_state"], []
    for c, target in enumerate(targets):
        own = seed if c == 0 else draw(seed, c) >> 1
        values.append(learn(LIBRARY.port_forest, case, target, *given, ctypes.c_uint64(own), output=c))
    return values


def draw(key, i):
    """Return number i of a stream of SplitMix64."""
    z = (key + (i + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def igbrt(case):
    """Train by iGBRT Alg. 3."""
    targets = list_targets(case)
    forests = grow_forests(case, targets)
    case.tell("start", values=np.zeros(len(targets)))
    pairs = enumerate(zip(targets, forests, strict=True))
    if case.holds:
        return rank(case, [boost(case, target, start=forest, output=c) for c, (target, forest) in pairs])
    return rank(case, [forest + boost(case, target - forest[: case.n], output=c) for c, (target, forest) in pairs])


def softmax(case):
    """McRank Alg. 1, ranked by the expected relevance."""
    n_rows, n_classes = len(case.rows), case.n_classes
    F, proba = np.empty((n_classes, n_rows)), np.empty((n_classes, n_rows))
    simultaneous = FLAG(case.parameters["update"] == "simultaneous")
    call(LIBRARY.port_softmax, case.train(), at(case.y), INT(n_classes), simultaneous, at(F))
    LIBRARY.refrank_softmax(at(F), INT(n_rows), INT(n_classes), INT(0), INT(n_classes), at(proba), FLAG(1))
    return relate(proba, case.tabulate("relevance"))


def ordinal(case):
    """McRank Sec. 4, ranked by the expected relevance."""
    n_rows, n_classes = len(case.rows), case.n_classes
    if case.parameters["update"] != "sequential" or case.y.min() > 0:
        raise NotImplementedError
    n_learned = int(case.y.max())  # problems with two groups
    F = np.empty((n_learned, 2, n_rows))
    call(LIBRARY.port_ordinal, case.train(), at(case.y), INT(n_learned + 1), at(F))
    cumulative = np.ones((n_classes + 1, n_rows))
    cumulative[0] = 0.0
    for k in range(n_learned):
        LIBRARY.refrank_softmax(at(F[k]), INT(n_rows), INT(2), INT(0), INT(1), at(cumulative[k + 1]), FLAG(1))
    return relate(np.diff(cumulative, axis=0), case.tabulate("relevance"))


def cocr(case):
    """COCR over GBRT: one regression per grade, weighted by the steps of its costs."""
    n_classes, cost, base = case.n_classes, case.parameters["cost"], case.parameters["base"]
    if base.get("algorithm") != "gbrt":
        raise NotImplementedError
    y, k = np.arange(n_classes)[:, np.newaxis], np.arange(n_classes)
    tables = {"absolute": abs(y - k), "squared": (y - k) ** 2, "oerr": (2**y - 2**k) ** 2}
    table = tables[cost] if isinstance(cost, str) else np.array(cost, float)
    scores, order = np.zeros(len(case.rows)), np.argsort(case.rows)
    is_mean = base["parameters"].get("initial") == "mean"
    case.silent.update((b"bins", b"leaf_values"))
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
            start = LIBRARY.port_mean(case.train(**given), at(answer)) if is_mean else 0.0
            values = boost(case, answer, start=start, output=problem - 1, **base["parameters"], **given)
        case.tell("answers", output=problem - 1, values=values[order])  # in that of the rows as given
        scores += values
    return scores


TRAIN = {
    **{"softmax": softmax, "ordinal": ordinal, "gbrt": gbrt, "igbrt": igbrt, "cocr": cocr},
    "ls": lambda case: learn(LIBRARY.port_ls, case, case.tabulate("target")[case.y]),
    "rf": lambda case: rank(case, grow_forests(case, list_targets(case))),
}


def make_case(X, tell=lambda *_, **__: None, **parameters):
    """Make a case of X alone, (n_samples, n_features), whose features are cut between any two values."""
    values = [np.unique(column) for column in np.transpose(X)]
    cuts = np.concatenate([(of[1:] + of[:-1]) / 2 for of in values])
    rows = {"X": X, "y": np.zeros(len(X)), "weight": None, "parameters": parameters}
    return Case(SimpleNamespace(cuts=cuts, offsets=np.cumsum([0, *map(len, values)]), **rows), tell)


def tree(X, y, weight, n_leaves):
    """Grow one tree: GBRT of one round, from 0."""
    if weight is not None:
        raise NotImplementedError
    return boost(make_case(X, n_rounds=1, n_leaves=n_leaves), y)


def random_forest(X, y, n_trees, seed):
    """Grow a forest that draws rows, and no features."""
    return grow_forests(make_case(X, n_trees=n_trees, max_features=np.shape(X)[1], random_state=seed), [y])[0]


def ls_boosting(X, y, n_rounds, n_leaves, nu):
    """Boost, and return the scores after each round, the start included."""
    scores = []

    def tell(stage, values=None, **_):
        if stage in ("start", "scores"):
            scores.append(np.broadcast_to(values, len(y)))

    learn(LIBRARY.port_ls, make_case(X, tell, n_rounds=n_rounds, n_leaves=n_leaves, learning_rate=nu), y)
    return np.array(scores)


def err(y, score):
    """Measure ERR of one query."""
    told = {}
    measure(y, score, [0, len(y)], lambda stage, **fields: told.update(fields))
    return told["err"][0]


LEMMAS = {
    **{"tree": tree, "random_forest": random_forest, "ls_boosting": ls_boosting, "err": err},
    "expected_relevance": lambda proba: relate(np.transpose(proba).astype(float)),
}
