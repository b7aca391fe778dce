"""Tables: a CSV file gives what lines of LETOR give, in every bit, or one sentence that names its first fault."""

import gzip
import io
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import Columns, load_folds, load_letor, load_table, table_file
from refrank.datasets.letor_text import TableSizeError
from refrank.datasets.reading import Reading
from tests.datasets.inputs import EACH_KIND, needs_pipes, traced
from tests.datasets.test_kinds_of_input import check
from tests.strategies.letor import numbers

HEAD = "label,qid,a,b\n"
GOOD = HEAD + "2,x y,0.5,-1e3\n0,x y,7,0\n1,z,.1,5.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


def write(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def bits(data):
    return *((array.dtype, array.shape, array.tobytes()) for array in (data.X, data.y, data.qid)), data.comments


@given(
    rows=st.lists(
        st.tuples(
            st.integers(-1, 9), st.sampled_from(["1", "02", "q-3", "é"]), st.lists(numbers(), min_size=3, max_size=3)
        ),
        min_size=1,
        max_size=9,
    ),
    dtype=st.sampled_from(["float32", "float64"]),
    sign=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    block=st.integers(1, 20),
    sentinel=st.sampled_from([None, 5.0, 1e39]),
)
def test_a_table_has_the_bits_of_the_same_lines_of_letor(folder, rows, dtype, sign, end, block, sentinel):
    lines = [f"{y} qid:{q} " + " ".join(f"{j}:{x}" for j, x in enumerate(X, 1)) for y, q, X in rows]
    header = sign.join(["p", "relevance", "q", "id", "r"])
    fields = [sign.join([X[0], str(y), X[1], f'"{q}"', X[2]]) for y, q, X in rows]
    letor, table = write(folder, "\n".join(lines), "lines"), write(folder, end.join([header, *fields]))
    options = {"dtype": dtype, "unlabelled": "zero", "sentinel": sentinel}

    def read(load):
        try:
            return bits(load())
        except ValueError:
            return "refused"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_file, "BLOCK_CELLS", block)
        ours = read(lambda: load_table(table, Columns("relevance", "id"), absent=-1.5, **options))
    assert ours == read(lambda: load_letor(letor, 3, -1.5, **options))


def test_columns_have_names_or_numbers(folder):
    data = load_table(write(folder, GOOD))
    assert (data.X.tolist(), data.y.tolist()) == ([[0.5, -1000], [7, 0], [np.float32(0.1), 5]], [2, 0, 1])
    assert (data.qid.tolist(), data.names) == (["x y", "x y", "z"], ("a", "b"))
    numbered = load_table(write(folder, GOOD.removeprefix(HEAD)), Columns("1", "2", ("4",)))
    assert (numbered.X.tolist(), numbered.names) == (data.X[:, :1].tolist(), ())
    assert bits(load_table(write(folder, GOOD), Columns(ignore=("b",))))[:3] == bits(numbered)[:3]
    spaced = load_table(write(folder, GOOD.replace(",", "tab").replace("tab", " \t ")), Columns(delimiter="tab"))
    assert bits(spaced) == bits(data)


def test_quotes_blank_lines_and_the_mark_of_utf_8(folder):
    text = '\n"label","q\nid","a, b"\n\n 1 ,"x ""y""",2\n0,z," 3 "\n\n'
    for content in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.replace("\n", "\r\n").encode()):
        columns = Columns(qid="q\r\nid" if b"\r" in content else "q\nid")
        with pytest.raises(ValueError, match="must be printable"):
            load_table(write(folder, content), columns)
        data = load_table(write(folder, content.replace(b"q\r\nid", b"qid").replace(b"q\nid", b"qid")))
        assert (data.X.tolist(), data.qid.tolist(), data.names) == ([[2], [3]], ['x "y"', "z"], ("a, b",))
    with pytest.raises(ValueError, match=r"line 3, column 3 \('a'\): 'x': a feature must be a number"):
        load_table(write(folder, 'label,qid,a\n1,"x\ny",2\n0,z,x\n'.replace("x\ny", "xy")))


def test_a_gap_has_the_value_that_is_given_and_else_is_refused(folder):
    path = write(folder, HEAD + "1,a,,NA\n0,a,nan, \n2,b,Null,7\n")
    assert load_table(path, absent=-2).X.tolist() == [[-2, -2], [-2, -2], [-2, 7]]
    assert np.isnan(load_table(path, absent=np.nan).X).sum() == 5
    with pytest.raises(ValueError, match=r"line 2, column 3 \('a'\): '': a gap needs a meaning: absent=0"):
        load_table(path)
    with pytest.raises(ValueError, match=r"line 4, column 4 \('b'\): '7': a gap"):
        load_table(write(folder, HEAD + "1,a,2,3\n0,a,4,5\n2,b,6,7\n"), sentinel=7)
    with pytest.raises(ValueError, match=r"absent is inf"):
        load_table(path, absent=np.inf)


FAULTS = {
    "label,id,a\n1,2,3\n": r"looks like CSV with the columns label, id, a: .*Columns\('label', 'NAME'\)",
    "label,qid\n1,2\n": "has no column of features",
    "label,qid,a,a\n1,2,3,4\n": "has two columns 'a'",
    HEAD: "the file contains no line of data",
    "": "the file contains no line of data",
    HEAD + "1,2,3\n": "line 2 has 3 columns: each row must have 4",
    HEAD + "1,2,3,4,5\n": "line 2 has 5 columns",
    HEAD + "x,2,3,4\n": r"line 2, column 1 \('label'\): 'x': a label must be an integer from 0 to 2\*\*53",
    HEAD + "\n1,2,3,4\n-1,2,3,4\n": "line 4, column 1 .*: '-1': .* for -1, not judged, unlabelled must be zero or drop",
    HEAD + "1.5,2,3,4\n": "'1.5': a label must be an integer",
    HEAD + ",2,3,4\n": "'': a label must be an integer",
    HEAD + "1,,3,4\n": r"line 2, column 2 \('qid'\): '': the id of a query must have 1 to 1000 characters",
    HEAD + "1,a\0,3,4\n": "the id of a query must",
    HEAD + f"1,{'a' * 1001},3,4\n": "the id of a query must",
    HEAD + "1,2,3,4e38\n": r"column 4 \('b'\): '4e38': a feature value must be a finite float32",
    HEAD + "1,2,inf,4\n": "'inf': a feature value must be",
    HEAD + "1,2,1_0,4\n": "'1_0': a feature must be a number",
    HEAD + "1,2,\u0661,4\n": "a feature must be a number",
    HEAD + "1,2,0x1,4\n": "'0x1': a feature must be a number",
    HEAD + "1,2,Oslo,4\n": r"encode it first, as by pandas\.get_dummies\(table, columns=\['a'\]\)",
    HEAD + "1,2,2026-11-26,4\n": r"as by \(table\['a'\] - pandas\.Timestamp\('2000-01-01'\)\)\.dt\.days",
    HEAD + '1,2,"3,4\n': "line 2: unexpected end of data",
    HEAD + '1,2,"3"x,4\n': "line 2: ',' expected after '\"'",
    HEAD + f"1,2,{'3' * 140000},4\n": "line 2: field larger than field limit",
}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("content", FAULTS, ids=lambda content: repr(content)[-20:])
def test_a_fault_is_named_with_its_place(folder, content, zipped):
    path = write(folder, gzip.compress(content.encode()), "f.csv.gz") if zipped else write(folder, content)
    with pytest.raises(ValueError, match=FAULTS[content]) as caught:
        load_table(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < len(str(path)) + 300


def test_roles_are_of_different_columns_that_are_there(folder):
    path = write(folder, GOOD)
    with pytest.raises(ValueError, match=r"has no column 'c': its columns are 'label', 'qid', 'a', 'b'"):
        load_table(path, Columns(ignore=("c",)))
    with pytest.raises(ValueError, match="label, qid and each column to ignore must be different columns"):
        load_table(path, Columns("a", "a"))
    with pytest.raises(ValueError, match=r"line 1, column 1: 'label': a label must be an integer"):
        load_table(path, Columns("1", "2"))
    with pytest.raises(ValueError, match=r"has 2 columns of features: there must be 3"):
        load_table(path, n_features=3)
    for sign in ("", ",,", '"', "\n", 5):
        with pytest.raises(ValueError, match=r"delimiter is .*: it must be one character, or tab"):
            Columns(delimiter=sign)
    with pytest.raises(TypeError, match="colums"):
        load_table(path, colums=1)


@needs_pipes
@pytest.mark.parametrize("end", ["", ".gz"])
@EACH_KIND
def test_every_kind_of_input_is_read_or_refused_like_a_file(folder, kind, end):
    for content in (GOOD, "", HEAD, HEAD + "1,2,3\n", HEAD + "1,2,x,4\n"):
        check(load_table, folder, kind, end, content.encode())


def test_a_table_has_the_bounds_of_a_text(folder, monkeypatch):
    wide = ",".join(map(str, range(3000))) + ",label,qid\n"
    content = wide + "1,2\n" * 25_000  # 600 MB as float64, of 114 kB
    path = write(folder, content)

    def refuse():
        with pytest.raises(TableSizeError, match="25001 rows x 3000 columns of float64 take 600024000 bytes"):
            load_table(path, dtype="float64")

    assert traced(refuse)[1] < 2**21
    monkeypatch.setattr(table_file, "MOST_EMPTY", 3)
    assert len(load_table(write(folder, GOOD + "\n" * 3)).y) == 3
    with pytest.raises(ValueError, match="more than 3 lines hold no data"):
        load_table(write(folder, GOOD + "\n" * 4))


def test_a_cache_holds_the_rows_of_one_reading(folder, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    path = write(folder, GOOD)
    first = load_table(path, cache=True)
    monkeypatch.setattr(table_file, "check_labels", lambda *_: pytest.fail("the text is read"))
    again = load_table(path, cache=True)
    assert (bits(again), again.names) == (bits(first), first.names)
    for change in ({"columns": Columns(ignore=("a",))}, {"absent": 0}):
        with pytest.raises(pytest.fail.Exception):
            load_table(path, cache=True, **change)


def test_tables_make_folds_of_the_same_columns(folder):
    for split in ("train", "vali", "test"):
        write(folder, f"label,qid,a,b\n1,{split}1,2,3\n0,{split}2,4,5\n", f"{split}.csv")
    [fold] = load_folds(folder)
    assert (fold.train.X.tolist(), fold.test.qid.tolist()) == ([[2, 3], [4, 5]], ["test1", "test2"])
    write(folder, "label,qid,b,a\n1,x,2,3\n", "test.csv")
    with pytest.raises(ValueError, match=r"test\.csv has other columns of features than .*train\.csv, or in another"):
        next(load_folds(folder))
    write(folder, "y,q,a,b\n1,x,2,3\n", "test.csv")
    reading = Reading(columns=Columns("y", "q"))
    with pytest.raises(ValueError, match=r"train\.csv has no column 'q'"):
        next(reading.load_folds(folder))
    assert "columns y-q" in reading.describe()
    assert reading.suffix == "-y-q"


def test_a_gap_in_folds_of_tables_is_what_the_reading_says(folder):
    for split in ("train", "vali", "test"):
        write(folder, f"label,qid,a,b\n1,{split}1,,3\n0,{split}2,4,5\n", f"{split}.csv")
    for absent, expected in (("zero", 0.0), ("nan", np.nan)):
        [fold] = Reading(absent=absent).load_folds(folder)
        np.testing.assert_array_equal(fold.test.X, [[expected, 3], [4, 5]])
    with pytest.raises(ValueError, match=r"train\.csv, line 2, column 3 \('a'\): '': a gap needs a meaning: absent=0"):
        next(Reading().load_folds(folder))
    [fold] = Reading().load_folds(folder, tells_gaps=True)
    assert np.isnan(fold.train.X[0, 0])
    with pytest.raises(ValueError, match="absent is 'zero': it must be nan here, where gaps are told from zeros"):
        next(Reading(absent="zero").load_folds(folder, tells_gaps=True))
    reading = Reading("zero", absent="nan")
    assert (reading.suffix, reading.describe()) == ("-zero-absent-nan", "rows of label -1: zero; absent features nan")


def test_labels_and_queries_that_are_optional_are_read_where_they_are(folder):
    optional = Columns(optional=True)
    data = load_table(write(folder, "a\n2.5\n-1\n"), optional)
    assert (data.X.tolist(), data.y.tolist(), data.qid.tolist(), data.names) == ([[2.5], [-1]], [0, 0], [1, 1], ("a",))
    data = load_table(write(folder, "label,a\n2,2.5\n3,-1\n"), optional)
    assert (data.X.tolist(), data.y.tolist(), data.qid.tolist()) == ([[2.5], [-1]], [2, 3], [1, 1])
    data = load_table(write(folder, "qid,a\nx,2.5\ny,-1\n"), optional)
    assert (data.X.tolist(), data.y.tolist(), data.qid.tolist()) == ([[2.5], [-1]], [0, 0], ["x", "y"])
    with pytest.raises(ValueError, match=r"line 2, column 1 \('label'\): '2.5': a label must be"):
        load_table(write(folder, "label,a\n2.5,2\n"), optional)


def write_parquet(columns):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content)
    return content.getvalue()


def test_parquet_has_the_values_of_the_same_csv(folder, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    rows = {"label": [2, 0, 1], "qid": ["x y", "x y", "z"], "a": [0.5, 7.0, 0.1], "b": [-1000, 0, 5]}
    path = write(folder, write_parquet(rows), "t.parquet")
    expected = load_table(write(folder, GOOD))
    for options in ({}, {"cache": True}, {"cache": True}):
        data = load_table(path, **options)
        assert (bits(data), data.names) == (bits(expected), expected.names)
    gaps = write(folder, write_parquet(rows | {"a": [None, np.nan, 1.0], "b": [True, None, False]}), "gaps")
    assert load_table(gaps, absent=9).X.tolist() == [[9, 1], [9, 9], [1, 0]]
    assert Reading().load(path).y.tolist() == [2, 0, 1]
    bare = load_table(write(folder, write_parquet({"a": rows["a"]}), "bare"), Columns(optional=True))
    assert (bare.X.tolist(), bare.y.tolist(), bare.qid.tolist()) == (data.X[:, :1].tolist(), [0] * 3, [1] * 3)
    with pytest.raises(ValueError, match=r"gaps, row 1, column 3 \('a'\): None: a gap needs a meaning"):
        load_table(gaps)
    numbered = write(folder, write_parquet(rows | {"qid": [7, 7, -3]}), "numbered")
    assert load_table(numbered).qid.tolist() == [7, 7, -3]


def test_a_fault_of_parquet_is_named(folder):
    rows = {"label": [2, 0], "qid": [1, 1], "a": [0.5, 7.0]}
    content = write_parquet(rows)
    for changes, fault in (
        ({"a": ["x", "y"]}, r"column 3 \('a'\) has type string: a feature must be a number: .*get_dummies"),
        ({"a": np.array(["2026-01-01", "2026-01-02"], "M8[ms]")}, r"has type timestamp\[ms\]: .*\.dt\.days"),
        ({"label": [0.5, 1]}, r"row 1, column 1 \('label'\): 0.5: a label must be an integer"),
        ({"qid": [1, None]}, r"row 2, column 2 \('qid'\): None: the id of a query"),
        ({"a": [1e39, 0]}, r"row 1, column 3 \('a'\): 1e\+39: a feature value must be a finite float32"),
        ({name: np.empty(0) for name in rows}, "the file contains no row"),
    ):
        with pytest.raises(ValueError, match=fault):
            load_table(write(folder, write_parquet(rows | changes), "bad.parquet"))
    for cut in (4, 20, len(content) // 2, len(content) - 9):
        with pytest.raises(ValueError, match=r"cut\.parquet: it is no Parquet file, or is damaged"):
            load_table(write(folder, content[:cut], "cut.parquet"))


def test_without_pyarrow_the_sentence_names_it(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(
        ValueError, match=r"t\.parquet: to read Parquet, install pyarrow \(pip install pyarrow\); or save"
    ):
        load_table(write(folder, b"PAR1", "t.parquet"))
