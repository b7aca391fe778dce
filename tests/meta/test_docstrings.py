"""Docstrings of public names: each parameter is described, and a "Parameters" section has those of the signature."""

import inspect
import re
from importlib import import_module

import pytest

import refrank

FACES = ["refrank", "refrank.metrics", "refrank.bounds", "refrank.datasets", "refrank.models"]
SECTION = re.compile(r"Parameters\n-{10}\n(.*?)(?=\n\n[A-Z][a-z]+\n-+\n|\Z)", re.DOTALL)
EXPORTED = {
    f"{module.__name__}.{name}": value
    for module in map(import_module, FACES)
    for name, value in ((name, getattr(module, name)) for name in module.__all__)
    if callable(value)
}
METHODS = {
    f"{base.__name__}.{name}": method
    for kind in (getattr(refrank, name) for name in refrank.__all__)
    for base in getattr(kind, "__mro__", ())
    if base.__module__.startswith("refrank.")
    for name, method in vars(base).items()
    if not name.startswith("_") and inspect.isfunction(method)
}


def list_described(docstring):
    """List the names in the section "Parameters", or None if there is no section.

    >>> list_described('''Sum.\\n\\n    Parameters\\n    ----------\\n    a, b : int\\n        Numbers.\\n    ''')
    ['a', 'b']
    """
    section = SECTION.search(inspect.cleandoc(docstring))
    heads = re.findall(r"^(\S.*?) :", section[1], re.MULTILINE) if section else []
    return [name for head in heads for name in head.split(", ")] if section else None


def list_parameters(value):
    return [name for name in inspect.signature(value).parameters if name.strip("_") not in ("self", "")]


@pytest.mark.parametrize("name", [name for name in EXPORTED if name.count(".") == 1])
def test_what_refrank_exports_has_a_section_of_its_parameters(name):
    assert sorted(list_described(EXPORTED[name].__doc__) or []) == sorted(list_parameters(EXPORTED[name]))


@pytest.mark.parametrize(("name", "value"), (EXPORTED | METHODS).items())
def test_each_parameter_of_a_public_name_is_described(name, value):
    described, parameters = list_described(value.__doc__), list_parameters(value)
    if described is not None:
        assert sorted(described) == sorted(parameters)
    text = f"{value.__doc__} {inspect.getmodule(value).__doc__}"  # its own, or the notation block of the module
    assert set(parameters) <= set(re.findall(r"\w+", text))
    arrays = [name for name, kind in value.__annotations__.items() if "Array" in str(kind)]
    assert not arrays or re.search(r"\(n_?\w*,|shape \(", text), f"{name} does not say the shape of {arrays}"
