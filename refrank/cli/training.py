"""`refrank train`: one flag per parameter of the rankers, and the training itself."""

import argparse
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from refrank.cli.commands import Interrupted
from refrank.cli.prediction import CACHE, choose_absent_value
from refrank.cocr.costs import COSTS
from refrank.datasets import load_letor
from refrank.estimators import COCRRanker, LambdaRanker
from refrank.estimators.base import Ranker
from refrank.estimators.fields import list_types
from refrank.model_file import check_savable, save_model
from refrank.registry import ALGORITHMS, COCR_BASES


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank train`. A flag that is not given leaves the default to the estimator."""
    command.argument_default = argparse.SUPPRESS
    command.add_argument("file", metavar="TRAIN", help="file of lines `label qid:id index:value ...`, or .gz of one")
    command.add_argument("--algorithm", choices=[*ALGORITHMS], required=True)
    command.add_argument("--model", required=True, metavar="MODEL", help="where to write the model")
    command.add_argument("--n-features", type=int, help="features of a row; by default the highest index in the file")
    command.add_argument("--valid", metavar="FILE", help="validation set, which chooses the epoch of a net")
    command.add_argument("--cache", action="store_true", default=False, help=CACHE)
    for name, users in list_parameters().items():
        told: dict[str, list[str]] = {}  # what the flag means and its default -> the algorithms of which that is true
        for algorithm, (field, _) in users.items():
            default = 1 if name == "verbose" else field.default
            told.setdefault(f"{' '.join(field.metadata['doc'].split())} Default {default}", []).append(algorithm)
        text = ". ".join(f"{words} ({', '.join(names)})" for words, names in told.items()).replace("%", "%%")
        kinds = {kind for _, hint in users.values() for kind in list_kinds(hint)}
        command.add_argument(f"--{name.replace('_', '-')}", **choose_parser(kinds), help=text)
        for word in list_words(kinds) if bool in kinds else []:  # such a parameter is on, off, or a word
            flag = f"--{name.replace('_', '-')}"
            help = f"{flag}, with the value {word}"
            command.add_argument(f"{flag}-{word}", dest=name, action="store_const", const=word, help=help)
    command.add_argument("--base", choices=[*COCR_BASES], help="what learns the binary problems; default linear (cocr)")
    command.add_argument("--cost", choices=[*COSTS], help="default oerr (cocr)")
    command.add_argument("--min-instances", type=parse_number, help="M, default 4 (cocr over m5p, bagging-m5p)")
    command.add_argument("--n-estimators", type=int, help="T, default 10 (cocr over bagging-m5p)")


def list_parameters() -> dict[str, dict[str, tuple[Any, Any]]]:
    """Collect the parameters of all rankers: name -> algorithm -> field and type."""
    users: dict[str, dict[str, tuple[Any, Any]]] = {}
    for name, algorithm in ALGORITHMS.items():
        hints = get_type_hints(algorithm.ranker)
        for field in fields(algorithm.ranker):
            if field.init and field.name not in (*algorithm.fixed, "base", "cost"):
                users.setdefault(field.name, {})[name] = field, hints[field.name]
    return users


def list_kinds(hint: Any) -> Iterator[Any]:
    """Yield the types that a hint allows, and the strings of its Literals."""
    for part in list_types(hint):
        yield from get_args(part) if get_origin(part) is Literal else [get_origin(part) or part]


def list_words(kinds: set[Any]) -> list[str]:
    """List the strings among what a parameter may be."""
    return sorted(kind for kind in kinds if isinstance(kind, str))


def choose_parser(kinds: set[Any]) -> dict[str, Any]:
    """Choose how the text of a flag is read: --max-features 4 is a number of features, 0.1 and 1.0 are shares."""
    if bool in kinds:
        return {"action": argparse.BooleanOptionalAction}
    if choices := list_words(kinds):
        return {"choices": choices}
    return {"type": parse_number if float in kinds else int if int in kinds else str}


def parse_number(text: str) -> float:
    """Read an integer as an int, any other number as a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def run(
    file: str,
    algorithm: str,
    model: str,
    cache: bool,
    n_features: int | None = None,
    valid: str | None = None,
    **parameters: Any,
) -> int:
    """Train a ranker and write its model; faults that can be foreseen are found before the training."""
    ranker = make_ranker(algorithm, parameters)
    if valid is not None and not isinstance(ranker, LambdaRanker):
        raise ValueError(f"--valid does not work with --algorithm {algorithm}")
    check_savable(ranker)  # hours of training should not end here
    if not Path(model).absolute().parent.is_dir():
        raise FileNotFoundError(f"{model}: its folder does not exist")
    data = load_letor(file, n_features, absent=choose_absent_value(ranker), cache=cache)
    held_out = {}
    if valid is not None:
        of_valid = load_letor(valid, data.X.shape[1], cache=cache)
        held_out = {"X_val": of_valid.X, "y_val": of_valid.y, "qid_val": of_valid.qid}
    try:
        ranker.fit(data.X, data.y, data.qid, **held_out)
    except KeyboardInterrupt:
        if not hasattr(ranker, "model_"):
            raise Interrupted(f"{model} was not written: {explain_loss(ranker)}") from None
        save_model(ranker, model)
        raise Interrupted(f"{model} holds {describe_part(ranker)}") from None
    save_model(ranker, model)
    return 0


def make_ranker(algorithm: str, parameters: dict[str, Any]) -> Ranker:
    """Make the ranker that the flags describe, its base included; progress is shown unless --verbose 0.

    >>> make_ranker("cocr", {"base": "m5p", "min_instances": 64, "cost": "squared", "verbose": 0})
    COCRRanker(base=M5PRegressor(min_instances=64), cost='squared')
    >>> make_ranker("ls", {"max_depth": 4})
    Traceback (most recent call last):
    ValueError: --max-depth does not work with --algorithm ls
    """
    ranker, given = ALGORITHMS[algorithm].ranker, {"verbose": 1, **parameters, **ALGORITHMS[algorithm].fixed}
    known = {field.name for field in fields(ranker) if field.init}
    if ranker is not COCRRanker:
        check_known(parameters, known - ALGORITHMS[algorithm].fixed.keys(), f"--algorithm {algorithm}")
        return ranker(**given)
    name = given.pop("base", "linear")
    flags = COCR_BASES[name].flags
    check_known(given, known | flags.keys(), f"--algorithm {algorithm} --base {name}")
    base = COCR_BASES[name].make().set_params(**{flags[flag]: given[flag] for flag in flags if flag in given})
    return COCRRanker(base, **{flag: value for flag, value in given.items() if flag in known})


def check_known(given: Iterable[str], known: Collection[str], place: str) -> None:
    """Refuse the first flag that is not known."""
    for name in given:
        if name not in known:
            raise ValueError(f"--{name.replace('_', '-')} does not work with {place}")


def describe_part(ranker: Any) -> str:
    """Say how much of a training is done."""
    if hasattr(ranker, "epochs_"):
        return f"the best of {len(ranker.epochs_)} epochs"
    parts = [f"{getattr(ranker, f'n_{unit}_')} {unit}" for unit in ("trees", "rounds") if hasattr(ranker, f"n_{unit}_")]
    return f"the {' and '.join(parts)} that are done"


def explain_loss(ranker: Ranker) -> str:
    """Say why an interrupt has left nothing."""
    if isinstance(ranker, COCRRanker):
        return "COCR scores by the answers to all of its problems"
    return "nothing was finished yet"
