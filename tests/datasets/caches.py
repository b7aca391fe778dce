"""A small file, the requests for its rows, and what is compared of them, for the tests of caches."""

from contextlib import contextmanager

import numpy as np

from refrank.datasets.letor_text import Request
from refrank.datasets.source import open_source

CONTENT = b"2 qid:7 1:0.5 3:-0 # docid = \xe9 \xff\r\n-1 qid:9 2:1e-40\n# between\n0 qid:9#\n1 qid:-7 3:2 # b"
JUDGED = CONTENT.replace(b"-1 qid", b"1 qid")


def contents(data):
    """Every bit of the rows, and how they are held."""
    arrays = tuple((array.dtype, array.shape, array.tobytes()) for array in (data.X, data.y, data.qid))
    return *arrays, data.comments, data.X.flags.writeable, data.X.flags.c_contiguous


@contextmanager
def ask(path):
    """A request for the rows of a file."""
    with open_source(path) as source:
        yield Request(source, None, 0.0, np.dtype(np.float32), 0)
