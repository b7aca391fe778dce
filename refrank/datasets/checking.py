"""Checks of the files of a ranking problem: counts of each, and leaks from one file into another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import combinations

import numpy as np

from refrank.arrays import Bools, Matrix
from refrank.datasets.letor import LetorData


@dataclass(frozen=True)
class FileReport:
    """The content of a file. Features are numbered from 1, as in the file."""

    rows: int
    features: int
    queries: int
    documents_per_query: tuple[int, int, int]  # fewest, the middle one (of two, the higher), most
    labels: dict[int, int]  # grade -> rows
    queries_of_one_grade: int  # which teach no ranking
    queries_of_grade_0: int
    missing_values: int  # features that a row does not list
    features_nowhere: list[int]  # that no row lists
    constant_features: list[int]  # one value, in the rows that list them
    duplicate_features: dict[int, int]  # feature -> an earlier one, equal in every row; constant ones are left out
    duplicate_rows: int  # equal in all features to an earlier row of their query
    contradicting_rows: int  # those of them that have another label


@dataclass(frozen=True)
class Leak:
    """The part that two files share."""

    a: int  # places of the files
    b: int
    queries: list[str]  # ids that occur in both
    rows: int  # of b, equal in all features to a row of a


def check_data(files: Sequence[LetorData]) -> tuple[list[FileReport], list[Leak]]:
    """Report on each file, and on each two files that share queries or rows.

    An absent feature must be NaN (`load_letor` with `absent=nan`); a file may lack the last features of another. Rows
    that list no feature are equal to no row.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, np.nan]])
    >>> a = LetorData(X, np.array([0, 1, 1]), np.array([1, 1, 2]), ("",) * 3)
    >>> b = LetorData(X[:1], np.array([1]), np.array([7]), ("",))
    >>> [report, _], [leak] = check_data([a, b])
    >>> report.duplicate_rows, report.contradicting_rows, report.queries_of_one_grade, report.missing_values
    (1, 1, 1, 1)
    >>> leak
    Leak(a=0, b=1, queries=[], rows=1)
    """
    widest = max(data.X.shape[1] for data in files)
    files = [replace(data, X=widen(data.X, widest)) for data in files]
    digests = [digest_rows(data.X) for data in files]
    reports = [describe_file(data, rows) for data, rows in zip(files, digests, strict=True)]
    return reports, [*find_leaks(files, digests)]


def widen(X: Matrix, n_features: int) -> Matrix:
    """Append features that no row lists, so that X has n_features columns."""
    return np.pad(X, ((0, 0), (0, n_features - X.shape[1])), constant_values=np.nan) if X.shape[1] < n_features else X


def find_leaks(files: Sequence[LetorData], digests: Sequence[list[bytes]]) -> Iterator[Leak]:
    """Yield what each two files share, if they share anything."""
    ids = [{*map(str, np.unique(data.qid).tolist())} for data in files]
    rows = [{*digest} for digest in digests]
    for a, b in combinations(range(len(files)), 2):
        queries = sorted(ids[a] & ids[b], key=lambda name: (len(name), name))
        shared = [row for row in digests[b] if row and row in rows[a]]
        if queries or shared:
            yield Leak(a, b, queries, len(shared))


def digest_rows(X: Matrix) -> list[bytes]:
    """Compute a digest of each row of X, (n_samples, n_features); equal rows have equal ones; b"" if all are NaN."""
    empty = np.all(np.isnan(X), axis=1).tolist()
    return [b"" if is_empty else digest(row) for row, is_empty in zip(X, empty, strict=True)]


def digest(values: Matrix) -> bytes:
    """Compute a digest of numbers, (n,): 16 bytes, the same for 0 and -0."""
    return blake2b((values + 0).tobytes(), digest_size=16).digest()


def describe_file(data: LetorData, digests: Sequence[bytes]) -> FileReport:
    """Describe one file, whose rows have these digests."""
    _, query, sizes = np.unique(data.qid, return_inverse=True, return_counts=True)
    grades = data.y[np.lexsort((data.y, query))]  # query after query, each from its lowest to its highest
    ends = np.searchsorted(np.sort(query), np.arange(len(sizes)), side="right")
    lowest, highest = grades[ends - sizes], grades[ends - 1]
    in_order = np.sort(sizes).tolist()
    missing = np.isnan(data.X)
    nowhere = np.asarray(missing.all(axis=0))
    first = data.X[missing.argmin(axis=0), np.arange(data.X.shape[1])]  # that a row lists, of each feature
    constant = np.asarray(((first == data.X) | missing).all(axis=0)) & ~nowhere
    labels: dict[tuple[int, bytes], int] = {}  # of the first row of its kind in a query
    n_repeated = n_contradicting = 0
    for key, label in zip(zip(query.tolist(), digests, strict=True), data.y.tolist(), strict=True):
        if key in labels:
            n_repeated += 1
            n_contradicting += labels[key] != label
        elif key[1]:
            labels[key] = label
    return FileReport(
        rows=len(data.y),
        features=data.X.shape[1],
        queries=len(sizes),
        documents_per_query=(in_order[0], in_order[len(in_order) // 2], in_order[-1]),
        labels={int(label): int(count) for label, count in zip(*np.unique(data.y, return_counts=True), strict=True)},
        queries_of_one_grade=int(np.count_nonzero(lowest == highest)),
        queries_of_grade_0=int(np.count_nonzero(highest == 0)),
        missing_values=int(np.count_nonzero(missing)),
        features_nowhere=number(nowhere),
        constant_features=number(constant),
        duplicate_features=find_equal_columns(data.X, nowhere | constant),
        duplicate_rows=n_repeated,
        contradicting_rows=n_contradicting,
    )


def number(marked: Bools) -> list[int]:
    """Number the marked features from 1."""
    return [int(feature) + 1 for feature in np.flatnonzero(marked)]


def find_equal_columns(X: Matrix, left_out: Bools) -> dict[int, int]:
    """Find the features that equal an earlier one in every row; some are left out, (n_features,)."""
    first: dict[bytes, int] = {}
    equal = {}
    for feature in np.flatnonzero(~left_out).tolist():
        earlier = first.setdefault(digest(X[:, feature]), feature)
        if earlier != feature:
            equal[feature + 1] = earlier + 1
    return equal
