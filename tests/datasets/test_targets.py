"""Properties of a file that a save keeps when it replaces it, and the targets that it refuses."""

import errno
import os
import socket
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from refrank.datasets import whole_file
from refrank.datasets.whole_file import check_target
from tests.datasets.saves import NEW, OLD, posix, write


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


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
    status = os.stat(path)
    assert (status.st_uid, status.st_gid) == (12345, 54321)


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
    for name, message in kinds.items():
        for attempt in (check_target, write):
            with pytest.raises((OSError, ValueError)) as fault:
                attempt(f"{tmp_path}/{name}")
            assert f"{tmp_path}/{name}" in str(fault.value)
            assert message in str(fault.value)
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


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="the system does not list open files")
def test_a_check_leaves_no_file_open(tmp_path):
    before = os.listdir("/proc/self/fd")
    check_target(tmp_path / "m")
    assert os.listdir("/proc/self/fd") == before
