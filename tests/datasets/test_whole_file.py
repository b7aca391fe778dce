"""`refrank.datasets.whole_file`: whichever step fails, a file is the old one or the new one, whole."""

import errno
import os
import resource
import subprocess
import sys

import pytest

from refrank.datasets import whole_file
from refrank.datasets.whole_file import replace_file
from tests.datasets.saves import NEW, OLD, posix, write

STEPS = ["write", "flush", "fsync", "replace", "open", "fsync"]


def test_a_file_takes_the_place_of_the_old_one_in_one_step(tmp_path):
    path = tmp_path / "m"
    for before in (None, OLD):
        if before:
            path.write_bytes(before)
        with replace_file(path) as file:
            file.write(NEW)
            file.flush()
            assert (path.read_bytes() if path.exists() else None) == before
        assert path.read_bytes() == NEW
        assert os.listdir(tmp_path) == ["m"]


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("before", [None, OLD])
def test_a_block_that_raises_changes_nothing(tmp_path, fault, before):
    if before:
        (tmp_path / "m").write_bytes(before)

    def fail():
        with replace_file(tmp_path / "m") as file:
            file.write(NEW)
            raise fault

    with pytest.raises(fault):
        fail()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before] * bool(before)


class Failing:
    """The functions of `os`, counted; one call of those that touch files fails, counted from 1."""

    TOUCHES = ("fsync", "replace", "fchmod", "fchown", "stat", "open", "access", "umask")

    def __init__(self, call, number):
        self.call, self.number, self.calls = call, number, []

    def __getattr__(self, name):
        function = getattr(os, name)
        if name not in self.TOUCHES:
            return function

        def counted(*args, **kwargs):
            self.step(name)
            return function(*args, **kwargs)

        return counted

    def step(self, name):
        self.calls.append(name)
        if len(self.calls) == self.call:
            raise OSError(self.number, os.strerror(self.number))

    def open_file(self, *args):
        """A file whose writes are steps, too."""
        file, steps = open(*args), self  # noqa: SIM115  closed by File

        class File:
            def __enter__(self):
                return self

            def __exit__(self, *_):
                file.close()

            def __getattr__(self, name):
                if name in ("write", "flush"):
                    steps.step(name)
                return getattr(file, name)

        return File()


def save_with(monkeypatch, path, call, number):
    """Write the new file, while one step fails; return the steps that were made."""
    failing = Failing(call, number)
    with monkeypatch.context() as patched:
        patched.setattr(whole_file, "os", failing)
        patched.setattr(whole_file, "open", failing.open_file, raising=False)
        try:
            write(path)
        except OSError as fault:
            raised = fault
        else:
            return failing.calls
    assert str(path) in str(raised)
    return [*failing.calls, "raised"]


@posix
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EINTR, errno.EPERM, errno.EROFS])
@pytest.mark.parametrize("before", [None, OLD])
def test_every_step_of_a_save_fails_in_turn_and_the_file_is_whole(tmp_path, monkeypatch, number, before):
    path = tmp_path / "m"
    n_steps = len(save_with(monkeypatch, tmp_path / "other", 0, number)) + 3
    (tmp_path / "other").unlink()
    seen = set()
    for call in range(1, n_steps):
        path.unlink(missing_ok=True)
        if before:
            path.write_bytes(before)
        calls = save_with(monkeypatch, path, call, number)
        content = path.read_bytes() if path.exists() else None
        assert content in (before, NEW)
        assert {path.name for path in tmp_path.iterdir()} <= {"m"}
        if calls[-1] == "raised":
            # after the file has taken its place, only its entry in the folder may be in doubt
            assert (content == before) == ("replace" not in calls[:-2])
            seen.add(calls[-2])
        else:
            assert content == NEW
    assert {"write", "flush", "fsync", "replace", "open"} <= seen


@posix
def test_the_bytes_reach_the_disk_before_the_name_and_then_the_name(tmp_path, monkeypatch):
    calls = [name for name in save_with(monkeypatch, tmp_path / "m", 0, errno.EIO) if name in STEPS]
    assert calls == [*["write"] * 9, *STEPS[1:]]


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A limit on the size of files, of the kernel's own, stands for it."""
    (tmp_path / "m").write_bytes(OLD)
    program = (
        "import resource, signal, sys; from refrank.datasets.whole_file import replace_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))\n"
        "with replace_file(sys.argv[1]) as file:\n"
        "    file.write(bytes(100_000))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "m"], capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1] == f"OSError: [Errno 27] File too large: '{tmp_path / 'm'}'"
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [OLD]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096
