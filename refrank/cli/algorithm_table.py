"""The algorithms, their parameters and the bases of COCR as the command line shows them, without loading them.

scikit-learn, on which the rankers stand, takes a second to load. So help and wrong words are answered from
algorithm_table.json, which `scripts/regenerate algorithm_table` writes from the estimators; a test compares the two.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_suffix(".json")


class ListedParameter(NamedTuple):
    """A parameter of a ranker: its description, its default as text, and the names of its types and its words."""

    doc: str
    default: str
    types: list[str]
    words: list[str]


class ListedAlgorithm(NamedTuple):
    """An algorithm: the class that has it, the first line of its description, and its parameters."""

    ranker: str
    summary: str
    parameters: dict[str, ListedParameter]


def read_table() -> tuple[dict[str, ListedAlgorithm], dict[str, list[str]]]:
    """Read the algorithms, and the flags of each base of COCR, by name.

    >>> read_table()[0]["gbrt"].parameters["max_depth"].default
    '4'
    """
    document = json.loads(FILE.read_bytes())
    algorithms = {
        name: ListedAlgorithm(ranker, summary, {key: ListedParameter(*parts) for key, parts in parameters.items()})
        for name, (ranker, summary, parameters) in document["algorithms"].items()
    }
    return algorithms, document["bases"]


ALGORITHMS, BASES = read_table()


def list_parameters(algorithms: Iterable[str] = ALGORITHMS) -> dict[str, dict[str, ListedParameter]]:
    """Collect the parameters of algorithms: name -> algorithm -> its parameter."""
    users: dict[str, dict[str, ListedParameter]] = {}
    for algorithm in algorithms:
        for name, parameter in ALGORITHMS[algorithm].parameters.items():
            users.setdefault(name, {})[algorithm] = parameter
    return users
