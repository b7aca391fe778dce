"""The specification with one planted mistake: it computes what a port with that mistake computes.

`mistakes.txt` is the catalogue (yardstick/planting.py); its notes `in` name the functions that a mistake affects.
"""

import inspect
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


def list_mistakes(function: str) -> list[Mistake]:
    """List the mistakes that a port may make in a function."""
    return [mistake for mistake in read_catalogue() if function in mistake.find_note("in").split()]


@cache
def make_mistake(mistake: Mistake) -> ModuleType:
    """Make the module of the specification with a mistake, which may be in a function that it imports."""
    name = mistake.file.removesuffix(".py").replace("/", ".")
    module, planted = ModuleType(splitting.__name__), ModuleType(name)
    exec(compile(mistake.plant(inspect.getsource(import_module(name))), name, "exec"), vars(planted))
    exec(compile(inspect.getsource(splitting), splitting.__name__, "exec"), vars(module))
    changed = {key: value for key, value in vars(planted).items() if key in FUNCTIONS}
    vars(module).update(changed)
    return planted if name == splitting.__name__ else module
