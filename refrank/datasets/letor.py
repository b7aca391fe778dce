"""Learning-to-rank files: LETOR, MSLR-WEB, Yahoo! and whoever else writes SVMlight lines with query ids.

    2 qid:10 1:0.5 2:0 46:0.007 #docid = GX008-86-4444840 inc = 1

that is label, query, features `index:value` in rising order of the index, and perhaps a comment. No paper
defines the format. The numbers are read by scikit-learn's loader, in blocks of rows, into a dense array;
the comments by a light pass before it; and only when something is wrong does a slow pass look for the
place of the fault.

    symbol       name in code             shape
    x            X                        (n_samples, n_features), float32 or float64
    y            y                        (n_samples,), int64, labels 0, 1, 2, ...
                 qid                      (n_samples,), int64, the numbers of the file
                 comments                 n_samples strings, "" where a line has none
"""

import gzip
import io
import math
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import compress, islice
from numbers import Integral

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.datasets import load_svmlight_file

from refrank.datasets.letor_fault import MAX_INDEX, MAX_LABEL, finite_as, first_fault

# scikit-learn's loader appends query ids at a cost quadratic in the rows, and keeps 12 to 16 bytes an entry:
# a block of rows at a time keeps both small.
BLOCK_ROWS = 4096
UNLABELLED = -1  # the label of a row that nobody judged


@dataclass(frozen=True, eq=False)
class LetorData:
    """Documents of a ranking problem, one a row.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Features; column j holds the file's feature j + 1.
    y : ndarray of shape (n_samples,), int64
        Labels 0, 1, 2, ...; higher is more relevant.
    qid : ndarray of shape (n_samples,), int64
        The query of each row. Rows of one query need not be neighbours.
    comments : tuple of n_samples str
        What follows `#` on each row's line, without the spaces around it; "" where there is nothing.
    """

    X: NDArray[np.floating]
    y: NDArray[np.int64]
    qid: NDArray[np.int64]
    comments: tuple[str, ...]


def load_letor(
    path: str | os.PathLike[str],
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    unlabelled: str = "error",
) -> LetorData:
    """Load a file of SVMlight lines with query ids, plain or gzipped, into dense arrays.

    Blank lines and lines that are only a comment are skipped; Windows line ends are fine. Query ids are
    64-bit integers, as in every public collection; files with other ids have to be renumbered first.

    Parameters
    ----------
    path : str or path-like
        The file; one whose name ends in `.gz` is decompressed while it is read.
    n_features : int, optional
        Columns of X; an index above it is a fault. Default: the highest index in the file. Files of one
        collection should be given one number, since a part may lack the last features.
    absent : float, default 0
        The value of a feature that a line does not list, finite or NaN. A listed 0 stays 0.
    dtype : np.float32 (default) or np.float64
        Type of X.
    unlabelled : "error" (default), "zero" or "drop"
        What becomes of a row of label -1, which says that nobody judged it: a fault, a row of label 0 (as McRank
        Sec. 6.1 has it for Web-2), or no row.

    Returns
    -------
    LetorData
        The rows in the order of the file.

    Raises
    ------
    ValueError
        With file, line, column (bytes, from 1), text and rule, for: a malformed number, a missing or
        non-integer qid, feature indices that are below 1, above `n_features`, unsorted or repeated, a label
        that is not an integer from 0 to 2**53 (or -1, unless `unlabelled` is "error"), a value that is not
        finite in `dtype`. With the file's name, for a file without data, for one whose rows are all dropped, and
        for a damaged gzip file. With the argument's name, for a bad argument.
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
    kind = np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ValueError(f"dtype={kind} of load_letor: X is float32 or float64")
    if not (n_features is None or (isinstance(n_features, Integral) and 1 <= n_features <= MAX_INDEX)):
        raise ValueError(f"n_features={n_features} of load_letor: an integer from 1 to {MAX_INDEX}, or None")
    if not (math.isnan(absent) or finite_as(absent, kind)):
        raise ValueError(f"absent={absent} of load_letor: a number that is finite in {kind}, or NaN")
    if unlabelled not in UNLABELLED_RULES:
        raise ValueError(f"unlabelled={unlabelled!r} of load_letor: one of {', '.join(map(repr, UNLABELLED_RULES))}")
    limit = MAX_INDEX if n_features is None else n_features
    lowest = 0 if unlabelled == "error" else UNLABELLED
    try:
        comments, highest = _survey(path, limit)
        width = highest if n_features is None else n_features
        return UNLABELLED_RULES[unlabelled](_read_numbers(path, comments, width, absent, kind, lowest))
    except (EOFError, zlib.error, gzip.BadGzipFile) as failure:
        raise ValueError(f"{os.fsdecode(path)}: damaged or cut short, as a gzip file: {failure}") from failure
    except (ValueError, OverflowError) as failure:
        lines = ((number, data) for number, data, _ in _data_lines(path))
        place_and_rule = first_fault(lines, limit, kind, lowest) or f": {failure}"
        raise ValueError(os.fsdecode(path) + place_and_rule) from failure


def _survey(path: str | os.PathLike[str], limit: int) -> tuple[tuple[str, ...], int]:
    """Return the comments and the highest feature index, and refuse what scikit-learn would let pass."""
    comments, highest = [], 0
    for _, data, comment in _data_lines(path):
        items = data.split(None, 2)
        # The loader skips a missing qid, takes qidx:3 for one, and reads 1_0 as 10.
        if len(items) < 2 or not items[1].startswith(b"qid:") or b"_" in data:
            raise ValueError("a line without qid, or with an underscore in a number")
        if len(items) == 3:  # indices rise (the loader checks), so a line's last is its highest
            highest = max(highest, int(items[2].rsplit(None, 1)[-1].partition(b":")[0]))
        comments.append(comment.strip().decode("utf-8", "backslashreplace"))
    if not comments:
        raise ValueError("the file holds no line of data")
    if highest > limit:
        raise ValueError(f"feature index {highest} above {limit}")
    return tuple(comments), highest


def _read_numbers(
    path: str | os.PathLike[str],
    comments: tuple[str, ...],
    n_features: int,
    absent: float,
    dtype: np.dtype,
    lowest: int,
) -> LetorData:
    """Fill X, y and qid, a block of rows at a time, by scikit-learn's loader."""
    if n_features == 0:
        raise ValueError("no line holds a feature; n_features tells how many there are")
    X = np.full((len(comments), n_features), absent, dtype)
    y = np.empty(len(comments), np.int64)
    qid = np.empty(len(comments), np.int64)
    lines = _data_lines(path)
    start = 0
    while block := [data for _, data, _ in islice(lines, BLOCK_ROWS)]:
        rows = slice(start, start + len(block))
        features, labels, qid[rows] = load_svmlight_file(
            io.BytesIO(b"\n".join(block)), n_features=n_features, dtype=dtype, zero_based=False, query_id=True
        )
        if not np.isfinite(features.data).all():
            raise ValueError("a feature value that is not finite")
        if not ((labels >= lowest) & (labels <= MAX_LABEL) & (labels == np.floor(labels))).all():
            raise ValueError(f"a label that is not an integer from {lowest} to 2**53")
        # The sparse block keeps the zeros that its lines list, so these overwrite `absent`.
        X[np.repeat(np.arange(rows.start, rows.stop), np.diff(features.indptr)), features.indices] = features.data
        y[rows] = labels
        start = rows.stop
    return LetorData(X, y, qid, comments)


def _unlabelled_as_zero(data: LetorData) -> LetorData:
    """Give the rows that nobody judged the label 0."""
    return replace(data, y=np.maximum(data.y, 0))


def _without_unlabelled(data: LetorData) -> LetorData:
    """Leave out the rows that nobody judged."""
    judged = data.y != UNLABELLED
    if not judged.any():
        raise ValueError("every row is unlabelled (-1), so unlabelled='drop' leaves none")
    comments = tuple(compress(data.comments, judged))
    return LetorData(data.X[judged], data.y[judged], data.qid[judged], comments)


UNLABELLED_RULES: dict[str, Callable[[LetorData], LetorData]] = {
    "error": lambda data: data,  # such a row is refused while the file is read
    "zero": _unlabelled_as_zero,
    "drop": _without_unlabelled,
}


def _data_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield line number (from 1), data and comment of each line that holds data."""
    with gzip.open(path) if os.fsdecode(path).endswith(".gz") else open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            data, _, comment = line.partition(b"#")
            if data.strip():
                yield number, data, comment
