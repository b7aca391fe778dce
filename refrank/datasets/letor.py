"""Learning-to-rank files: SVMlight lines with query ids, as in LETOR, MSLR-WEB and the Yahoo! challenge.

    2 qid:10 1:0.5 2:0 46:0.007 #docid = GX008-86-4444840 inc = 1

A line holds a label, a query, features `index:value` in increasing order of the index, and an optional comment. No
paper defines the format. The kernel reads the common form of it (`letor_text`). What defines the result is what reads
every other file, and every file without the kernel: a first, light pass collects the comments; then scikit-learn's
loader reads the numbers, in blocks of rows, into a dense array. A slow pass finds the place of a fault, and runs only
if one of the two fails.

    symbol    in code     shape
    x         X           (n_samples, n_features), float32 or float64
    y         y           (n_samples,), int64, labels 0, 1, 2, ...
              qid         (n_samples,), int64, the query ids of the file
              comments    n_samples strings, "" where a line has none
"""

import gzip
import io
import math
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress, islice
from numbers import Real
from reprlib import repr as short
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray

from refrank.checks import check_choice, check_integer
from refrank.datasets.letor_cache import fetch_rows
from refrank.datasets.letor_fault import MAX_INDEX, MAX_LABEL, find_fault, is_finite_as
from refrank.datasets.letor_text import Request, Rows, open_text, parse_file, read_comment

# scikit-learn's loader appends query ids at a cost quadratic in the rows, and needs 12 to 16 bytes per entry:
# reading one block of rows at a time keeps both small.
BLOCK_ROWS = 4096
UNLABELLED = -1  # the label of a row that was not judged
Unlabelled = Literal["error", "zero", "drop"]
UNLABELLED_RULES: tuple[Unlabelled, ...] = get_args(Unlabelled)


@dataclass(frozen=True, eq=False)
class LetorData:
    """Documents of a ranking problem, one per row.

    Parameters
    ----------
    X : float32 or float64 array of shape (n_samples, n_features)
        Features; column j holds feature j + 1 of the file.
    y : int64 array of shape (n_samples,)
        Labels 0, 1, 2, ...; higher is more relevant.
    qid : int64 array of shape (n_samples,)
        The query of each row. Rows of one query need not be adjacent.
    comments : tuple of n_samples str
        The text after `#` on the line of each row, without surrounding spaces; "" if there is none.
    """

    X: NDArray[np.floating]
    y: NDArray[np.int64]
    qid: NDArray[np.int64]
    comments: tuple[str, ...]

    def __repr__(self) -> str:
        """Return a summary on one line."""
        n_samples, n_features = self.X.shape
        labels = f", labels {self.y.min()}..{self.y.max()}" if n_samples else ""
        return f"LetorData({n_samples} rows, {n_features} features, {len(np.unique(self.qid))} queries{labels})"


def load_letor(
    path: str | os.PathLike[str],
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    unlabelled: Unlabelled = "error",
    *,
    cache: bool = False,
) -> LetorData:
    """Load a file of SVMlight lines with query ids, plain or gzipped, into dense arrays.

    Blank lines and lines that contain only a comment are skipped. Lines may end as on Windows. Query ids are 64-bit
    integers, as in every public collection; renumber the queries of other files first.

    Parameters
    ----------
    path : str or path-like
        The file; if its name ends in `.gz`, it is decompressed while it is read.
    n_features : int or None, default None
        Number of columns of X; a higher index in the file is a fault. None: the highest index in the file. Give one
        number to all files of a collection, since a file may lack the last features.
    absent : float, default 0.0
        Value of a feature that a line does not list, finite or NaN. A listed 0 stays 0.
    dtype : {np.float32, np.float64}, default np.float32
        Type of X.
    unlabelled : {"error", "zero", "drop"}, default "error"
        Treatment of rows of label -1, which were not judged: refuse the file, set the label to 0 (as McRank Sec. 6.1
        does for Web-2), or drop the row.
    cache : bool, default False
        Keep what was read in `PATH.refrank-cache.npz`, and read that file instead as long as the content of `path` and
        the other arguments stay the same. If it cannot be written, there is a RuntimeWarning.

    Returns
    -------
    LetorData, rows in the order of the file

    Raises
    ------
    ValueError
        With file, line, column (in bytes, from 1), text and rule, for: a malformed number; a missing or non-integer
        qid; feature indices below 1, above `n_features`, repeated or out of order; a label that is not an integer from
        0 to 2**53 (or -1, unless `unlabelled` is "error"); a value that is not finite in `dtype`. Also for a file that
        has no data, loses all rows or is a damaged gzip file.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "three.txt")
    ...     _ = path.write_text("2 qid:7 1:0.5 3:0 # docid = a\\n0 qid:7 2:-1\\n1 qid:9\\n")
    ...     data = load_letor(path, absent=float("nan"))
    >>> data.X
    array([[ 0.5,  nan,  0. ],
           [ nan, -1. ,  nan],
           [ nan,  nan,  nan]], dtype=float32)
    >>> data.y, data.qid, data.comments
    (array([2, 0, 1]), array([7, 7, 9]), ('docid = a', '', ''))
    """
    kind = check_dtype(dtype)
    if n_features is not None:
        n_features = check_integer("n_features", n_features, 1, MAX_INDEX)
    if not isinstance(absent, Real) or not (math.isnan(absent) or is_finite_as(absent, kind)):
        raise ValueError(f"absent is {short(absent)}: it must be NaN or a number that is finite in {kind}")
    check_choice("unlabelled", unlabelled, UNLABELLED_RULES)
    lowest = 0 if unlabelled == "error" else UNLABELLED
    request = Request(path, n_features, float(np.full((), absent, kind)), kind, lowest)
    X, y, qid, comments = fetch_rows(request, _read_rows) if cache else _read_rows(request)
    if unlabelled == "drop":
        judged = y != UNLABELLED
        if not judged.any():
            rule = "every row is unlabelled (-1), so unlabelled='drop' leaves none"
            raise ValueError(f"{os.fsdecode(path)}: {rule}")
        X, y, qid, comments = X[judged], y[judged], qid[judged], tuple(compress(comments, judged))
    return LetorData(X, np.maximum(y, 0), qid, comments)


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of X, float32 or float64."""
    try:
        name: object = np.dtype(dtype).name
    except TypeError:
        name = dtype
    return np.dtype(check_choice("dtype", name, ("float32", "float64")))


def _read_rows(request: Request) -> Rows:
    """Read the rows of a file: those of the common form by the kernel, any other by their definition."""
    if (rows := parse_file(request)) is not None:
        return rows
    try:
        comments, highest = _survey(request)
        return *_read_numbers(request, len(comments), request.n_features or highest), comments
    except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
        raise ValueError(f"{os.fsdecode(request.path)}: the gzip file is damaged or cut short: {failure}") from failure
    except (ValueError, OverflowError) as failure:
        lines = ((number, data) for number, data, _ in _read_lines(request.path))
        fault = find_fault(lines, request.highest_index, request.dtype, request.lowest)
        raise ValueError(os.fsdecode(request.path) + (fault or f": {failure}")) from failure


def _survey(request: Request) -> tuple[tuple[str, ...], int]:
    """Return the comments and the highest feature index, and refuse what scikit-learn would accept."""
    comments, highest = [], 0
    for _, data, comment in _read_lines(request.path):
        items = data.split(None, 2)
        # The loader skips a missing qid, takes qidx:3 for one, and reads 1_0 as 10.
        if len(items) < 2 or not items[1].startswith(b"qid:") or b"_" in data:
            raise ValueError("a line without qid, or with an underscore in a number")
        if len(items) == 3:  # indices increase (the loader checks), so the last of a line is its highest
            highest = max(highest, int(items[2].rsplit(None, 1)[-1].partition(b":")[0]))
        comments.append(read_comment(comment))
    if not comments:
        raise ValueError("the file contains no line of data")
    if highest > request.highest_index:
        raise ValueError(f"feature index {highest} above {request.highest_index}")
    return tuple(comments), highest


def _read_numbers(
    request: Request, n_samples: int, n_features: int
) -> tuple[NDArray[np.floating], NDArray[np.int64], NDArray[np.int64]]:
    """Fill X, y and qid by scikit-learn's loader, one block of rows at a time."""
    from sklearn.datasets import load_svmlight_file

    if n_features == 0:
        raise ValueError("no line lists a feature: pass n_features")
    X = np.full((n_samples, n_features), request.absent, request.dtype)
    y, qid = np.empty(n_samples, np.int64), np.empty(n_samples, np.int64)
    lines = _read_lines(request.path)
    start = 0
    while block := [data for _, data, _ in islice(lines, BLOCK_ROWS)]:
        rows = slice(start, start + len(block))
        features, labels, qid[rows] = load_svmlight_file(
            io.BytesIO(b"\n".join(block)), n_features=n_features, dtype=request.dtype, zero_based=False, query_id=True
        )
        integers = (labels >= request.lowest) & (labels <= MAX_LABEL) & (labels == np.floor(labels))
        if not (integers.all() and np.isfinite(features.data).all()):
            raise ValueError("a label that is not an integer, or a feature value that is not finite")
        # The sparse block keeps the zeros that its lines list, so these overwrite `absent`.
        X[np.repeat(np.arange(rows.start, rows.stop), np.diff(features.indptr)), features.indices] = features.data
        y[rows] = labels
        start = rows.stop
    return X, y, qid


def _read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield line number (from 1), data and comment of each line that holds data."""
    with open_text(path) as file:
        for number, line in enumerate(file, start=1):
            data, _, comment = line.partition(b"#")
            if data.strip():
                yield number, data, comment
