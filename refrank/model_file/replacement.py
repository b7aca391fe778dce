"""A file is written whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacement(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a place to write to; what stands there at the end takes the place of the file, unless something failed.

    Parameters
    ----------
    path : path
        The file, there already or not.

    Yields
    ------
    Path
        In the same folder; nothing is left there when writing fails.

    Raises
    ------
    OSError
        Where the folder, or the file, cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacement(Path(folder, "a.txt")) as unfinished:
    ...         _ = unfinished.write_text("whole")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('a.txt', 'whole')]
    """
    target = Path(path)
    unfinished = target.with_name(target.name + ".part")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:  # a full disk leaves nothing behind
        unfinished.unlink(missing_ok=True)
