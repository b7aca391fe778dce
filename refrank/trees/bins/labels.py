"""Memory of the bin labels, the largest thing that a training holds: eight bytes per row and group of columns.

    REFRANK_SCRATCH=/disk    labels lie in a file of this folder, mapped into memory, which vanishes with the process

Labels in a file are read at the speed of memory as long as memory is left. Where it is not, the system drops the pages
that were not used for long, and reads them again.
"""

import os
from tempfile import TemporaryFile
from typing import cast

import numpy as np

from refrank.arrays import Codes


def allocate_labels(shape: tuple[int, int, int], n_bins: int) -> Codes:
    """Allocate the labels of all rows, (n_groups, n_samples, 8), all 0: one byte each for up to 256 bins, or two.

    Raises an OSError if a file cannot be made in the folder that REFRANK_SCRATCH names.

    >>> allocate_labels((1, 3, 8), 256).nbytes
    24
    """
    kind, folder = np.uint8 if n_bins <= 256 else np.uint16, os.environ.get("REFRANK_SCRATCH")
    if not folder or 0 in shape:
        return cast(Codes, np.zeros(shape, kind))
    with TemporaryFile(dir=folder) as file:
        return cast(Codes, np.asarray(np.memmap(file, kind, "w+", shape=shape)))
