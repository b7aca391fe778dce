"""Where a file breaks the rules of `letor`: the slow pass, made only after the loader failed.

column     place of the first byte of a text in its line, from 1
text       the label, the query, or an index or value of a feature, as it stands in the file
limit      the highest feature index allowed
"""

import math
import re
from collections.abc import Iterable, Iterator

import numpy as np

MAX_INDEX = 2**31 - 1  # scikit-learn's loader reads an index into a C int
MAX_LABEL = 2**53  # and a label into a float64


def first_fault(lines: Iterable[tuple[int, bytes]], limit: int, dtype: np.dtype, lowest: int = 0) -> str | None:
    """Return ", line l, column c: text: rule" of the first fault, or None if every line is good.

    Parameters
    ----------
    lines : iterable of (line number, bytes)
        The lines that hold data, without their comments.
    limit : int
        The highest feature index allowed.
    dtype : numpy.dtype
        The type in which a feature value has to be finite.
    lowest : 0 or -1
        The lowest label allowed.

    Returns
    -------
    str or None

    Examples
    --------
    >>> first_fault([(1, b"0 qid:1 1:0.5"), (2, b"0 qid:1 1:0.5 1:2")], 46, np.dtype("float32"))
    ", line 2, column 15: '1': feature indices rise along a line, none twice; this one comes after 1"
    """
    for number, data in lines:
        items = [(match.start() + 1, match.group()) for match in re.finditer(rb"\S+", data)]
        for column, text, rule in _faults(items, limit, dtype, lowest):
            shown = text.decode("utf-8", "backslashreplace")
            return f", line {number}, column {column}: {shown!r}: {rule}"
    return None


def _faults(
    items: list[tuple[int, bytes]], limit: int, dtype: np.dtype, lowest: int
) -> Iterator[tuple[int, bytes, str]]:
    """Yield column, text and broken rule of each fault among the (column, text) items of one line."""
    (column, text), *rest = items
    label = _number(float, text)
    if label is None or not (lowest <= label <= MAX_LABEL and label == math.floor(label)):
        yield column, text, f"the label, first on a line, is an integer from {lowest} to 2**53"
    column, text = rest[0] if rest else (column + len(text), b"")
    query = _number(int, text.removeprefix(b"qid:"))
    if not text.startswith(b"qid:") or query is None or not -(2**63) <= query < 2**63:
        yield column, text, "the query, second on a line, is qid: and a 64-bit integer"
    previous = 0.0
    for column, text in rest[1:]:
        before, colon, after = text.partition(b":")
        index, value = _number(int, before), _number(float, after)
        if not colon or index is None:
            yield column, text, "a feature is index:value, the index an integer"
        elif index < 1:
            yield column, before, "feature indices start at 1"
        elif index > limit:
            source = "what scikit-learn's loader holds" if limit == MAX_INDEX else "the given n_features"
            yield column, before, f"feature indices go up to {limit}, {source}"
        elif index <= previous:
            rule = "feature indices rise along a line, none twice"
            yield column, before, f"{rule}; this one comes after {previous}"
        elif value is None or not finite_as(value, dtype):
            yield (
                column + len(before) + 1,
                after,
                f"a feature value is a finite {dtype}; absent ones are left out",
            )
        previous = previous if index is None else index


def _number(kind: type[int] | type[float], text: bytes) -> float | None:
    """Return the number that the text is, or None: ASCII digits, and no underscores between them."""
    try:
        return None if b"_" in text else kind(text)
    except ValueError:
        return None


def finite_as(value: float, dtype: np.dtype) -> bool:
    """Return whether the value is finite once it is rounded to dtype."""
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.float64(value).astype(dtype)))
