"""Ids of queries in files: integers where all of them are, and text otherwise."""

import re

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints

QueryIds = Ints | NDArray[np.str_]  # (n_samples,)
MOST_CHARACTERS = 1000
ID_RULE = f"the id of a query must have 1 to {MOST_CHARACTERS} characters that can be printed, in UTF-8"
WHOLE = re.compile(r"[+-]?[0-9]{1,64}")
HIGHEST = 2**63


def make_query_ids(texts: list[str]) -> QueryIds:
    """Return the query of each row, (n_samples,): int64 if each text is an integer of 64 bits, else the texts.

    >>> make_query_ids(["7", "+7", "-3"]), make_query_ids(["7", "07", "a b"])
    (array([ 7,  7, -3]), array(['7', '07', 'a b'], dtype='<U3'))
    """
    numbers = {text: read_whole(text) for text in dict.fromkeys(texts)}
    if None not in numbers.values():
        return np.array([numbers[text] for text in texts], np.int64)
    if not all(map(is_query_id, numbers)):
        raise ValueError(ID_RULE)
    return np.array(texts)


def read_whole(text: str) -> int | None:
    """Read an integer of 64 bits; None for any other text."""
    value = int(text) if WHOLE.fullmatch(text) else HIGHEST
    return value if -HIGHEST <= value < HIGHEST else None


def is_query_id(text: str) -> bool:
    """Return whether a text may be the id of a query: it is neither empty nor long, and all of it can be printed."""
    return 0 < len(text) <= MOST_CHARACTERS and text.isprintable()


def read_id(text: bytes) -> str:
    """Read an id; bytes that are not UTF-8 become one that `is_query_id` refuses."""
    return text.decode("utf-8", "surrogateescape")
