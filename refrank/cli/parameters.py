"""Flags for the parameters of rankers, and the ranker that they describe, for the commands that train."""

import argparse
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from refrank.checks import check_integer
from refrank.cocr.costs import COSTS
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.estimators.fields import check_as_fit, list_types
from refrank.estimators.registry import ALGORITHMS, COCR_BASES

Container = argparse.ArgumentParser | argparse._ArgumentGroup


def add_parameters(
    command: Container, algorithms: Collection[str] = ALGORITHMS, only: Collection[str] | None = None
) -> None:
    """Add one flag per parameter of some rankers. Without a flag, the estimator's default applies."""
    command.argument_default = argparse.SUPPRESS
    for name, users in list_parameters(algorithms).items():
        if only is None or name in only:
            add_parameter(command, name, users)
    if "cocr" in algorithms and only is None:
        command.add_argument("--base", choices=[*COCR_BASES], help="what learns the binary problems; default linear")
        command.add_argument("--cost", choices=[*COSTS], help="costs of wrong grades; default oerr")
        command.add_argument(
            "--min-instances", type=parse_number, metavar="M", help="default 4 (--base m5p, bagging-m5p)"
        )
        command.add_argument("--n-estimators", type=int, metavar="T", help="bags, default 10 (--base bagging-m5p)")


def add_base_parameters(command: Container) -> None:
    """Add the flags of COCR's base gbrt that COCR does not have itself."""
    own, of_base = list_parameters(["cocr"]), list_parameters(["gbrt"])
    for name in COCR_BASES["gbrt"].flags:
        if name not in own:
            add_parameter(command, name, of_base[name])


def add_parameter(command: Container, name: str, users: Mapping[str, tuple[Any, Any]]) -> None:
    """Add the flag of a parameter, described for each of the algorithms that have it."""
    meanings: dict[str, list[str]] = {}  # meaning and default of the flag -> the algorithms that share them
    for algorithm, (field, _) in users.items():
        default = 1 if name == "verbose" else field.default
        meanings.setdefault(f"{' '.join(field.metadata['doc'].split())} Default {default}", []).append(algorithm)
    several = len(users) > 1
    texts = (words + f" ({', '.join(names)})" * several for words, names in meanings.items())
    flag, kinds = f"--{name.replace('_', '-')}", {kind for _, hint in users.values() for kind in list_kinds(hint)}
    command.add_argument(flag, **choose_parser(kinds), help=". ".join(texts).replace("%", "%%"))
    for word in list_words(kinds) if bool in kinds else []:  # this parameter is on, off, or a word
        help = f"{flag}, with the value {word}"
        command.add_argument(f"{flag}-{word}", dest=name, action="store_const", const=word, help=help)


def list_parameters(algorithms: Iterable[str] = ALGORITHMS) -> dict[str, dict[str, tuple[Any, Any]]]:
    """Collect the parameters of rankers: name -> algorithm -> field and type."""
    users: dict[str, dict[str, tuple[Any, Any]]] = {}
    for name in algorithms:
        algorithm = ALGORITHMS[name]
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
    if float in kinds:
        return {"type": parse_number, "metavar": "NUMBER"}
    return {"type": int, "metavar": "N"} if int in kinds else {}


def parse_number(text: str) -> float:
    """Read an integer as an int, any other number as a float."""
    with suppress(ValueError):
        return int(text)
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid number: {text!r}") from None


def make_ranker(algorithm: str, parameters: dict[str, Any]) -> Ranker:
    """Make the ranker that the flags describe, including its base; progress is shown unless --verbose 0.

    Raises a ValueError for a parameter that `fit` would refuse.

    >>> make_ranker("cocr", {"base": "m5p", "min_instances": 64, "cost": "squared", "verbose": 0})
    COCRRanker(base=M5PRegressor(min_instances=64), cost='squared')
    >>> make_ranker("ls", {"max_depth": 4})
    Traceback (most recent call last):
    ValueError: --max-depth does not work with ls
    """
    ranker, given = ALGORITHMS[algorithm].ranker, {"verbose": 1, **parameters, **ALGORITHMS[algorithm].fixed}
    own = {field.name for field in fields(ranker) if field.init}
    if ranker is not COCRRanker:
        check_known(parameters, own - ALGORITHMS[algorithm].fixed.keys(), algorithm)
        made = ranker(**given)
        made.check_parameters()
        return made
    name = given.pop("base", "linear")
    flags = COCR_BASES[name].flags
    check_known(given, own | flags.keys(), f"--base {name}")
    check_integer("n_estimators", given.get("n_estimators", 1), at_least=1)
    base = COCR_BASES[name].make().set_params(**{flags[flag]: given[flag] for flag in flags if flag in given})
    made = COCRRanker(base, **{flag: value for flag, value in given.items() if flag in own})
    for estimator in (made, base, getattr(base, "estimator", base)):
        if is_dataclass(estimator):
            check_as_fit(estimator)
    return made


def check_known(given: Iterable[str], allowed: Collection[str], place: str) -> None:
    """Refuse the first unknown flag."""
    for name in given:
        if name not in allowed:
            raise ValueError(f"--{name.replace('_', '-')} does not work with {place}")
