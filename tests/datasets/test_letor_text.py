"""letor_text: the extension reads a file to the bits and the words of its definition, or leaves the file to it."""

import ctypes
import gzip
import mmap
import os
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refrank.datasets import letor_text, load_letor
from refrank.datasets.letor_fault import MAX_INDEX
from refrank.datasets.letor_text import Request, parse_file
from refrank.datasets.source import open_source
from tests.datasets.inputs import traced
from tests.strategies.letor import damaged_files, files, numbers

pytestmark = pytest.mark.kernel

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


@pytest.fixture(autouse=True)
def _with_the_extension(compiled_letor):
    """Skip without an extension."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("letor_text")


def outcome(path, *arguments, **options):
    """Return every bit of what is read, or the words of the refusal."""
    try:
        data = load_letor(path, *arguments, **options)
    except ValueError as fault:
        return str(fault)
    arrays = tuple((array.dtype, array.shape, array.tobytes()) for array in (data.X, data.y, data.qid))
    return *arrays, data.X.flags.c_contiguous, data.comments


def outcome_by_definition(path, *arguments, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor_text, "COMPILED", None)
        return outcome(path, *arguments, **options)


def parse(path, dtype=FLOAT32, n_features=None, lowest=0):
    with open_source(path) as source:
        return parse_file(Request(source, n_features, 0.0, dtype, lowest))


@example(content=b"\n0 qid:q_1", dtype=FLOAT32, absent=0.0)  # the first piece has no row
@given(content=files(), dtype=st.sampled_from([FLOAT32, FLOAT64]), absent=st.sampled_from([0.0, -1.5, float("nan")]))
def test_a_file_of_the_common_form_is_read_as_defined(folder, content, dtype, absent):
    path = folder / "file"
    path.write_bytes(content)
    for n_features in (12, None):
        expected = outcome_by_definition(path, n_features, absent, dtype)
        assert outcome(path, n_features, absent, dtype) == expected
        # The definition alone reads what overflows, and what has no rows or columns; the extension reads the rest.
        assert (parse(path, dtype, n_features) is None) == isinstance(expected, str)


@given(content=damaged_files(), rule=st.sampled_from(["error", "zero", "drop"]))
def test_a_damaged_file_is_read_or_refused_as_defined(folder, content, rule):
    path = folder / "damaged"
    path.write_bytes(content)
    for dtype in (FLOAT32, FLOAT64):
        assert outcome(path, 12, 0.0, dtype, rule) == outcome_by_definition(path, 12, 0.0, dtype, rule)


@given(
    content=files() | damaged_files(),
    dtype=st.sampled_from([FLOAT32, FLOAT64]),
    absent=st.sampled_from([-1.5, np.nan]),
    sentinel=st.sampled_from([0, -1, 5, 1e-3, 1e39, 1.79769313486e308, np.inf, -np.inf]),
)
def test_a_sentinel_is_read_as_defined(folder, content, dtype, absent, sentinel):
    """Values of one digit are frequent among the drawn ones, and so are those beyond each type's largest."""
    path = folder / "sentinel"
    path.write_bytes(content)
    expected = outcome_by_definition(path, 12, absent, dtype, sentinel=sentinel)
    assert outcome(path, 12, absent, dtype, sentinel=sentinel) == expected


def test_the_extension_itself_reads_a_sentinel(folder):
    """Istella's, in whose files most lines have it: the slow definition must not be needed."""
    path = folder / "istella"
    path.write_text("1 qid:1 1:1.79769313486e+308 2:0.5\n")
    with open_source(path) as source:
        rows = parse_file(Request(source, None, -1.0, FLOAT32, 0, 1.79769313486e308))
    assert rows is not None
    assert rows[0].tolist() == [[-1, 0.5]]


UNCOMMON = """\
x qid:1 1:2|1.0 qid:1 1:2|9007199254740993 qid:1 1:2|1 qid:1000000000000000001:2
-1 qid:1 1:2|-2 qid:1 1:2|1|1 1:2|1 qid: 1:2|1qid:1 1:2|1 qid:1:2
1 qid:11:2|1 qid:a:b 1:2|1 qid:a#b 1:2|1 qid:a\x0b 1:2|1 qid:a\x7f 1:2|1 qid:\x00 1:2
1 qid:\u2028 1:2|1 qid:1 1:2 1:3|1 qid:1 2:1 1:3|1 qid:1 0:1
1 qid:1 +1:2|1 qid:1 4:1|1 qid:1 4294967297:1|1 qid:1 0000000001:1|1 qid:1 1 :2|1 qid:1 1: 2|1 qid:1 1:2.3.4|1 qid:1 1:.
1 qid:1 1:|1 qid:1 1:e5|1 qid:1 1:1e|1 qid:1 1:1e+|1 qid:1 1:--1|1 qid:1 1:1_0|1 qid:1 1:nan|1 qid:1 1:inf|1 qid:1 1:0x1
1 qid:1 1:1e39|1 qid:1 1:-3.4028235677973366e38|1 qid:1 1:1e99999999999999999999|1 qid:1 1:2 x|1 qid:1 1:2\x0b2:3
1 qid:1 1:2\x00|\x00|\x0c|1 qid:1 1:2 2:3qid:4|1 qid:1 1:2,2:3|1 qid:1 \u0661:2|1 qid:1 1:\u0662"""


@pytest.mark.parametrize("line", UNCOMMON.replace("\n", "|").split("|"))
def test_whatever_is_not_of_the_common_form_is_left_to_the_definition(folder, line):
    path = folder / "uncommon"
    path.write_bytes(f"1 qid:1 1:2 3:1\n{line}\n0 qid:2 1:1 # end".encode())
    assert parse(path, n_features=3) is None
    for rule in ("error", "zero"):
        assert outcome(path, 3, 0.0, "float32", rule) == outcome_by_definition(path, 3, 0.0, "float32", rule)


def read_row(folder, texts, dtype):
    path = folder / "row"
    path.write_text("1 qid:1 " + " ".join(f"{index}:{text}" for index, text in enumerate(texts, start=1)))
    X, *_ = parse(path, dtype)
    return X[0].tolist()


@given(texts=st.lists(numbers(), min_size=1, max_size=20))
def test_a_number_is_the_nearest_float64_to_the_decimal(folder, texts):
    expected = [float(Fraction(text)) for text in texts]  # a quotient of integers, rounded once
    assert read_row(folder, texts, FLOAT64) == expected


HARD = (  # ties, their neighbours, the ends of the fast path, of the normal and of the subnormal numbers
    "9007199254740991 9007199254740992 9007199254740993 9007199254740993.0000000000000000000000001 9007199254740995 "
    "18014398509481985 9999999999999999999 18446744073709551616 18446744073709551617 184467440737095516170 "
    "1e22 1e23 -1e-22 1e-23 9007199254740992e22 9007199254740993e22 9007199254740992e-22 123456789e23 "
    "8.41e21 9.5e-22 1.00000000000000011102230246251565 1.00000000000000011102230246251566 0.1000000000000000055511151 "
    "2.2250738585072014e-308 2.2250738585072011e-308 4.9406564584124654e-324 2.4703282292062327e-324 "
    "2.4703282292062328e-324 1e-400 0e400 0e99999999999999999999 0.000000000000000000000000000000000000000e5 "
    "1.7976931348623157e308 1.7976931348623158e308 100000000000000000000000e-22 .0000000000000000000000000000001e31"
)


def test_the_hard_decimals_of_float64(folder):
    texts = HARD.split()
    assert [*map(float.hex, read_row(folder, texts, FLOAT64))] == [float(text).hex() for text in texts]
    signed = read_row(folder, ["-0", "-0.0e5", "-1e-400", "+0", "-.0"], FLOAT64)
    assert np.signbit(signed).tolist() == [True, True, True, False, True]


def test_a_float32_is_the_float64_rounded_once_more(folder):
    """Not the decimal rounded once: between a tie of float32 and its neighbour in float64 the two differ."""
    tie = "1.00000005960464477539"  # 1 + 2^-24
    texts = [tie, f"{tie}0625001", f"{tie}1", "16777217", "3.4028234663852886e38", "1e-45", "7e-46", "1e-310"]
    expected = [float(np.float32(float(text))) for text in texts]
    assert expected[0] == expected[1] == 1.0
    assert read_row(folder, texts, FLOAT32) == expected


@pytest.mark.parametrize("n_threads", [1, 2, 3, 7])
def test_threads_and_pieces_leave_no_seam(folder, monkeypatch, n_threads):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((700, 40)).astype(np.float32)
    rows = (
        " ".join(f"{j}:{x!r}" for j, x in enumerate(row, start=1) if j % 7 != i % 7)
        for i, row in enumerate(table.tolist())
    )
    path = folder / "many"
    path.write_text("".join(f"{i % 5} qid:{i // 9} {row} #{'' if i % 3 else i}\n# {i}\n" for i, row in enumerate(rows)))
    assert path.stat().st_size > 3 * 100_000  # enough for threads
    expected = outcome_by_definition(path)
    monkeypatch.setenv("REFRANK_NUM_THREADS", str(n_threads))
    for piece_bytes in (2**20, 2**19, 2**17, 4001, 1200):
        monkeypatch.setattr(letor_text, "PIECE_BYTES", piece_bytes)
        assert outcome(path) == expected
        assert parse(path) is not None


@given(content=files(), piece_bytes=st.integers(1, 300))
def test_pieces_of_any_length(folder, content, piece_bytes):
    """A line that is longer than a piece is left to the definition."""
    path = folder / "pieces"
    path.write_bytes(content)
    zipped = folder / "pieces.gz"
    zipped.write_bytes(gzip.compress(content))
    expected = outcome_by_definition(path, 12)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor_text, "PIECE_BYTES", piece_bytes)
        assert outcome(path, 12) == expected
        if not isinstance(expected, str):
            longest = max(len(line) for line in content.splitlines(keepends=True))
            assert outcome(zipped, 12) == expected
            assert (parse(path, n_features=12) is not None) or piece_bytes <= longest + 2


@pytest.mark.parametrize("second", [b"1 qid:1 1:2\n", b"1 qid:1 1:2\n" * 3, b"", b"1 qid:1 1:2\n2 qid:1 2:1\n"])
def test_a_file_that_changes_while_it_is_read_is_never_half_of_each(folder, monkeypatch, second):
    """Rows that were counted and rows that were read must agree, whatever else notices the change."""
    path = folder / "changing"
    path.write_bytes(b"1 qid:1 1:2\n" * 2)
    read_pieces, contents = letor_text._read_pieces, [path.read_bytes(), second]

    def read_changed(*arguments):
        path.write_bytes(contents.pop(0))
        return read_pieces(*arguments)

    monkeypatch.setattr(letor_text, "_read_pieces", read_changed)
    changed, rows = pytest.raises(ValueError, match="changed while it was read"), None
    with changed, open_source(path) as source:
        rows = parse_file(Request(source, None, 0.0, FLOAT32, 0))
    assert rows is None
    assert contents == []


def read_text(compiled_letor, text, n_features=9):
    """Find and read the rows of a text with the extension's own functions."""
    starts, highest = compiled_letor.find_rows(text)
    X, y, qid = np.zeros((len(starts), n_features)), np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
    marks = np.zeros((len(starts), 2), np.int64)
    read = compiled_letor.parse_rows(text, starts, 0.0, np.nan, X, y, qid, marks, 2)
    return starts.tolist(), highest, read, X.tolist(), marks.tolist()


def test_a_text_must_end_with_a_newline(compiled_letor):
    for text in (b"", b"1 qid:1 1:2", b"1 qid:1 1:2\n0"):
        with pytest.raises(ValueError, match="text must end with a newline"):
            compiled_letor.find_rows(text)
    y, marks = np.empty(1, np.int64), np.empty((1, 2), np.int64)
    for text in (b"", b"1 qid:1 1:2"):
        with pytest.raises(ValueError, match="text must end with a newline"):
            compiled_letor.parse_rows(text, np.zeros(1, np.int64), 0.0, np.nan, np.empty((1, 1)), y, y, marks, 1)


@pytest.mark.skipif(os.name != "posix", reason="a page is protected as POSIX does it")
def test_nothing_beyond_the_text_is_read(compiled_letor):
    """The text stands before a page that must not be touched, and is cut at every place."""
    page = mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    anchor = ctypes.c_char.from_buffer(memory)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(ctypes.addressof(anchor) + page, page, 0) == 0
    whole = b"# a\n2 qid:10 1:0.5 3:-.5e-3 4:123456789012345678901234567890e-12\t # docid\r\n\n 1 qid:-7 9:1. #\n"
    for stop in range(len(whole)):
        for start in (0, 4, max(stop - 3, 0)):
            text = whole[start:stop] + b"\n"
            memory[page - len(text) : page] = text
            with memoryview(memory)[page - len(text) : page] as view:
                assert read_text(compiled_letor, view) == read_text(compiled_letor, text)
    assert protect(ctypes.addressof(anchor) + page, page, mmap.PROT_READ | mmap.PROT_WRITE) == 0
    del anchor
    memory.close()


def test_the_highest_index_is_that_of_the_last_feature_of_a_line(compiled_letor):
    text = b"1 qid:1 1:2 7:3 # 99:1\n\n1 qid:44\n0 qid:1 2:1\t\n"
    assert compiled_letor.find_rows(text)[1] == 7
    assert compiled_letor.find_rows(text)[0].tolist() == [0, 24, 33]
    assert compiled_letor.find_rows(b"1 qid:1 2147483648:1\n")[1] == MAX_INDEX + 1
    assert compiled_letor.find_rows(b"1 qid:1 99999999999999999999:1\n")[1] > MAX_INDEX


@pytest.mark.parametrize("index", [MAX_INDEX + 1, 10**10, 10**20 - 1])
def test_an_index_above_the_highest_allowed_costs_no_memory(folder, index):
    path = folder / "far"
    path.write_text(f"1 qid:1 1:2\n1 qid:1 {index}:2\n")
    both, peak = traced(lambda: (parse(path), parse(path, n_features=9)))
    assert both == (None, None)
    assert peak < letor_text.PIECE_BYTES + 2**16
