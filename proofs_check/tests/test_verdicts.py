"""The findings of all rows, in every field; `python -m proofs_check.tests.test_verdicts` writes them anew.

A bound that is loosened keeps its verdict, but not its ratios.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proofs_check import list_rows
from proofs_check.__main__ import main
from proofs_check.engine import climbs, evidence
from proofs_check.engine.records import HOLDS, IDENTITY, VACUOUS, Effort
from tests.regenerate import renew_with

VERDICTS = Path(__file__).with_name("verdicts.json")
PINNED = {record["id"]: record for record in json.loads(VERDICTS.read_text(encoding="utf-8"))}
ROWS = list(list_rows())
SMALL = Effort(n_max=3, climbs=1, climb_sizes=(4,), high_sizes=(2,))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_verdict(row, finding, effort):
    record, pinned = row.as_record(finding(row.id)), PINNED[row.id]
    if effort.deep:
        record, pinned = ([entry[key] for key in ("verdict", "counterexample")] for entry in (record, pinned))
    assert record == pinned, renew_with("proofs_check/tests/verdicts.json")


def test_every_pinned_row_exists():
    assert list(PINNED) == [record["id"] for record in PINNED.values()]
    assert set(PINNED) == {row.id for row in ROWS}, renew_with("proofs_check/tests/verdicts.json")


def test_each_bound_says_how_far_it_may_shrink():
    for record in PINNED.values():
        if record["verdict"] in (HOLDS, VACUOUS):
            share = record["may_shrink"]
            assert share in ("zero-sided", "never binds") or 0 <= share < 1, record["id"]
            assert isinstance(share, str) or share == round(1 - record["max_ratio"], 9)
        else:
            assert record["may_shrink"] is None or record["verdict"] == IDENTITY


# ---- a bound that is loosened is found out ----


def loosen(monkeypatch, factor, which=lambda place: True):
    """Multiply the right sides of the comparisons of every claim at these places by a factor."""
    plain = evidence.list_comparisons

    def loosened(result):
        for place, comparison in enumerate(plain(result)):
            bigger = which(place) and comparison.relation == "<="
            left, right = times(comparison.left, factor[1]), times(comparison.right, factor[0])
            yield replace(comparison, left=left, right=right, ratio=None) if bigger else comparison

    monkeypatch.setattr(evidence, "list_comparisons", loosened)
    monkeypatch.setattr(climbs, "list_comparisons", loosened)


def times(side, factor):
    """Multiply one side; integers stay integers, and do not overflow."""
    side = np.asarray(side)
    return side * factor if side.dtype == float else side.astype(object) * factor


BOUNDS = [row for row in ROWS if isinstance(PINNED.get(row.id, {}).get("may_shrink"), float)]


@pytest.mark.parametrize("row", [row for row in BOUNDS if not row.id.startswith("trees.")], ids=lambda row: row.id)
def test_a_loosened_bound_is_found_out(row, monkeypatch):
    tight = row.find(SMALL).as_record()
    loosen(monkeypatch, (21, 20))
    assert row.find(SMALL).as_record() != tight


PLANTED = (  # row, factor of its right side (its square, where roots are squared), places of the comparisons
    ("lin_li.reduction.variant-oerr-constant", (70, 64)),  # 64/29 -> 70/29
    ("lin_li.reduction.variant-soft-oerr-constant", (36, 32)),  # 32/25 -> 36/25
    ("mcrank.lemma1", (3, 2)),  # the factor 2 of sum c^2 - n prod c^(2/n) -> 3
    ("mcrank.lemma1.step6", (3, 2)),
    ("mcrank.lemma1.step7", (256, 225)),  # 15 -> 16
    ("cossock_zhang.thm2.step4", (3, 2)),  # 2 sum c^p -> 3 sum c^p
    ("igbrt.theorem1.variant-twice", (3, 2)),
    ("igbrt.theorem1.variant-sharp", (256, 225)),  # 15/16 -> 1
    ("cocr.theorem1", (2, 1)),  # K eps^2 -> 2 K eps^2
    ("new.dcg_threshold", (2, 1)),
    ("new.end_to_end.variant-any-constant", (70, 64)),
    ("new.end_to_end.variant-expected-gain", (100, 85)),  # of the second comparison alone
    ("new.err_oerr", (2, 1)),
    ("losses.class_proba", (16, 15)),
    ("losses.class_proba.variant-expected-relevance", (33, 32)),
    ("losses.ls_boosting.variant-share-sharp", (3, 2)),
    ("ndcg.cross_entropy.variant-sharp", (3, 2)),
    ("new.isotonic", (2, 1)),
    ("regret.err", (16, 15)),
)


@pytest.mark.parametrize(("id", "factor"), PLANTED, ids=lambda part: part if isinstance(part, str) else "")
def test_a_planted_loosening_changes_the_table(id, factor, monkeypatch, effort):
    row = next(row for row in ROWS if row.id == id)
    loosen(monkeypatch, factor, (lambda place: place == 1) if id.endswith("expected-gain") else lambda place: True)
    record = row.find(effort).as_record()
    assert record["verdict"] == PINNED[id]["verdict"]
    assert record["mean_ratio"] != PINNED[id]["mean_ratio"]


def test_a_right_side_that_is_too_small_is_refuted(monkeypatch):
    for id in ("mcrank.lemma1.step7", "igbrt.theorem1.variant-sharp", "new.dcg_threshold"):
        row = next(row for row in ROWS if row.id == id)
        with monkeypatch.context() as small:
            loosen(small, (99, 100))
            assert row.find(SMALL).counterexample is not None


if __name__ == "__main__":
    main(["--json", str(VERDICTS)])
