"""The table of mutants: what a port with a mistake computes is what refrank computes with a changed line.

`mutants.txt` is a catalogue (yardstick/planting.py):

    every row weighs the same at refrank/trees/numbers/grid.py      what the flag of the first such mutant means
    - return value if weight is None else weight * value
    + return value
    flag weights-ignored                                            the flag of the invalid answers that it computes
    in leaf_values ls_round                                         functions that it affects, of the vectors or kernel
    of ls                                                           a training that shows it, if it is for hints alone

Hints for the kernel come from the mutants whose notes `in` name a function of it; those for trainings from all of them.
"""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from refrank.metrics import discounts
from yardstick.planting import Mistake, read_mistakes

CODE = ("__code__", "__defaults__", "__kwdefaults__")


@cache
def read_table() -> tuple[Mistake, ...]:
    """Read the mutants, once."""
    return tuple(read_mistakes(Path(__file__).with_name("mutants.txt").read_text(encoding="utf-8")))


def list_mutants(key: str, word: str) -> list[Mistake]:
    """List the mutants with a word in their note of a key, such as a function in `in`."""
    return [mutant for mutant in read_table() if word in mutant.find_note(key).split()]


def find_mutant(flag: str, function: str) -> Mistake:
    """Find the mutant of a function of the vectors that has a flag."""
    flagged = list_mutants("flag", flag)
    return next((mutant for mutant in flagged if mutant in list_mutants("in", function)), flagged[0])


def explain_mutants() -> dict[str, str]:
    """Explain each flag in a sentence, by the words of its first mutant."""
    words = {flag: mutant.words for mutant in reversed(read_table()) for flag in mutant.find_note("flag").split()}
    return {flag: f"{text[0].upper()}{text[1:]}." for flag, text in words.items()}


@contextmanager
def plant(mutant: Mistake) -> Iterator[None]:
    """Carry out a mistake in this process, until the end of the block: functions run the changed code."""
    module = import_module(name_module(mutant))
    changed = compile_changed(mutant)
    before = [(function, name, getattr(function, name)) for function in list_functions(vars(module)) for name in CODE]
    constants = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, int | float | str | tuple | list) and repr(value) != repr(changed.get(name, value))
    }
    functions = {function.__qualname__: function for function in list_functions(changed)}
    try:
        vars(module).update({name: changed[name] for name in constants})
        for function, name, _ in before:
            if not function.__closure__ and function.__qualname__ in functions:
                setattr(function, name, getattr(functions[function.__qualname__], name))
        forget_tables()
        yield
    finally:
        vars(module).update(constants)
        for function, name, value in before:
            setattr(function, name, value)
        forget_tables()


def name_module(mutant: Mistake) -> str:
    """Name the changed module."""
    return mutant.file.removesuffix(".py").replace("/", ".")


@cache
def compile_changed(mutant: Mistake) -> dict[str, Any]:
    """Return the globals of the module of a mistake, run with it."""
    module = import_module(name_module(mutant))
    changed = ModuleType(module.__name__)
    changed.__file__ = module.__file__
    exec(compile(mutant.plant(inspect.getsource(module)), str(module.__file__), "exec"), vars(changed))
    return vars(changed)


def forget_tables() -> None:
    """Forget tables that refrank keeps."""
    for value in vars(discounts).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


def list_functions(names: Mapping[str, Any]) -> Iterator[FunctionType]:
    """List the functions that a module, or a class, defines."""
    for value in [*names.values()]:
        plain: Any = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        function = inspect.unwrap(plain)
        if isinstance(function, FunctionType) and function.__module__ == names.get("__name__", names.get("__module__")):
            yield function
        elif isinstance(value, type) and value.__module__ == names.get("__name__"):
            yield from list_functions(vars(value))
