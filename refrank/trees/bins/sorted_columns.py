"""The columns of a table one after the other, in ascending order, in the memory of a few of them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np

from refrank.arrays import Matrix


def sort_columns(X: Matrix, n_threads: int) -> Iterator[Matrix]:
    """Yield each column of X in ascending order; it is overwritten later.

    The threads allocate nothing, because an allocator may keep the memory of a thread.
    """
    n_rows, n_columns = 4096, 64 // X.itemsize  # copied at a time: one cache line of each row
    columns = np.empty((min(n_columns, X.shape[1]), len(X)), X.dtype)

    def copy(part: int) -> None:
        for start in range(part * n_rows, len(X), n_threads * n_rows):
            rows = slice(start, start + n_rows)
            batch[:, rows] = X[rows, first : first + n_columns].T

    with ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext() as pool:
        run = pool.map if pool else map
        for first in range(0, X.shape[1], n_columns):
            batch = columns[: X.shape[1] - first]
            list(run(copy, range(n_threads)))
            list(run(np.ndarray.sort, batch))
            yield from batch
