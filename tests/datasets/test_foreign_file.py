"""foreign_file: regular files only, at once, whole, and no longer than their kind may be."""

import errno
import os
import socket

import pytest

from refrank.cli import main
from refrank.datasets.foreign_file import MOST_BYTES, check_file, read_file

pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes to be named")
@pytest.mark.parametrize("read", [check_file, read_file])
def test_what_is_no_regular_file_is_refused_at_once_by_what_it_is(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path, what in ((tmp_path / "pipe", "a pipe"), (tmp_path / "link", "a device"), ("/dev/zero", "a device")):
        with pytest.raises(ValueError, match=f"^{path}: it is not a regular file, but {what}$"):
            read(path, "cell")
    with pytest.raises(ValueError, match=f"^{tmp_path}: it is a directory$"):
        read(tmp_path, "cell")
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(tmp_path / "s"))
        with pytest.raises(OSError, match=str(tmp_path / "s")) as fault:
            read(tmp_path / "s", "cell")
    assert fault.value.errno == errno.ENXIO


@pytest.mark.parametrize("kind", MOST_BYTES)
def test_a_kind_has_its_bytes_and_no_more(tmp_path, kind):
    with open(tmp_path / "f", "wb") as file:
        file.truncate(MOST_BYTES[kind])  # a hole, which takes no room
    check_file(tmp_path / "f", kind)
    os.truncate(tmp_path / "f", MOST_BYTES[kind] + 1)
    rule = f"f has {MOST_BYTES[kind] + 1} bytes: a {kind} has at most {MOST_BYTES[kind]}$"
    with pytest.raises(ValueError, match=rule):
        check_file(tmp_path / "f", kind)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes to be named")
@pytest.mark.parametrize("place", ["manifest.json", "records.jsonl"])
@pytest.mark.parametrize("plant", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_conform_diff_neither_waits_nor_fills_memory(tmp_path, capsys, place, plant):
    head = '{"format": "refrank-trace", "version": %d, "algorithm": "softmax"}'
    from yardstick.traces.writer import MANIFEST, RECORDS, VERSION

    assert place in (MANIFEST, RECORDS)
    (tmp_path / MANIFEST).write_text(head % VERSION)
    (tmp_path / RECORDS).write_text("")
    (tmp_path / place).unlink()
    plant(tmp_path / place)
    assert main(["conform", "diff", str(tmp_path), str(tmp_path)]) == 2
    assert f"{tmp_path / place}: it is not a regular file, but a " in capsys.readouterr().err
