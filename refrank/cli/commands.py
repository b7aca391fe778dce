"""The command line: refrank train | predict | evaluate | bounds | reproduce | config.

Exit codes: 0 done; 1 a file could not be read or written; 2 bad input or usage, said in one line; 130 interrupted, with
what was done kept.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from refrank.bounds import report_bounds
from refrank.bounds.printed import as_document as bounds_document
from refrank.bounds.printed import as_lines as bounds_lines
from refrank.cli import reproduction, training
from refrank.cli.evaluation import as_document, as_table, measure
from refrank.datasets import load_letor
from refrank.metrics import PRESETS, compare_presets
from refrank.model_file import load_model
from refrank.trees.engine import show_config

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    Examples
    --------
    >>> main(["config"])  # doctest: +ELLIPSIS
    splitter ...
    0
    """
    given = vars(parser().parse_args(arguments))
    command = given.pop("command")
    try:
        code = int(command(**given))
        sys.stdout.flush()  # so that a reader who has gone is noticed here
        return code
    except training.Interrupted as done:
        return say(str(done), INTERRUPTED)
    except KeyboardInterrupt:
        return say("interrupted; what was done is kept", INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere, in silence
        return 1
    except OSError as fault:
        return say(f"error: {fault}", 1)
    except (ValueError, MemoryError) as fault:
        return say(f"error: {fault}", 2)


def say(message: str, code: int) -> int:
    """Write one line to standard error; return the exit code."""
    print(f"refrank: {' '.join(message.split())}", file=sys.stderr)
    return code


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong with a command in one line; --help says the rest."""

    def error(self, message: str) -> NoReturn:
        """End the program with exit code 2."""
        sys.exit(say(f"error: {message} ({self.prog} --help)", 2))


def parser() -> argparse.ArgumentParser:
    """Describe the commands and their arguments."""
    whole = OneLineParser(prog="refrank", description=(__doc__ or "").split("\n")[0], epilog=EXIT_CODES)
    commands = whole.add_subparsers(required=True, metavar="command")

    command = commands.add_parser("train", help="train a ranker on a LETOR file", argument_default=argparse.SUPPRESS)
    command.set_defaults(command=training.train)
    training.add_flags(command)

    command = commands.add_parser("predict", help="print one score a row")
    command.set_defaults(command=predict)
    command.add_argument("file", metavar="FILE")
    command.add_argument("--model", required=True, metavar="M.json")

    command = commands.add_parser("evaluate", help="print NDCG@1..10, ERR and RMSE of a ranking, with their convention")
    command.set_defaults(command=evaluate)
    command.add_argument("file", metavar="FILE")
    ranking = command.add_mutually_exclusive_group(required=True)
    ranking.add_argument("--model", metavar="M.json")
    ranking.add_argument("--scores", metavar="S", help="file of one score a row of FILE")
    command.add_argument("--spec", default="paper", choices=[*PRESETS], help="whose convention; default paper")
    command.add_argument("--max-grade", type=int, help="highest label there can be, for ERR; default that of the spec")
    command.add_argument("--compare", action="store_true", help="NDCG@10 and ERR by the convention of every tool too")
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")

    command = commands.add_parser(
        "bounds",
        help="print a ranking's DCG and ERR errors and every bound on them",
        argument_default=argparse.SUPPRESS,
    )
    command.set_defaults(command=bounds)
    command.add_argument("file", metavar="FILE")
    command.add_argument("--scores", required=True, metavar="S", help="file of one score a row of FILE, on their scale")
    command.add_argument("--max-grade", type=int, metavar="G", help="highest label; grades clip(rint(score), 0, G)")
    command.add_argument("--json", action="store_true", default=False, dest="as_json", help="print one JSON object")

    command = commands.add_parser("reproduce", help="make a paper's tables and figures again")
    command.set_defaults(command=reproduction.reproduce)
    reproduction.add_flags(command)

    command = commands.add_parser("config", help="print which splitter runs, on how many threads, and versions")
    command.set_defaults(command=lambda: show_config() and 0)
    return whole


EXIT_CODES = "Exit codes: 0 done; 1 a file could not be read or written; 2 bad input or usage; 130 interrupted."


def predict(file: str, model: str) -> int:
    """Print the score of each row, in the fewest digits that name the float64.

    Raises
    ------
    ValueError
        Where a file is bad, or the rows have features that the model does not know.
    OSError
        Where a file cannot be read.
    """
    ranker = load_model(model)
    for score in ranker.predict(load_letor(file, ranker.n_features_in_).X):
        print(repr(float(score)))
    return 0


def evaluate(
    file: str,
    model: str | None,
    scores: str | None,
    spec: str,
    max_grade: int | None,
    compare: bool,
    as_json: bool,
) -> int:
    """Print the quality of a ranking of a file's rows: by a model, or by scores, of which one is given.

    Raises
    ------
    ValueError
        Where a file is bad, or every query is skipped by the convention.
    OSError
        Where a file cannot be read.
    """
    if model is not None:
        ranker = load_model(model)
        data = load_letor(file, ranker.n_features_in_)
        score = ranker.predict(data.X)
    else:
        data = load_letor(file)
        score = read_scores(str(scores))
    convention = PRESETS[spec] if max_grade is None else replace(PRESETS[spec], max_grade=max_grade)
    quality = measure(data.y, score, data.qid, convention)
    presets = compare_presets(data.y, score, data.qid, max_grade=max_grade) if compare else None
    print(json.dumps(as_document(quality, presets)) if as_json else "\n".join(as_table(quality, presets)))
    return 0


def bounds(file: str, scores: str, as_json: bool, **max_grade: int) -> int:
    """Print the errors of a ranking of a file's rows and every bound on them, per query and on average."""
    data = load_letor(file)
    report = report_bounds(data.y, read_scores(scores), data.qid, **max_grade)
    queries = data.qid[report.first_row].tolist()
    if as_json:
        print(json.dumps(bounds_document(report, queries), allow_nan=False))
    else:
        print("\n".join(bounds_lines(report, queries)))
    return 0


def read_scores(path: str) -> NDArray[np.float64]:
    """Read one number a line, (n_lines,).

    Raises
    ------
    ValueError
        Where a line is none; the message names file and line.
    OSError
        Where the file cannot be read.
    """
    scores = []
    for place, line in enumerate(Path(path).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        try:
            scores.append(float(line))
        except ValueError:
            raise ValueError(f"{path}, line {place}, is {line[:60]!r}: a scores file holds one number a line") from None
    return np.array(scores)
