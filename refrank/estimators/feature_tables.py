"""Features as estimators get them: an array, a DataFrame of pandas or polars, or a sparse matrix, which becomes dense.

A column of text, of categories or of dates holds no numbers, though some of them convert into numbers silently: it is
refused with a recipe. Neither pandas nor polars is imported.
"""

import datetime
import os
from collections.abc import Iterator
from copy import copy
from typing import Any, cast

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from refrank.arrays import Matrix
from refrank.checks import check_table_size, check_unmasked

AS_FLOATS: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}  # conversion of features
DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
DATE_TYPES = ("date", "time", "duration", "period")  # how the names of such types begin, in small letters
TEXT_TYPES = ("categor", "enum", "str", "utf8", "dictionary")
RECIPES = {  # by kind, for a column of a DataFrame and of an array
    "text": ("pandas.get_dummies(X, columns=[{!r}])", "OneHotEncoder(sparse_output=False).fit_transform(X[:, [{}]])"),
    "dates": ("(X[{!r}] - pandas.Timestamp('2000-01-01')).dt.days", "X[:, {}].astype('datetime64[D]').astype(int)"),
}


def take_features(X: Any) -> Any:
    """Return features, (n_samples, n_features), as validation takes them: a sparse matrix as an array, others as given.

    Raises a ValueError for a masked entry, for more rows or columns than an int32 numbers, for a column that holds no
    numbers, and for a sparse matrix that takes more memory as an array than the machine has.

    >>> take_features([[7, "Oslo"]])
    Traceback (most recent call last):
    ValueError: X at column 1 holds text: a feature must be a number; leave the column out, or encode it first, as by \
OneHotEncoder(sparse_output=False).fit_transform(X[:, [1]])
    """
    check_table_size(getattr(X, "shape", ()))
    check_unmasked("X", X)
    if issparse(X):
        return make_dense(X)
    if isinstance(X, list):
        array = np.asarray(X)
        X = (
            np.asarray(X, dtype=object) if array.dtype.kind in "USMm" else array
        )  # whose columns have types of their own
    for column, name, kind in list_other_kinds(X):
        called = "" if name is None else f" ({name!r})"
        of_table, of_array = RECIPES[kind]
        recipe = of_array.format(column) if name is None else of_table.format(name)
        rule = f"a feature must be a number; leave the column out, or encode it first, as by {recipe}"
        raise ValueError(f"X at column {column}{called} holds {kind}: {rule}")
    return X


def take_more_rows(estimator: Any, X: Any) -> Matrix:
    """Return rows of the features that a fitted estimator knows, (n_samples, n_features), as floats."""
    features = take_features(X)
    if hasattr(estimator, "feature_names_in_") or not is_plain(features, estimator.n_features_in_):
        # takes longer than a row takes through 1,000 trees
        features = validate_data(estimator, features, **AS_FLOATS, reset=False)
    return cast(Matrix, features)


def is_plain(X: Any, n_features: int) -> bool:
    """Return whether scikit-learn's validation would hand X, rows of n_features unnamed features, back as it is.

    >>> is_plain(np.zeros((1, 3)), 3), is_plain(np.zeros((1, 3), int), 3), is_plain(np.zeros((0, 3)), 3)
    (True, False, False)
    """
    if type(X) is not np.ndarray or X.dtype not in (np.float64, np.float32) or X.ndim != 2:
        return False
    return len(X) > 0 and X.shape[1] == n_features


def drop_names(ranker: Any) -> Any:
    """Return a ranker that takes rows without names of features: a copy, which shares the model."""
    unnamed = copy(ranker)
    if hasattr(unnamed, "feature_names_in_"):
        del unnamed.feature_names_in_
    return unnamed


def make_dense(X: Any) -> Any:
    """Return a sparse matrix as an array, float32 or float64, in which what is not stored is 0."""
    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    size = dtype.itemsize
    for length in X.shape:
        size *= int(length)
    asked = f"X is sparse, and takes {size} bytes as the {dtype} array that trees need"
    if size > (most := count_memory()):
        raise ValueError(f"{asked}: the machine has {most}; choose fewer features or rows")
    try:
        return X.astype(dtype).toarray()
    except MemoryError:
        raise ValueError(f"{asked}: there is not as much memory; choose fewer features or rows") from None


def count_memory() -> int:
    """Count the bytes of the machine's memory, or of addresses where the system does not say."""
    if not hasattr(os, "sysconf"):  # Windows
        return 2**63
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def list_other_kinds(X: Any) -> Iterator[tuple[int, Any, str]]:
    """Yield each column that holds no numbers: its place, its name or None, and what it holds."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        for column, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
            if kind := name_kind(dtype) or (find_kind(X.iloc[:, column]) if str(dtype) == "object" else None):
                yield column, name, kind
    elif kind := name_kind(getattr(X, "dtype", None)):
        yield 0, None, kind
    elif getattr(X, "dtype", None) == np.dtype(object) and np.ndim(X) == 2:
        for column in range(X.shape[1]):
            if kind := find_kind(X[:, column]):
                yield column, None, kind


def name_kind(dtype: Any) -> str | None:
    """Return what entries of a type hold, if that is not numbers.

    >>> name_kind(np.dtype("datetime64[s]")), name_kind(np.dtype("U3")), name_kind(np.dtype(int))
    ('dates', 'text', None)
    """
    name, kind = str(dtype).lower(), getattr(dtype, "kind", None)
    if kind in ("m", "M") or name.startswith(DATE_TYPES):
        return "dates"
    return "text" if kind in ("S", "U") or name.startswith(TEXT_TYPES) else None


def find_kind(entries: Any) -> str | None:
    """Return what the first entry holds that is a text or a date."""
    for entry in entries:
        if isinstance(entry, str | bytes):
            return "text"
        if isinstance(entry, DATES):
            return "dates"
    return None
