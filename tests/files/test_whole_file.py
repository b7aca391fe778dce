"""`refrank.whole_file`: whatever fails, and whoever writes meanwhile, a file is the old one or the new one, whole."""

import errno
import os
import resource
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from refrank import whole_file
from refrank.whole_file import PREFIX, check_target, replace_file

OLD, NEW = b"old" * 1000, b"new" * 3000
posix = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions")


def write(path, content=NEW):
    with replace_file(path) as file:
        for start in range(0, len(content), 1000):
            file.write(content[start : start + 1000])


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


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


# --- every step fails in turn ----------------------------------------------------------------------------------------


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
        found = path.read_bytes() if path.exists() else None
        assert found in (before, NEW)
        assert {one.name for one in tmp_path.iterdir()} <= {"m"}
        if calls[-1] == "raised":
            # after the file has taken its place, only its entry in the folder may be in doubt
            assert (found == before) == ("replace" not in calls[:-2])
            seen.add(calls[-2])
        else:
            assert found == NEW
    assert {"write", "flush", "fsync", "replace", "open"} <= seen


@posix
def test_the_bytes_reach_the_disk_before_the_name_and_then_the_name(tmp_path, monkeypatch):
    calls = [name for name in save_with(monkeypatch, tmp_path / "m", 0, errno.EIO) if name in STEPS]
    assert calls == [*["write"] * 9, *STEPS[1:]]


STEPS = ["write", "flush", "fsync", "replace", "open", "fsync"]


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A limit on the size of files, of the kernel's own, stands for it."""
    (tmp_path / "m").write_bytes(OLD)
    program = (
        "import resource, signal, sys; from refrank.whole_file import replace_file\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))\n"
        "with replace_file(sys.argv[1]) as file:\n"
        "    file.write(bytes(100_000))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "m"], capture_output=True, text=True, timeout=60)
    assert done.stderr.splitlines()[-1] == f"OSError: [Errno 27] File too large: '{tmp_path / 'm'}'"
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [OLD]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 4096


# --- others write and read meanwhile ---------------------------------------------------------------------------------


WRITER = """
import sys, time
from refrank.whole_file import replace_file
path, letter, end, number = sys.argv[1], sys.argv[2].encode(), time.monotonic() + float(sys.argv[3]), 0
print("begun", flush=True)
while time.monotonic() < end:
    number += 1
    with replace_file(path) as file:
        for _ in range(number % 7 + 1):
            file.write(letter * 1000)
"""


def start_writer(path, letter, seconds):
    """Start a process that writes files of one letter, thousands long; return it once it writes."""
    words = [sys.executable, "-c", WRITER, path, letter, str(seconds)]
    writer = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert writer.stdout.readline() == b"begun\n"
    return writer


def is_whole(content):
    return len(content) >= 1000 and len(content) % 1000 == 0 and content == content[:1] * len(content)


def test_two_writers_and_a_reader_see_whole_files_only(tmp_path):
    path, seconds = tmp_path / "m", float(os.environ.get("REFRANK_WRITERS_SECONDS", "1"))
    write(path, b"a" * 1000)
    writers = [start_writer(path, letter, seconds) for letter in "ab"]
    seen, n_read = set(), 0
    while any(writer.poll() is None for writer in writers):
        content = path.read_bytes()
        assert is_whole(content)
        seen.add((content[:1], len(content)))
        n_read += 1
    assert [writer.communicate()[0] for writer in writers] == [b"", b""]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert n_read > 10
    assert len(seen) > 2
    assert os.listdir(tmp_path) == ["m"]


def test_a_process_that_is_killed_leaves_a_whole_file(tmp_path):
    path = tmp_path / "m"
    for pause in (0.0, 0.003, 0.007, 0.02):
        write(path, b"a" * 1000)
        writer = start_writer(path, "a", 60)
        time.sleep(pause)
        writer.kill()
        writer.communicate()
        assert is_whole(path.read_bytes())
        assert all(name == "m" or name.startswith(PREFIX) for name in os.listdir(tmp_path))


# --- what is kept, and what is refused -------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o777])
def test_permissions_are_kept(tmp_path, mode):
    path = tmp_path / "m"
    path.write_bytes(OLD)
    path.chmod(mode)
    write(path)
    assert mode_of(path) == mode


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path, mask):
    before = os.umask(mask)
    try:
        write(tmp_path / "m")
        (tmp_path / "other").write_bytes(b"")
        assert mode_of(tmp_path / "m") == mode_of(tmp_path / "other") == 0o666 & ~mask
        assert os.umask(mask) == mask
    finally:
        os.umask(before)


@posix
def test_while_the_usual_permissions_are_asked_for_no_file_is_open_to_others(tmp_path, monkeypatch):
    masks, umask = [], os.umask
    monkeypatch.setattr(os, "umask", lambda mask: masks.append(mask) or umask(mask))
    write(tmp_path / "m")
    assert masks[0] == 0o077
    assert len(masks) == 2


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="only root gives files away")
def test_the_owner_is_kept(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(OLD)
    os.chown(path, 12345, 54321)
    write(path)
    found = os.stat(path)
    assert (found.st_uid, found.st_gid) == (12345, 54321)


@posix
def test_a_symbolic_link_is_followed_also_to_a_file_that_is_not_there(tmp_path):
    (tmp_path / "there").mkdir()
    target, link, second = tmp_path / "there" / "m", tmp_path / "link", tmp_path / "second"
    link.symlink_to(Path("there", "m"))
    second.symlink_to(link)
    for content in (OLD, NEW):
        write(second, content)
        assert (link.is_symlink(), second.is_symlink(), target.read_bytes()) == (True, True, content)
    assert sorted(os.listdir(tmp_path)) == ["link", "second", "there"]


def refused_kinds(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "to device").symlink_to("/dev/null")
    (tmp_path / "file").write_bytes(b"")
    with suppress(OSError), socket.socket(socket.AF_UNIX) as bound:  # its names are short
        bound.bind(str(tmp_path / "socket"))
    others = {"socket": "it must be a regular file, or not exist"} if (tmp_path / "socket").exists() else {}
    return others | {
        "folder": "it is the name of a folder",
        "new/": "it is the name of a folder",
        "pipe": "it must be a regular file, or not exist",
        "to device": "it must be a regular file, or not exist",
        "round": "",  # a link to itself
        "nowhere/m": "its folder does not exist",
        "file/m": "its folder does not exist",
        "m" * 300: "File name too long",
    }


@posix
def test_what_cannot_be_written_is_refused_before_and_changes_nothing(tmp_path):
    kinds = refused_kinds(tmp_path)
    before = sorted(os.listdir(tmp_path))
    for name, told in kinds.items():
        for attempt in (check_target, write):
            with pytest.raises((OSError, ValueError)) as found:
                attempt(f"{tmp_path}/{name}")
            assert f"{tmp_path}/{name}" in str(found.value)
            assert told in str(found.value)
    with pytest.raises(ValueError, match="/dev/null"):
        check_target("/dev/null")
    assert sorted(os.listdir(tmp_path)) == before


@posix
def test_a_folder_and_a_file_that_may_not_be_written_are_refused(tmp_path, monkeypatch):
    """Root may write anything, so the answers of the system are given in its place."""
    (tmp_path / "m").write_bytes(OLD)
    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda *_: False)
        with pytest.raises(PermissionError, match="m: the file is protected from writing"):
            check_target(tmp_path / "m")

    def refuse(**_):
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path / ".refrank-x"))

    monkeypatch.setattr(whole_file.tempfile, "mkstemp", refuse)
    with pytest.raises(PermissionError, match=r"Permission denied: '.*/m'$"):
        check_target(tmp_path / "m")


def test_a_path_that_can_be_written_passes_and_leaves_nothing(tmp_path):
    check_target(tmp_path / ("m" * 255))
    write(tmp_path / ("m" * 255), b"x")
    check_target(tmp_path / ("m" * 255))
    assert os.listdir(tmp_path) == ["m" * 255]
