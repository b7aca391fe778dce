"""Memory, lines and gzip files have bounds: no more is asked for than the bytes of an input explain."""

import gzip
import io
import time

import numpy as np
import pytest
import sklearn.datasets  # noqa: F401  the loader imports it: what that takes is not counted

from refrank.datasets import letor, letor_loader, letor_text, load_letor, source, unzipped
from refrank.datasets.scores import read_scores
from tests.datasets.inputs import GOOD, needs_pipes, traced


def assert_refused_without_memory(path, message):
    def read():
        with pytest.raises(ValueError, match=message):
            load_letor(path)

    assert traced(read)[1] < 2**21


@pytest.mark.usefixtures("by_extension")
def test_memory_is_bounded_by_the_bytes_of_text(tmp_path, monkeypatch):
    path = tmp_path / "far"
    path.write_bytes(b"0 qid:1 2147483647:1\n")
    message = r"far: 1 rows x 2147483647 columns of float32 take 8589934588 bytes: X may ta"
    assert_refused_without_memory(path, message)
    # exactly at the bound, and one entry beyond it
    for line, n_columns in ((b"0 qid:1 4:1", 4), (b"0 qid:1 4:1\n", 4), (b"\n# heading\n0 qid:1 7:1 # x\n", 7)):
        path.write_bytes(line)
        n_bytes = len(line) + (not line.endswith(b"\n"))
        monkeypatch.setattr(letor_text, "X_FLOOR", 0)
        monkeypatch.setattr(letor_text, "MOST_X_BYTES", 4 * n_columns / n_bytes)
        assert load_letor(path).X.shape == (1, n_columns)
        message = f"columns of float64 take {8 * n_columns} bytes: .*the {n_bytes} bytes of"
        with pytest.raises(ValueError, match=message):
            load_letor(path, dtype="float64")
        assert load_letor(path, n_columns, dtype="float64").X.shape == (1, n_columns)
        monkeypatch.setattr(letor_text, "X_FLOOR", 8 * n_columns)
        assert load_letor(path, dtype="float64").X.shape == (1, n_columns)


@pytest.mark.usefixtures("by_extension")
def test_lines_without_data_are_bounded(tmp_path, monkeypatch):
    """A gzip file of half a megabyte unpacks to hundreds of millions of them."""
    path = tmp_path / "empty.gz"
    path.write_bytes(gzip.compress(b"\n" * 90_000_000))
    before = time.process_time()
    with pytest.raises(ValueError, match=r"empty.gz: more than 4194304 lines hold no data: they are taken for a mis"):
        load_letor(path)
    assert time.process_time() - before < 20  # 1.5 s; 15 s for every 100 million lines without the bound
    for module in (letor_text, letor_loader):
        monkeypatch.setattr(module, "MOST_EMPTY", 3)
    for head, kept in ((b"\n# a\n \n", True), (b"\n# a\n \n\n", False)):
        path.write_bytes(gzip.compress(head + b"1 qid:1 1:2\n"))
        if kept:
            assert load_letor(path).y.tolist() == [1]
            continue
        with pytest.raises(ValueError, match=r"more than 3 lines hold no data"):
            load_letor(path)


def test_a_number_that_is_no_feature_asks_for_no_memory(tmp_path):
    path = tmp_path / "number"
    path.write_bytes(b"0 qid:1 40000000\n")
    assert_refused_without_memory(path, "line 1, column 9: '40000000': a feature must be")


@pytest.mark.kernel
@pytest.mark.usefixtures("compiled_letor")
def test_the_bytes_of_all_pieces_count_for_the_extension_too(tmp_path, monkeypatch):
    """The loader, which counts for itself, is not asked."""
    path, line = tmp_path / "pieces", b"0 qid:1 4:1\n"
    path.write_bytes(line * 50)
    monkeypatch.setattr(letor, "load_file", lambda _: pytest.fail("the loader is asked"))
    monkeypatch.setattr(letor_text, "PIECE_BYTES", 3 * len(line))
    monkeypatch.setattr(letor_text, "X_FLOOR", 0)
    monkeypatch.setattr(letor_text, "MOST_X_BYTES", 16 / len(line))
    assert load_letor(path).X.shape == (50, 4)


@pytest.mark.parametrize(("n_features", "index"), [(None, 2**31), (3, 4), (2**31 - 1, 2**31)])
def test_for_an_index_that_is_too_high_no_table_is_asked_for(tmp_path, monkeypatch, n_features, index):
    """The loader of scikit-learn would take it for another: it reads an index into 32 bits."""
    path = tmp_path / "high"
    path.write_text(f"0 qid:1 {index}:1\n")
    monkeypatch.setattr(letor_text, "COMPILED", None)
    monkeypatch.setattr(letor_loader, "allocate_table", lambda *_: pytest.fail("a table is asked for"))
    with pytest.raises(ValueError, match=r"line 1, column 9: .*: feature indices must be at most"):
        load_letor(path, n_features)


def test_a_sparse_collection_is_within_the_bound(tmp_path, monkeypatch):
    """60 of 700 columns, as in the Yahoo! challenge, in float64 and with values of three characters."""
    monkeypatch.setattr(letor_text, "X_FLOOR", 0)
    path = tmp_path / "sparse"
    listed = (range(1 + i % 11, 701, 11) for i in range(50))
    path.write_text("".join(f"0 qid:1 {' '.join(f'{j}:.{j % 90 + 10}' for j in row[-60:])}\n" for row in listed))
    assert load_letor(path, dtype="float64").X.nbytes > 50 * 690 * 8


@pytest.mark.parametrize("failure", [MemoryError, ValueError])
def test_memory_that_there_is_not_is_named(tmp_path, monkeypatch, failure):
    path = tmp_path / "wide"
    path.write_bytes(GOOD)

    def refuse(shape, *arguments, empty=np.empty):
        if shape == (2, 2**31 - 1):
            raise failure
        return empty(shape, *arguments)

    monkeypatch.setattr(np, "empty", refuse)
    message = "wide: 2 rows x 2147483647 columns of float32 take 17179869176 bytes: there is"
    with pytest.raises(ValueError, match=message):
        load_letor(path, n_features=2**31 - 1)


@pytest.mark.usefixtures("by_extension")
@pytest.mark.parametrize("as_text", [True, False])
def test_a_line_has_a_bound(tmp_path, monkeypatch, as_text):
    monkeypatch.setattr(letor_text, "PIECE_BYTES", 16)  # a line that is longer than a piece is read too
    path = tmp_path / "line"
    for line in (b"1 qid:1 1:2 # abcde\n", b"1 qid:1 1:2 # abcdef"):
        monkeypatch.setattr(source, "MOST_LINE_BYTES", len(line))
        path.write_bytes(b"\n" + line)
        assert load_letor(path if as_text else io.BytesIO(b"\n" + line)).y.tolist() == [1]
        monkeypatch.setattr(source, "MOST_LINE_BYTES", len(line) - 1)
        message = f"(line|the input), line 2: a line must have at most {len(line) - 1} bytes"
        with pytest.raises(ValueError, match=message):
            load_letor(path if as_text else io.BytesIO(b"\n" + line))


@needs_pipes
def test_an_endless_line_is_not_copied_to_the_disk(monkeypatch):
    n_bytes = []

    def read_piece(*arguments, read=source._read_piece):
        n_bytes.append(source.COPY_BYTES)
        assert sum(n_bytes) < 2**24, "it is copied without end"
        return read(*arguments)

    monkeypatch.setattr(source, "_read_piece", read_piece)
    monkeypatch.setattr(source, "MOST_LINE_BYTES", 2**21)
    for read in (load_letor, read_scores):
        with pytest.raises(ValueError, match=r"/dev/zero, line 1: a line must have at most 2097152 bytes"):
            read("/dev/zero")
    with pytest.raises(ValueError, match="/dev/null: the file contains no line of data"):
        load_letor("/dev/null")


def test_a_gzip_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch, by_extension):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"0 qid:1 1:1\n" * 10**5))  # 1.2 MB in 4 kB
    assert len(load_letor(path).y) == 10**5  # below the floor
    monkeypatch.setattr(unzipped, "UNPACKED_FLOOR", 10**5)
    most_bytes, n_read, read = 200 * path.stat().st_size, [], gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda *words: n_read.append(len(text := read(*words))) or text)
    with pytest.raises(ValueError, match=rf"bomb\.gz unpacks to more than {most_bytes} bytes: .* unpack it first"):
        load_letor(path)
    assert sum(n_read) <= (1 + by_extension) * (most_bytes + 1)  # each reader meets it once


def test_a_gzip_file_may_unpack_to_exactly_its_bound(tmp_path, monkeypatch):
    path, text = tmp_path / "bound.gz", b"0 qid:1 1:1\n" * 10**5
    path.write_bytes(gzip.compress(text))
    monkeypatch.setattr(unzipped, "UNPACKED_FLOOR", len(text))
    assert len(load_letor(path).y) == 10**5
    monkeypatch.setattr(unzipped, "UNPACKED_FLOOR", len(text) - 1)
    with pytest.raises(ValueError, match=rf"bound\.gz unpacks to more than {len(text) - 1} bytes"):
        load_letor(path)
