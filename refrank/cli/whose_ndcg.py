"""`refrank whose-ndcg`: one ranking by the figures of every tool, and the rules that turn one figure into another."""

import argparse
import json
from dataclasses import replace
from typing import Any

from refrank.cli.evaluation import load_ranking
from refrank.cli.figures import Figures, Ranking, as_document, as_lines, count, list_columns
from refrank.cli.inputs import N_FEATURES, SCORES, check_inputs, open_input
from refrank.cli.outputs import check_outputs, write_values
from refrank.cli.reading import add_reading
from refrank.cli.whose_ndcg_page import write_page
from refrank.datasets.trec import judge_run, read_qrels, read_run
from refrank.metrics import PRESETS, Measure, compare_presets, parse_measure

MEASURES = ("ndcg@10", "err", "map", "mrr", "p@10", "r@10")
NEEDED = "whose-ndcg needs RUN and QRELS, or --letor FILE with --model or --scores"


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank whose-ndcg`."""
    command.add_argument("run_file", nargs="?", metavar="RUN", help="TREC run, .gz of one, or - for standard input")
    command.add_argument("qrels", nargs="?", metavar="QRELS", help="TREC judgments, .gz of them, or -")
    command.add_argument("--letor", metavar="FILE", help="instead of RUN and QRELS: a LETOR file, .gz of one, or -")
    ranking = command.add_mutually_exclusive_group()
    ranking.add_argument("--model", metavar="MODEL", help="with --letor: model file")
    ranking.add_argument("--scores", metavar="S", help=f"with --letor: file of {SCORES}")
    words = "metrics: ndcg, dcg, err, map, mrr, p, r, each with @ and a cut-off or for all documents; default "
    command.add_argument("--measures", nargs="+", default=MEASURES, metavar="M", help=words + " ".join(MEASURES))
    command.add_argument("--spec", default="paper", choices=[*PRESETS], help="convention to start from; default paper")
    command.add_argument("--max-grade", type=int, help="highest label there can be, for ERR; default that of the tool")
    command.add_argument("--relevant", type=int, default=1, help="lowest label of a relevant document; default 1")
    command.add_argument("--per-query", metavar="CSV", help="write the figures of each query, by each convention")
    command.add_argument("--html", metavar="FILE", help="write a page")
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    command.add_argument("--n-features", type=int, help=f"with --scores: {N_FEATURES}")
    add_reading(command)


def run(measures: list[str], per_query: str | None, html: str | None, as_json: bool, **flags: Any) -> int:
    """Print a ranking's figures by every convention, and the rules between them."""
    inputs = [flags[name] for name in ("run_file", "qrels", "letor", "scores")]
    check_outputs({"--per-query": per_query, "--html": html}, flags["model"], *inputs)
    check_inputs(*inputs)
    base = replace(PRESETS[flags.pop("spec")], relevant=flags.pop("relevant"))
    grade, asked = flags.pop("max_grade"), [parse_measure(name) for name in measures]
    for text, measure in zip(measures, asked, strict=True):
        if measure.spec.name != "paper":
            raise ValueError(f"--measures {text}: --spec names the convention to start from, for all metrics")
    ranking = read_ranking(**flags)
    of_base = (Measure(measure.metric, measure.k, base) for measure in asked)
    values = [compare_presets(**ranking.columns, measure=measure, max_grade=grade) for measure in of_base]
    figures = Figures(ranking, base, dict(zip(map(str, asked), values, strict=True)))
    if per_query is not None:
        write_values(per_query, ranking.queries, list_columns(figures))
    if html is not None:
        write_page(html, figures)
    print(json.dumps(as_document(figures), allow_nan=False) if as_json else "\n".join(as_lines(figures)))
    return 0


def read_ranking(run_file: str | None, qrels: str | None, letor: str | None, **flags: Any) -> Ranking:
    """Read a ranking and its judgments, from TREC files or from a LETOR file."""
    ranked = flags["model"] is not None or flags["scores"] is not None
    if letor is not None and run_file is None and ranked:
        data, score = load_ranking(letor, **flags)
        by = flags["model"] or flags["scores"]
        return Ranking(f"{letor} by {by}", [], {"y": data.y, "score": score, "qid": data.qid})
    if qrels is None or run_file is None or letor is not None or ranked:
        raise ValueError(NEEDED)
    judged = judge_run(read_run(open_input(run_file)), read_qrels(open_input(qrels)))
    columns = {"y": judged.y, "score": judged.score, "qid": judged.qid, "doc_id": judged.doc_id}
    with_rank = {query for query, score in zip(judged.qid, judged.score.tolist(), strict=True) if score == score}
    notes, n_missing = [], len({*judged.qid}) - len(with_rank)
    if judged.left_out:
        notes.append(f"{count(len(judged.left_out), 'ranked query')} without judgments left out, as by every tool")
    if n_missing:
        rule = "trec and trec_eval leave it out, the others count it"
        notes.append(f"{count(n_missing, 'judged query')} without a ranked document: {rule}")
    return Ranking(f"{run_file} by {qrels}", notes, columns)
