"""Compare the presets with the tools they are named after, and write tests/metrics/metric_vectors.json.

    pip install -e '.[bench]' && python -m benchmarks.accuracy.metric_vectors [--queries 3000] [--write]

Each tool scores the same random queries (with ties, without a relevant document, with one document, with fewer than k),
one at a time. The script prints the largest difference from refrank per tool and cut-off, and fails if one is above
1e-12. gdeval needs perl. `--write` stores the tools' own values for the first queries; the tests compare with them.
"""

import json
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import parse_options
from refrank.metrics import (
    PRESETS,
    err,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
    precision,
    recall,
)

VECTORS = Path(__file__).parents[2] / "tests" / "metrics" / "metric_vectors.json"
N_KEPT = 40
CUTOFFS = (1, 3, 10, None)
TOLERANCE = 1e-12  # tools add the same numbers in other orders and take logarithms by other routines
LONGEST = 1000  # stands for "all documents" where a tool wants a number


@dataclass(frozen=True)
class Query:
    """One query: labels, scores and document ids in file order."""

    y: list[int]
    score: list[float]
    doc_id: list[str]


def draw_queries_at_random(n_queries: int, seed: int) -> Iterator[Query]:
    """Yield queries of 1 to 40 documents; labels 0..4; scores that float32 holds, about half of them tied."""
    rng = np.random.default_rng(seed)
    for number in range(n_queries):
        n_docs = int(rng.choice([1, 2, 3, 5, 9, 10, 11, 20, 40]))
        # Every fifth query has no relevant document; among the others low labels are common, as in real data.
        shares = [1, 0, 0, 0, 0] if number % 5 == 4 else [0.45, 0.25, 0.15, 0.1, 0.05]
        levels = int(rng.choice([1, 3, 8, 4096]))
        doc_id = [f"d{i:02d}" for i in rng.permutation(n_docs)]
        score = rng.integers(levels, size=n_docs) / 8
        yield Query(rng.choice(5, size=n_docs, p=shares).tolist(), score.tolist(), doc_id)


def evaluate_lightgbm(query: Query, cutoffs: list[int], name: str = "ndcg") -> list[float]:
    import lightgbm

    n_docs = len(query.y)
    options = {"verbose": -1, "min_data_in_bin": 1, "min_data_in_leaf": 1, "feature_pre_filter": False}
    data = lightgbm.Dataset(np.zeros((n_docs, 1)), query.y, group=[n_docs], init_score=query.score, params=options)
    booster = lightgbm.Booster({**options, "objective": "none", "metric": name, "eval_at": cutoffs}, data)
    return [float(entry[2]) for entry in booster.eval_train()]


def evaluate_xgboost(query: Query, cutoffs: list[int], suffix: str = "", exponential: bool = True) -> list[float]:
    import xgboost

    n_docs = len(query.y)
    data = xgboost.DMatrix(np.zeros((n_docs, 1)), label=query.y, group=[n_docs], base_margin=query.score)
    names = [f"ndcg@{k}{suffix}" for k in cutoffs]
    options = {"objective": "rank:ndcg", "base_score": 0.0, "ndcg_exp_gain": exponential, "nthread": 1}
    booster = xgboost.Booster({**options, "eval_metric": names}, [data])
    printed = booster.eval(data).split("\t")[1:]
    return [float(entry.rsplit(":", 1)[1]) for entry in printed]


def evaluate_xgboost_binary(query: Query, cutoffs: list[int], name: str) -> list[float]:
    """Evaluate a metric that XGBoost has for labels 0 and 1 alone."""
    import xgboost

    labels = np.minimum(query.y, 1)
    data = xgboost.DMatrix(np.zeros((len(labels), 1)), label=labels, group=[len(labels)], base_margin=query.score)
    names = [f"{name}@{k}" for k in cutoffs]
    options = {"objective": "rank:pairwise", "base_score": 0.0, "nthread": 1, "eval_metric": names}
    printed = xgboost.Booster(options, [data]).eval(data).split("\t")[1:]
    return [float(entry.rsplit(":", 1)[1]) for entry in printed]


def evaluate_catboost(query: Query, cutoffs: list[int], name: str = "NDCG", kind: str = "") -> list[float]:
    from catboost.utils import eval_metric

    group = np.zeros(len(query.y), dtype=int)
    names = [f"{name}:top={k}{kind}" for k in cutoffs]
    return [eval_metric(query.y, query.score, name, group_id=group)[0] for name in names]


def evaluate_sklearn(query: Query, cutoffs: list[int]) -> list[float]:
    from sklearn.metrics import ndcg_score

    if len(query.y) == 1:  # scikit-learn refuses a query of one document
        return [float("nan")] * len(cutoffs)
    return [float(ndcg_score([query.y], [query.score], k=k)) for k in cutoffs]


def evaluate_ranx(query: Query, cutoffs: list[int], name: str = "ndcg") -> list[float]:
    from numba.typed import List
    from ranx import evaluate

    # A list of arrays is ranked as it comes; a Run is sorted by an unstable sort (PRESETS["ranx"].note).
    entries = np.array([[hash(doc), s] for doc, s in zip(query.doc_id, query.score, strict=True)], dtype=float)
    run = List([entries[np.argsort(-entries[:, 1], kind="stable")]])
    qrels = {"q": dict(zip(query.doc_id, query.y, strict=True))}
    return [float(evaluate(qrels, run, f"{name}@{k}")) for k in cutoffs]


def evaluate_trec_eval(query: Query, cutoffs: list[int], name: str = "ndcg_cut") -> list[float]:
    import pytrec_eval

    names = [f"{name}_{k}" for k in cutoffs]
    qrels = {"q": dict(zip(query.doc_id, query.y, strict=True))}
    run = {"q": dict(zip(query.doc_id, query.score, strict=True))}
    values = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)["q"]
    return [values[name] for name in names]


def evaluate_ir_measures(query: Query, cutoffs: list[int], name: str = "nDCG") -> list[float]:
    import ir_measures

    measures = [ir_measures.parse_measure(f"{name}@{k}") for k in cutoffs]
    qrels = {"q": dict(zip(query.doc_id, query.y, strict=True))}
    run = {"q": dict(zip(query.doc_id, query.score, strict=True))}
    values = ir_measures.pytrec_eval.calc_aggregate(measures, qrels, run)
    return [values[measure] for measure in measures]


def run_gdeval(queries: list[Query], cutoffs: list[int]) -> np.ndarray:
    """Run the TREC script in ir-measures, changed to print 17 digits instead of 5; return NDCG and ERR, (2, Q, k)."""
    script = pkgutil.get_data("ir_measures", "bin/gdeval.pl").decode().replace("%.5f", "%.17g")
    values = np.full((2, len(queries), len(cutoffs)), np.nan)
    with tempfile.TemporaryDirectory() as folder:
        program, qrels, run = (Path(folder, name) for name in ("gdeval.pl", "qrels", "run"))
        program.write_text(script)
        columns = [zip(query.doc_id, query.y, query.score, strict=True) for query in queries]
        rows = [(q, *row) for q, lines in enumerate(columns) for row in lines]
        qrels.write_text("".join(f"{q} 0 {doc} {label}\n" for q, doc, label, _ in rows))
        run.write_text("".join(f"{q} Q0 {doc} 0 {score} run\n" for q, doc, _, score in rows))
        for column, k in enumerate(cutoffs):
            command = ["perl", str(program), str(qrels), str(run), str(k)]
            for line in subprocess.check_output(command, text=True).splitlines()[1:]:
                _, q, ndcg_value, err_value = line.split(",")
                values[:, int(q), column] = float(ndcg_value), float(err_value)
    return values


Tool = Callable[[Query, list[int]], list[float]]
# Row of the vector file: the tool's function, the metric, and the rule of the preset that the tool's option changes.
TOOLS: dict[str, tuple[Tool, Callable[..., object], dict[str, object]]] = {
    "lightgbm": (evaluate_lightgbm, ndcg, {}),
    "lightgbm map": (partial(evaluate_lightgbm, name="map"), mean_average_precision, {}),
    "xgboost": (evaluate_xgboost, ndcg, {}),
    "xgboost ndcg-": (partial(evaluate_xgboost, suffix="-"), ndcg, {"no_relevant": 0.0}),
    "xgboost ndcg_exp_gain=False": (partial(evaluate_xgboost, exponential=False), ndcg, {"gain": "y"}),
    "xgboost map": (partial(evaluate_xgboost_binary, name="map"), mean_average_precision, {}),
    "xgboost pre": (partial(evaluate_xgboost_binary, name="pre"), precision, {}),
    "catboost": (evaluate_catboost, ndcg, {}),
    "catboost type=Exp": (partial(evaluate_catboost, kind=";type=Exp"), ndcg, {"gain": "2^y-1"}),
    "catboost MAP": (partial(evaluate_catboost, name="MAP"), mean_average_precision, {}),
    "catboost MRR": (partial(evaluate_catboost, name="MRR"), mean_reciprocal_rank, {}),
    "catboost PrecisionAt": (partial(evaluate_catboost, name="PrecisionAt"), precision, {}),
    "catboost RecallAt": (partial(evaluate_catboost, name="RecallAt"), recall, {}),
    "sklearn": (evaluate_sklearn, ndcg, {}),
    "ranx": (evaluate_ranx, ndcg, {}),
    "ranx ndcg_burges": (partial(evaluate_ranx, name="ndcg_burges"), ndcg, {"gain": "2^y-1"}),
    "ranx map": (partial(evaluate_ranx, name="map"), mean_average_precision, {}),
    "ranx mrr": (partial(evaluate_ranx, name="mrr"), mean_reciprocal_rank, {}),
    "ranx precision": (partial(evaluate_ranx, name="precision"), precision, {}),
    "ranx recall": (partial(evaluate_ranx, name="recall"), recall, {}),
    "trec_eval": (evaluate_trec_eval, ndcg, {}),
    "trec_eval map_cut": (partial(evaluate_trec_eval, name="map_cut"), mean_average_precision, {}),
    "trec_eval P": (partial(evaluate_trec_eval, name="P"), precision, {}),
    "trec_eval recall": (partial(evaluate_trec_eval, name="recall"), recall, {}),
    "ir_measures": (evaluate_ir_measures, ndcg, {}),
    "ir_measures AP": (partial(evaluate_ir_measures, name="AP"), mean_average_precision, {}),
}
PACKAGES = {
    "sklearn": "scikit-learn",
    "trec_eval": "pytrec-eval-terrier",
    "trec": "ir-measures",
    "ir_measures": "ir-measures",
}


def find_version(name: str) -> str:
    package = PACKAGES.get(name.split()[0], name.split()[0])
    return f"{package} {version(package)}"


def find_largest_difference(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return the largest absolute difference; infinite if one side alone skips a query (NaN)."""
    if (np.isnan(ours) != np.isnan(theirs)).any():
        return float("inf")
    return float(np.nanmax(np.abs(ours - theirs)))


def main() -> int:
    arguments = parse_options(__doc__, queries=3000, seed=0, write=False)
    queries = list(draw_queries_at_random(arguments.queries, arguments.seed))
    rows = [(q, *row) for q, query in enumerate(queries) for row in zip(query.y, query.score, strict=True)]
    qid, y, score = (np.array(column) for column in zip(*rows, strict=True))
    doc_id = np.array([doc for query in queries for doc in query.doc_id])
    numbers = [LONGEST if k is None else k for k in CUTOFFS]

    theirs = {
        name: (
            replace(PRESETS[name.split()[0]], **option),
            metric,
            np.array([tool(query, numbers) for query in queries]),
        )
        for name, (tool, metric, option) in TOOLS.items()
    }
    for name, metric, values in zip(("trec", "trec ERR"), (ndcg, err), run_gdeval(queries, numbers), strict=True):
        theirs[name] = PRESETS["trec"], metric, values

    failed = False
    print(f"{len(queries)} queries, {len(y)} documents, seed {arguments.seed}; largest |refrank - tool|")
    for name, (spec, metric, values) in theirs.items():
        differences = []
        for column, k in enumerate(CUTOFFS):
            ours = metric(y, score, qid, k=k, spec=spec, per_query=True, doc_id=doc_id)
            if k is None and metric is precision:  # its numbers divide by the stand-in of "all documents"
                ours = metric(y, score, qid, k=LONGEST, spec=spec, per_query=True, doc_id=doc_id)
            if name == "sklearn":
                ours = np.where(np.bincount(qid) == 1, np.nan, ours)
            differences.append(find_largest_difference(ours, values[:, column]))
        failed |= max(differences) > TOLERANCE
        cells = "  ".join(f"@{k or 'all'} {d:.1e}" for k, d in zip(CUTOFFS, differences, strict=True))
        print(f"{name:28} {find_version(name)}  {cells}")
    if arguments.write and not failed:
        write_vectors(queries[:N_KEPT], theirs)
    return int(failed)


def write_vectors(queries: list[Query], theirs: dict) -> None:
    """Write queries and tool values, one query or tool per line; NaN (skipped) becomes null."""
    tools = {
        name: {
            "package": find_version(name),
            "metric": metric.__name__,
            "values": [[None if v != v else v for v in row] for row in values[: len(queries)].tolist()],
        }
        for name, (_, metric, values) in theirs.items()
    }
    lines = [json.dumps({"y": q.y, "score": q.score, "doc_id": q.doc_id}) for q in queries]
    text = '{"cutoffs": ' + json.dumps(CUTOFFS) + ',\n"queries": [\n' + ",\n".join(lines) + '\n],\n"tools": {\n'
    text += ",\n".join(f"{json.dumps(name)}: {json.dumps(tool)}" for name, tool in tools.items()) + "\n}}\n"
    VECTORS.write_text(text)
    print(f"wrote {len(queries)} queries to {VECTORS.name} ({len(text)} bytes)")


if __name__ == "__main__":
    sys.exit(main())
