"""Shards of dask arrays and dataframes: each partition is one, and is read on the worker that makes it."""

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from dask import delayed
from distributed import Future, get_client


def split(X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> list[Future]:
    """Split dask collections into the shards of `fit_shards`: futures of (X, y, qid, sample_weight), one per partition.

    Dask starts at once to make the partitions, and keeps them as long as the list is held; a partition that is lost
    with its worker is made again. Call it within `refrank.cluster.use(client)`, or where there is a default client.

    Parameters
    ----------
    X : dask array of shape (n_samples, n_features), or dask dataframe
        The features. Chunks of columns are joined.
    y, qid, sample_weight : dask arrays of shape (n_samples,), or dask series; or str
        As `fit` takes them, cut into partitions as X is; or the name of a column of X, which is then not a feature.

    Returns
    -------
    shards : list of distributed.Future

    Raises
    ------
    ValueError
        If there is no client, X has no such column, or a collection has another number of partitions than X.

    Examples
    --------
    >>> import dask.array as da
    >>> import refrank
    >>> from distributed import Client
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> X, y, qid = (da.from_array(values, chunks=(400, -1)[: values.ndim]) for values in (data.X, data.y, data.qid))
    >>> with Client(processes=False, dashboard_address=":0") as client, refrank.cluster.use(client):
    ...     ranker = refrank.LSBoostRanker(n_rounds=2).fit_shards(split(X, y, qid))
    >>> bool((ranker.predict(data.X) == refrank.LSBoostRanker(n_rounds=2).fit(data.X, data.y).predict(data.X)).all())
    True
    """
    if getattr(X, "numblocks", (1,))[1:] > (1,):
        X = X.rechunk({1: -1})
    blocks, others = list_blocks("X", X, X), {"y": y, "qid": qid, "sample_weight": sample_weight}
    columns = [list_blocks(name, values, X, len(blocks)) for name, values in others.items()]
    return get_client().compute([delayed(cut_columns)(*parts) for parts in zip(blocks, *columns, strict=False)])


def list_blocks(name: str, values: Any, X: Any, n_blocks: int | None = None) -> Sequence[Any]:
    """List the partitions of a collection, in the order of its rows; repeat a name or None, for each block of X."""
    if isinstance(values, str) and values not in getattr(X, "columns", ()):
        raise ValueError(f"{name} is {values!r}: it must be a column of X")
    if values is None or isinstance(values, str):
        return [*repeat(values, n_blocks or 0)]
    if not hasattr(values, "to_delayed"):
        raise ValueError(f"{name} is a {type(values).__name__}: it must be a dask array or dataframe, as X is")
    have_chunks = hasattr(values, "chunks") and hasattr(X, "chunks")
    # a length that is not known is NaN, which equals nothing
    if have_chunks and values.shape[0] == X.shape[0] and values.chunks[0] != X.chunks[0]:
        values = values.rechunk({0: X.chunks[0]})
    blocks = [*getattr(values.to_delayed(), "flat", values.to_delayed())]
    if n_blocks not in (None, len(blocks)):
        raise ValueError(f"{name} has {len(blocks)} partitions: there must be {n_blocks}, as many as X has")
    return blocks


def cut_columns(X: Any, *others: Any) -> tuple[Any, ...]:
    """Cut the columns that are named off the features of a partition."""
    named = [name for name in others if isinstance(name, str)]
    columns = [X[values] if isinstance(values, str) else values for values in others]
    return X.drop(columns=named) if named else X, *columns
