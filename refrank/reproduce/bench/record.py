"""The record of a run in tables of names and texts, such as releases and checksums, and the comparison with another."""

import hashlib
from collections.abc import Iterator, Mapping
from importlib import metadata
from typing import Any

import numpy as np

from refrank.reproduce.bench.plan import BenchPlan
from refrank.reproduce.bench.run import BenchRun, list_systems

Record = Mapping[str, Mapping[str, str]]  # table -> name -> text
DIGITS = 16  # of a checksum of values: 64 bits
TABLES = ("versions", "data", "values")


def list_versions(plan: BenchPlan) -> dict[str, str]:
    """List the releases on which values and tests of a plan depend; nothing is trained."""
    versions = {"refrank": metadata.version("refrank"), "NumPy": np.__version__, "SciPy": metadata.version("scipy")}
    for system in list_systems(plan):
        versions |= system.list_versions()
    return versions


def describe_run(run: BenchRun, versions: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Describe a run: the releases, a checksum of each fold's rows, and one of each system's values on each fold."""
    result = run.result
    values = {}
    for place, system in enumerate(result.systems):
        for number, fold in enumerate(result.folds):
            digest = hashlib.sha256()
            for name, of_measure in result.values.items():
                digest.update(f"{name}\n".encode())
                digest.update(np.ascontiguousarray(of_measure[place, result.fold_of_query == number]).tobytes())
            values[f"{system} {fold}"] = digest.hexdigest()[:DIGITS]
    return {"versions": dict(versions), "data": dict(run.checksums), "values": values}


def check_record(record: Mapping[str, Any], place: str) -> Record:
    """Return the tables of a file, which may lack some; refuse one that holds other things than names and texts."""
    for name in TABLES:
        table = record.get(name, {})
        if not isinstance(table, Mapping) or not all(isinstance(text, str) for text in table.values()):
            raise ValueError(f"{place}: [{name}] must be a table of names and texts, as a bench writes it")
    return {name: record.get(name, {}) for name in TABLES}


def compare_versions(record: Record, versions: Mapping[str, str]) -> Iterator[str]:
    """Report each package whose release is another.

    >>> [*compare_versions({"versions": {"LightGBM": "4.5.0"}}, {"LightGBM": "4.6.0"})]
    ['LightGBM is 4.6.0: bench.toml was made by 4.5.0; figures may differ']
    """
    for name, before in record.get("versions", {}).items():
        if name in versions and versions[name] != before:
            yield f"{name} is {versions[name]}: bench.toml was made by {before}; figures may differ"


def find_departures(record: Record, made: Record) -> Iterator[str]:
    """Report each fold of other rows, and each system whose values in a fold are others, in any bit.

    >>> record = {"data": {"Fold1": "a1"}, "values": {"gbrt Fold1": "b2", "lightgbm Fold1": "c3"}}
    >>> [*find_departures(record, {"data": {"Fold1": "a1"}, "values": {"gbrt Fold1": "d4"}})]
    ['gbrt departs in Fold1: its values are not those of bench.toml']
    """
    for fold, checksum in record.get("data", {}).items():
        if made["data"].get(fold) != checksum:
            yield f"{fold} departs: its rows are not those that bench.toml was made of"
    for name, checksum in record.get("values", {}).items():
        system, _, fold = name.partition(" ")
        if made["values"].get(name, checksum) != checksum:
            yield f"{system} departs in {fold}: its values are not those of bench.toml"
