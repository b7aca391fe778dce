"""Every kind of input gives what a regular file gives, or is refused as one."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import letor_text, load_letor, read_qrels, read_run
from refrank.datasets.scores import read_scores
from tests.datasets.inputs import EACH_KIND, GOOD, KINDS, as_pipe, needs_pipes, outcome
from tests.strategies.letor import damaged_files, files

EACH_END = pytest.mark.parametrize("end", ["", ".gz"])
ENDS = st.sampled_from(["", ".gz"])
BAD = [b"", b"x", b"0 qid:1", GOOD + b"0 qid:2 1:1e99", b"\n" + GOOD + b"1 1:2\n", b"0 qid:1 2147483647:1\n"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("source")


def read_lines_of_run(given):
    return read_run(given).values


def read_judgments(given):
    return read_qrels(given).values


def check(read, folder, kind, end, content, *arguments):
    plain = folder / "plain"
    plain.write_bytes(content)
    expected = outcome(read, plain, *arguments)
    with kind(folder, gzip.compress(content) if end else content, end) as opened:
        assert outcome(read, opened, *arguments) == expected
        assert not getattr(opened, "closed", False)


@needs_pipes
@pytest.mark.usefixtures("by_extension")
@EACH_END
@EACH_KIND
def test_every_kind_of_input_is_read_or_refused_like_a_file(folder, kind, end):
    for content in (GOOD, *BAD):
        check(load_letor, folder, kind, end, content, None)
    for content in (b"1\n2", b"1\n\n", b"1\n1_0\n", b""):
        check(read_scores, folder, kind, end, content)
    for content in (b"q Q0 d 1 2 t\nq Q0 e 1 -3 t", b"q 0 d 1\n", b"", b"q 0 d 1\nq 0 d 2\n"):
        check(read_lines_of_run, folder, kind, end, content)
        check(read_judgments, folder, kind, end, content)


@needs_pipes
@given(
    kind=st.sampled_from(KINDS),
    end=ENDS,
    content=files() | damaged_files(),
    n_features=st.sampled_from([None, 12]),
    by_extension=st.booleans(),
)
def test_any_text_is_the_same_from_every_kind_of_input(folder, kind, end, content, n_features, by_extension):
    with pytest.MonkeyPatch.context() as patch:
        if not by_extension:
            patch.setattr(letor_text, "COMPILED", None)
        check(load_letor, folder, kind, end, content, n_features)


@needs_pipes
@given(
    kind=st.sampled_from(KINDS),
    end=ENDS,
    lines=st.lists(st.floats(allow_nan=False).map(repr) | st.text("0123456789.e_ \r", max_size=9), max_size=9),
)
def test_any_scores_are_the_same_from_every_kind_of_input(folder, kind, end, lines):
    check(read_scores, folder, kind, end, "\n".join(lines).encode())


@needs_pipes
@pytest.mark.parametrize("n_lines", [10, 300_000])
def test_a_pipe_is_read_whole(folder, n_lines):
    """More than a pipe holds at a time, and more than is copied at a time."""
    lines = b"".join(b"%d qid:%d 1:%d\n" % (i % 5, i // 10, i) for i in range(n_lines))
    with as_pipe(folder, lines, "") as path:
        data = load_letor(path)
    np.testing.assert_array_equal(data.X[:, 0], np.arange(n_lines, dtype=np.float32))
    np.testing.assert_array_equal(data.y, np.arange(n_lines) % 5)
