"""TREC files: what is read, what is refused and where, and the figures of pytrec_eval and ir_measures from them."""

import gzip
import io
import math
import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrank.datasets import judge_run, read_qrels, read_run, write_qrels, write_run
from refrank.datasets.trec_run import name_documents
from refrank.metrics import PRESETS, parse_measure, precision
from refrank.metrics.averaging import mean_of_queries

RUN = b"""\
# ranks are not read; blank lines, and what follows a tag, are skipped

q1 Q0 d1 9 3.5 mine
q1\tQ0\td2\t1\t2.0\tmine more words
q1 Q0 d3 2 2.0 mine
q2 Q0 d4 1 1e-3 mine\r
q1 Q0 d5 4 -1 mine
q9 Q0 d1 1 1 mine
"""
QRELS = b"""\
q1 0 d2 1
q1 0 d3 0
q1 0 d7 2
q2 0 d4 -1
q2 0 d8 1
q3 0 d1 1
"""
# The values of pytrec_eval 0.5 for these files, then the means of ir_measures 0.4: q3 has no rank, q9 no judgments.
EXPECTED = {
    "map": ([1 / 6, 0.0], 1 / 18),
    "mrr": ([1 / 3, 0.0], 1 / 9),
    "p@5": ([0.2, 0.0], 1 / 15),
    "r@5": ([0.5, 0.0], 1 / 6),
    "ndcg@10": ([0.19004688335796713, 0.0], 0.06334896111932238),
}


def read(text, reader=read_run):
    return reader(io.BytesIO(text))


def test_a_run_is_read_in_the_order_of_its_lines():
    run = read(RUN)
    assert run.qid == ("q1", "q1", "q1", "q2", "q1", "q9")
    assert run.doc_id == ("d1", "d2", "d3", "d4", "d5", "d1")
    np.testing.assert_array_equal(run.values, [3.5, 2.0, 2.0, 0.001, -1.0, 1.0], strict=True)
    qrels = read(QRELS, read_qrels)
    np.testing.assert_array_equal(qrels.values, np.array([1, 0, 2, -1, 1, 1]), strict=True)


def test_gzip_a_mark_of_utf_8_and_ids_in_any_bytes(tmp_path):
    (tmp_path / "run.gz").write_bytes(gzip.compress("\ufeffü Q0 文 1 2 mine\n".encode()))
    run = read_run(tmp_path / "run.gz")
    assert (run.qid, run.doc_id) == (("ü",), ("文",))
    assert read(b"\xff Q0 \xfe 1 2 t").doc_id == ("\\xfe",)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"q 0 d 1\n", ", line 1: 'q 0 d 1': a line must be 'query Q0 document rank score tag'; it looks like qrels"),
        (b"q Q0 d 1 2 t\nq Q0 e 1 2\n", ", line 2: 'q Q0 e 1 2': a line must be 'query Q0 document rank score tag'$"),
        (b"\n# x\nq Q0 d 1 high t\n", ", line 3: 'high': the score must be a finite number"),
        (b"q Q0 d 1 nan t", ", line 1: 'nan': the score must be a finite number"),
        (b"q Q0 d 1 -inf t", ", line 1: '-inf': the score must be a finite number"),
        (b"q Q0 d 1 1_0 t", ", line 1: '1_0': the score must be a finite number"),
        (b"q Q0 d 1 2 t\nq Q0 d 2 1 t", ", line 2: query 'q' has document 'd' on line 1: it may have it once"),
        (b"", ": no line is 'query Q0 document rank score tag'"),
    ],
)
def test_a_run_that_is_refused(text, fault):
    with pytest.raises(ValueError, match=f"^the input{fault}"):
        read(text)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            RUN,
            ", line 3: .*: a line must be 'query iteration document relevance'; it looks like a run, which comes first",
        ),
        (b"q 0 d", ", line 1: 'q 0 d': a line must be 'query iteration document relevance'$"),
        (b"q 0 d 1.5", r", line 1: '1\.5': the relevance must be an integer of at most 53"),
        (b"q 0 d 54", ", line 1: '54': the relevance must be an integer of at most 53"),
        (b"q 0 d -9999999999", ", line 1: '-9999999999': the relevance must be"),
        (b"q 0 d 1\nr 0 d 1\nq 1 d 0", ", line 3: query 'q' has document 'd' on line 1"),
        (b"\n\n", ": no line is"),
    ],
)
def test_qrels_that_are_refused(text, fault):
    with pytest.raises(ValueError, match=f"^the input{fault}"):
        read(text, read_qrels)


def test_a_run_of_other_queries_is_refused():
    with pytest.raises(ValueError, match=r"^the input ranks no query of the input: the first of the run is 'a', of"):
        judge_run(read(b"a Q0 d 1 2 t"), read(b"b 0 d 1", read_qrels))


def test_what_is_judged_and_what_has_a_rank():
    judged = judge_run(read(RUN), read(QRELS, read_qrels))
    assert judged.left_out == ("q9",)
    assert [*zip(judged.qid, judged.doc_id, judged.y.tolist(), strict=True)][:5] == [
        *(("q1", "d1", 0), ("q1", "d2", 1), ("q1", "d3", 0), ("q2", "d4", 0), ("q1", "d5", 0)),
    ]
    missing = [row for row, score in enumerate(judged.score) if math.isnan(score)]
    assert [(judged.qid[row], judged.doc_id[row], judged.y[row]) for row in missing] == [
        *(("q1", "d7", 2), ("q2", "d8", 1), ("q3", "d1", 1)),
    ]


@pytest.mark.parametrize("name", EXPECTED)
def test_figures_are_those_of_pytrec_eval_and_ir_measures(name):
    """Ties by document id descending: d3 before d2. The document with a negative relevance is not relevant."""
    judged = judge_run(read(RUN), read(QRELS, read_qrels))
    columns = judged.y, judged.score, judged.qid, judged.doc_id
    of_queries, mean = EXPECTED[name]
    np.testing.assert_allclose(parse_measure(f"{name} trec_eval")(*columns), [*of_queries, math.nan], rtol=1e-15)
    assert mean_of_queries(parse_measure(f"{name} ir_measures")(*columns)) == pytest.approx(mean, rel=1e-15)


IDS = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=3).filter(
    lambda text: text.split() == [text] and not text.startswith(("#", "\ufeff"))
)


@settings(max_examples=25)  # each waits for the disk
@given(
    st.dictionaries(st.tuples(IDS, IDS), st.tuples(st.floats(-9, 9), st.integers(0, 53)), min_size=1, max_size=9),
    st.randoms(),
)
def test_what_is_written_is_read_again(tmp_path_factory, rows, rng):
    folder = tmp_path_factory.mktemp("trec")
    pairs = [*rows]
    rng.shuffle(pairs)
    qid, doc_id = zip(*pairs, strict=True)
    score, y = zip(*(rows[pair] for pair in pairs), strict=True)
    write_run(folder / "run", qid, doc_id, score, tag="t")
    write_qrels(folder / "qrels", qid, doc_id, y)
    run, qrels = read_run(folder / "run"), read_qrels(folder / "qrels")
    assert dict(zip(zip(run.qid, run.doc_id, strict=True), run.values, strict=True)) == dict(
        zip(pairs, score, strict=True)
    )
    assert (qrels.qid, qrels.doc_id, qrels.values.tolist()) == (qid, doc_id, [*y])
    judged = judge_run(run, qrels)
    lines = [line.split() for line in (folder / "run").read_text().splitlines()]
    for query in dict.fromkeys(run.qid):  # its first line is the first document by trec_eval's rules
        first = precision(judged.y, judged.score, judged.qid, 1, replace(PRESETS["trec_eval"]), True, judged.doc_id)
        place = [*dict.fromkeys(judged.qid)].index(query)
        assert (dict(zip(pairs, y, strict=True))[query, next(d for q, _, d, *_ in lines if q == query)] > 0) == first[
            place
        ]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"qid": ["a b", "a"]}, "qid at row 0 is 'a b': it must be a word without white space, and not begin with #"),
        ({"qid": ["", "a"]}, "qid at row 0 is '': it must be a word"),
        ({"doc_id": ["d", "#e"]}, "doc_id at row 1 is '#e': it must be a word"),
        ({"doc_id": ["d", "d"]}, "doc_id at row 1 is 'd': query '7' has it at row 0"),
        ({"score": [1.0, math.inf]}, "score at row 1 is inf: a score of a run must be finite"),
        ({"tag": "my run"}, "tag of the run is 'my run': it must be a word"),
    ],
)
def test_a_run_that_cannot_be_written_leaves_the_file_as_it_was(tmp_path, change, fault):
    path = tmp_path / "run"
    path.write_text("before")
    with pytest.raises(ValueError, match=f"^{fault}"):
        write_run(path, **{"qid": [7, 7], "doc_id": ["d", "e"], "score": [1.0, 2.0], **change})
    assert path.read_text() == "before"


def test_equal_scores_are_written_in_the_order_in_which_trec_eval_reads_them(tmp_path):
    write_run(tmp_path / "run", ["q"] * 4, ["d2", "d10", "e", "d3"], [1.0, 1.0, 0.5, 1.0])
    assert [line.split()[2:4] for line in (tmp_path / "run").read_text().splitlines()] == [
        *(["d3", "1"], ["d2", "2"], ["d10", "3"], ["e", "4"]),
    ]


def test_documents_are_named_by_their_comments_or_their_rows():
    assert name_documents(["docid = GX1 inc = 1", "docid=b", "mydocid = c", ""]) == ["GX1", "b", "2", "3"]
    assert name_documents([""] * 11)[:2] == ["00", "01"]


TREC_EVAL_NAMES = {"map": "map", "P_10": "p@10", "P_1000": "p@1000", "recip_rank": "mrr"}


@pytest.mark.skipif("REFRANK_TREC_EVAL" not in os.environ, reason="REFRANK_TREC_EVAL names no folder of its test files")
@pytest.mark.parametrize(
    ("output", "qrels", "relevant"), [("out.test.aq", "qrels.test", 1), ("out.test.aql", "qrels.rel_level", 2)]
)
def test_figures_are_those_that_trec_eval_ships(output, qrels, relevant):
    """Its own files are not part of this project: set REFRANK_TREC_EVAL to the folder `test` of its source."""
    folder = Path(os.environ["REFRANK_TREC_EVAL"])
    judged = judge_run(read_run(folder / "results.test"), read_qrels(folder / qrels))
    printed = defaultdict(dict)
    for line in (folder / output).read_text().splitlines():
        name, query, value = line.split()
        printed[name][query] = value
    for theirs, name in TREC_EVAL_NAMES.items():
        measure = parse_measure(f"{name} trec_eval")
        measure = replace(measure, spec=replace(measure.spec, relevant=relevant))
        values = measure(judged.y, judged.score, judged.qid, judged.doc_id)
        ours = dict(zip(dict.fromkeys(judged.qid), values, strict=True)) | {"all": mean_of_queries(values)}
        assert {query: f"{value:.4f}" for query, value in ours.items()} == printed[theirs]
