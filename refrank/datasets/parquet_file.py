"""Tables in Parquet files, which pyarrow reads: with columns as in CSV files, and gaps where a field is null or NaN."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from reprlib import repr as short
from typing import Any, NoReturn

import numpy as np

from refrank.arrays import Floats
from refrank.datasets.columns import Columns, explain_text
from refrank.datasets.letor_text import ParsedRows, Request, allocate_table, collect_ids
from refrank.datasets.query_texts import ID_RULE, is_query_id
from refrank.datasets.source import CHANGED, NoRowsError, Source
from refrank.datasets.table_file import ONE_QUERY, Refuse, check_labels, fill_gaps, find_own_places, name_column
from refrank.datasets.unzipped import UnreadableError

BATCH_CELLS = 2**20  # read at a time
DAY = "2000-01-01"


def read_parquet(request: Request, columns: Columns) -> ParsedRows:
    """Read the rows of a Parquet file; refuse its first fault, with its place."""
    name, file = request.source.name, open_parquet(request.source)
    names = file.schema_arrow.names
    places = find_own_places(request, columns, names)
    n_samples, n_bytes = file.metadata.num_rows, request.source.file.seek(0, os.SEEK_END)
    if n_samples == 0:
        raise NoRowsError(f"{name}: the file contains no row")
    X = allocate_table(request, n_samples, len(places.features), n_bytes)
    y, ids = np.empty(n_samples, np.int64), list[str]()
    for batch in read_batches(request, file, len(names)):
        start, stop = len(ids), len(ids) + batch.num_rows
        if stop > n_samples:
            raise UnreadableError(f"{name}: {CHANGED}")
        refuse = partial(refuse_entry, request, names, batch, start)
        first = places.features[0] if places.label is None else places.label
        labels, *features = (read_floats(request, batch, names, at) for at in (first, *places.features))
        y[start:stop] = check_labels(request, places, labels, refuse)
        X[start:stop] = fill_gaps(request, places, np.column_stack(features), refuse)
        ids += [ONE_QUERY] * batch.num_rows if places.qid is None else read_ids(batch, places.qid, refuse)
    if len(ids) != n_samples:
        raise UnreadableError(f"{name}: {CHANGED}")
    return X, y, collect_ids(ids, n_bytes), ("",) * n_samples


def read_ids(batch: Any, place: int, refuse: Refuse) -> Iterator[str]:
    """Yield the query ids of some rows."""
    for row, value in enumerate(batch.column(place).to_pylist()):
        if not isinstance(value, int | str) or not is_query_id(str(value)):
            refuse(row, place, ID_RULE)
        yield str(value)


def open_parquet(source: Source) -> Any:
    """Open a Parquet file; damaged bytes raise errors of many kinds."""
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ValueError(
            f"{source.name}: to read Parquet, install pyarrow (pip install pyarrow); or save it as CSV"
        ) from None
    try:
        return ParquetFile(source.rewind())
    except Exception as fault:
        raise explain_damage(source.name, fault) from fault


def read_batches(request: Request, file: Any, n_columns: int) -> Iterator[Any]:
    """Yield some rows after the others, in the order of the file."""
    try:
        yield from file.iter_batches(max(1, BATCH_CELLS // n_columns))
    except Exception as fault:
        raise explain_damage(request.source.name, fault) from fault


def explain_damage(name: str, fault: Exception) -> Exception:
    """Return the fault of a disk, or say of another one that the file is damaged."""
    if isinstance(fault, OSError) and fault.errno is not None:
        return fault
    return UnreadableError(f"{name}: it is no Parquet file, or is damaged: {short(' '.join(str(fault).split()))}")


def list_columns(source: Source) -> tuple[list[str], list[str]]:
    """List the names of all columns, and of those that hold no numbers; none where the file cannot be read."""
    try:
        schema = open_parquet(source).schema_arrow
    except ValueError:
        return [], []
    return schema.names, [field.name for field in schema if not is_number(field.type)]


def is_number(kind: Any) -> bool:
    """Return whether a column of this type holds numbers."""
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(test(kind) for test in tests)


def read_floats(request: Request, batch: Any, names: Sequence[str], place: int) -> Floats:
    """Read a column of some rows as float64, (n_rows,); NaN where there is no number."""
    from pyarrow import types

    column = batch.column(place)
    if not is_number(column.type):
        rule = explain_text(names[place], DAY if types.is_temporal(column.type) else "")
        raise ValueError(f"{request.source.name}, column {name_column(names, place)} has type {column.type}: {rule}")
    values: Floats = column.cast("float64", safe=False).to_numpy(zero_copy_only=False)
    return values


def refuse_entry(
    request: Request, names: Sequence[str], batch: Any, start: int, row: int, place: int, rule: str
) -> NoReturn:
    """Refuse an entry of some rows, the first of which is row `start` of the file, from 0."""
    value = short(batch.column(place)[row].as_py())
    where = f"row {start + row + 1}, column {name_column(names, place)}"
    raise ValueError(f"{request.source.name}, {where}: {value}: {rule}")
