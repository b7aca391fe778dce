"""W4: scores of 500,000 rows by 5,000 trees of 10 leaves; W14: one query, by 3,000 of them.

Every tool scores the same trees: 1,000 rounds of softmax boosting of refrank, written as a LightGBM model, from which
treelite's interpreter reads them too, and as an XGBoost model. The quality column is the largest difference between
the sums of refrank and those of the peer: LightGBM and treelite hold doubles, XGBoost floats. Turns are whole calls.

In W14, scikit-learn has as many trees of its own (HistGradientBoosting), and a turn is the median of many calls, each
with other documents: processors learn the branches of rows that return. LightGBM's figure is the better of one thread
and the given number. `scores` sums the trees, as do the peers' calls; `predict` checks the rows first, and turns the
sums into a score, as does scikit-learn.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare, load_peer, time_call
from benchmarks.speed.boosting_peers import HGB_NAME, LIGHTGBM, LIGHTGBM_NAME, XGBOOST, XGBOOST_NAME
from benchmarks.speed.data import draw_uniform
from refrank import SoftmaxBoostRanker
from refrank.trees.engine import default_engine
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree

TREELITE, TREELITE_NAME = load_peer("treelite")
N_CLASSES = 5
N_TRAINED = 20_000  # rows to train on; time goes to scoring
N_SLOW = 5  # turns of scikit-learn


def compare_scoring(settings: Settings) -> Iterator[Pairing]:
    """Compare scoring with the same trees (W4)."""
    if not (LIGHTGBM or XGBOOST):
        return
    rows, n_rounds = settings.scale_rows(500_000), round(1000 * max(settings.scale, 0.1))
    X, small = draw_uniform(rows, seed=settings.seed).X, draw_uniform(min(rows, N_TRAINED), seed=settings.seed + 1)
    ranker = SoftmaxBoostRanker(n_rounds=n_rounds, update="simultaneous", n_threads=settings.threads)
    model = ranker.fit(small.X, small.y).model_
    engine = default_engine(settings.threads)
    trees = [tree for trees in model.rounds for tree in trees]
    ours = enter_scoring("", lambda: model.scores(X, engine), made := [np.empty(0)], made)

    peers = []
    if LIGHTGBM:
        booster = LIGHTGBM.Booster(model_str=write_lightgbm(trees, X.shape[1], model.learning_rate))
        score = lambda: booster.predict(X, raw_score=True, num_threads=settings.threads)  # noqa: E731
        peers.append(enter_scoring(LIGHTGBM_NAME, score, made))
        if TREELITE:
            read = TREELITE.frontend.from_lightgbm(booster)
            score = lambda: TREELITE.gtil.predict(read, X, nthread=settings.threads, pred_margin=True)  # noqa: E731
            peers.append(enter_scoring(f"{TREELITE_NAME} (interpreter)", score, made, n_turns=1))
    if XGBOOST:
        boosted = read_xgboost(trees, X.shape[1], model.learning_rate)
        boosted.set_param({"nthread": settings.threads})
        score = lambda: boosted.inplace_predict(X, predict_type="margin")  # noqa: E731
        peers.append(enter_scoring(XGBOOST_NAME, score, made))

    what = f"scores of {rows:,} rows by {len(trees):,} trees"
    targets = [("", "xgboost", 0.40), FASTER]
    n_turns = settings.cap_turns(2)
    yield from compare("W4", what, [ours], peers, n_turns, targets, "largest |difference|")


def enter_scoring(
    name: str,
    score: Callable[[], np.ndarray],
    expected: list[np.ndarray],
    last: list[np.ndarray] | None = None,
    n_turns: int | None = None,
) -> Contestant:
    """Time a call that scores; keep its sums, (n_samples, n_classes), in `last`, and compare them with `expected`."""
    held = [np.empty(0)] if last is None else last

    def run() -> float:
        seconds, held[0] = time_call(score)
        return seconds

    def compare_sums() -> float:
        return float(np.abs(held[0].reshape(expected[0].shape) - expected[0]).max())

    return Contestant(name, run, n_turns, compare_sums)


def compare_queries(settings: Settings) -> Iterator[Pairing]:
    """Compare scoring few documents, by one output and by several (W14)."""
    n_rounds = round(600 * max(settings.scale, 0.1))
    data, X = (draw_uniform(N_TRAINED, seed=settings.seed + s) for s in (1, 2))
    ranker = SoftmaxBoostRanker(n_rounds=n_rounds, update="simultaneous", n_threads=settings.threads)
    ranker.fit(data.X, data.y)
    engine = default_engine(settings.threads)
    trees = [tree for trees in ranker.model_.rounds for tree in trees]
    single = Ensemble((0.0,), tuple((tree,) for tree in trees), ranker.learning_rate)
    limits = {"max_leaf_nodes": 10, "early_stopping": False, "random_state": settings.seed}
    classifier = HistGradientBoostingClassifier(max_iter=n_rounds, **limits).fit(data.X, data.y)
    regressor = HistGradientBoostingRegressor(max_iter=len(trees), **limits).fit(data.X, data.y)
    for model, hgb in ((ranker.model_, classifier.decision_function), (single, regressor.predict)):
        n_outputs = len(model.initial)
        score_by = {"scores": partial(model.scores, engine=engine)}
        if n_outputs > 1:
            score_by["predict"] = ranker.predict
        peers = {HGB_NAME: [hgb]}
        if LIGHTGBM:
            booster = LIGHTGBM.Booster(model_str=write_lightgbm(trees, X.X.shape[1], model.learning_rate, n_outputs))
            threads = {1, settings.threads}
            peers[LIGHTGBM_NAME] = [partial(booster.predict, raw_score=True, num_threads=n) for n in threads]
        if XGBOOST:
            boosted = read_xgboost(trees, X.X.shape[1], model.learning_rate, n_outputs)
            boosted.set_param({"nthread": settings.threads})
            peers[XGBOOST_NAME] = [partial(boosted.inplace_predict, predict_type="margin")]
        for n_rows, n_calls in ((1, 200), (50, 20), (1000, 4)):
            batches = cycle(np.split(X.X[: N_TRAINED // n_rows * n_rows], N_TRAINED // n_rows))
            ours = [enter_batches(name, [call], batches, n_calls) for name, call in score_by.items()]
            others = [enter_batches(name, calls, batches, n_calls) for name, calls in peers.items()]
            what = f"documents: {n_rows:,}, trees: {len(trees):,}, outputs: {n_outputs}"
            yield from compare("W14", what, ours, others, settings.turns, [("", "", 0.8)])


def enter_batches(
    name: str, calls: list[Callable[[np.ndarray], object]], batches: Iterator[np.ndarray], n_calls: int
) -> Contestant:
    """Time calls with other rows each time; the median, of the better of several ways to call."""

    def run() -> float:
        return min(float(np.median([time_call(call, next(batches))[0] for _ in range(n_calls)])) for call in calls)

    run()
    return Contestant(name, run, n_turns=N_SLOW if "scikit" in name else None)


def write_lightgbm(trees: list[Tree], n_features: int, learning_rate: float, n_outputs: int = N_CLASSES) -> str:
    """Write trees, round by round and output by output, as the text of a LightGBM model."""
    names = " ".join(f"f{f}" for f in range(n_features))
    head = {
        "version": "v4",
        "num_class": n_outputs,
        "num_tree_per_iteration": n_outputs,
        "label_index": 0,
        "max_feature_idx": n_features - 1,
        "objective": f"multiclass num_class:{n_outputs}" if n_outputs > 1 else "regression",
        "feature_names": names,
        "feature_infos": " ".join(["[-1:1]"] * n_features),
    }
    blocks = [
        write_fields({"Tree": number} | write_lightgbm_tree(tree, learning_rate)) for number, tree in enumerate(trees)
    ]
    return "tree\n" + "\n\n".join([write_fields(head), *blocks, "end of trees\n"])


def write_lightgbm_tree(tree: Tree, learning_rate: float) -> dict[str, object]:
    """Number inner nodes and leaves apart, leaves as -1 - leaf; a row goes left where x <= threshold."""
    inner, leaves = np.flatnonzero(tree.feature >= 0), np.flatnonzero(tree.feature < 0)
    number = np.empty(len(tree.feature), np.int64)
    number[inner], number[leaves] = np.arange(len(inner)), -1 - np.arange(len(leaves))
    return {
        "num_leaves": len(leaves),
        "num_cat": 0,
        "split_feature": tree.feature[inner],
        "split_gain": np.zeros(len(inner), np.int64),
        "threshold": np.nextafter(tree.cut[inner], -np.inf),
        "decision_type": np.zeros(len(inner), np.int64),  # numerical, NaN is nothing special
        "left_child": number[tree.left[inner]],
        "right_child": number[tree.right[inner]],
        "leaf_value": learning_rate * tree.value[leaves],
        "shrinkage": 1,
    }


def write_fields(fields: dict[str, object]) -> str:
    """Write one `name=value` per line; arrays with spaces between their numbers."""
    texts = {name: " ".join(map(str, v.tolist())) if isinstance(v, np.ndarray) else v for name, v in fields.items()}
    return "\n".join(f"{name}={text}" for name, text in texts.items())


def read_xgboost(trees: list[Tree], n_features: int, learning_rate: float, n_outputs: int = N_CLASSES) -> Any:
    """Make an XGBoost booster of trees: train a stump, and put the trees in its place."""
    parameters = {"objective": "reg:squarederror", "max_depth": 1, "verbosity": 0}
    if n_outputs > 1:
        parameters |= {"objective": "multi:softprob", "num_class": n_outputs}
    X, y = np.zeros((n_outputs, n_features), np.float32), np.arange(n_outputs)
    stump = XGBOOST.train(parameters | {"base_score": 0.5}, XGBOOST.DMatrix(X, y), num_boost_round=1)
    document = json.loads(bytes(stump.save_raw("json")))
    document["learner"]["learner_model_param"]["base_score"] = str([0.0] * n_outputs)
    model = document["learner"]["gradient_booster"]["model"]
    model["gbtree_model_param"]["num_trees"] = str(len(trees))
    model["iteration_indptr"] = list(range(0, len(trees) + 1, n_outputs))
    model["tree_info"] = [number % n_outputs for number in range(len(trees))]
    model["trees"] = [write_xgboost_tree(tree, number, n_features, learning_rate) for number, tree in enumerate(trees)]
    return XGBOOST.Booster(model_file=bytearray(json.dumps(document), "ascii"))


def write_xgboost_tree(tree: Tree, number: int, n_features: int, learning_rate: float) -> dict[str, object]:
    """Send a row left where x < cut; the least float32 at or above a cut divides float32 rows as the cut does."""
    is_leaf, n_nodes = tree.feature < 0, len(tree.feature)
    cut = tree.cut.astype(np.float32)
    cut = np.where(cut < tree.cut, np.nextafter(cut, np.float32(np.inf)), cut)
    parents = np.full(n_nodes, 2**31 - 1)
    for children in (tree.left, tree.right):
        parents[children[~is_leaf]] = np.flatnonzero(~is_leaf)
    value = learning_rate * tree.value
    zeros = [0] * n_nodes
    return {
        "base_weights": value.tolist(),
        "categories": [],
        "categories_nodes": [],
        "categories_segments": [],
        "categories_sizes": [],
        "default_left": zeros,
        "id": number,
        "left_children": np.where(is_leaf, -1, tree.left).tolist(),
        "loss_changes": [0.0] * n_nodes,
        "parents": parents.tolist(),
        "right_children": np.where(is_leaf, -1, tree.right).tolist(),
        "split_conditions": np.where(is_leaf, value, cut).tolist(),
        "split_indices": np.where(is_leaf, 0, tree.feature).tolist(),
        "split_type": zeros,
        "sum_hessian": [1.0] * n_nodes,
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(n_features),
            "num_nodes": str(n_nodes),
            "size_leaf_vector": "1",
        },
    }
