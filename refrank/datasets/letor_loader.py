"""The definition of a LETOR file's content: scikit-learn's loader, and refusals of what it wrongly accepts.

A first, light pass collects the comments; then the loader reads the numbers, in blocks of rows, into a dense array. A
slow pass finds the place of a fault, and runs only if one of the two fails.
"""

import io
from collections.abc import Iterator
from itertools import islice

import numpy as np

from refrank.arrays import Ints, Matrix
from refrank.datasets.letor_fault import MAX_LABEL, find_fault, find_id_fault
from refrank.datasets.letor_text import MOST_EMPTY, ParsedRows, Request, allocate_table, collect_ids, read_comment
from refrank.datasets.query_texts import read_id
from refrank.datasets.source import CHANGED, NoRowsError, Source
from refrank.datasets.unzipped import UnreadableError

# scikit-learn's loader appends query ids at a cost quadratic in the rows, and needs 12 to 16 bytes per entry:
# reading one block of rows at a time keeps both small.
BLOCK_ROWS = 4096
MOST_CHARACTERS = 400  # of the loader's own message, where it is repeated


def load_file(request: Request) -> ParsedRows:
    """Read the rows of a file; refuse its first fault, with its place."""
    try:
        comments, ids, highest, n_bytes = _survey(request)
        X, y = _read_numbers(request, len(comments), request.n_features or highest, n_bytes)
        return X, y, collect_ids(ids, n_bytes), comments
    except UnreadableError:
        raise
    except (ValueError, OverflowError) as failure:
        rules = request.highest_index, request.dtype, request.lowest, request.sentinel
        fault = find_fault(_read_lines(request.source), *rules)
        kind = NoRowsError if isinstance(failure, NoRowsError) else ValueError
        raise kind(request.source.name + (fault or f": {str(failure)[:MOST_CHARACTERS]}")) from failure


def _survey(request: Request) -> tuple[tuple[str, ...], list[str], int, int]:
    """Return comments, query ids, the highest feature index and the bytes; refuse what scikit-learn would accept."""
    comments, ids, highest, n_bytes, n_empty = [], [], 0, 0, 0
    for line in request.source.read_lines():
        n_bytes += len(line.rstrip(b"\n")) + 1  # as if the last line had its newline
        data, _, comment = line.partition(b"#")
        if not data.strip():
            n_empty += 1
            if n_empty > MOST_EMPTY:
                name = request.source.name
                raise UnreadableError(
                    f"{name}: more than {MOST_EMPTY} lines hold no data: they are taken for a mistake"
                )
            continue
        items = data.split(None, 2)
        # The loader skips a missing qid, takes qidx:3 for one, and reads 1_0 as 10.
        numbers = items[::2]
        if len(items) < 2 or find_id_fault(items[1], line) or any(b"_" in text for text in numbers):
            raise ValueError("a line without qid, or with an underscore in a number")
        ids.append(read_id(items[1][4:]))
        if len(items) == 3:  # indices increase (the loader checks), so the last of a line is its highest
            index, colon, _ = items[2].rsplit(None, 1)[-1].partition(b":")
            if not colon:  # a long number alone asks for no memory
                raise ValueError("a feature without a value")
            highest = max(highest, int(index))
        comments.append(read_comment(comment))
    if not comments:
        raise NoRowsError("the file contains no line of data")
    if highest > request.highest_index:
        raise ValueError(f"feature index {highest} above {request.highest_index}")
    return tuple(comments), ids, highest, n_bytes


def _read_numbers(request: Request, n_samples: int, n_features: int, n_bytes: int) -> tuple[Matrix, Ints]:
    """Fill X and y by scikit-learn's loader, one block of rows at a time."""
    from sklearn.datasets import load_svmlight_file

    if n_features == 0:
        raise ValueError("no line lists a feature: pass n_features")
    X = allocate_table(request, n_samples, n_features, n_bytes)
    X.fill(request.absent)
    y = np.empty(n_samples, np.int64)
    lines = _read_lines(request.source)
    start = 0
    while block := [drop_id(line) for _, line in islice(lines, BLOCK_ROWS)]:
        rows = slice(start, start + len(block))
        if rows.stop > n_samples:
            break
        features, labels = load_svmlight_file(
            io.BytesIO(b"\n".join(block)), n_features=n_features, dtype=np.float64, zero_based=False
        )
        with np.errstate(over="ignore"):
            values = np.where(features.data == request.sentinel, 0.0, features.data).astype(request.dtype)
        integers = (labels >= request.lowest) & (labels <= MAX_LABEL) & (labels == np.floor(labels))
        if not (integers.all() and np.isfinite(values).all()):
            raise ValueError("a label that is not an integer, or a feature value that is not finite")
        # The sparse block keeps the zeros that its lines list, so these overwrite `absent`.
        values[features.data == request.sentinel] = request.absent
        X[np.repeat(np.arange(rows.start, rows.stop), np.diff(features.indptr)), features.indices] = values
        y[rows] = labels
        start = rows.stop
    if start != n_samples or block:
        raise UnreadableError(f"{request.source.name}: {CHANGED}")
    return X, y


def drop_id(line: bytes) -> bytes:
    """Leave the query and the comment out of a line: scikit-learn's loader reads the ids of queries as integers only.

    >>> drop_id(b"2 qid:a 1:0.5 # b")
    b'2 1:0.5 '
    """
    return b" ".join(line.partition(b"#")[0].split(None, 2)[::2])


def _read_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield line number (from 1) and text of each line that holds data."""
    for number, line in enumerate(source.read_lines(), start=1):
        if line.partition(b"#")[0].strip():
            yield number, line
