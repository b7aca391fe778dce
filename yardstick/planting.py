"""Planted mistakes: catalogues of small changes to source files, and the table of those that ports of refrank make.

A catalogue is a text of blocks, separated by empty lines:

    x on a cut goes left at bins.c          description and place: WORDS at FILE, or WORDS at FILE::NAME; several lines
    - if (x < edges[middle])                the old text, which the file has once; a block may hold several changes
    + if (x <= edges[middle])               the new one
    in quantize                             notes: a key, and words that the reader of the catalogue needs
    hint x on a cut belongs

The table is the catalogue mutants.txt, of changes to refrank: what a port with a mistake computes is what refrank
computes with that change. Its notes:

    flag weights-ignored                    of the invalid answers that it computes; its first mutant explains it
    in leaf_values ls_round                 functions that it affects, of the vectors or the kernel, which gets hints
    of ls                                   a training that shows it, if it is for hints alone
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from refrank.metrics import discounts

CODE = ("__code__", "__defaults__", "__kwdefaults__")


class Mistake(NamedTuple):
    """A planted mistake."""

    places: tuple[tuple[str, str, str], ...]  # words, file, and name of the function or class or ""; all in one file
    changes: tuple[tuple[str, str], ...]  # pairs of old and new text
    notes: tuple[tuple[str, str], ...] = ()  # key, words

    @property
    def words(self) -> str:
        """Name of the mistake."""
        return self.places[0][0]

    @property
    def file(self) -> str:
        """The changed file."""
        return self.places[0][1]

    def find_note(self, key: str) -> str:
        """Return the words of the notes with a key; "" if there is none."""
        return " ".join(words for name, words in self.notes if name == key)

    def plant(self, text: str) -> str:
        """Make the changes in the text of the file; a ValueError says that an old text does not occur exactly once."""
        for old, new in self.changes:
            if text.count(old) != 1:
                raise ValueError(f"{self.words}: {self.file} has {text.count(old)} times {old!r}: it must have it once")
            text = text.replace(old, new)
        return text


def read_mistakes(text: str) -> list[Mistake]:
    """Read a catalogue; a ValueError names a block that has no place or no change, or names several files."""
    return [read_block(block) for block in re.split(r"\n\s*\n", text.strip("\n"))]


def read_block(block: str) -> Mistake:
    """Read one mistake."""
    places, notes, signed = [], [], ""
    for line in block.split("\n"):
        if line.startswith(("-", "+")):
            signed += line + "\n"
        elif not signed and (place := re.fullmatch(r"(.+) at ([^\s:]+)(?:::(\S+))?", line)):
            places.append((place[1], place[2], place[3] or ""))
        else:
            notes.append(line.partition(" ")[::2])
    changes = []
    for change in re.finditer(r"((?:^-.*\n)+)((?:^\+.*\n)+)", signed, re.MULTILINE):
        old, new = ("\n".join(line[2:] for line in lines.splitlines()) for lines in change.groups())
        changes.append((old, new))
    if not changes or len({file for _, file, _ in places}) != 1 or any(old == new for old, new in changes):
        raise ValueError(f"not WORDS at FILE, lines - and +, and notes: {block!r}")
    return Mistake(tuple(places), tuple(changes), tuple(notes))


@cache
def read_table() -> tuple[Mistake, ...]:
    """Read the table, once."""
    return tuple(read_mistakes(Path(__file__).with_name("mutants.txt").read_text(encoding="utf-8")))


def list_mutants(key: str, word: str) -> list[Mistake]:
    """List the mutants with a word in their note of a key, such as a function in `in`."""
    return [mutant for mutant in read_table() if word in mutant.find_note(key).split()]


@contextmanager
def plant(mutant: Mistake) -> Iterator[None]:
    """Carry out a mistake in this process, until the end of the block: functions run the changed code."""
    module = import_module(mutant.file.removesuffix(".py").replace("/", "."))
    changed = compile_changed(mutant, module)
    change_code(vars(module), changed)
    try:
        yield
    finally:
        change_code(vars(module), changed)


def change_code(names: dict[str, Any], changed: dict[str, Any]) -> None:
    """Exchange the code of the functions of a module and of its changed copy, and their constants."""
    ours, theirs = ({function.__qualname__: function for function in list_functions(of)} for of in (names, changed))
    for name in ours.keys() & theirs.keys():
        for part in () if ours[name].__closure__ else CODE:
            own, other = getattr(ours[name], part), getattr(theirs[name], part)
            setattr(ours[name], part, other)
            setattr(theirs[name], part, own)
    for name, value in [*names.items()]:
        if isinstance(value, int | float | str | tuple | list) and repr(value) != repr(changed.get(name, value)):
            names[name], changed[name] = changed[name], value
    for value in vars(discounts).values():  # tables that refrank keeps
        if hasattr(value, "cache_clear"):
            value.cache_clear()


@cache
def compile_changed(mutant: Mistake, module: ModuleType) -> dict[str, Any]:
    """Return the globals of the module of a mistake, run with it."""
    changed = ModuleType(module.__name__)
    changed.__file__ = module.__file__
    exec(compile(mutant.plant(inspect.getsource(module)), str(module.__file__), "exec"), vars(changed))
    return vars(changed)


def list_functions(names: Mapping[str, Any]) -> Iterator[FunctionType]:
    """List the functions that a module, or a class, defines."""
    for value in [*names.values()]:
        plain: Any = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        function = inspect.unwrap(plain)
        if isinstance(function, FunctionType) and function.__module__ == names.get("__name__", names.get("__module__")):
            yield function
        elif isinstance(value, type) and value.__module__ == names.get("__name__"):
            yield from list_functions(vars(value))
