"""The columns of a table one after the other, in ascending order, in the memory of a few of them.

`sort_columns` specifies what the kernel's function of this name does (refrank/kernel/sorting.pxi).
"""

from collections.abc import Iterator

import numpy as np

from refrank.arrays import Matrix
from refrank.kernel import KERNEL
from refrank.trees.engine import Engine


def list_ascending(X: Matrix, engine: Engine) -> Iterator[Matrix]:
    """Yield each column of X in ascending order; it is overwritten later."""
    n_columns = 64 // X.itemsize  # sorted at a time: one cache line of each row
    columns = np.empty((min(n_columns, X.shape[1]), len(X)), X.dtype)
    sort = KERNEL.sort_columns if KERNEL is not None and engine.splitter is KERNEL else sort_columns
    for first in range(0, X.shape[1], n_columns):
        batch = columns[: X.shape[1] - first]
        sort(X, first, batch, engine.n_threads)
        yield from batch


def sort_columns(X: Matrix, first: int, columns: Matrix, n_threads: int) -> None:
    """Write columns of X from the `first` on into the rows of `columns`, each in ascending order, with -0.0 as 0.0.

    No value is NaN. The number of threads has no effect here.
    """
    columns[:] = X[:, first : first + len(columns)].T + X.dtype.type(0)
    columns.sort()
