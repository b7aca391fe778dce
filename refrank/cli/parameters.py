"""Flags for the parameters of rankers, and the ranker that they describe, for the commands that train."""

import argparse
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from refrank.checks import check_integer
from refrank.cli.algorithm_table import ALGORITHMS, BASES, ListedParameter, list_parameters
from refrank.cocr.costs import COSTS

if TYPE_CHECKING:
    from refrank.estimators.base import Ranker

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
        command.add_argument("--base", choices=[*BASES], help="what learns the binary problems; default linear")
        command.add_argument("--cost", choices=[*COSTS], help="costs of wrong grades; default oerr")
        command.add_argument(
            "--min-instances", type=parse_number, metavar="M", help="default 4 (--base m5p, bagging-m5p)"
        )
        command.add_argument("--n-estimators", type=int, metavar="T", help="bags, default 10 (--base bagging-m5p)")


def add_base_parameters(command: Container) -> None:
    """Add the flags of COCR's base gbrt that COCR does not have itself."""
    own, of_base = list_parameters(["cocr"]), list_parameters(["gbrt"])
    for name in BASES["gbrt"]:
        if name not in own:
            add_parameter(command, name, of_base[name])


def add_parameter(command: Container, name: str, users: Mapping[str, ListedParameter]) -> None:
    """Add the flag of a parameter, described for each of the algorithms that have it."""
    meanings: dict[str, list[str]] = {}  # meaning and default of the flag -> the algorithms that share them
    for algorithm, parameter in users.items():
        meanings.setdefault(f"{parameter.doc} Default {parameter.default}", []).append(algorithm)
    several = len(users) > 1
    texts = (words + f" ({', '.join(names)})" * several for words, names in meanings.items())
    flag, parser = f"--{name.replace('_', '-')}", choose_parser(users.values())
    command.add_argument(flag, **parser, help=". ".join(texts).replace("%", "%%"))
    for word in list_words(users.values()) if "action" in parser else []:  # this parameter is on, off, or a word
        help = f"{flag}, with the value {word}"
        command.add_argument(f"{flag}-{word}", dest=name, action="store_const", const=word, help=help)


def choose_parser(users: Collection[ListedParameter]) -> dict[str, Any]:
    """Choose how to read the text of a flag: --max-features 4 is a number of features, 0.1 and 1.0 are shares."""
    types = {name for parameter in users for name in parameter.types}
    if "bool" in types:
        return {"action": argparse.BooleanOptionalAction}
    if choices := list_words(users):
        return {"choices": choices}
    if "float" in types:
        return {"type": parse_number, "metavar": "NUMBER"}
    return {"type": int, "metavar": "N"} if "int" in types else {}


def list_words(users: Iterable[ListedParameter]) -> list[str]:
    """List the words among the values of a parameter."""
    return sorted({word for parameter in users for word in parameter.words})


def parse_number(text: str) -> float:
    """Read an integer as an int, any other number as a float."""
    with suppress(ValueError):
        return int(text)
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid number: {text!r}") from None


def make_ranker(algorithm: str, parameters: dict[str, Any]) -> "Ranker":
    """Make the ranker that the flags describe, including its base; progress is shown unless --verbose 0.

    Raises a ValueError for a parameter that `fit` would refuse.

    >>> make_ranker("cocr", {"base": "m5p", "min_instances": 64, "cost": "squared", "verbose": 0})
    COCRRanker(base=M5PRegressor(min_instances=64), cost='squared')
    >>> make_ranker("ls", {"max_depth": 4})
    Traceback (most recent call last):
    ValueError: --max-depth does not work with ls
    """
    from refrank.estimators import COCRRanker, registry
    from refrank.estimators.fields import check_as_fit

    entry = registry.ALGORITHMS[algorithm]
    ranker, given = entry.ranker, {"verbose": 1, **parameters, **entry.fixed}
    own = {field.name for field in fields(ranker) if field.init}
    if ranker is not COCRRanker:
        check_known(parameters, own - entry.fixed.keys(), algorithm)
        made = ranker(**given)
        made.check_parameters()
        return made
    name = given.pop("base", "linear")
    flags = registry.COCR_BASES[name].flags
    check_known(given, own | flags.keys(), f"--base {name}")
    check_integer("n_estimators", given.get("n_estimators", 1), at_least=1)
    base = registry.COCR_BASES[name].make().set_params(**{flags[flag]: given[flag] for flag in flags if flag in given})
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
