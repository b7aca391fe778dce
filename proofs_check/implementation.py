"""Holding another implementation to the same lemmas.

`REFRANK_IMPLEMENTATION=my.module pytest proofs_check` runs the property tests on the functions that
`my.module` has:

    dcg(y, score)                  DCG of all documents, gain 2^y - 1, any discount 1/log(1+i)
    err(y, score)                  ERR of all documents, R(y) = (2^y - 1)/16
    expected_relevance(proba)      scores (n,) from class probabilities (n, K), McRank Eq. 5 with T(k) = k
    class_proba(cumulative_proba)  (n, K) from P(y <= k), k = 0..K-2, (n, K-1), McRank Eq. 8

A function that it lacks is skipped by name. Unset, refrank's own are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

NAMES = ("dcg", "err", "expected_relevance", "class_proba")
OWN = ("refrank.metrics", "refrank.mcrank.expected_relevance", "refrank.mcrank.ordinal_boosting")


@dataclass(frozen=True)
class Implementation:
    """The functions of an implementation; a missing one is None."""

    source: str
    dcg: Callable | None = None
    err: Callable | None = None
    expected_relevance: Callable | None = None
    class_proba: Callable | None = None


def load(module: str | None) -> Implementation:
    """The functions of `module`, or of refrank when it is None."""
    sources = [import_module(module)] if module else [m for name in OWN if (m := imported(name))]
    found = {name: getattr(source, name) for name in NAMES for source in sources if hasattr(source, name)}
    return Implementation(module or "refrank", **found)


def imported(name: str) -> ModuleType | None:
    """The module, or None when refrank does not have it."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and name.startswith(error.name):
            return None
        raise
