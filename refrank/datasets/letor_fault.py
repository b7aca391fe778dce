"""Place and rule of the first fault of a file: the slow pass of `letor`, run only after the loader failed."""

import math
import re
from collections.abc import Iterable, Iterator
from reprlib import repr as short
from typing import Any

import numpy as np

from refrank.datasets.query_texts import MOST_CHARACTERS, is_query_id, read_id, read_whole

MAX_INDEX = 2**31 - 1  # scikit-learn's loader reads an index into a C int
MAX_LABEL = 2**53  # and a label into a float64


def find_fault(
    lines: Iterable[tuple[int, bytes]], limit: int, dtype: np.dtype[Any], lowest: int = 0, sentinel: float = math.nan
) -> str | None:
    """Find the first fault among the lines, as ", line l, column c: text: rule"; None if there is no fault.

    A line is its number and its text. `limit` is the highest feature index allowed, `lowest` the
    lowest label, 0 or -1, and feature values must be finite in `dtype`, or the sentinel.
    """
    for number, line in lines:
        for column, text, rule in _find_in_line(line, limit, dtype, lowest, sentinel):
            shown = short(text.decode("utf-8", "backslashreplace"))
            return f", line {number}, column {column}: {shown}: {rule}"
    return None


def _find_in_line(
    line: bytes, limit: int, dtype: np.dtype[Any], lowest: int, sentinel: float
) -> Iterator[tuple[int, bytes, str]]:
    """Yield column, text and broken rule of each fault of one line."""
    data = line.partition(b"#")[0]
    items = (
        (match.start() + 1, match.group()) for match in re.finditer(rb"\S+", data)
    )  # one at a time: a line is long
    column, text = next(items)
    label = _parse(float, text)
    if label is None or not (lowest <= label <= MAX_LABEL and label == math.floor(label)):
        yield column, text, explain_label("the label, first on a line,", label, lowest)
    column, text = next(items, (column + len(text), b""))
    if fault := find_id_fault(text, line):
        yield column, text, fault
    previous = 0.0
    for column, text in items:
        before, colon, after = text.partition(b":")
        index, value = _parse(int, before), _parse(float, after)
        if not colon or index is None:
            yield column, text, "a feature must be index:value, with an integer for index"
            continue
        if index < 1:
            yield column, before, "feature indices must be at least 1"
        elif index > limit:
            source = "the limit of scikit-learn's loader" if limit == MAX_INDEX else "the given n_features"
            yield column, before, f"feature indices must be at most {limit}, {source}"
        elif index <= previous:
            rule = "feature indices must increase along a line, none twice"
            yield column, before, f"{rule}; this one comes after {previous}"
        elif value is None or not (value == sentinel or is_finite_as(value, dtype)):
            rule = f"a feature value must be a finite {dtype}; leave absent features out, or name a sentinel for them"
            yield column + len(before) + 1, after, rule
        previous = index


def explain_label(name: str, label: float | None, lowest: int) -> str:
    """Explain what a label must be.

    >>> explain_label("the label", -1, 0)
    'the label must be an integer from 0 to 2**53; for -1, not judged, unlabelled must be zero or drop'
    """
    rule = f"{name} must be an integer from {lowest} to 2**53"
    return f"{rule}; for -1, not judged, unlabelled must be zero or drop" if label == -1 else rule


def find_id_fault(item: bytes, line: bytes) -> str | None:
    """Find what is wrong with the query of a line, its second item; None if it is as it must be.

    >>> find_id_fault(b"qid:a", b"2 qid:a#7 1:0.5")
    'the query, second on a line, must be qid: and an id of at most 1000 printable characters, without # and :'
    """
    rule = f"qid: and an id of at most {MOST_CHARACTERS} printable characters, without # and :"
    rule = f"the query, second on a line, must be {rule}"
    text = read_id(item.removeprefix(b"qid:"))
    if not item.startswith(b"qid:") or ":" in text or not is_query_id(text):
        return rule
    return rule if read_whole(text) is None and line.split(None, 2)[1].startswith(item + b"#") else None


def _parse(kind: type[int] | type[float], text: bytes) -> float | None:
    """Return the number that the text spells in ASCII digits without underscores, or None."""
    try:
        return None if b"_" in text else kind(text)
    except ValueError:
        return None


def is_finite_as(value: float, dtype: np.dtype[Any]) -> bool:
    """Return whether the value is finite once it is rounded to dtype."""
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.float64(value).astype(dtype)))
