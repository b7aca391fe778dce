"""McRank, Sec. 3: the "safety cushion": classes that are all one level too low still give a perfect DCG.

As printed: "suppose within a query, the URLs are all labeled level 1 or higher. If an algorithm always
classifies the URLs one level lower, we still have the perfect DCG score but the classification error is
100%."

It holds: yhat = y - 1 sorts as y does, ties of yhat are ties of y. Any strictly increasing function of
the labels present does the same. The premise is needed: when level 0 occurs and stays at 0, levels 0 and
1 tie, and a tie can be broken the wrong way (variant-clipped); so it is for one level higher when 4 stays
at 4 (variant-higher).

A cushion is also what every bound by errors misses: here Lemma 1 allows its largest error, and the error
is 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.exact import dcg_error, steps
from proofs_check.instances import Rankings, batch, grade_vectors, sorted_grades
from proofs_check.mcrank_lemma1 import name
from proofs_check.records import Comparison, Row
from proofs_check.search import settle

PAPER = "McRank"


def perfect(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        error = dcg_error(r.y, c)
        yield Comparison(error, np.zeros_like(error), "==", label=name(c))


def all_wrong(r: Rankings) -> Comparison:
    return Comparison(r.errors, np.full(r.m, r.n), "==")


def one_lower(n: int) -> Iterator[Rankings]:
    """Labels 1..4, each classified one level lower; every pi that sorts by them."""
    y = sorted_grades(n, (1, 2, 3, 4))
    yield batch(y, y - 1)


def increasing(n: int) -> Iterator[Rankings]:
    """Every yhat that is a strictly increasing function of the label: labels differ exactly where yhat
    does.
    """
    y, y_hat = sorted_grades(n), sorted_grades(n)
    for predicted in y_hat:
        same = ((y[:, :-1] == y[:, 1:]) == (predicted[:-1] == predicted[1:])).all(axis=1)
        yield batch(y[same], np.broadcast_to(predicted, y[same].shape))


def lower_clipped(n: int) -> Iterator[Rankings]:
    """Labels 0..4, 0 stays at 0; every pi that sorts by yhat."""
    yield sorted_by(lambda y: np.maximum(y - 1, 0), n)


def higher_clipped(n: int) -> Iterator[Rankings]:
    """Labels 0..4, 4 stays at 4."""
    yield sorted_by(lambda y: np.minimum(y + 1, 4), n)


def sorted_by(classify, n: int) -> Rankings:
    y = grade_vectors(n)
    y_hat = classify(y)
    lawful = (y_hat[:, :-1] >= y_hat[:, 1:]).all(axis=1)
    return batch(y[lawful], y_hat[lawful])


ROWS = [
    Row("mcrank.cushion", PAPER, "labels >= 1, all classified one level lower: DCG_pi = DCG_g", "",
        settle(perfect, instances=one_lower)),
    Row("mcrank.cushion.step1", PAPER, "and the classification error is 100%", "Sec. 3",
        settle(all_wrong, instances=one_lower)),
    Row("mcrank.cushion.variant-increasing", PAPER,
        "yhat a strictly increasing function of y: DCG_pi = DCG_g",
        "any such error", settle(perfect, instances=increasing)),
    Row("mcrank.cushion.variant-clipped", PAPER, "yhat = max(y - 1, 0), labels 0 allowed: DCG_pi = DCG_g",
        "without the premise", settle(perfect, instances=lower_clipped)),
    Row("mcrank.cushion.variant-higher", PAPER, "yhat = min(y + 1, 4): DCG_pi = DCG_g", "one level higher",
        settle(perfect, instances=higher_clipped)),
]  # fmt: skip
