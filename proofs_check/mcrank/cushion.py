"""McRank, Sec. 3: the "safety cushion": classes that are all one level too low still give a perfect DCG.

As printed: "suppose within a query, the URLs are all labeled level 1 or higher. If an algorithm always classifies the
URLs one level lower, we still have the perfect DCG score but the classification error is 100%."

This is true: yhat = y - 1 sorts as y does, and ties of yhat are ties of y. The same holds for any strictly increasing
function of the labels. The premise is needed: if level 0 occurs and stays at 0, then levels 0 and 1 tie, and a tie can
be broken wrongly (variant-clipped); the same happens one level higher if 4 stays at 4 (variant-higher).

Every bound by errors misses the cushion: Lemma 1 allows its largest error here, although the error is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import name, steps
from proofs_check.engine.exact import dcg_error
from proofs_check.engine.instances import Rankings, batch, grade_vectors, sorted_grades
from proofs_check.engine.records import Line, table
from proofs_check.engine.search import settle


def perfect(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        error = dcg_error(r.y, c)
        yield Comparison(error, np.zeros_like(error), "==", label=name(c))


def all_wrong(r: Rankings) -> Comparison:
    return Comparison(r.errors, np.full(r.m, r.n), "==")


def one_lower(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield labels 1..K, each classified one level lower; every pi that sorts by yhat."""
    y = sorted_grades(n, range(1, max_grade + 1))
    yield batch(y, y - 1, max_grade=max_grade)


def increasing(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield every yhat that is a strictly increasing function of the label: both differ at the same places."""
    y = y_hat = sorted_grades(n, range(max_grade + 1))
    for predicted in y_hat:
        same = ((y[:, :-1] == y[:, 1:]) == (predicted[:-1] == predicted[1:])).all(axis=1)
        yield batch(y[same], np.broadcast_to(predicted, y[same].shape), max_grade=max_grade)


def lower_clipped(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield labels 0..K, where 0 stays at 0; every pi that sorts by yhat."""
    yield sorted_by(lambda y: np.maximum(y - 1, 0), n, max_grade)


def higher_clipped(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield labels 0..K, where K stays at K."""
    yield sorted_by(lambda y: np.minimum(y + 1, max_grade), n, max_grade)


def sorted_by(classify: Callable[[np.ndarray], np.ndarray], n: int, max_grade: int) -> Rankings:
    y = grade_vectors(n, max_grade)
    y_hat = classify(y)
    lawful = (y_hat[:, :-1] >= y_hat[:, 1:]).all(axis=1)
    return batch(y[lawful], y_hat[lawful], max_grade=max_grade)


only = partial(settle, climbing=False)  # climbs would leave the instances of each claim
ROWS = table("mcrank.cushion", "McRank",
    Line("", "labels >= 1, all classified one level lower: DCG_pi = DCG_g", "", only(perfect, instances=one_lower),
     where='Sec. 3: "we still have the perfect DCG score"'),
    Line("step1", "the classification error is 100%", "the example", only(all_wrong, instances=one_lower),
     where='Sec. 3: "the classification \'error\' is 100%"'),
    Line("variant-increasing", "yhat a strictly increasing function of y: DCG_pi = DCG_g",
     "any such error", only(perfect, instances=increasing)),
    Line("variant-clipped", "yhat = max(y - 1, 0), labels 0 allowed: DCG_pi = DCG_g",
     "without the premise", only(perfect, instances=lower_clipped)),
    Line("variant-higher", "yhat = min(y + 1, 4): DCG_pi = DCG_g",
     "one level higher", only(perfect, instances=higher_clipped)),
)  # fmt: skip
