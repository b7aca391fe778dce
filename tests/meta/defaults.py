"""Write the defaults of refrank: `python -m tests.meta.defaults` writes tests/meta/defaults.txt anew.

One line per function, class or method that has defaults, with these alone; and one per flag of the command line. Ports,
published figures and scripts rely on them: a change of one is a change of that file, in plain sight.
"""

import argparse
import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import refrank
import tutor
import yardstick
from refrank.cli.commands import list_commands, make_parser
from refrank.trees.engine import Engine

FILE = Path(__file__).with_name("defaults.txt")
ROOT = Path(__file__).parents[2]
NOT_CALLED = (  # from outside
    *("refrank.cli", "refrank.reproduce", "refrank.checks"),
    *("refrank.models.", "refrank.estimators.fields", "refrank.datasets.letor_"),
    *("yardstick.commands", "tutor.commands"),
)


def walk_modules() -> Iterator[pkgutil.ModuleInfo]:
    """Find every module of the packages."""
    for package in (refrank, yardstick, tutor):
        yield from pkgutil.walk_packages(package.__path__, f"{package.__name__}.")


def list_modules() -> list[str]:
    """List the modules whose functions can be called from outside."""
    names = [module.name for module in walk_modules() if not module.name.rpartition(".")[2].startswith("_")]
    return ["refrank", *(name for name in names if not name.startswith(NOT_CALLED))]


def write_default(value: Any) -> str:
    """Write a default so that it is the same in every process."""
    if isinstance(value, Engine):
        return f"Engine({getattr(value.splitter, '__name__', value.splitter)}, {value.n_threads})"
    if isinstance(value, Path):
        return str(value.relative_to(ROOT)) if value.is_relative_to(ROOT) else str(value)
    return value.__qualname__ if inspect.isfunction(value) else repr(value)


def list_callables(name: str) -> Iterator[tuple[str, Any]]:
    """List the functions and classes that a module defines, and the methods of the classes."""
    for key, value in vars(import_module(name)).items():
        if key.startswith("_") or getattr(value, "__module__", None) != name:
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            yield f"{name}.{key}", value
        if inspect.isclass(value):
            for method, function in vars(value).items():
                if inspect.isfunction(function) and not method.startswith("_"):
                    yield f"{name}.{key}.{method}", function


def list_defaults() -> Iterator[str]:
    """List every line of the file."""
    for module in list_modules():
        for name, value in list_callables(module):
            try:
                parameters = inspect.signature(value).parameters
            except ValueError:  # of a class of types alone
                continue
            values = {key: parameter.default for key, parameter in parameters.items()}
            given = [f"{key}={write_default(it)}" for key, it in values.items() if it is not inspect.Parameter.empty]
            if given:
                yield f"{name}({', '.join(given)})"
    for word in list_commands():  # a parser knows the flags of the command that is asked for
        yield from (line for line in list_flags("refrank", make_parser([word])) if line.startswith(f"refrank {word} "))


def list_flags(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """List the flags of a command, and of the commands in it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from list_flags(f"{name} {word}", inner)
        elif action.default is not argparse.SUPPRESS and action.option_strings:
            yield f"{name} {action.option_strings[-1]} {write_default(action.default)}"


if __name__ == "__main__":
    FILE.write_text("\n".join(list_defaults()) + "\n", encoding="utf-8")
