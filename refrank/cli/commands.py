"""The command line: refrank train | predict | evaluate | reproduce.

Exit codes: 0 done; 1 a file could not be read or written; 2 bad input or usage, said in one line; 130 interrupted, with
what was done kept.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from refrank.cli import cocr as cocr_flags
from refrank.cli.evaluation import as_document, as_table, measure
from refrank.config import resolve_threads, show_config
from refrank.datasets import load_letor
from refrank.estimators.mcrank import BoostRanker
from refrank.metrics import PRESETS, compare_presets
from refrank.model_file import RANKERS, load_model, save_model
from refrank.reproduce import cocr, mcrank

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

    # SUPPRESS: a flag that is not given leaves the default to the estimator, where it stands
    command = commands.add_parser("train", help="train a ranker on a LETOR file", argument_default=argparse.SUPPRESS)
    command.set_defaults(command=train)
    command.add_argument("file", metavar="TRAIN", help="file of lines `label qid:id index:value ...`, or .gz of one")
    command.add_argument("--algorithm", choices=[*RANKERS, "cocr"], required=True)
    command.add_argument("--model", required=True, metavar="M.json", help="where to write the model")
    command.add_argument("--n-features", type=int, help="features a row has; by default the highest index in the file")
    for name, default in ranker_parameters().items():
        kind = str if isinstance(default, str) else int if default is None else type(default)
        users = ", ".join(algorithm for algorithm, ranker in RANKERS.items() if name in ranker.__dataclass_fields__)
        command.add_argument(f"--{name.replace('_', '-')}", type=kind, help=f"default {default} ({users})")

    cocr_flags.add_flags(command)

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

    command = commands.add_parser("reproduce", help="make a paper's tables and figures again")
    command.set_defaults(command=reproduce)
    command.add_argument("paper", choices=["mcrank", "cocr"])
    command.add_argument("--full", action="store_true", help="mcrank: the paper's size, instead of minutes")
    command.add_argument("--data", type=Path, metavar="DIR", help="cocr: a collection in folds; else artificial data")
    command.add_argument("--out", type=Path, default=Path("refrank-out"), metavar="DIR", help="default refrank-out")
    command.add_argument("--n-threads", type=int)

    command = commands.add_parser("config", help="print which splitter runs, on how many threads, and versions")
    command.set_defaults(command=lambda: show_config() and 0)
    return whole


EXIT_CODES = "Exit codes: 0 done; 1 a file could not be read or written; 2 bad input or usage; 130 interrupted."


def ranker_parameters() -> dict[str, object]:
    """Collect the parameters of all rankers, with their defaults; progress is shown unless --verbose 0."""
    defaults = {field.name: field.default for ranker in RANKERS.values() for field in fields(ranker)}
    return defaults | {"verbose": 1}


def train(file: str, algorithm: str, model: str, n_features: int | None = None, **parameters: Any) -> int:
    """Train and write the model; after an interrupt, the rounds that are done."""
    ranker = cocr_flags.cocr_ranker(parameters) if algorithm == "cocr" else booster(algorithm, parameters)
    if not Path(model).absolute().parent.is_dir():  # hours of training should not end here
        raise FileNotFoundError(f"{model}: there is no such folder to write the model to")
    data = load_letor(file, n_features)
    try:
        ranker.fit(data.X, data.y, data.qid)
    except KeyboardInterrupt:
        if isinstance(ranker, BoostRanker) and hasattr(ranker, "model_"):
            save_model(ranker, model)
            return say(f"interrupted; {model} holds the {ranker.n_rounds_} rounds that are done", INTERRUPTED)
        raise
    save_model(ranker, model)
    return 0


def booster(algorithm: str, parameters: dict[str, Any]) -> BoostRanker:
    """Make the ranker of McRank that the flags describe."""
    strange = [name for name in parameters if name not in RANKERS[algorithm].__dataclass_fields__]
    if strange:
        raise ValueError(f"--{strange[0].replace('_', '-')} is no parameter of --algorithm {algorithm}")
    return RANKERS[algorithm](**{"verbose": 1} | parameters)


def predict(file: str, model: str) -> int:
    """Print the score of each row, in the fewest digits that name the float64."""
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
    """Print the quality of a ranking of a file's rows."""
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


def read_scores(path: str) -> NDArray[np.float64]:
    """Read one number a line."""
    scores = []
    for place, line in enumerate(Path(path).read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        try:
            scores.append(float(line))
        except ValueError:
            raise ValueError(f"{path}, line {place}, is {line[:60]!r}: a scores file holds one number a line") from None
    return np.array(scores)


def reproduce(paper: str, full: bool, data: Path | None, out: Path, n_threads: int | None) -> int:
    """Print the tables of a paper, and draw its figures into a folder."""
    resolve_threads(n_threads)
    if paper == "cocr":
        if full:
            raise ValueError("--full is of mcrank: cocr runs at the paper's settings where --data is given")
        print(cocr.reproduce(data, out / paper))
        return 0
    if data is not None:
        raise ValueError("--data is of cocr: mcrank makes its artificial data itself")
    setting = mcrank.FULL if full else mcrank.SMALL
    print(mcrank.reproduce(setting, out / paper, n_threads))
    return 0
