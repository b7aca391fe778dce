"""Write the numbers of refrank: `python -m tests.meta.constants` writes tests/meta/constants.txt anew.

One line per name in capitals that a module gives a value with a number in it: limits, numbers of the papers, sizes of
reproductions. A change of one is a change of that file, in plain sight.
"""

import ast
import dataclasses
import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.meta.defaults import walk_modules

FILE = Path(__file__).with_name("constants.txt")
NOT_CONSTANT = {
    "refrank.kernel.IMPORTED_BY",  # the number of the process
    "yardstick.numbers.digest.WITHIN",  # a table that a formula gives, and test_digest.py holds
    "yardstick.numbers.digest.OF_BLOCK",  # the same
    "yardstick.scorecard.trainings.TRAININGS",  # trainings.toml
    "refrank.cli.algorithm_table.ALGORITHMS",  # algorithm_table.json
    "refrank.cli.algorithm_table.BASES",  # the same
}


def write_value(value: Any) -> str:
    """Write a value of numbers and words, with all digits; a TypeError says that it holds something else."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {write_value(value.tolist())}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{write_value(key)}: {write_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(map(write_value, value)) + ")"
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    raise TypeError(f"{type(value)} is neither a number nor a word")


def find_names(source: str) -> list[str]:
    """List the names in capitals that a module gives a value, in their order.

    >>> find_names("A, B = 1, 2\\nc = 3\\nD: int = 4\\nE[0] = 5\\nfrom a import F")
    ['A', 'B', 'D']
    """
    names = []
    for statement in ast.parse(source).body:
        targets = getattr(statement, "targets", [getattr(statement, "target", None)])
        for target in (single for given in targets for single in getattr(given, "elts", [given])):
            if isinstance(target, ast.Name) and target.id.isupper() and not target.id.startswith("_"):
                names.append(target.id)
    return names


def list_constants() -> Iterator[str]:
    """List every line of the file."""
    for module in walk_modules():
        if module.name.rpartition(".")[2].startswith("_"):
            continue
        loaded = import_module(module.name)
        for name in dict.fromkeys(find_names(inspect.getsource(loaded))):
            value = getattr(loaded, name)
            if isinstance(value, str) or f"{module.name}.{name}" in NOT_CONSTANT:
                continue
            try:
                written = write_value(value)
            except TypeError:
                continue
            if any(character.isdigit() for character in written):
                yield f"{module.name}.{name} = {written}"


if __name__ == "__main__":
    FILE.write_text("\n".join(list_constants()) + "\n", encoding="utf-8")
