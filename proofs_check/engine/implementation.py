"""The implementation that is checked against the lemmas: refrank, or another one.

`python -m proofs_check --implementation my.module` holds the functions of `my.module` to the statements of
`proofs_check.ports`, as does `REFRANK_IMPLEMENTATION=my.module pytest proofs_check`:

    dcg(y, score)                  DCG of all documents of one query, gain 2^y - 1, c_i = 1/log(1+i), any base
    dcg_at(y, score, k)            the same, c_i = 0 for i > k
    ndcg_at(y, score, k)           DCG at k over that of the best ranking; some label is positive
    err(y, score)                  ERR of all documents of one query, R(y) = (2^y - 1)/16
    err_at(y, score, k, max_grade) ERR of the first k documents, R(y) = (2^y - 1)/2^max_grade
    expected_relevance(class_proba) scores (n,) from class probabilities (n, K), McRank Eq. 5 with T(k) = k
    class_proba(cumulative_proba)  (n, K) from P(y <= k), k = 0..K-2, (n, K-1), McRank Eq. 8
    absolute, squared, oerr(y, max_grade)          cost vectors (n, max_grade + 1) of labels, COCR Eq. 3, 4, 13
    weights(costs)                 (n, max_grade) from cost vectors, COCR Eq. 5
    hard_rank, soft_rank(answers)  ranks (n,) from answers (n, max_grade), COCR Eq. 2 (with h_k >= 1/2) and Eq. 6
    tree(X, y, weight, n_leaves)   predictions (n,) of the rows of X (n, n_features); weight (n,) or None
    random_forest(X, y, n_trees, seed)             predictions (n,); a tree draws n rows with replacement, and
                                   cuts nodes best among all features while a cut gains
    ls_boosting(X, y, n_rounds, n_leaves, nu)      McRank Alg. 2: predictions after 0, 1, ... rounds (n_rounds + 1, n)
    softmax_boosting(X, y, n_classes, n_rounds, n_leaves, nu)
                                   McRank Alg. 1 as printed: F after 1, 2, ... rounds (n_rounds, n, n_classes)
    ordinal_boosting(X, y, n_classes, n_rounds, n_leaves, nu)
                                   McRank Sec. 4: P(y <= k) after 1, 2, ... rounds (n_rounds, n, n_classes - 1)
    tree_at(X, y, weight, n_leaves, new)           predictions (m,) of the rows of new (m, n_features)
    gbrt(X, y, n_rounds, max_depth, alpha)         iGBRT Alg. 2: predictions after 0, 1, ... rounds (n_rounds + 1, n)
    igbrt(X, y, forest_scores, n_rounds, max_depth, alpha)
                                   iGBRT Alg. 3 after its line 1: predictions after 0, 1, ... rounds (n_rounds + 1, n)
    cocr(X, y, max_grade, new)     COCR over weighted least squares with intercept, oERR costs: soft ranks (m,)
    lambdas(score, y, k)           gradient (n,) of LambdaRank's cost by NDCG@k, below 0 where a score should rise
    dcg_tied(y, score, k, ties)    DCG@k of scores that tie; ties is "stable", "worst", "best" or "averaged"
    fill_values(X, missing)        what stands in for NaN (n_features,): "zero", "mean" or "median" of those present
    tree_missing(X, y, missing, n_leaves)          predictions (n,); X has NaN; missing is also "inf" or "-inf"

Arguments are arrays of integers or float64 with any strides, which a function may not write to; its answer has memory
of its own. Labels are 0 to 40, those of costs 0 to 20. Weights may be 0. A feature has at most 256 values, 1e-8 apart.
The lambdas of a query without a positive label are 0. Except in `dcg_tied`, no scores of one query tie. The checks of a
function that the module lacks are reported as skipped; a function may raise NotImplementedError for arguments that it
does not take, such as weights. Without a module, refrank is tested.
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
    "dcg_at": ("proofs_check.engine.refrank_metrics", "dcg_at", {}),
    "ndcg_at": ("proofs_check.engine.refrank_metrics", "ndcg_at", {}),
    "err_at": ("proofs_check.engine.refrank_metrics", "err_at", {}),
    "weights": ("refrank.cocr.reduction", "weights", {}),
    "hard_rank": ("refrank.cocr.rankers", "hard_rank", {}),
    "soft_rank": ("refrank.cocr.rankers", "soft_rank", {}),
    "softmax_boosting": ("proofs_check.engine.refrank_trees", "softmax_boosting", {}),
    "ordinal_boosting": ("proofs_check.engine.refrank_trees", "ordinal_boosting", {}),
    **{
        name: ("proofs_check.engine.refrank_wholes", name, {})
        for name in ("tree_at", "gbrt", "igbrt", "cocr", "lambdas", "dcg_tied", "fill_values", "tree_missing")
    },
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
    dcg_at: Callable | None = None
    ndcg_at: Callable | None = None
    err_at: Callable | None = None
    weights: Callable | None = None
    hard_rank: Callable | None = None
    soft_rank: Callable | None = None
    softmax_boosting: Callable | None = None
    ordinal_boosting: Callable | None = None
    tree_at: Callable | None = None
    gbrt: Callable | None = None
    igbrt: Callable | None = None
    cocr: Callable | None = None
    lambdas: Callable | None = None
    dcg_tied: Callable | None = None
    fill_values: Callable | None = None
    tree_missing: Callable | None = None


def load(module: str | None) -> Implementation:
    """Load the functions of `module`, or those of refrank if it is None."""
    if module is None:
        return Implementation("refrank", **{name: load_own(*OWN[name]) for name in NAMES})
    source = import_module(module)
    return Implementation(module, **{name: getattr(source, name, None) for name in NAMES})


def load_own(module: str, name: str, arguments: dict[str, object]) -> Callable | None:
    """Load one function of refrank, or None while refrank lacks it."""
    try:
        function = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None
        raise
    return partial(function, **arguments) if arguments else function
