"""Files that are written whole, or not at all.

The bytes go to a new file in the same folder. When all of them have reached the disk, it takes the place of the old
file in one step. Until then, and after a failure, readers find the old file; of two writers, the last to finish leaves
its file.
"""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

PREFIX = ".refrank-"  # of the names of unfinished files, which a computer that stops may leave behind


@contextmanager
def replace_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file, which takes the place of `path` when the block ends; if the block raises, nothing changes.

    A symbolic link is followed. Permissions are kept, and the owner where that is allowed; a new file has the usual
    ones.

    Raises an OSError, or a ValueError, that names the path if the file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replace_file(Path(folder, "model")) as file:
    ...         _ = file.write(b"all of it")
    ...     os.listdir(folder), Path(folder, "model").read_bytes()
    (['model'], b'all of it')
    """
    with name_errors(path):
        target = find_target(path)
        descriptor, unfinished = make_unfinished(target)
        try:
            with open(descriptor, "wb") as file:
                yield file
                file.flush()
                copy_owner(target, file.fileno())
                os.fsync(file.fileno())
            os.replace(unfinished, target)
        except BaseException:
            with suppress(FileNotFoundError):  # it is in its place already
                os.unlink(unfinished)
            raise
        sync_folder(target)


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a path that `replace_file` could not write, by writing an empty file beside it.

    Raises an OSError, or a ValueError, that names the path.
    """
    with name_errors(path):
        descriptor, unfinished = make_unfinished(find_target(path))
        os.close(descriptor)
        os.unlink(unfinished)


def find_target(path: str | os.PathLike[str]) -> str:
    """Follow symbolic links to the file to be replaced, and refuse a folder, a device or a pipe."""
    name = os.fsdecode(path)
    if name.endswith(os.sep) or os.path.isdir(name):
        raise IsADirectoryError(f"{name}: it is the name of a folder, not of a file")
    target = os.path.realpath(name)
    if not os.path.isdir(os.path.dirname(target)):
        raise FileNotFoundError(f"{name}: its folder does not exist")
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(name).st_mode):
            raise ValueError(f"{name}: it must be a regular file, or not exist; it is a device, a pipe or a socket")
        if not os.access(target, os.W_OK):
            raise PermissionError(f"{name}: the file is protected from writing")
    return target


def make_unfinished(target: str) -> tuple[int, str]:
    """Make a new file beside the target; return its descriptor and its path."""
    return tempfile.mkstemp(prefix=PREFIX, dir=os.path.dirname(target))


def copy_owner(target: str, descriptor: int) -> None:
    """Give an open file the owner and the permissions of the target, or those of a new file."""
    if os.name == "nt":  # permissions are those of the folder
        return
    try:
        old = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0o077)  # the only way to ask
        os.umask(mask)
        os.fchmod(descriptor, 0o666 & ~mask)
        return
    with suppress(PermissionError):  # only root gives files away
        os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))


def sync_folder(target: str) -> None:
    """Wait until the target's new entry in its folder has reached the disk."""
    if os.name == "nt":  # folders cannot be opened
        return
    folder = os.open(os.path.dirname(target), os.O_RDONLY)
    try:
        os.fsync(folder)
    except OSError as fault:
        if fault.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system without it
            raise
    finally:
        os.close(folder)


@contextmanager
def name_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file to be written in every OSError, even in one that names the unfinished file, or none."""
    try:
        yield
    except OSError as fault:
        if fault.errno is None or fault.filename == os.fsdecode(path):
            raise
        raise OSError(fault.errno, os.strerror(fault.errno), os.fsdecode(path)) from fault
