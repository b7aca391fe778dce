"""Validation queries drawn from training queries, for collections that are published without a validation file.

Of n queries, those that validate are the round(share * n), at least one, whose ids come first in the
order of the SHA-256 digests of the ids as decimal text. So the draw depends on the ids alone, not on the order of the
rows or a generator, and other programs can repeat it.
"""

import hashlib
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools
from refrank.checks import check_number
from refrank.datasets.letor import LetorData


def hold_out(data: LetorData, share: float) -> tuple[LetorData, LetorData]:
    """Divide rows into training rows and validation rows, by their queries.

    `share` is above 0 and at most .5. Raises a ValueError for any other, and if there is only one query.

    Examples
    --------
    >>> data = LetorData(np.zeros((5, 1)), np.arange(5), np.array([1, 1, 2, 2, 3]), ("",) * 5)
    >>> train, valid = hold_out(data, 0.3)
    >>> train.qid, valid.qid
    (array([1, 1, 2, 2]), array([3]))
    """
    drawn = np.isin(data.qid, draw_queries(np.unique(data.qid), share))
    return take_rows(data, ~drawn), take_rows(data, drawn)


def draw_queries(queries: NDArray[Any], share: float) -> NDArray[Any]:
    """Draw the validation queries, (n_drawn,), from the ids of all, (n_queries,), none twice."""
    check_number("valid_share", share, above=0, at_most=0.5)
    if len(queries) < 2:
        raise ValueError(f"valid_share is {share}: it must divide at least two queries, and there is {len(queries)}")
    n_drawn = max(round(share * len(queries)), 1)
    digests = {query: hashlib.sha256(str(query).encode()).digest() for query in queries.tolist()}
    return np.array(sorted(digests, key=digests.__getitem__)[:n_drawn])


def take_rows(data: LetorData, chosen: Bools) -> LetorData:
    """Take the rows where `chosen`, (n_samples,), is true."""
    return LetorData(
        data.X[chosen], data.y[chosen], data.qid[chosen], tuple(compress(data.comments, chosen)), data.names
    )
