"""Well-known programs as ports: their pages load and tell whole trainings, and docs/port/peers.md names them all."""

import sys

import numpy as np
import pytest

from tests.yardstick.peers import DOCUMENT, FOLDER, OFFERED, PAPER, PROGRAMS, judge_program, measure_factors
from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.adapters import load_adapter, make_call
from yardstick.scorecard.page import read_page
from yardstick.scorecard.trainings import TRAININGS
from yardstick.traces.records import index_records
from yardstick.traces.stages import Place

TOLD = {"start", "partition", "scores", "prediction", "order"}


@pytest.mark.parametrize("name", [OFFERED[0], OFFERED[-1]])
@pytest.mark.parametrize("page", PROGRAMS)
def test_a_program_tells_a_whole_training(golden_of, tmp_path, page, name):
    pytest.importorskip(PROGRAMS[page])
    theirs = load_adapter(str(FOLDER / f"{page}.py")).run(golden_of(name), tmp_path / "trace")
    comparison = compare_traces(golden_of(name), theirs)
    assert comparison.besides == ()
    offered = {stage for stage, of in comparison.counts.items() if "not offered" not in of}
    assert offered >= TOLD
    assert not any("beyond" in of for of in comparison.counts.values())
    for (stage, _), record in index_records(theirs).items():
        if stage == "partition":
            assert sorted(record.values("rows").tolist()) == list(range(150))
    if name == "ls":
        assert set(comparison.counts["order"]) == {"agrees"}  # float32 tells these rows apart in the same order


@pytest.mark.parametrize("page", PROGRAMS)
def test_a_program_offers_nothing_else(golden_of, page):
    pytest.importorskip(PROGRAMS[page])
    train = read_page(str(FOLDER / f"{page}.py"))["train"]
    for name in ("softmax", "rf", "lad"):
        with pytest.raises(NotImplementedError):
            train(make_call(golden_of(name)), None)


def test_a_page_tells_a_tree_of_refrank_as_it_is_recorded(golden_of, monkeypatch):
    """Shared by all pages: codes, the order in which nodes are cut, cuts, rows, and values from left to right."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "trees", raising=False)
    trees = read_page(str(FOLDER / "trees.py"))
    records, case = index_records(golden_of("ls")), make_call(golden_of("ls"))
    codes = trees["read_codes"](case)
    assert np.array_equal(codes, records["bins", Place()].values("codes"))
    model = TRAININGS["ls"].make_ranker().fit(case.X, case.y, case.qid).model_
    for m, (tree,) in enumerate(model.rounds, start=1):
        left = np.where(tree.feature < 0, -1, tree.left)
        node = trees["make_node"](0, left, tree.right, tree.feature, tree.bin, tree.value, tree.left)
        sent = {}

        def tell(stage, round, output, sent=sent, **arrays):
            sent[stage] = arrays

        trees["tell_tree"](tell, case, codes, node, m, 0, "leaf_values")
        for stage, arrays in sent.items():
            for name, values in arrays.items():
                assert np.array_equal(values, records[stage, Place(round=m, output=0)].values(name)), (stage, name)


def test_factors_are_those_of_the_leaves(golden_of):
    """Refrank's leaves are McRank's, to rounding: sums of floats in place of sums on the grid."""
    assert measure_factors(golden_of(OFFERED[-1]), golden_of(OFFERED[-1])) == pytest.approx((1.0, 1.0), rel=1e-10)


def test_the_document_names_all_programs_and_their_formulas():
    text = DOCUMENT.read_text()
    for page, module in PROGRAMS.items():
        assert f"](../../examples/peers/{page}.py)" in text
        if module != "sklearn":
            pytest.importorskip(module)
        defined = read_page(str(FOLDER / f"{page}.py"))
        formulas = " | ".join(defined["FORMULAS"][stage] for stage in PAPER)
        assert f"\n| {defined['NAME']} | {formulas} |\n" in text
        assert text.count(f"[{defined['NAME']}](") == 1


@pytest.mark.parametrize(("page", "levels"), [("gradient_boosting", [2, 2, 2]), ("hist_gradient_boosting", [1, 1, 0])])
def test_a_program_holds_its_levels(tmp_path, page, levels):
    """GradientBoosting cuts otherwise than refrank where cuts gain equally: this is lawful."""
    judged = list(judge_program(page, tmp_path))
    assert [level for _, level, _, _ in judged] == levels
    assert [not why for _, _, why, _ in judged] == [level > 0 for level in levels]
