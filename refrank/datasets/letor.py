"""Learning-to-rank files: SVMlight lines with query ids, as in LETOR, MSLR-WEB and the Yahoo! challenge.

    2 qid:10 1:0.5 2:0 46:0.007 #docid = GX008-86-4444840 inc = 1

A line holds a label, a query, features `index:value` in increasing order of the index, and an optional comment. No
paper defines the format. An extension reads the common form of it (`letor_text`); scikit-learn's loader defines the
result, and reads the rest (`letor_loader`). Both read their input through `source`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from numbers import Real
from reprlib import repr as short
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import DTypeLike

from refrank.arrays import Ints, Matrix
from refrank.checks import check_choice, check_integer
from refrank.datasets.letor_cache import fetch_rows
from refrank.datasets.letor_fault import MAX_INDEX, is_finite_as
from refrank.datasets.letor_loader import load_file
from refrank.datasets.letor_text import ParsedRows, Request, parse_file
from refrank.datasets.other_formats import recognize
from refrank.datasets.query_texts import QueryIds
from refrank.datasets.source import Input, NoRowsError, Source, open_source
from refrank.datasets.unzipped import UnreadableError

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
    qid : array of shape (n_samples,)
        The query of each row: int64 if every id of the file is an integer of 64 bits, else str. Rows of one query need
        not be adjacent.
    comments : tuple of n_samples str
        The text after `#` on the line of each row, without surrounding spaces; "" if there is none.
    names : tuple of str, default ()
        The names of the columns of X, if the file has them.
    """

    X: Matrix
    y: Ints
    qid: QueryIds
    comments: tuple[str, ...]
    names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return a summary on one line."""
        n_samples, n_features = self.X.shape
        labels = f", labels {self.y.min()}..{self.y.max()}" if n_samples else ""
        return f"LetorData({n_samples} rows, {n_features} features, {len(np.unique(self.qid))} queries{labels})"


def load_letor(
    path: Input | Source,
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    unlabelled: Unlabelled = "error",
    *,
    sentinel: float | None = None,
    cache: bool = False,
) -> LetorData:
    """Load a file of SVMlight lines with query ids, plain or gzipped, into dense arrays.

    Blank lines and lines that contain only a comment are skipped. Lines may end as on Windows, and have at most 2**24
    bytes. Query ids are integers, as in every public collection, or any text without blanks, `#` and `:`. The mark of
    UTF-8 at the start of a file is passed over.

    The input is opened once. A pipe, a FIFO or a device is copied into a temporary file first, so `/dev/stdin` and a
    shell's `<(zcat a.gz)` are read like the files they stand for.

    Parameters
    ----------
    path : str, path-like or binary file
        The file; if its name ends in `.gz`, it is decompressed while it is read. A file that is open in binary mode is
        read from its position to its end, and never decompressed.
    n_features : int or None, default None
        Number of columns of X; a higher index in the file is a fault. None: the highest index in the file, and X may
        take at most 64 times the bytes of the text, or 2**28. Give one number to all files of a collection, since a
        file may lack the last features.
    absent : float, default 0.0
        Value of a feature that a line does not list, finite or NaN. A listed 0 stays 0.
    dtype : {np.float32, np.float64}, default np.float32
        Type of X.
    unlabelled : {"error", "zero", "drop"}, default "error"
        Treatment of rows of label -1, which were not judged: refuse the file, set the label to 0 (as McRank Sec. 6.1
        does for Web-2), or drop the row.
    sentinel : float or None, default None
        A listed value that means "missing", such as 1.79769313486e+308 in Istella LETOR: it is read as a feature that
        the line does not list, so as `absent`. Values are compared as float64, before they are rounded to `dtype`.
    cache : bool, default False
        Keep what was read in the user's folder of caches, and read that file instead as long as the content of `path`
        and the other arguments stay the same. If it cannot be written, a RuntimeWarning says so. It has no effect
        unless `path` names a regular file.

    Returns
    -------
    LetorData, rows in the order of the file

    Raises
    ------
    ValueError
        With file, line, column (in bytes, from 1), text and rule, for: a malformed number; a missing qid; feature
        indices below 1, above `n_features`, repeated or out of order; a label that is not an integer from 0 to 2**53
        (or -1, unless `unlabelled` is "error"); a value that is not finite in `dtype` and not the sentinel. Also for a
        file that has no data, loses all rows, changes while it is read, asks for too much memory, or is a gzip file
        that is damaged or unpacks to more than 200 times its size (above 10**8 bytes).
    OSError
        If the file cannot be opened or read.

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
    options = {"n_features": n_features, "absent": absent, "dtype": dtype, "sentinel": sentinel}
    return load_rows(path, _read_rows, unlabelled, cache, **options)


def load_rows(
    path: Input | Source,
    read: Callable[[Request], ParsedRows],
    unlabelled: Unlabelled = "error",
    cache: bool = False,
    **options: Any,
) -> LetorData:
    """Load rows that `read` reads, by the options of `make_request`; a file in another format is called by its name."""
    check_choice("unlabelled", unlabelled, UNLABELLED_RULES)
    lowest = 0 if unlabelled == "error" else UNLABELLED
    with open_source(path) as source:
        request = make_request(source, lowest, **options)
        try:
            X, y, qid, comments = fetch_rows(request, read) if cache else read(request)
        except UnreadableError:
            raise
        except ValueError as fault:
            if other := recognize(source, fault, request.columns):
                raise other from fault
            raise
    if unlabelled == "drop":
        judged = y != UNLABELLED
        if not judged.any():
            raise NoRowsError(f"{source.name}: every row is unlabelled (-1), so unlabelled='drop' leaves none")
        X, y, qid, comments = X[judged], y[judged], qid[judged], tuple(compress(comments, judged))
    return LetorData(X, np.maximum(y, 0), qid, comments)


def make_request(
    source: Source,
    lowest: int,
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    sentinel: float | None = None,
    **of_table: Any,
) -> Request:
    """Check how a file is to be read."""
    kind = check_dtype(dtype)
    if n_features is not None:
        n_features = check_integer("n_features", n_features, 1, MAX_INDEX)
    if not isinstance(absent, Real) or not (math.isnan(absent) or is_finite_as(absent, kind)):
        raise ValueError(f"absent is {short(absent)}: it must be NaN or a number that is finite in {kind}")
    if sentinel is not None and (not isinstance(sentinel, Real) or math.isnan(sentinel)):
        raise ValueError(f"sentinel is {short(sentinel)}: it must be a number, or None")
    value = float(np.full((), absent, kind))
    marker = math.nan if sentinel is None else float(sentinel)
    return Request(source, n_features, value, kind, lowest, marker, **of_table)


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of X, float32 or float64."""
    try:
        name: object = np.dtype(dtype).name
    except TypeError:
        name = dtype
    return np.dtype(check_choice("dtype", name, ("float32", "float64")))


def _read_rows(request: Request) -> ParsedRows:
    """Read the rows of a file: a file of the common form by the extension, any other by scikit-learn's loader."""
    rows = parse_file(request)
    return load_file(request) if rows is None else rows
