"""Saves of a file, for the tests of what becomes of it."""

import os

import pytest

from refrank.datasets.whole_file import replace_file

OLD, NEW = b"old" * 1000, b"new" * 3000
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")


def write(path, content=NEW):
    with replace_file(path) as file:
        for start in range(0, len(content), 1000):
            file.write(content[start : start + 1000])
