"""The presets: facts about each tool, the tools' own values on committed queries, the chapter's table, comparison."""

import json
import math
import os
import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from refrank import metrics
from refrank.metrics import PRESETS, MetricSpec, compare_presets, dcg, err, explain, ndcg
from refrank.metrics.presets import resolve_spec

VECTORS = json.loads((Path(__file__).with_name("metric_vectors.json")).read_text())
CHAPTER = Path(__file__).parents[2] / "docs" / "learn" / "whose_ndcg.md"  # tests/meta runs its examples
OPTIONS = {  # of a tool, and the choice that each changes in its preset
    "xgboost ndcg-": {"no_relevant": 0.0},
    "xgboost ndcg_exp_gain=False": {"gain": "y"},
    "catboost type=Exp": {"gain": "2^y-1"},
    "ranx ndcg_burges": {"gain": "2^y-1"},
}


@pytest.mark.parametrize("tool", VECTORS["tools"])
def test_preset_gives_the_values_of_its_tool(tool):
    """Tools add in other orders and take logarithms by other routines: 1e-12, not equality."""
    recorded, spec = VECTORS["tools"][tool], replace(PRESETS[tool.split()[0]], **OPTIONS.get(tool, {}))
    metric = getattr(metrics, recorded["metric"])
    queries, lengths = VECTORS["queries"], [len(query["y"]) for query in VECTORS["queries"]]
    qid = np.repeat(np.arange(len(queries)), lengths)
    y, score, doc_id = ([entry for q in queries for entry in q[name]] for name in ("y", "score", "doc_id"))
    cutoffs = [k or 1000 if metric is metrics.precision else k for k in VECTORS["cutoffs"]]  # trec_eval's largest
    columns = [metric(y, score, qid, k, spec, per_query=True, doc_id=doc_id) for k in cutoffs]
    values, expected = np.column_stack(columns), np.array(recorded["values"], float)  # NaN where a query is skipped
    if tool == "sklearn":  # it refuses a single document
        values[np.array(lengths) == 1] = math.nan
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    assert np.isfinite(expected).sum() > 100
    assert any(len(set(query["score"])) < len(query["score"]) for query in queries)
    assert any(not any(query["y"]) for query in queries)
    assert {*lengths} >= {1, 2, 40}


def test_what_was_checked_says_against_what():
    """A preset names a tool and version exactly when the vector file holds that tool's values."""
    for name, spec in PRESETS.items():
        recorded = VECTORS["tools"].get(name)
        assert (spec.checked_against is None) == (recorded is None)
        if recorded:
            assert recorded["package"] in spec.checked_against


@pytest.mark.parametrize("spec", dict.fromkeys(PRESETS.values()), ids=lambda spec: spec.name)
def test_table_of_the_chapter_says_what_the_preset_says(spec):
    gain = spec.gain if isinstance(spec.gain, str) else ",".join(f"{g:g}" for g in spec.gain)
    cells = [
        f"`{spec.name}`",
        gain,
        spec.discount,
        spec.ties,
        spec.no_relevant if isinstance(spec.no_relevant, str) else f"{spec.no_relevant:g}",
        spec.short,
        "not set" if spec.max_grade is None else str(spec.max_grade),
        spec.checked_against or "-",
    ]
    assert f"| {' | '.join(cells)} |" in CHAPTER.read_text()
    empty = spec.no_relevant if spec.map_no_relevant is None else spec.map_no_relevant
    empty = empty if isinstance(empty, str) else f"{empty:g}"
    cells = [f"`{spec.name}`", spec.map_divisor, empty, spec.precision_divisor, spec.unranked]
    assert f"| {' | '.join(cells)} |" in CHAPTER.read_text()


def test_paper_is_the_default_of_record_and_functions():
    assert replace(PRESETS["paper"], note="") == MetricSpec("paper")
    y, score = [0, 2, 1, 0], [4.0, 3.0, 3.0, 1.0]
    assert ndcg(y, score) == ndcg(y, score, spec="paper") == ndcg(y, score, spec=MetricSpec("mine"))
    assert err(y, score) == err(y, score, spec="paper", max_grade=4)


def test_specs_are_frozen_and_say_what_they_are():
    with pytest.raises(FrozenInstanceError):
        PRESETS["paper"].gain = "y"  # type: ignore[misc]
    assert str(PRESETS["letor"]) == (
        "letor: gain table 0,1,3,7,15, discount letor, ties stable, no relevant = 0, short zero, ERR max grade not set"
    )
    assert "no relevant skip" in str(PRESETS["trec"])


def test_relevant_means_a_gain_above_zero():
    """Under a table that gives label 1 no gain, DCG and NDCG skip a query of ones; ERR knows no table."""
    spec = MetricSpec("strict", gain=(0.0, 0.0, 1.0), no_relevant="skip")
    y, score, qid = [1, 1, 2], [2.0, 1.0, 1.0], [0, 0, 1]
    skipped = [np.isnan(metric(y, score, qid, spec=spec, per_query=True)).tolist() for metric in (dcg, ndcg, err)]
    assert skipped == [[True, False], [True, False], [False, False]]


def test_error_rule_refuses_a_query_without_relevant_documents():
    strict = MetricSpec("strict", no_relevant="error")
    assert ndcg([1, 0], [2, 1], spec=strict) == 1.0
    for metric in (ndcg, err):
        with pytest.raises(ValueError, match=r"y has no relevant document in query 1 .*'strict' refuses"):
            metric([1, 0, 0], [2, 1, 1], qid=[5, 4, 4], spec=strict)


def test_err_takes_the_highest_grade_from_spec_or_argument_and_never_from_the_data():
    y, score = [2, 0, 1], [3.0, 2.0, 1.0]
    assert err(y, score) == 3 / 16 + 13 / 16 / 16 / 3
    assert err(y, score, max_grade=2) == 3 / 4 + 1 / 4 / 4 / 3
    assert err(y, score, spec="lightgbm", max_grade=4) == err(y, score)
    with pytest.raises(ValueError, match=r"max_grade is None: .* spec 'lightgbm' states no highest grade"):
        err(y, score, spec="lightgbm")


def test_unknown_spec_is_refused_with_the_names():
    with pytest.raises(ValueError, match="spec is 'nope': it must be one of 'paper', 'yahoo', 'letor'"):
        ndcg([1], [1], spec="nope")
    assert resolve_spec("mslr") is PRESETS["letor"]  # another name


def test_comparison_names_the_rule_behind_each_value():
    rng = np.random.default_rng(3)
    y, score = rng.choice(5, size=300, p=[0.6, 0.2, 0.1, 0.05, 0.05]), rng.integers(12, size=300)
    qid = rng.integers(60, size=300)
    by_name = {value.spec.name: value for value in compare_presets(y, score, qid, "ndcg@5")}
    of_err = {value.spec.name: value.value for value in compare_presets(y, score, qid, "err")}
    assert set(by_name) == set(PRESETS) - {"mslr"}
    assert by_name["paper"].effects == ()
    for name, value in by_name.items():
        assert value.value == ndcg(y, score, qid, k=5, spec=name)
        assert of_err[name] == err(y, score, qid, spec=name) if value.spec.max_grade else math.isnan(of_err[name])
        # A single differing rule explains the whole difference.
        if len(value.effects) == 1:
            assert value.effects[0].value == value.value
    (effect,) = by_name["lightgbm"].effects
    assert (effect.rule, effect.base_choice, effect.preset_choice) == ("no_relevant", 0.0, 1.0)
    assert [e.rule for e in by_name["letor"].effects] == ["gain", "discount", "short"]
    assert by_name["letor"].effects[0].value == by_name["paper"].value  # the table is 2^y-1 written out
    assert by_name["letor"].needed == ("discount", "short")
    assert by_name["ranklib"].needed == ()
    assert by_name["trec"].n_counted < by_name["paper"].n_counted == len(np.unique(qid))


def test_comparison_says_why_a_convention_gives_no_value():
    y, score, qid = [0, 0, 5, 0], [2, 1, 2, 1], [1, 1, 2, 2]
    by_name = {v.spec.name: v for v in compare_presets(y, score, qid)}
    of_err = {v.spec.name: v for v in compare_presets(y, score, qid, "err", 5)}
    assert of_err["letor"].problem == "no highest grade is stated for ERR"
    assert of_err["paper"].value == err(y, score, qid, max_grade=5)
    assert by_name["letor"].problem == "label 5 is beyond its table of gains"
    assert math.isnan(by_name["letor"].value)
    assert by_name["letor"].needed == ()
    assert (by_name["letor"].n_counted, by_name["paper"].n_counted) == (0, 2)
    nothing = {value.spec.name: value for value in compare_presets([0, 0], [2, 1])}
    assert nothing["trec"].problem == "it skips every query"
    assert nothing["trec"].n_counted == 0
    assert math.isnan(nothing["trec"].value)
    assert nothing["paper"].problem is None


def test_comparison_starts_from_any_convention():
    """From LightGBM's MAP@2 to that of trec_eval: the divisor, and what a query without relevant documents counts."""
    y, score, qid = [1, 0, 1, 1, 0, 0], [4, 3, 2, 1, 2, 1], [1, 1, 1, 1, 2, 2]
    values = {v.spec.name: v for v in compare_presets(y, score, qid, "map@2 lightgbm")}
    trec_eval = values["trec_eval"]
    assert (values["lightgbm"].value, trec_eval.value) == (0.75, 1 / 6)
    assert {effect.rule: effect.value for effect in trec_eval.effects} == {
        "ties": 0.75,
        "no_relevant": 0.25,
        "map_divisor": 2 / 3,
    }
    assert trec_eval.needed == ("no_relevant", "map_divisor")
    assert values["xgboost"].effects == ()


def test_comparison_of_a_ranking_that_leaves_documents_out():
    """Conventions of whole files get the rule that ir_measures has; a query without any rank is the last rule."""
    y, score, qid = [1, 1, 0, 1], [2.0, math.nan, 1.0, math.nan], [1, 1, 1, 2]
    values = {v.spec.name: v for v in compare_presets(y, score, qid, "map")}
    assert [values[name].value for name in ("paper", "lightgbm", "ir_measures", "trec_eval")] == [0.25, 0.25, 0.25, 0.5]
    assert values["trec_eval"].needed == ("unranked",)
    assert [effect.rule for effect in values["trec_eval"].effects] == ["ties", "unranked"]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("k", [1, 3, 10, None])
def test_explanation_adds_up_to_the_metric(name, k):
    y, score = [0, 3, 1, 2, 0], [2.0, 1.0, 1.0, 3.0, 2.0]
    explanation = explain(y, score, k=k, spec=name)
    assert explanation.ndcg == ndcg(y, score, k=k, spec=name)
    assert len(explanation.positions) == min(k or 5, 5)
    running = ideal = 0.0
    for place, p in enumerate(explanation.positions, start=1):
        assert p.position == place
        assert (p.label, p.score) == (y[p.row], score[p.row])
        assert p.contribution == pytest.approx(p.gain / p.discount, rel=1e-15)  # product against quotient
        running += p.contribution
        assert p.running_sum == running
        assert p.ideal_running_sum >= ideal + (p.ideal_label > 0) * 0.5  # 1/log2(6) and more
        ideal = p.ideal_running_sum
    assert (explanation.dcg, explanation.ideal_dcg) == (running, ideal)
    assert str(explanation).count("\n") == len(explanation.positions) + 2


def test_a_notebook_draws_an_explanation():
    spec = replace(PRESETS["paper"], name="<b>&")
    page = explain([1, 0, 2], [3, 2, 1], k=None, spec=spec)._repr_html_()
    root = ElementTree.fromstring(page)  # well formed
    assert {element.tag for element in root.iter()} == {"div", "b", "table", "tr", "th", "td"}
    assert root.find("b").text == "NDCG (all documents) = 0.688529: 2.500000 / 3.630930"
    assert root.find("table").tail.startswith("<b>&: gain 2^y-1")
    heads, *rows = ([cell.text for cell in row] for row in root.iter("tr"))
    assert rows[2] == ["3", "2", "1", "2", "3", "2.000000", "1.500000", "2.500000", "0", "3.630930"]
    assert (heads[6], len(heads)) == ("=contribution", 10)
    assert re.findall(r"#0072b240 ([\d.]+)%", page) == ["66.7", "0.0", "100.0"]


def test_explanation_states_the_rule_that_decided():
    assert explain([0, 0], [2, 1], spec="lightgbm").rule == "no document has a gain, so 1 by convention"
    assert explain([0, 0], [2, 1], spec="trec").rule == "no document has a gain, so the query is skipped"
    assert explain([1, 0], [2, 1], spec="letor").rule == "2 documents are fewer than k=10, so 0"
    assert explain([1, 0], [1, 2], k=2).rule == "0.630930 / 1.000000"


@pytest.mark.skipif("REFRANK_DATA" not in os.environ, reason="REFRANK_DATA is not set: no MQ2008")
def test_letor_figures_of_mq2008():
    """Fold 1 test, ranked by feature 25: known figures of the LETOR rules, of padding, of log2(1+i)."""
    from sklearn.datasets import load_svmlight_file

    X, y, qid = load_svmlight_file(Path(os.environ["REFRANK_DATA"], "mq2008", "S5.txt"), query_id=True)
    score = X[:, 24].toarray().ravel()
    printed = [f"{ndcg(y, score, qid, k=k, spec='letor'):.4f}" for k in (1, 2, 3, 8, 9, 10)]
    assert printed == ["0.2714", "0.2975", "0.3175", "0.3502", "0.1598", "0.1655"]
    padded = replace(PRESETS["letor"], short="as is")
    assert f"{ndcg(y, score, qid, k=10, spec=padded):.4f}" == "0.4128"
    assert f"{ndcg(y, score, qid, k=10):.4f}" == "0.4040"
