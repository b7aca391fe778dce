"""Verification of an import: the program that wrote the file and the imported ranker score the same rows.

LightGBM adds the numbers that refrank adds, in the same order, so its outputs must be equal in every bit. XGBoost adds
the same numbers in float32: `refrank.models.exchange.rounding` bounds the difference, in any order of additions.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Matrix
from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange import lightgbm, xgboost
from refrank.models.exchange.changed_pairs import count_changed_pairs
from refrank.models.exchange.packing import choose_head
from refrank.models.exchange.portable import list_outputs
from refrank.models.exchange.rounding import bound_additions
from refrank.models.exchange.runtimes import load_runtime, name_runtime
from refrank.models.exchange.verification import Verification, bound_score, compare


def verify_import(
    content: bytes, ranker: ImportedRanker, X: Matrix, qid: ArrayLike | None = None, best: bool = False
) -> Verification:
    """Score the rows of X, (n_samples, n_features), by the program that wrote the content; compare with the ranker.

    `best`: the ranker holds the rounds up to the best of early stopping. Raises a ValueError if the program is not
    installed or refuses the file, or the ranker cannot read the features.
    """
    ours, score = ranker.predict_outputs(X), ranker.predict(X)  # (n_samples, n_outputs), (n_samples,)
    errors = np.zeros(ours.shape[1]) if ranker.source_ == "lightgbm" else bound_errors(ranker)
    load_runtime(ranker.source_, "verification")
    try:
        theirs = predict_outputs(content, ranker, X, best)
    except Exception as fault:  # each program has errors of its own
        raise ValueError(f"{ranker.source_} does not predict by this file: {fault}") from None
    head = choose_head(ranker)
    their_score = head(theirs)
    return Verification(
        runtime=name_runtime(ranker.source_),
        reads="",
        n_rows=len(X),
        n_entries=X.size,
        n_read=0,
        n_moved=0,
        outputs=tuple(compare(ours[:, c], theirs[:, c], error) for c, error in enumerate(errors.tolist())),
        own_score=False,
        score=compare(score, their_score, bound_score(head, errors, ours, made=True)),
        pairs=count_changed_pairs(score, their_score, qid),
    )


def predict_outputs(content: bytes, ranker: ImportedRanker, X: Matrix, best: bool) -> Floats:
    """Compute the outputs of the program that wrote the content, (n_samples, n_outputs)."""
    if ranker.source_ == "xgboost":
        return xgboost.predict_outputs(content, X, best)
    return lightgbm.predict_outputs(content, X) / (ranker.n_rounds_ if ranker.averages_ else 1)


def bound_errors(ranker: ImportedRanker) -> Floats:
    """Bound how far sums in float32, in any order, are from those of the ranker, (n_outputs,)."""
    sums = ranker.model_
    return np.array(
        [
            bound_additions(start, trees, np.float32, in_order=False) + bound_additions(start, trees)
            for start, trees in zip(sums.initial, list_outputs(sums), strict=True)
        ]
    )
