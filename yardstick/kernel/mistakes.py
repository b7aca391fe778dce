"""The specification with one planted mistake: it computes what a port with that mistake computes.

`mistakes.txt` is the catalogue (yardstick/planting.py); its notes `in` name the functions that a mistake affects.
"""

import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from refrank.trees import splitting
from refrank.trees.splitter import FUNCTIONS
from yardstick.planting import Mistake, read_mistakes


@cache
def read_catalogue() -> list[Mistake]:
    """Read the catalogue, once."""
    return read_mistakes(Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8"))


def list_mistakes(function: str) -> Iterator[Mistake]:
    """List the mistakes that a port may make in a function."""
    return (mistake for mistake in read_catalogue() if function in mistake.find_note("in").split())


@cache
def make_mistake(mistake: Mistake) -> ModuleType:
    """Make the module of the specification with a mistake, which may be in a function that it imports."""
    name = mistake.file.removesuffix(".py").replace("/", ".")
    planted = run_source(name, mistake.plant(inspect.getsource(import_module(name))))
    if name == splitting.__name__:
        return planted
    module = run_source(splitting.__name__, inspect.getsource(splitting))
    vars(module).update({function: code for function, code in vars(planted).items() if function in FUNCTIONS})
    return module


def run_source(name: str, source: str) -> ModuleType:
    """Run source text as a new module."""
    module = ModuleType(name)
    exec(compile(source, name, "exec"), module.__dict__)
    return module
