"""W9: mean NDCG@10 of as many rows as MSLR-WEB30K has, against ranx, ir-measures and scikit-learn.

The data are artificial: 31,531 queries, about 3.77 million rows, and distinct scores, so that every tool computes the
same ranking. Each tool starts from the arrays y, score, qid and ends with one mean; the conversion that its interface
needs (a dict, a list of arrays) is timed with it. A second row compares refrank with the inner step of ranx alone,
which starts from ranked lists and does not sort. ranx runs on its default number of threads.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare, load_peer, time_call
from benchmarks.speed.data import GRADE_SHARES
from refrank.metrics import ndcg

N_QUERIES, ROWS_PER_QUERY = 31_531, 3_771_125 / 31_531
GAINS = {0: 0, 1: 1, 2: 3, 3: 7, 4: 15}
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]  # y, score, qid


def compare_metrics(settings: Settings) -> Iterator[Pairing]:
    """Compare the mean NDCG@10 of many rows (W9)."""
    arrays, small = draw_rankings(max(50, round(N_QUERIES * settings.scale)), settings.seed), draw_rankings(50, 0)
    _, sklearn_name = load_peer("sklearn", "scikit-learn")
    ranx, ranx_name = load_peer("ranx")
    ir_measures, ir_name = load_peer("ir_measures", "ir-measures")

    ours = enter_mean("", lambda: float(ndcg(*arrays)))
    peers = [enter_mean(sklearn_name, lambda: evaluate_sklearn(prepare_sklearn(*arrays)), n_turns=1)]
    if ir_measures:
        peers.append(enter_mean(ir_name, lambda: evaluate_ir_measures(prepare_ir_measures(*arrays))))
    if ranx:
        evaluate_ranx(prepare_ranx(*small))  # compiles before the clock starts
        lists = prepare_ranx(*arrays)
        peers.append(enter_mean(ranx_name, lambda: evaluate_ranx(prepare_ranx(*arrays))))
        peers.append(enter_mean(f"{ranx_name}, inner step", lambda: evaluate_ranx(lists)))
    what = f"NDCG@10 of {len(arrays[0]):,} rows"
    yield from compare("W9", what, [ours], peers, settings.cap_turns(3), [FASTER], "mean")


def enter_mean(name: str, evaluate: Callable[[], float], n_turns: int | None = None) -> Contestant:
    """Time an evaluation; its quality is the mean that it returns."""
    last = [float("nan")]

    def run() -> float:
        seconds, last[0] = time_call(evaluate)
        return seconds

    return Contestant(name, run, n_turns, quality=lambda: last[0])


def draw_rankings(n_queries: int, seed: int) -> Arrays:
    """Draw y, score, qid: gamma-distributed lengths of at least 2, labels 0..4, distinct scores."""
    rng = np.random.default_rng(seed)
    weight = rng.gamma(3.0, size=n_queries)
    lengths = np.maximum(2, np.rint(weight * (ROWS_PER_QUERY * n_queries / weight.sum()))).astype(int)
    qid = np.repeat(np.arange(n_queries), lengths)
    y = rng.choice(5, size=len(qid), p=GRADE_SHARES)
    return y, rng.permutation(len(qid)).astype(np.float64), qid


def prepare_sklearn(y: np.ndarray, score: np.ndarray, qid: np.ndarray) -> list:
    cuts = np.flatnonzero(np.diff(qid)) + 1
    return list(zip(np.split(np.ldexp(1.0, y) - 1, cuts), np.split(score, cuts), strict=True))


def evaluate_sklearn(queries: list) -> float:
    from sklearn.metrics import ndcg_score

    values = [ndcg_score(gain[None], score[None], k=10, ignore_ties=True) for gain, score in queries]
    return float(np.mean(values))


def prepare_ranx(y: np.ndarray, score: np.ndarray, qid: np.ndarray) -> tuple:
    """Build the fastest input that ranx accepts: a list of arrays, already ranked."""
    from numba.typed import List

    def sort_lists(values: np.ndarray) -> object:
        order = np.lexsort((-values, qid))
        pairs = np.column_stack((order.astype(np.float64), values[order]))
        return List(np.split(pairs, np.flatnonzero(np.diff(qid)) + 1))

    return sort_lists(y.astype(np.float64)), sort_lists(score)


def evaluate_ranx(lists: tuple) -> float:
    from ranx import evaluate

    return float(evaluate(*lists, "ndcg_burges@10"))


def prepare_ir_measures(y: np.ndarray, score: np.ndarray, qid: np.ndarray) -> tuple:
    names, queries = [str(i) for i in range(len(y))], [str(q) for q in qid.tolist()]
    return nest(y.tolist(), names, queries), nest(score.tolist(), names, queries)


def nest(values: list, names: list[str], qid: list[str]) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for query, name, value in zip(qid, names, values, strict=True):
        nested.setdefault(query, {})[name] = value
    return nested


def evaluate_ir_measures(nested: tuple) -> float:
    import ir_measures

    measure = ir_measures.nDCG(gains=GAINS) @ 10
    return ir_measures.pytrec_eval.calc_aggregate([measure], *nested)[measure]
