"""The definition of a LETOR file's content: Python's own numbers, line by line, or the first fault with its place.

scikit-learn's loader reads the same rows, from every file that is read here; it reads more. A first, light pass
collects the comments and bounds the table; the second reads the numbers into it.
"""

import math
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from reprlib import repr as short

import numpy as np

from refrank.datasets.letor_text import MAX_INDEX, ParsedRows, Request, allocate_table, read_comment
from refrank.datasets.source import CHANGED
from refrank.datasets.unzipped import UnreadableError

MAX_LABEL = 2**53  # labels are read as float64
LEAST_INFINITE = {"float32": 2.0**128 - 2.0**103, "float64": math.inf}  # by dtype: what rounds to infinity
ParsedLine = tuple[float, float, list[int], list[float]]  # label, query, columns and their values


def load_file(request: Request) -> ParsedRows:
    """Read the rows of a file; refuse its first fault, with its place."""
    name = request.source.name
    try:
        comments, highest, n_bytes = _survey(request)
        X = allocate_table(request, len(comments), request.n_features or highest, n_bytes)
    except UnreadableError:
        raise
    except ValueError as failure:
        for _ in _parse_lines(request):  # a fault of a line explains more
            pass
        raise ValueError(f"{name}: {failure}") from failure
    X.fill(request.absent)
    y, qid = np.empty(len(X), np.int64), np.empty(len(X), np.int64)
    lines, n_read = _parse_lines(request), 0
    for row, (label, query, columns, values) in enumerate(islice(lines, len(X))):
        y[row], qid[row], n_read = label, query, row + 1
        X[row, columns] = values
    if n_read < len(X) or any(lines):
        raise UnreadableError(f"{name}: {CHANGED}")
    return X, y, qid, comments


def _survey(request: Request) -> tuple[tuple[str, ...], int, int]:
    """Return the comments, the highest feature index and the bytes of text; refuse a file that gives X no size."""
    comments, highest, n_bytes = [], 0, 0
    for line in request.source.read_lines():
        n_bytes += len(line.rstrip(b"\n")) + 1  # as if the last line had its newline
        data, _, comment = line.partition(b"#")
        if not data.strip():
            continue
        items = data.split(None, 2)
        if len(items) == 3:  # indices increase, so the last of a line is its highest
            index, colon, _ = items[2].rsplit(None, 1)[-1].partition(b":")
            if not colon:  # a long number alone asks for no memory
                raise ValueError("a feature without a value")
            highest = max(highest, int(index))
        comments.append(read_comment(comment))
    if not comments:
        raise ValueError("the file contains no line of data")
    if highest > request.highest_index:
        raise ValueError(f"feature index {highest} above {request.highest_index}")
    if highest == 0 and request.n_features is None:
        raise ValueError("no line lists a feature: pass n_features")
    return tuple(comments), highest, n_bytes


class LineFault(Exception):
    """A fault of a line: the place of its item, the first byte of its text in the item, the text, and the rule."""


def _parse_lines(request: Request) -> Iterator[ParsedLine]:
    """Parse each line that holds data; refuse the first fault, with its line and its column from 1."""
    for number, line in enumerate(request.source.read_lines(), start=1):
        data = line.partition(b"#")[0]
        if items := data.replace(b"_", b"x").split():  # in Python, 1_0 is a number
            try:
                parsed = _parse_items(items, request)
            except LineFault as fault:
                place, first, text, rule = fault.args
                start = next(islice(re.finditer(rb"\S+", data), place, None)).start() + first
                shown = short(data[start : start + len(text)].decode("utf-8", "backslashreplace"))
                where = f"{request.source.name}, line {number}, column {start + 1}"
                raise ValueError(f"{where}: {shown}: {rule}") from None
            yield parsed


def _parse_items(items: list[bytes], request: Request) -> ParsedLine:
    """Parse the items of a line; raise its first fault."""
    label = query = math.nan
    with suppress(ValueError):
        label = float(items[0])
    if not (request.lowest <= label <= MAX_LABEL and label == math.floor(label)):
        rule = f"the label, first on a line, must be an integer from {request.lowest} to 2**53"
        raise LineFault(0, 0, items[0], rule)
    place, first, text = (1, 0, items[1]) if len(items) > 1 else (0, len(items[0]), b"")
    with suppress(ValueError):
        query = int(text.removeprefix(b"qid:"))
    if not (text.startswith(b"qid:") and -(2**63) <= query < 2**63):
        raise LineFault(place, first, text, "the query, second on a line, must be qid: and a 64-bit integer")
    columns: list[int] = []
    values: list[float] = []
    previous, limit, infinite = 0, request.highest_index, LEAST_INFINITE[request.dtype.name]
    for place, text in enumerate(items[2:], start=2):
        before, colon, after = text.partition(b":")
        index, value = None, math.nan
        try:
            index = int(before)
            value = float(after)
        except ValueError:
            pass  # each has its rule
        if not colon or index is None:
            raise LineFault(place, 0, text, "a feature must be index:value, with an integer for index")
        if index < 1:
            raise LineFault(place, 0, before, "feature indices must be at least 1")
        if index > limit:
            source = "the limit of scikit-learn's loader" if limit == MAX_INDEX else "the given n_features"
            raise LineFault(place, 0, before, f"feature indices must be at most {limit}, {source}")
        if index <= previous:
            rule = "feature indices must increase along a line, none twice"
            raise LineFault(place, 0, before, f"{rule}; this one comes after {previous}")
        if not -infinite < value < infinite:
            rule = f"a feature value must be a finite {request.dtype}; leave absent features out"
            raise LineFault(place, len(before) + 1, after, rule)
        columns.append(index - 1)
        values.append(value)
        previous = index
    return label, query, columns, values
