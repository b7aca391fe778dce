"""NDCG@10 and ERR over as many rows as MSLR-WEB30K has, against scikit-learn, ranx and ir-measures.

    pip install -e '.[peers]' && python benchmarks/metrics.py [--queries 31531] [--skip-err]

The data are artificial: 31,531 queries, about 3.77 million rows, and distinct scores, so that every tool computes the
same ranking. Each tool starts from the arrays y, score, qid and ends with one mean. The conversion that its interface
needs (a dict, a list of arrays) is timed with it; the time of its evaluation alone, from the prepared input, is printed
beside it. ranx gets its fastest input, which is already ranked, so its evaluation alone does not sort. Only ir-measures
has ERR, by the TREC script that it carries (in Perl, five decimals per query, minutes): `--skip-err` leaves it out.
"""

from importlib.metadata import version

import numpy as np
from side_by_side import parse_options, time_call

from refrank.metrics import err, ndcg

ROWS_PER_QUERY = 3_771_125 / 31_531
GAINS = {0: 0, 1: 1, 2: 3, 3: 7, 4: 15}


def make_data(n_queries: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw y, score, qid: gamma-distributed lengths of at least 2, labels 0..4, distinct scores."""
    rng = np.random.default_rng(seed)
    weight = rng.gamma(3.0, size=n_queries)
    lengths = np.maximum(2, np.rint(weight * (ROWS_PER_QUERY * n_queries / weight.sum()))).astype(int)
    qid = np.repeat(np.arange(n_queries), lengths)
    y = rng.choice(5, size=len(qid), p=[0.52, 0.32, 0.13, 0.02, 0.01])
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

    def sorted_lists(values: np.ndarray) -> object:
        order = np.lexsort((-values, qid))
        pairs = np.column_stack((order.astype(np.float64), values[order]))
        return List(np.split(pairs, np.flatnonzero(np.diff(qid)) + 1))

    return sorted_lists(y.astype(np.float64)), sorted_lists(score)


def evaluate_ranx(lists: tuple) -> float:
    from ranx import evaluate

    return float(evaluate(*lists, "ndcg_burges@10"))


def nest(values: list, names: list[str], qid: list[str]) -> dict[str, dict[str, float]]:
    nested: dict[str, dict[str, float]] = {}
    for query, name, value in zip(qid, names, values, strict=True):
        nested.setdefault(query, {})[name] = value
    return nested


def prepare_ir_measures(y: np.ndarray, score: np.ndarray, qid: np.ndarray) -> tuple:
    names, queries = [str(i) for i in range(len(y))], [str(q) for q in qid.tolist()]
    return nest(y.tolist(), names, queries), nest(score.tolist(), names, queries)


def evaluate_ir_measures(nested: tuple) -> float:
    import ir_measures

    measure = ir_measures.nDCG(gains=GAINS) @ 10
    return ir_measures.pytrec_eval.calc_aggregate([measure], *nested)[measure]


def evaluate_ir_measures_err(nested: tuple) -> float:
    import ir_measures

    measure = ir_measures.ERR @ 1_000_000
    # The script skips queries without relevant documents. Their ERR is 0, so the mean here includes them.
    values = [metric.value for metric in ir_measures.gdeval.iter_calc([measure], *nested)]
    return sum(values) / len(nested[0])


def report(name: str, prepare: float, evaluate: float, value: float, ours: tuple[float, float]) -> None:
    (seconds, expected), whole = ours, prepare + evaluate
    alone = f"evaluation alone {evaluate:7.2f} s  x{evaluate / seconds:<7.1f}"
    print(f"{name:34} {whole:8.2f} s  x{whole / seconds:<7.1f} {alone} |difference| {abs(value - expected):.0e}")


def main() -> None:
    arguments = parse_options(__doc__, queries=31_531, skip_err=False)
    data, small = make_data(arguments.queries), make_data(50)
    evaluate_ranx(prepare_ranx(*small))  # compile before the clock starts
    ndcg(*small), err(*small)
    print(f"{arguments.queries} queries, {len(data[0])} rows; one run, from arrays to the mean")

    ours = time_call(ndcg, *data)
    print(f"{'refrank ndcg, k=10':34} {ours[0]:8.2f} s  x1")
    for name, prepare, evaluate in (
        ("scikit-learn", prepare_sklearn, evaluate_sklearn),
        ("ranx", prepare_ranx, evaluate_ranx),
        ("ir-measures", prepare_ir_measures, evaluate_ir_measures),
    ):
        preparing, prepared = time_call(prepare, *data)
        evaluating, value = time_call(evaluate, prepared)
        report(f"{name} {version(name)} NDCG@10", preparing, evaluating, value, ours)

    ours = time_call(err, *data)
    print(f"{'refrank err, all documents':34} {ours[0]:8.2f} s  x1")
    if not arguments.skip_err:
        evaluating, value = time_call(evaluate_ir_measures_err, prepared)  # the dicts of the last tool above
        report(f"ir-measures {version('ir-measures')} ERR", preparing, evaluating, value, ours)


if __name__ == "__main__":
    main()
