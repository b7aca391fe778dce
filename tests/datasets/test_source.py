"""source: each input is opened once, is a file in binary mode, and bears its name in whatever is said of it."""

import io
import os

import pytest

from refrank.datasets import letor_loader, load_letor
from refrank.datasets.scores import read_scores
from refrank.datasets.source import Source, open_source
from tests.datasets.inputs import GOOD, needs_pipes


def test_a_path_is_opened_once(tmp_path, monkeypatch):
    path = tmp_path / "once"
    path.write_bytes(GOOD + b"0 qid:2 1:x\n")  # which every pass meets
    opened = []
    monkeypatch.setattr("builtins.open", lambda *arguments, open=open: opened.append(arguments) or open(*arguments))
    with pytest.raises(ValueError, match="line 3, column 11"):
        load_letor(path, cache=True)
    assert [name for name, *_ in opened if name == path] == [path]


def test_what_is_no_file_is_refused():
    for path in (None, 3, [GOOD], io.StringIO(GOOD.decode())):
        with pytest.raises(ValueError, match="binary mode"):
            load_letor(path)


def test_a_file_that_is_open_for_writing_or_as_text_is_refused(tmp_path):
    path = tmp_path / "written"
    with open(path, "wb") as file, pytest.raises(ValueError, match="written cannot be read: a file must be open in"):
        load_letor(file)
    path.write_bytes(GOOD)
    with open(path, encoding="utf-8") as file, pytest.raises(ValueError, match="written cannot be read"):
        load_letor(file)


@needs_pipes
def test_a_pipe_that_does_not_wait_is_not_read_in_part(tmp_path):
    """A pause in the input is not its end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with open(reader, "rb") as file, open(writer, "wb"), pytest.raises(ValueError, match="wait for what it reads"):
        load_letor(file)


def test_a_message_is_short_however_long_the_text(tmp_path):
    path, long = tmp_path / "long", b"9" * 10**6
    for line in (b"?@", b"1 qid:@", b"1 qid:1 @", b"1 qid:1 1:@", b"1 qid:1 @:1", b"x@"):
        path.write_bytes(line.replace(b"@", long) + b"\n")
        for read in (load_letor, read_scores):
            with pytest.raises(ValueError, match="line 1") as caught:
                read(path)
            assert len(str(caught.value)) < len(str(path)) + 200


def test_what_is_repeated_of_the_loader_is_short(tmp_path, monkeypatch):
    path = tmp_path / "long"
    path.write_bytes(b"1 qid:1 1:" + b"x" * 10**5)
    monkeypatch.setattr(letor_loader, "find_fault", lambda *_: None)
    with pytest.raises(ValueError, match="long: ") as caught:
        load_letor(path)
    assert len(str(caught.value)) < len(str(path)) + 420


def test_an_error_of_the_operating_system_bears_the_name(tmp_path, monkeypatch):
    path = tmp_path / "unreadable"
    path.write_bytes(GOOD)

    def fail(self):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Source, "rewind", fail)
    for read in (load_letor, read_scores):
        with pytest.raises(OSError, match=r"Input/output error.*unreadable"):
            read(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_letor(tmp_path / "nowhere")


def test_a_source_that_is_open_is_read_again(tmp_path):
    path = tmp_path / "again"
    path.write_bytes(GOOD)
    with open_source(path) as opened, open_source(opened) as again:
        assert again is opened
        for n_features in (2, 5):
            assert load_letor(opened, n_features).X.shape == (2, n_features)
