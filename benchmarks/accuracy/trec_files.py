"""Compare MAP, MRR, precision, recall, NDCG and ERR of TREC files with pytrec_eval and ir_measures, query by query.

    pip install -e '.[bench]' && python -m benchmarks.accuracy.trec_files --run RUN --qrels QRELS [--relevant 1]

RUN and QRELS may be any TREC files, such as the test files of trec_eval and of ir_measures, which are not part of this
project. The script prints the largest difference per measure, of the queries and of the mean, and fails if one is above
1e-12, or for ERR above what five decimals allow. pytrec_eval measures the queries that the run ranks, as the preset
`trec_eval`; ir_measures all that are judged, as `ir_measures`. Both hold scores as float32, as they are given here.
"""

import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.side_by_side import parse_options
from refrank.datasets import JudgedRun, judge_run, read_qrels, read_run
from refrank.metrics import PRESETS, Measure, parse_measure
from refrank.metrics.averaging import mean_of_queries

TOLERANCE = {"err@20": 5.1e-6}  # gdeval prints five decimals; of the others, 1e-12
# Names in trec_eval; ir_measures reads ours.
TREC_EVAL = {
    "map": "map",
    "map@5": "map_cut_5",
    "mrr": "recip_rank",
    "p@5": "P_5",
    "p@10": "P_10",
    "r@5": "recall_5",
    "r@100": "recall_100",
    "ndcg": "ndcg",
    "ndcg@10": "ndcg_cut_10",
}
IR_MEASURES = {
    "map": "AP",
    "map@5": "AP@5",
    "mrr": "RR",
    "p@5": "P@5",
    "r@100": "R@100",
    "ndcg": "nDCG",
    "ndcg@10": "nDCG@10",
    "err@20": "ERR@20",
}
Nested = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Peer:
    """The values of a program: of each query, and their mean."""

    by_query: dict[str, float]
    mean: float


def ask_pytrec_eval(qrels: Nested, run: Nested, relevant: int) -> dict[str, Peer]:
    import pytrec_eval

    values = pytrec_eval.RelevanceEvaluator(qrels, {*TREC_EVAL.values()}, relevance_level=relevant).evaluate(run)
    of = {name: {query: each[theirs] for query, each in values.items()} for name, theirs in TREC_EVAL.items()}
    return {name: Peer(by, float(np.mean([*by.values()]))) for name, by in of.items()}


def ask_ir_measures(qrels: Nested, run: Nested, relevant: int) -> dict[str, Peer]:
    import ir_measures

    answers = {}
    for name, theirs in IR_MEASURES.items():
        measure = ir_measures.parse_measure(theirs)
        if name.split("@")[0] in ("map", "mrr", "p", "r"):
            measure = measure(rel=relevant)
        try:
            result = ir_measures.calc([measure], qrels, run)
        except subprocess.CalledProcessError:
            print(f"gdeval, behind {theirs}, refuses these files: queries must be numbers, and no relevance above 4")
            continue
        by_query = {metric.query_id: metric.value for metric in result.per_query}
        answers[name] = Peer(by_query, result.aggregated[measure])
    return answers


def nest(qid: tuple[str, ...], doc_id: tuple[str, ...], values: np.ndarray) -> Nested:
    """Put lines into the dictionaries that the peers read."""
    nested: Nested = defaultdict(dict)
    for query, document, value in zip(qid, doc_id, values.tolist(), strict=True):
        nested[query][document] = value
    return dict(nested)


def compare(judged: JudgedRun, name: str, preset: str, relevant: int, peer: Peer) -> tuple[float, float]:
    """Return the largest difference of a query, and that of the mean."""
    asked = parse_measure(name)
    measure = Measure(asked.metric, asked.k, replace(PRESETS[preset], relevant=relevant))
    values = measure(judged.y, judged.score, judged.qid, judged.doc_id)
    ours = dict(zip(dict.fromkeys(judged.qid), values.tolist(), strict=True))
    counted = {query: value for query, value in ours.items() if value == value}
    if counted.keys() != peer.by_query.keys():
        return float("inf"), float("inf")
    return max(abs(value - peer.by_query[q]) for q, value in counted.items()), abs(mean_of_queries(values) - peer.mean)


def main() -> int:
    arguments = parse_options(__doc__, run="", qrels="", relevant=1)
    lines, judgments = read_run(arguments.run), read_qrels(arguments.qrels)
    lines = replace(lines, values=lines.values.astype(np.float32).astype(np.float64))
    judged = judge_run(lines, judgments)
    run, qrels = (nest(file.qid, file.doc_id, file.values) for file in (lines, judgments))
    print(f"{arguments.run} by {arguments.qrels}: {len({*judged.qid})} queries, {len(lines.qid)} ranked documents")
    failed = False
    for preset, ask in (("trec_eval", ask_pytrec_eval), ("ir_measures", ask_ir_measures)):
        for name, peer in ask(qrels, run, arguments.relevant).items():
            of_query, of_mean = compare(judged, name, preset, arguments.relevant, peer)
            failed |= max(of_query, of_mean) > TOLERANCE.get(name, 1e-12)
            print(f"{preset:12}{name:10} mean {peer.mean:.6f}   largest difference {of_query:.1e}, mean {of_mean:.1e}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
