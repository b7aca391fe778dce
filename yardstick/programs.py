"""Limits of foreign programs, and their end, with everything that they have started.

A program starts in a session of its own, and ends with its process group and its descendants. On Linux, `limit` makes
the orphans among these children of the program, so they are found although the process between has ended.
"""

import ctypes
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

SEARCHES = 100  # for descendants; each ends what it finds
SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, of <sys/prctl.h>


def end(program: subprocess.Popen[bytes]) -> None:
    """End a program and its descendants, which may outlive it and hold its streams open."""
    if os.name == "posix":
        program.send_signal(signal.SIGSTOP)  # it starts nothing more
        ended: set[int] = set()
        for _ in range(SEARCHES):
            others = {*list_descendants(program.pid)} - ended
            if not others:
                break
            for other in others:
                with suppress(ProcessLookupError):
                    os.kill(other, signal.SIGKILL)
            ended |= others
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
    program.kill()
    program.wait()


def list_descendants(process: int) -> Iterator[int]:
    """List the children of a process and their descendants; none where the system has no list of children."""
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in map(int, path.read_text().split()):
                yield child
                yield from list_descendants(child)


def limit(memory: int, file_size: int) -> None:
    """Limit this process and what it starts: bytes of memory, and of each file that it writes; 0 sets no limit.

    What exceeds a limit fails by itself: by a MemoryError, or by an OSError. A system without limits sets none.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with suppress(ImportError, ValueError, OSError):
        resource: Any = import_module("resource")
        # not RLIMIT_AS: devices and garbage collectors reserve addresses that stay empty
        for kind, n_bytes in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, file_size)):
            resource.setrlimit(kind, (n_bytes or resource.RLIM_INFINITY,) * 2)


def find_memory() -> int:
    """Return the memory of the machine in bytes; 0 if the system does not report it."""
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 0


def list_search_path() -> list[str]:
    """List the folders of this process's modules, those of Python first: no other file stands for one of these."""
    library = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    library |= {os.path.join(folder, "lib-dynload") for folder in library}
    return sorted(map(os.path.abspath, sys.path), key=lambda folder: os.path.realpath(folder) not in library)
