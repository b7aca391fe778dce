"""The implementation that is held to the lemmas: refrank, or another one.

`REFRANK_IMPLEMENTATION=my.module pytest proofs_check` runs the checks of `proofs_check.ports` on the
functions of `my.module`:

    dcg(y, score)                  DCG of all documents of one query, gain 2^y - 1, c_i = 1/log(1+i)
    err(y, score)                  ERR of all documents of one query, R(y) = (2^y - 1)/16
    expected_relevance(proba)      scores (n,) from class probabilities (n, K), McRank Eq. 5 with T(k) = k
    class_proba(cumulative_proba)  (n, K) from P(y <= k), k = 0..K-2, (n, K-1), McRank Eq. 8
    absolute, squared, oerr(y, 4)  cost vectors (n, 5) of labels 0..4, COCR Eq. 3, 4, 13
    tree(X, y, weight, n_leaves)   predictions (n,) of the rows of X (n, n_features); weight (n,) or None
    random_forest(X, y, n_trees, seed)             predictions (n,)
    ls_boosting(X, y, n_rounds, n_leaves, nu)      predictions after 0, 1, ... rounds (n_rounds + 1, n)

The checks of a function that the module lacks are skipped, and say so; a function may raise NotImplementedError for
arguments that it does not take, such as weights. If the variable is unset, refrank is tested.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

OWN = {
    "dcg": ("refrank.metrics", "dcg", {"k": None}),
    "err": ("refrank.metrics", "err", {"max_grade": 4}),
    "expected_relevance": ("refrank.mcrank.expected_relevance", "expected_relevance", {}),
    "absolute": ("refrank.cocr.costs", "absolute", {}),
    "squared": ("refrank.cocr.costs", "squared", {}),
    "oerr": ("refrank.cocr.costs", "oerr", {}),
    "tree": ("proofs_check.engine.refrank_trees", "tree", {}),
    "random_forest": ("proofs_check.engine.refrank_trees", "random_forest", {}),
    "ls_boosting": ("proofs_check.engine.refrank_trees", "ls_boosting", {}),
    "class_proba": ("refrank.mcrank.ordinal_boosting", "class_proba", {}),
}
NAMES = tuple(OWN)


@dataclass(frozen=True)
class Implementation:
    """The functions of an implementation; None where it lacks one."""

    source: str
    dcg: Callable | None = None
    err: Callable | None = None
    expected_relevance: Callable | None = None
    class_proba: Callable | None = None
    absolute: Callable | None = None
    squared: Callable | None = None
    oerr: Callable | None = None
    tree: Callable | None = None
    random_forest: Callable | None = None
    ls_boosting: Callable | None = None


def load(module: str | None) -> Implementation:
    """Load the functions of `module`, or those of refrank if it is None."""
    if module is None:
        return Implementation("refrank", **{name: own(*OWN[name]) for name in NAMES})
    source = import_module(module)
    return Implementation(module, **{name: getattr(source, name, None) for name in NAMES})


def own(module: str, name: str, arguments: dict[str, object]) -> Callable | None:
    """Load one function of refrank, or None while refrank lacks it."""
    try:
        function = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None
        raise
    return partial(function, **arguments) if arguments else function
