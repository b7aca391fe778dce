"""The algorithm that a command line of `refrank train` names, wherever it names it."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from refrank.cli.algorithm_table import ALGORITHMS
from refrank.cli.parser import find_near

PAPER_NAMES = {"classification": "softmax", "regression": "ls"}  # those of McRank, beside ordinal (README.md)
RESUME = "resume"  # the part of `refrank train` that has no algorithm: its model has one
EITHER = "give either an algorithm, first after `train`, or --resume and a model"


def list_names() -> dict[str, str]:
    """List the names of the algorithms in small letters: their own, those in README.md's tables, and the classes'."""
    classes = {ALGORITHMS[name].ranker.lower(): name for name in [*ALGORITHMS][::-1]}  # of two of a class, the first
    return {name: name for name in ALGORITHMS} | PAPER_NAMES | classes


def find_algorithm(word: object) -> str:
    """Find the algorithm of a name.

    >>> find_algorithm("GBRTRanker"), find_algorithm("classification"), find_algorithm("RF")
    ('gbrt', 'softmax', 'rf')
    >>> find_algorithm("gbtr")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: there is no algorithm 'gbtr': did you mean gbrt? There are abc-logitboost, cocr, gbrt, ...
    """
    names = list_names()
    if str(word).lower() not in names:
        shown = [*names, *(algorithm.ranker for algorithm in ALGORITHMS.values())]
        near = find_near(str(word), shown)
        meant = f" did you mean {near}? There are" if near else ""
        raise ValueError(f"there is no algorithm {word!r}:{meant or ' there are'} {', '.join(ALGORITHMS)}")
    return names[str(word).lower()]


def take_value(words: Sequence[str], flag: str) -> tuple[str | None, list[str]]:
    """Take a flag and its value out of the words; None without it.

    >>> take_value(["rows.txt", "--algorithm", "ls", "--n-rounds", "2"], "--algorithm")
    ('ls', ['rows.txt', '--n-rounds', '2'])
    >>> take_value(["rows.txt", "--algorithm=ls"], "--algorithm")
    ('ls', ['rows.txt'])
    """
    for at, word in enumerate(words):
        if word == flag:
            return (words[at + 1] if at + 1 < len(words) else ""), [*words[:at], *words[at + 2 :]]
        if word.startswith(f"{flag}="):
            return word.removeprefix(f"{flag}="), [*words[:at], *words[at + 1 :]]
    return None, [*words]


def choose_part(words: Sequence[str], config: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Choose the algorithm, or RESUME, from the words after `refrank train` and a configuration; return other words.

    >>> choose_part(["ls", "rows.txt"], {}), choose_part(["rows.txt", "--resume", "m"], {})
    (('ls', ['rows.txt']), ('resume', ['rows.txt', '--resume', 'm']))
    """
    resumes = take_value(words, "--resume")[0] is not None
    given, rest = take_value(words, "--algorithm")
    if given is None and words and words[0].lower() in list_names():
        given, rest = words[0], [*words[1:]]
    if given is not None and resumes:
        raise ValueError(EITHER)
    if given is None and not resumes:
        given = config.get("algorithm")
    if given is not None:
        return find_algorithm(given), rest
    if words[:1] == [RESUME]:
        return RESUME, rest[1:]
    if resumes or "resume" in config:
        return RESUME, rest
    if words and not words[0].startswith("-") and not os.path.exists(words[0]):
        find_algorithm(words[0])
    raise ValueError(EITHER)
