"""`refrank bounds`: the DCG and ERR errors of a ranking, and every bound on them, per query and on average."""

import argparse
import json
from typing import Any

from refrank.bounds import report_bounds
from refrank.bounds.printed import as_document, as_lines
from refrank.cli.inputs import FILE, N_FEATURES, SCORES, check_inputs, open_input
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets.scores import read_scores


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank bounds`."""
    command.argument_default = argparse.SUPPRESS
    command.add_argument("file", metavar="FILE", help=FILE)
    command.add_argument("--scores", required=True, metavar="S", help=f"file of {SCORES}; on the labels' scale")
    command.add_argument("--max-grade", type=int, metavar="G", help="highest label; grades are clip(rint(score), 0, G)")
    command.add_argument(
        "--k", type=int, metavar="K", help="only the places 1 to K count in DCG; adds a table of NDCG@K"
    )
    command.add_argument("--json", action="store_true", default=False, dest="as_json", help="print one JSON object")
    command.add_argument("--n-features", type=int, default=None, help=N_FEATURES)
    add_reading(command)


def run(file: str, scores: str, as_json: bool, n_features: int | None, **options: Any) -> int:
    """Print the errors of a ranking of a file's rows and every bound on them."""
    check_inputs(file, scores)
    reading = take_reading(options)
    data = reading.load(open_input(file), n_features, reading.choose_absent())
    report = report_bounds(data.y, read_scores(open_input(scores)), data.qid, **options)
    queries = data.qid[report.first_row].tolist()
    if as_json:
        print(json.dumps(as_document(report, queries), allow_nan=False))
    else:
        print("\n".join(as_lines(report, queries)))
    return 0
