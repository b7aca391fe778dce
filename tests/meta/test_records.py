"""Records are frozen: what holds a model, a bound or a row of a table is not changed after it is made."""

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from sklearn.base import BaseEstimator

import refrank


def find_dataclasses() -> Iterator[type]:
    for module in pkgutil.walk_packages(refrank.__path__, "refrank."):
        if not module.name.rpartition(".")[2].startswith("_"):  # nor an extension
            for _, kind in inspect.getmembers(importlib.import_module(module.name), dataclasses.is_dataclass):
                if inspect.isclass(kind) and kind.__module__ == module.name:
                    yield kind


def test_records_are_frozen() -> None:
    kinds = list(find_dataclasses())
    assert len(kinds) > 40
    loose = {kind.__name__ for kind in kinds if not kind.__dataclass_params__.frozen}
    assert loose == {kind.__name__ for kind in kinds if issubclass(kind, BaseEstimator)}  # they learn attributes
