"""Holding another implementation to the same lemmas.

`REFRANK_IMPLEMENTATION=my.module pytest proofs_check` runs the property tests on the functions of
`my.module`:

    dcg(y, score)                  DCG of all documents of one query, gain 2^y - 1, c_i = 1/log(1+i)
    err(y, score)                  ERR of all documents of one query, R(y) = (2^y - 1)/16
    expected_relevance(proba)      scores (n,) from class probabilities (n, K), McRank Eq. 5 with T(k) = k
    class_proba(cumulative_proba)  (n, K) from P(y <= k), k = 0..K-2, (n, K-1), McRank Eq. 8
    absolute, squared, oerr(y, 4)  cost vectors (n, 5) of labels 0..4, COCR Eq. 3, 4, 13

A function that it lacks is skipped by name. Unset, refrank's own are taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

NAMES = ("dcg", "err", "expected_relevance", "class_proba", "absolute", "squared", "oerr")
OWN = {
    "dcg": ("refrank.metrics", "dcg", {"k": None}),
    "err": ("refrank.metrics", "err", {"max_grade": 4}),
    "expected_relevance": ("refrank.mcrank.expected_relevance", "expected_relevance", {}),
    "absolute": ("refrank.cocr.costs", "absolute", {}),
    "squared": ("refrank.cocr.costs", "squared", {}),
    "oerr": ("refrank.cocr.costs", "oerr", {}),
    "class_proba": ("refrank.mcrank.ordinal_boosting", "class_proba_from_cumulative", {}),
}


@dataclass(frozen=True)
class Implementation:
    """The functions of an implementation; a missing one is None."""

    source: str
    dcg: Callable | None = None
    err: Callable | None = None
    expected_relevance: Callable | None = None
    class_proba: Callable | None = None
    absolute: Callable | None = None
    squared: Callable | None = None
    oerr: Callable | None = None


def load(module: str | None) -> Implementation:
    """The functions of `module`, or refrank's own when it is None."""
    if module is None:
        return Implementation("refrank", **{name: own(*OWN[name]) for name in NAMES})
    source = import_module(module)
    return Implementation(module, **{name: getattr(source, name, None) for name in NAMES})


def own(module: str, name: str, arguments: dict[str, object]) -> Callable | None:
    """One of refrank's functions, or None while refrank does not have it."""
    try:
        function = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None
        raise
    return partial(function, **arguments) if arguments else function
