"""Flags for the parameters of all rankers, and the ranker that they describe, for the commands that train."""

import argparse
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from refrank.cocr.costs import COSTS
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.estimators.fields import list_types
from refrank.estimators.registry import ALGORITHMS, COCR_BASES


def add_parameters(command: argparse.ArgumentParser) -> None:
    """Add one flag per parameter of the rankers. Without a flag, the estimator's default applies."""
    command.argument_default = argparse.SUPPRESS
    for name, users in list_parameters().items():
        meanings: dict[str, list[str]] = {}  # meaning and default of the flag -> the algorithms that share them
        for algorithm, (field, _) in users.items():
            default = 1 if name == "verbose" else field.default
            meanings.setdefault(f"{' '.join(field.metadata['doc'].split())} Default {default}", []).append(algorithm)
        text = ". ".join(f"{words} ({', '.join(names)})" for words, names in meanings.items()).replace("%", "%%")
        kinds = {kind for _, hint in users.values() for kind in list_kinds(hint)}
        command.add_argument(f"--{name.replace('_', '-')}", **choose_parser(kinds), help=text)
        for word in list_words(kinds) if bool in kinds else []:  # this parameter is on, off, or a word
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
            if field.init and field.name not in (*algorithm.fixed, "base", "cost", "warm_start"):
                users.setdefault(field.name, {})[name] = field, hints[field.name]
    return users


def list_kinds(hint: Any) -> Iterator[Any]:
    """Yield the types that a hint allows, and the strings of its Literals."""
    for part in list_types(hint):
        yield from get_args(part) if get_origin(part) is Literal else [get_origin(part) or part]


def list_words(kinds: set[Any]) -> list[str]:
    """List the strings among the values of a parameter."""
    return sorted(kind for kind in kinds if isinstance(kind, str))


def choose_parser(kinds: set[Any]) -> dict[str, Any]:
    """Choose how to read the text of a flag: --max-features 4 is a number of features, 0.1 and 1.0 are shares."""
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


def make_ranker(algorithm: str, parameters: dict[str, Any]) -> Ranker:
    """Make the ranker that the flags describe, including its base; progress is shown unless --verbose 0.

    >>> make_ranker("cocr", {"base": "m5p", "min_instances": 64, "cost": "squared", "verbose": 0})
    COCRRanker(base=M5PRegressor(min_instances=64), cost='squared')
    >>> make_ranker("ls", {"max_depth": 4})
    Traceback (most recent call last):
    ValueError: --max-depth does not work with --algorithm ls
    """
    ranker, given = ALGORITHMS[algorithm].ranker, {"verbose": 1, **parameters, **ALGORITHMS[algorithm].fixed}
    own = {field.name for field in fields(ranker) if field.init}
    if ranker is not COCRRanker:
        check_known(parameters, own - ALGORITHMS[algorithm].fixed.keys(), f"--algorithm {algorithm}")
        return ranker(**given)
    name = given.pop("base", "linear")
    flags = COCR_BASES[name].flags
    check_known(given, own | flags.keys(), f"--algorithm {algorithm} --base {name}")
    base = COCR_BASES[name].make().set_params(**{flags[flag]: given[flag] for flag in flags if flag in given})
    return COCRRanker(base, **{flag: value for flag, value in given.items() if flag in own})


def check_known(given: Iterable[str], allowed: Collection[str], place: str) -> None:
    """Refuse the first unknown flag."""
    for name in given:
        if name not in allowed:
            raise ValueError(f"--{name.replace('_', '-')} does not work with {place}")
