"""`refrank bounds`: the DCG and ERR errors of a ranking, and every bound on them, per query and on average."""

import argparse
import json
import os
import re
from typing import Any

from refrank.bounds import report_bounds
from refrank.bounds.certificates import write_certificates
from refrank.bounds.printed import as_document, as_lines
from refrank.cli.inputs import FILE, N_FEATURES, SCORES, check_inputs, open_input
from refrank.cli.outputs import check_outputs
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets.scores import read_scores
from refrank.datasets.whole_file import replace_file

CERTIFY = "write the exact errors and bounds of each query as theorems for coqc to check, a .v file"
MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.v")


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
    command.add_argument("--certify", default=None, metavar="OUT", help=CERTIFY)
    command.add_argument("--n-features", type=int, default=None, help=N_FEATURES)
    add_reading(command)


def run(file: str, scores: str, as_json: bool, certify: str | None, n_features: int | None, **options: Any) -> int:
    """Print the errors of a ranking of a file's rows and every bound on them."""
    check_inputs(file, scores)
    if certify is not None and not MODULE.fullmatch(os.path.basename(certify)):
        raise ValueError(f"--certify {certify}: a file of Coq has a name of letters, digits and _, and ends with .v")
    check_outputs({"--certify": certify}, file, scores)
    reading = take_reading(options)
    data = reading.load(open_input(file), n_features, reading.choose_absent())
    score = read_scores(open_input(scores))
    report = report_bounds(data.y, score, data.qid, **options)
    if certify is not None:
        text = write_certificates(os.path.basename(certify), data.y, score, data.qid, **options)
        with replace_file(certify) as file_of_theorems:
            file_of_theorems.write(text.encode("utf-8", "backslashreplace"))
    queries = data.qid[report.first_row].tolist()
    if as_json:
        print(json.dumps(as_document(report, queries), allow_nan=False))
    else:
        print("\n".join(as_lines(report, queries)))
    return 0
