"""The cases of the vectors, a module per family; `FAMILIES` lists them in order of computation."""

from importlib import import_module

from generators.cases.making import Family
from yardstick.vectors.files import FAMILIES as NAMES

FAMILIES: tuple[Family, ...] = tuple(import_module(f"{__name__}.{name}").FAMILY for name in NAMES)
