"""letor: load_letor reads what was written, and names every fault with its place."""

import codecs
import gzip
import os
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import LetorData, letor_loader, letor_text, load_letor
from refrank.datasets.letor_fault import find_fault
from refrank.datasets.source import open_source
from tests.datasets.inputs import traced

FLOATS = {
    np.float32: st.floats(width=32, allow_nan=False, allow_infinity=False),
    np.float64: st.floats(allow_nan=False, allow_infinity=False),
}
COMMENTS = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12).map(str.strip)


@st.composite
def documents(draw, values):
    """Label, query, {index: value} and comment of one line."""
    features = draw(st.dictionaries(st.integers(1, 9), values, max_size=6))
    query = draw(st.integers(-(2**63), 2**63 - 1))
    return draw(st.integers(0, 2**53)), query, features, draw(st.one_of(st.just(""), COMMENTS))


def line_of(label, query, features, comment):
    items = [str(label), f"qid:{query}"] + [f"{index}:{features[index]!r}" for index in sorted(features)]
    return " ".join(items) + (f" # {comment}" if comment else "")


def write(folder, content, name="data.txt"):
    path = Path(folder, name)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("letor")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("absent", [0.0, -1.5, float("nan")])
@given(data=st.data())
def test_what_is_written_is_read(folder, dtype, absent, data):
    rows = data.draw(st.lists(documents(FLOATS[dtype]), min_size=1, max_size=8))
    n_features = data.draw(st.integers(9, 12))
    newline = data.draw(st.sampled_from(["\n", "\r\n", "\n\n", "\n# a heading\n \t\n"]))
    content = newline.join(line_of(*row) for row in rows) + data.draw(st.sampled_from(["", newline]))
    zipped = data.draw(st.booleans())
    path = write(folder, gzip.compress(content.encode()) if zipped else content, "d.gz" if zipped else "d")

    expected = np.full((len(rows), n_features), absent, dtype)
    for row, (_, _, features, _) in enumerate(rows):
        for index, value in features.items():
            expected[row, index - 1] = value
    read = load_letor(path, n_features, absent, dtype)
    assert read.X.dtype == dtype
    assert read.X.tobytes() == expected.tobytes()  # -0.0 and the listed zeros too
    assert read.y.dtype == read.qid.dtype == np.int64
    assert read.y.tolist() == [label for label, _, _, _ in rows]
    assert read.qid.tolist() == [query for _, query, _, _ in rows]
    assert read.comments == tuple(comment for _, _, _, comment in rows)

    highest = max((index for _, _, features, _ in rows for index in features), default=0)
    if highest:
        narrow = load_letor(path, absent=absent, dtype=dtype)
        assert narrow.X.tobytes() == np.ascontiguousarray(expected[:, :highest]).tobytes()


def test_a_float32_entry_is_the_nearest_float32(folder):
    path = write(folder, "1.0 qid:+3 1:0.1 02:16777217\n")
    read = load_letor(path)
    assert (read.X.tolist(), read.y.tolist(), read.qid.tolist()) == ([[float(np.float32(0.1)), 16777216.0]], [1], [3])
    assert load_letor(path, dtype="float64").X.tolist() == [[0.1, 16777217.0]]


@pytest.mark.parametrize("block_rows", [1, 2, 3, 7, 4096])
def test_blocks_of_rows_leave_no_seam(folder, monkeypatch, block_rows):
    monkeypatch.setattr(letor_loader, "BLOCK_ROWS", block_rows)
    lines = [f"{row % 3} qid:{row // 2} {row + 1}:{row}.5 # {row}\n# between\n" for row in range(7)]
    read = load_letor(write(folder, "".join(lines)), absent=-1)
    expected = np.full((7, 7), -1.0)
    np.fill_diagonal(expected, np.arange(7) + 0.5)
    np.testing.assert_array_equal(read.X, expected)
    assert (read.y.tolist(), read.qid.tolist()) == ([0, 1, 2, 0, 1, 2, 0], [0, 0, 1, 1, 2, 2, 3])
    assert read.comments == tuple("0123456")


GOOD = "2 qid:10 1:0.5 3:0"
FAULTS = {  # faulty lines by a word of the rule, each with its fault in square brackets
    "label": "[x] qid:1 1:2; [-1] qid:1 1:2;   [1.5] qid:1 1:2; [nan] qid:1 1:2; [inf] qid:1 1:2; "
    "[9007199254740994] qid:1 1:2; [1_0] qid:1 1:2",
    "query": "1[]; 1 [1:2]; 1 [7] 1:2; 1 [qidx:1] 1:2; 1 [qid:] 1:2; 1 [qid:1:2]; 1 [qid:a:b] 1:2; 1 [qid:a\0] 1:2; "
    "1 [qid:a]# 1:2",
    "index:value": "1 qid:1 1:2 [qid:1]; 1 qid:1 1:2 [7]; 1 qid:1 [1.0:2]; 1 qid:1 [1_0:2]",
    "at least 1": "1 qid:1 [0]:2 1:2; 1 qid:1 [-3]:2",
    "after 2": "1 qid:1 2:1 [1]:2",
    "none twice": "1 qid:1 2:1 [2]:1",
    "at most 2147483647": "1 qid:1 [2147483648]:1; 1 qid:1 1:2 [99999999999999999999]:1",
    "finite float32": "1 qid:1 1:[]; 1 qid:1 1:[0x1]; 1 qid:1 1:[1_0]; 1 qid:1 1:[2:3]; 1 qid:1 1:2 3:[NaN] 4:1; "
    "1 qid:1 1:[-inf]; 1 qid:1 1:[1e39]; 1 qid:1 1:[\u0663]",
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(("rule", "marked"), [(rule, line) for rule in FAULTS for line in FAULTS[rule].split("; ")])
def test_a_fault_is_named_with_its_place(folder, rule, marked, zipped):
    before, text, after = re.split(r"[][]", marked)
    faulty = before + text + after
    content = "\n".join([GOOD, "", "# 0 qid:0 0:0", GOOD + " # 1_0", faulty + " # 0:0", faulty]).encode()
    path = write(folder, gzip.compress(content) if zipped else content, "f.gz" if zipped else "f")
    with pytest.raises(ValueError, match=rule) as caught:
        load_letor(path)
    assert str(caught.value).startswith(f"{path}, line 5, column {len(before) + 1}: {text!r}: ")


def test_an_index_above_n_features_is_a_fault(folder):
    path = write(folder, f"{GOOD}\n1 qid:1 3:1 4:1 5:1\n")
    assert load_letor(path, n_features=5).X.shape == (2, 5)
    rule = "feature indices must be at most 3, the given n_features"
    with pytest.raises(ValueError, match=f"line 2, column 13: '4': {rule}"):
        load_letor(path, n_features=3)


@given(content=st.text("012:. qid_#\n\r-+e\u00e9", max_size=60).map(lambda tail: "1 qid:3 1:2\n" + tail))
def test_the_loader_and_the_slow_pass_refuse_the_same_files(folder, content):
    path = write(folder, content)
    with open_source(path) as source:
        lines = [*letor_loader._read_lines(source)]
    fault = find_fault(lines, 99, np.dtype(np.float32))
    if fault is None:
        assert load_letor(path, n_features=99).X.shape == (len(lines), 99)
    else:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared below)
            load_letor(path, n_features=99)
        assert str(caught.value) == f"{path}{fault}"


@pytest.mark.parametrize("content", ["", "\n\r\n", "# only a heading\n"])
def test_a_file_without_data(folder, content):
    with pytest.raises(ValueError, match=r"empty\.txt: the file contains no line of data"):
        load_letor(write(folder, content, "empty.txt"))


def test_lines_without_features_need_n_features(folder):
    path = write(folder, "0 qid:1\n1 qid:1 # nothing\n", "bare.txt")
    assert load_letor(path, n_features=2, absent=7).X.tolist() == [[7, 7], [7, 7]]
    with pytest.raises(ValueError, match=r"bare\.txt: no line lists a feature: pass n_features"):
        load_letor(path)


def test_a_damaged_gzip_file(folder):
    whole = gzip.compress((GOOD + "\n").encode() * 100)
    for damaged in (whole[:-9], GOOD.encode(), whole[:12] + b"\xff" * 20 + whole[32:]):
        with pytest.raises(ValueError, match=r"torn\.gz: the gzip file is damaged or cut short"):
            load_letor(write(folder, damaged, "torn.gz"))


@pytest.mark.parametrize(
    ("argument", "values", "rule"),
    [
        ("dtype", (np.int64, np.float16, "decimal"), "one of 'float32', 'float64'"),
        ("n_features", (0, 2.5, 2**31), "an integer from 1 to 2147483647"),
        ("absent", (float("inf"), -1e39, "0"), "NaN or a number that is finite in float32"),
        ("unlabelled", ("skip",), "one of 'error', 'zero', 'drop'"),
        ("sentinel", (float("nan"), "0"), "a number, or None"),
    ],
)
def test_a_bad_argument_is_named(folder, argument, values, rule):
    for value in values:
        with pytest.raises(ValueError, match=f"^{argument} is .*: it must be {rule}$"):
            load_letor(write(folder, GOOD), **{argument: value})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sentinel_is_read_as_an_absent_feature(folder, monkeypatch, dtype):
    """Istella's 1.79769313486e+308 has no float32; a value that rounds to the sentinel's float32 is another value."""
    path = write(folder, "1 qid:1 1:1.79769313486e+308 2:0.5 4:-0\n0 qid:1 2:1.79769313486E308 4:16777217\n")
    for compiled in (letor_text.COMPILED, None):
        monkeypatch.setattr(letor_text, "COMPILED", compiled)
        for absent in (0.0, -1.5, np.nan):
            read = load_letor(path, absent=absent, dtype=dtype, sentinel=1.79769313486e308)
            expected = np.array([[absent, 0.5, absent, -0.0], [absent, absent, absent, 16777217]], dtype)
            assert read.X.tobytes() == expected.tobytes()
    other = write(folder, "1 qid:1 1:16777217 2:16777216\n", "other.txt")
    assert load_letor(other, absent=-1, dtype=dtype, sentinel=16777216).X.tolist() == [[dtype(16777217), -1]]


def test_a_value_beyond_the_type_that_is_not_the_sentinel_is_refused(folder):
    path = write(folder, "1 qid:1 1:1.79769313486e+308\n")
    for sentinel in (None, 1.79769313487e308, np.inf):
        with pytest.raises(
            ValueError, match=r"line 1, column 11: '1\.7976.*308': a feature value must be a finite float32"
        ):
            load_letor(path, sentinel=sentinel)
    assert load_letor(path, dtype=np.float64).X.tolist() == [[1.79769313486e308]]
    later = write(folder, "1 qid:1 1:1.79769313486e+308\n1 qid:1 1:2 1:3\n")
    with pytest.raises(ValueError, match="line 2, column 13: '1': feature indices must increase along a line"):
        load_letor(later, sentinel=1.79769313486e308)


def test_a_data_set_is_shown_on_one_line(folder):
    data = load_letor(write(folder, "2 qid:7 3:1 # a\n0 qid:9\n1 qid:7\n" * 1000))
    assert repr(data) == "LetorData(3000 rows, 3 features, 2 queries, labels 0..2)"
    none = LetorData(data.X[:0], data.y[:0], data.qid[:0], ())
    assert repr(none) == "LetorData(0 rows, 3 features, 0 queries)"


def test_bytes_that_are_not_utf8(folder):
    assert load_letor(write(folder, b"1 qid:1 1:2 # caf\xe9")).comments == ("caf\\xe9",)
    with pytest.raises(ValueError, match=r"column 11: '2\\\\xe9'"):
        load_letor(write(folder, b"1 qid:1 1:2\xe9"))


def test_memory_stays_near_the_result(folder, monkeypatch):
    monkeypatch.setattr(letor_loader, "BLOCK_ROWS", 128)
    line = "1 qid:1 " + " ".join(f"{index}:0.5" for index in range(1, 101)) + "\n"
    path = write(folder, line * 4000)
    load_letor(write(folder, GOOD, "first.txt"))  # what is imported at first use is not counted
    read, peak = traced(lambda: load_letor(path))
    # Beside the result, one block: its lines as bytes, twice, and 100 entries per line of 28 bytes each (value,
    # two indices, place); a quarter for growing arrays; 64 kB for the open file. A float64 X would be 3.2 MB.
    block = 128 * (2 * (len(line) + 40) + 100 * 28)
    assert peak < read.X.nbytes + (16 + 8) * len(read.y) + 1.25 * block + 2**16


def data_folder():
    if "REFRANK_DATA" not in os.environ:
        pytest.skip("REFRANK_DATA does not name a folder with mq2008/ and mslr/")
    return Path(os.environ["REFRANK_DATA"])


MQ2008 = [("S1", 2933, 157), ("S2", 3635, 157), ("S3", 3062, 157), ("S4", 2707, 157), ("S5", 2874, 156)]


@pytest.mark.parametrize(("part", "n_samples", "n_queries"), MQ2008)
def test_mq2008(part, n_samples, n_queries):
    path = data_folder() / "mq2008" / f"{part}.txt"
    read = load_letor(path)
    assert (read.X.shape, len(np.unique(read.qid))) == ((n_samples, 46), n_queries)
    assert np.unique(read.y).tolist() == [0, 1, 2]
    assert all(comment.startswith("docid = GX") for comment in read.comments)
    # Every line lists every feature, in order, so plain string splitting reads it too.
    with path.open() as file:
        plain = [[float(item.split(":")[1]) for item in line.split("#")[0].split()[2:]] for line in file]
    np.testing.assert_array_equal(read.X, np.array(plain, np.float32))


def test_mslr_sample():
    read = load_letor(data_folder() / "mslr" / "mslr_fold1_valid_sample.txt")
    assert (read.X.shape, len(np.unique(read.qid))) == ((1734, 136), 18)
    assert np.bincount(read.y).tolist() == [980, 492, 231, 26, 5]
    assert set(read.comments) == {""}


@pytest.mark.usefixtures("by_extension")
@pytest.mark.parametrize("end", ["", ".gz"])
def test_ids_of_queries_are_integers_where_all_are_and_else_text(folder, end):
    def read_ids(*texts):
        content = "".join(f" {i}\tqid:{text}  {i + 1}:1 # qid:z\n" for i, text in enumerate(texts)) + "0 qid:7\n"
        data = load_letor(write(folder, gzip.compress(content.encode()) if end else content, f"ids{end}"))
        assert data.X.tolist() == [*np.eye(len(texts)).tolist(), [0.0] * len(texts)]
        return data.qid

    assert read_ids("+7", "-08", "9223372036854775807").tolist() == [7, -8, 2**63 - 1, 7]
    for text in ("a", "9223372036854775808", "7.0", "1_0", "\u0661", "-", "caf\u00e9-d\u0131", "nan"):
        ids = read_ids("+7", "7", text)
        assert ids.dtype.kind == "U"
        assert ids.tolist() == ["+7", "7", text, "7"]


def test_ids_of_queries_may_not_take_far_more_memory_than_the_text(folder, monkeypatch, by_extension):
    content = f"1 qid:{'a' * 1000} 1:1\n" + "0 qid:b 1:2\n" * 99
    path = write(folder, content)
    assert load_letor(path).qid.nbytes == 400_000
    monkeypatch.setattr(letor_text, "X_FLOOR", 0)
    monkeypatch.setattr(letor_text, "MOST_X_BYTES", 400_000 / len(content))
    assert len(load_letor(path).qid) == 100
    monkeypatch.setattr(letor_text, "MOST_X_BYTES", 399_999 / len(content))
    with pytest.raises(ValueError, match="100 query ids of up to 1000 characters take 400000 bytes"):
        load_letor(path)


@pytest.mark.usefixtures("by_extension")
def test_the_mark_of_utf_8_is_passed_over(folder):
    for name, pack in (("mark", bytes), ("mark.gz", gzip.compress)):
        data = load_letor(write(folder, pack(codecs.BOM_UTF8 + b"2 qid:1 1:5\n"), name))
        assert (data.X.tolist(), data.y.tolist()) == ([[5.0]], [2])
        with pytest.raises(ValueError, match="line 1, column 1: 'x': the label"):
            load_letor(write(folder, pack(codecs.BOM_UTF8 + b"x qid:1 1:5\n"), name))
        with pytest.raises(ValueError, match="contains no line of data"):
            load_letor(write(folder, pack(codecs.BOM_UTF8), name))
