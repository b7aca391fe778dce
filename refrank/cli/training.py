"""`refrank train`: which algorithms there are, a flag for each parameter of their rankers, and training."""

import argparse
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from refrank.cli import cocr
from refrank.cli.flags import check_known
from refrank.datasets import load_letor
from refrank.estimators import LambdaRanker
from refrank.model_file import ALGORITHMS as WRITTEN
from refrank.model_file import save_model

ALGORITHMS: dict[str, type[Any]] = {**WRITTEN, "lambdarank": LambdaRanker, "ranknet": LambdaRanker}
FIXED = {"ranknet": {"objective": "ranknet"}}  # parameters that an algorithm's name says


class Interrupted(Exception):
    """Training was interrupted, and what was done is in the model file; the message says what that is."""


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank train`. A flag that is not given leaves the default to the estimator."""
    command.add_argument("file", metavar="TRAIN", help="file of lines `label qid:id index:value ...`, or .gz of one")
    command.add_argument("--algorithm", choices=[*ALGORITHMS, "cocr"], required=True)
    command.add_argument(
        "--model", required=True, metavar="M.json", help="where to write the model; a zip for rf, gbrt and igbrt"
    )
    command.add_argument("--n-features", type=int, help="features a row has; by default the highest index in the file")
    command.add_argument("--valid", metavar="FILE", help="validation set, which chooses the epoch of a net")
    for name, users in ranker_parameters().items():
        kinds = {kind for field in users.values() for kind in (field.type, *get_args(field.type))}
        parse: dict[str, Any] = (
            {"action": argparse.BooleanOptionalAction} if bool in kinds else {"type": parser_of(kinds)}
        )
        defaults: dict[str, list[str]] = {}
        for algorithm, field in users.items():
            defaults.setdefault(str(1 if name == "verbose" else field.default), []).append(algorithm)
        told = "; ".join(f"default {value} ({', '.join(names)})" for value, names in defaults.items())
        command.add_argument(f"--{name.replace('_', '-')}", **parse, help=told)
    cocr.add_flags(command)


def ranker_parameters() -> dict[str, dict[str, Any]]:
    """Collect the parameters of all rankers but COCR (`cocr` has its flags): name -> algorithm -> dataclass field."""
    users: dict[str, dict[str, Any]] = {}
    for algorithm, ranker in ALGORITHMS.items():
        for field in fields(ranker):
            if field.name not in FIXED.get(algorithm, ()):
                users.setdefault(field.name, {})[algorithm] = field
    return users


def parser_of(kinds: set[Any]) -> Callable[[str], Any]:
    """Choose how a flag's text is read: --max-features 4 is a number of features, 0.1 and 1.0 are shares."""
    if float in kinds:
        return number
    return str if str in kinds or not kinds & {int} else int


def number(text: str) -> float:
    """Read a whole number as an int, any other as a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def ranker_of(algorithm: str, parameters: dict[str, Any]) -> Any:
    """Make the ranker that the flags describe; progress is shown unless --verbose 0.

    Raises
    ------
    ValueError
        Where a parameter is not one of the algorithm's; the message names the flag.
    """
    if algorithm == "cocr":
        return cocr.cocr_ranker(parameters)
    fixed = FIXED.get(algorithm, {})
    known = {field.name for field in fields(ALGORITHMS[algorithm])} - fixed.keys()
    check_known(parameters, known, f"--algorithm {algorithm}")
    return ALGORITHMS[algorithm](**{"verbose": 1} | parameters | fixed)


def train(
    file: str,
    algorithm: str,
    model: str,
    n_features: int | None = None,
    valid: str | None = None,
    **parameters: Any,
) -> int:
    """Train and write the model.

    Raises
    ------
    ValueError
        Where the file or a parameter is bad.
    OSError
        Where a file cannot be read or written; a folder that is not there is noticed before the training.
    Interrupted
        After an interrupt that left some rounds or epochs done, which are in the model file then.
    """
    ranker = ranker_of(algorithm, parameters)
    if valid is not None and not isinstance(ranker, LambdaRanker):
        raise ValueError(f"--valid is no parameter of --algorithm {algorithm}")
    if not Path(model).absolute().parent.is_dir():  # hours of training should not end here
        raise FileNotFoundError(f"{model}: there is no such folder to write the model to")
    data = load_letor(file, n_features)
    held_out = {}
    if valid is not None:
        of_valid = load_letor(valid, data.X.shape[1])
        held_out = {"X_val": of_valid.X, "y_val": of_valid.y, "qid_val": of_valid.qid}
    try:
        ranker.fit(data.X, data.y, data.qid, **held_out)
    except KeyboardInterrupt:
        if hasattr(ranker, "n_rounds_"):
            done = f"the {ranker.n_rounds_} rounds that are done"
        elif hasattr(ranker, "net_"):
            done = f"the best of {len(ranker.epochs_)} epochs"
        else:
            raise
        save_model(ranker, model)
        raise Interrupted(f"interrupted; {model} holds {done}") from None
    save_model(ranker, model)
    return 0
