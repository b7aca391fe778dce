"""The certificates of `refrank bounds --certify`, against exact sums over every order of the labels.

Whether Coq accepts a certificate, and refuses a wrong one, is tested in proofs_check/tests/test_formal_certificates.py.
"""

import math
import re
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine import naive
from refrank.bounds import report_bounds
from refrank.bounds.certificates import write_certificates
from tests.cli.command_line import run, write_pairs

BOUND = re.compile(r"\((\w+), ([0-9.]+)%Q\)")


def read_certificates(text):
    """Return the discounts, and the fields of each certificate."""
    (table,) = re.findall(r"Definition table : seq Q := \[:: (.*)\]%Q\.", text)
    certificates = []
    for body in re.findall(r"\{\|\n(.*?)\|\}", text, re.S):
        lists = dict(re.findall(r"(\w+) := \[:: (.*?)\]%(?:nat|Q);", body))
        fields = {name: [float.fromhex(x) for x in lists[name].split("; ")] for name in ("predictions",)}
        fields |= {name: [int(x) for x in lists[name].split("; ")] for name in ("labels", "grades")}
        for name in ("dcg_error", "err_error"):
            fields[name] = Fraction(*map(int, re.search(rf"{name} := (-?\d+) # (\d+);", body).groups()))
        fields["bounds"] = {name: Fraction(value) for name, value in BOUND.findall(body)}
        certificates.append(fields)
    return [Fraction(float.fromhex(c)) for c in table.split("; ")], certificates


def list_errors(labels, discounts, max_grade):
    """Return by how much each order of labels has a larger DCG, and a larger ERR: exact pairs."""

    def measure(order):
        dcg = sum((2**y - 1) * discounts[min(i, len(discounts) - 1)] for i, y in enumerate(order))
        return dcg, naive.err(order, range(1, len(order) + 1), max_grade)

    own = measure(labels)
    return [tuple(a - b for a, b in zip(measure(order), own, strict=True)) for order in permutations(labels)]


@given(st.data())
def test_a_certificate_has_the_exact_errors_and_bounds_above_those_of_the_report(data):
    max_grade, k = data.draw(st.integers(1, 5)), data.draw(st.none() | st.integers(1, 6))
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    n = sum(sizes)
    y = data.draw(st.lists(st.integers(0, max_grade), min_size=n, max_size=n))
    score = data.draw(st.lists(st.floats(-1, 6, allow_subnormal=False), min_size=n, max_size=n))
    qid = np.repeat(np.arange(len(sizes)) + 10, sizes)
    discounts, certificates = read_certificates(write_certificates("a.v", y, score, qid, max_grade, k))
    report = report_bounds(y, score, qid, max_grade, k)
    assert len(certificates) == len(sizes)
    for row, (query, certificate) in enumerate(zip(np.unique(qid), certificates, strict=True)):
        labels, grades, predictions = (certificate[name] for name in ("labels", "grades", "predictions"))
        order = np.flatnonzero(qid == query)[np.argsort(-np.array(score)[qid == query], kind="stable")]
        assert labels == [y[i] for i in order]
        assert grades == [round(min(max(score[i], 0), max_grade)) for i in order]
        assert predictions == sorted(predictions, reverse=True)
        errors = list_errors(labels, discounts, max_grade)
        assert certificate["dcg_error"] == max(dcg for dcg, _ in errors)
        assert certificate["err_error"] == max(err for _, err in errors)
        for name, bound in certificate["bounds"].items():
            part = "err_error" if name.startswith("err") else "dcg_error"
            assert bound >= certificate[part]
            assert 10**9 * bound == math.ceil(10**9 * bound)
            assert float(bound) == pytest.approx(report.per_query[name][row], rel=1e-9, abs=2e-9)
            assert float(certificate[part]) == pytest.approx(report.per_query[part][row], abs=1e-12)


def test_places_beyond_the_cut_off_have_no_discount():
    discounts, _ = read_certificates(write_certificates("a.v", [0, 1, 2], [3.0, 2.0, 1.0], [1, 1, 1], 2, 2))
    assert discounts == [1, Fraction(1 / math.log2(3)), 0]


def test_a_query_has_its_name_in_a_comment_that_it_cannot_end(tmp_path):
    text = write_certificates("a.v", [0, 1], [1.0, 0.0], ['x" *) Admitted.'] * 2, 1)
    assert "(* query x ) Admitted. *)" in text


def test_the_command_writes_the_file_beside_its_tables(tmp_path, capsys):
    bounds = "bounds", *write_pairs(tmp_path, (1, 0), scores=[(0, 1)])
    plain = run(capsys, *bounds)
    assert run(capsys, *bounds, "--certify", tmp_path / "ranking.v") == plain
    text = (tmp_path / "ranking.v").read_text()
    assert "coqc -R FOLDER Refrank ranking.v" in text
    assert text.count("holds : holds") == 1
