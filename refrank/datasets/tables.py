"""Tables as data sets: CSV and Parquet files, with a row per document and columns that have roles."""

from dataclasses import replace
from typing import Any

from refrank.datasets.columns import Columns, find_places
from refrank.datasets.letor import LetorData, load_letor, load_rows
from refrank.datasets.letor_text import ParsedRows, Request
from refrank.datasets.other_formats import PARQUET
from refrank.datasets.parquet_file import open_parquet, read_parquet
from refrank.datasets.source import Input, Source, open_source
from refrank.datasets.table_file import read_heading, read_table

BY_NAME = Columns()
ENDINGS = (".csv", ".tsv", ".parquet")


def load_table(
    path: Input | Source,
    columns: Columns = BY_NAME,
    n_features: int | None = None,
    absent: float | None = None,
    **reading: Any,
) -> LetorData:
    """Load a table, CSV or Parquet, into dense arrays: a row per document, and a column per feature.

    A text may be gzipped (`.gz`), and have other delimiters than commas. Its first line has the names of the columns,
    unless `columns` calls them by number. Parquet needs pyarrow.

    Parameters
    ----------
    path : str, path-like or binary file
        As in `load_letor`. A file that begins as Parquet does is read as Parquet, whatever its name.
    columns : Columns, default Columns("label", "qid")
        The columns of labels and of query ids, those to leave out, and the delimiter. All others are features, in their
        order.
    n_features : int or None, default None
        The number of columns of features that there must be.
    absent : float or None, default None
        Value of a gap: a field that is empty, NA, NaN or null. None: a gap is a fault.
    reading : keyword arguments
        `dtype`, `unlabelled`, `sentinel` and `cache`, as in `load_letor`. The sentinel is a gap.

    Returns
    -------
    LetorData, rows in the order of the file, whose comments are empty

    Raises
    ------
    ValueError
        With file, line (or row), column, text and rule, for: a column that is not there, or has two roles; rows of
        different lengths; a label that is not an integer from 0 to 2**53 (or -1, as in `load_letor`); a query id that
        is empty or not printable; a feature that is a text or a date, with a recipe that makes numbers of it; a gap
        that has no value. Also for a file that has no data, is damaged, changes while it is read, or asks for too much
        memory; and for Parquet without pyarrow.
    OSError
        If the file cannot be opened or read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "three.csv")
    ...     _ = path.write_text("query,bm25,links,rel,url\\na,0.5,3,2,x.org\\na,-1,,0,y.org\\nb,0,1,1,z.org\\n")
    ...     data = load_table(path, Columns("rel", "query", ignore=("url",)), absent=0)
    >>> data.X
    array([[ 0.5,  3. ],
           [-1. ,  0. ],
           [ 0. ,  1. ]], dtype=float32)
    >>> data.y, data.qid, data.names
    (array([2, 0, 1]), array(['a', 'a', 'b'], dtype='<U1'), ('bm25', 'links'))
    """
    gaps: dict[str, Any] = {"absent": 0.0 if absent is None else absent, "must_list": absent is None}
    with open_source(path) as source:
        data = load_rows(source, read_columns, columns=columns, n_features=n_features, **gaps, **reading)
        return replace(data, names=list_names(source, columns))


def load_data(
    path: Input | Source,
    n_features: int | None = None,
    absent: float | None = None,
    columns: Columns | None = None,
    **reading: Any,
) -> LetorData:
    """Load a table if `columns` or the name of the file say so, and else lines of LETOR, where no feature is a 0."""
    with open_source(path) as source:
        if columns is not None or is_table(source.name):
            return load_table(source, columns or BY_NAME, n_features, absent, **reading)
        return load_letor(source, n_features, absent or 0.0, **reading)


def is_table(name: str) -> bool:
    """Return whether a file of this name is a table.

    >>> is_table("train.CSV.gz"), is_table("train.txt")
    (True, False)
    """
    return name.lower().removesuffix(".gz").endswith(ENDINGS)


def read_columns(request: Request) -> ParsedRows:
    """Read the rows of a table, by its format."""
    columns = request.columns or BY_NAME
    return (read_parquet if is_parquet(request.source) else read_table)(request, columns)


def is_parquet(source: Source) -> bool:
    """Return whether a file begins as Parquet does."""
    return source.rewind().read(len(PARQUET)) == PARQUET


def list_names(source: Source, columns: Columns) -> tuple[str, ...]:
    """List the names of the features of a table that can be read; none if its columns are called by number."""
    if columns.are_numbers:
        return ()
    names = open_parquet(source).schema_arrow.names if is_parquet(source) else read_heading(source, columns)[0]
    return find_places(columns, names).names
