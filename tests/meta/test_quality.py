"""The page docs/use/quality.md: made from its JSON, right in its signs and verdicts, and complete without the peers."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.accuracy import quality
from benchmarks.accuracy.quality_page import decide, find_intervals, write_page
from benchmarks.accuracy.quality_peers import count_rows, list_rankers, scale_step
from benchmarks.accuracy.quality_rankers import OURS, SharedParameters, expect_grade, sum_binary
from benchmarks.side_by_side import load_peer
from refrank.metrics import PRESETS, ndcg
from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.intervals import MeanDifference
from tests.meta.test_benchmarks import run_without_peers

SMALL = SharedParameters(n_rounds=5, n_trees=5, most_rounds=20, patience=5)
FOLD = make_heavy_tailed_fold((100, 50, 100))


def test_the_page_is_made_from_its_json():
    document = json.loads(quality.PAGE.with_suffix(".json").read_text(encoding="utf-8"))
    assert write_page(document) == quality.PAGE.read_text(encoding="utf-8")
    assert len(document["data"]) == 2
    assert len(document["data"][quality.ARTIFICIAL]["sets"]) >= 6
    assert document["left_out"] == []


@pytest.mark.parametrize("entry", list_rankers()[0], ids=lambda entry: entry.name)
def test_every_ranker_learns_and_has_its_rounds(entry):
    outcome = entry.train(FOLD, SMALL)
    test = FOLD.test
    assert outcome.scores.shape == test.y.shape
    by_chance = ndcg(test.y, np.zeros(len(test.y)), test.qid, k=10, spec=replace(PRESETS["paper"], ties="averaged"))
    assert ndcg(test.y, outcome.scores, test.qid, k=10, spec="paper") > by_chance + 0.05
    assert outcome.n_rounds <= SMALL.most_rounds if entry.family == "LambdaMART" else outcome.n_rounds == 5


def test_scores_by_class_probabilities_and_by_thresholds():
    assert expect_grade(np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])).tolist() == [0.75, 2.0]
    # a classifier that answers the label itself gives the grade
    assert np.array_equal(sum_binary(FOLD, lambda above: above), FOLD.train.y)
    assert count_rows(FOLD.valid).tolist() == [16] * 50
    # McRank Alg. 1, line 6: (K - 1) / K, K = 5; XGBoost divides by twice p (1 - p)
    assert scale_step(FOLD, SharedParameters(learning_rate=0.5), 2.0) == 0.5 * 2 * 4 / 5


def test_a_difference_is_refrank_minus_the_other_over_queries_and_over_sets():
    entries = [SimpleNamespace(name=f"{library}, ordinal", family="ordinal") for library in ("refrank", "other")]
    cells = {
        "refrank, ordinal": [{"test": np.array([5.0, 7.0]), "n_rounds": 9}, {"test": np.array([8.0]), "n_rounds": 9}],
        "other, ordinal": [{"test": np.array([4.0, 6.0]), "n_rounds": 3}, {"test": np.array([5.0]), "n_rounds": 4}],
    }
    summary = quality.summarize_data(entries, cells)
    rows = summary["rows"]
    assert summary["n_queries"] == 3
    assert rows["other, ordinal"]["means"] == [5.0, 5.0]
    assert rows["other, ordinal"]["n_rounds"] == [3, 4]
    assert rows["refrank, ordinal"]["refrank_minus_it"] == {}
    over_queries, over_sets = find_intervals(rows, "other, ordinal", "ordinal", "refrank, ordinal")
    assert over_queries == MeanDifference(5 / 3, 1.0, 3.0)
    assert over_sets.mean == 2.0  # of 1 and 3
    assert over_sets.low < 0 < over_sets.high


@pytest.mark.parametrize(
    ("queries", "sets", "verdict"),
    [
        ((1.0, 0.5, 1.5), (1.0, 0.1, 1.9), "holds"),
        ((1.0, 0.5, 1.5), (1.0, -0.1, 2.1), "not decided"),
        ((1.0, -0.5, 2.5), (1.0, 0.1, 1.9), "not decided"),
        ((-1.0, -1.5, -0.5), (-1.0, -1.9, -0.1), "does not hold"),
        ((-1.0, -1.5, -0.5), (1.0, 0.1, 1.9), "not decided"),
    ],
)
def test_a_verdict_needs_both_intervals(queries, sets, verdict):
    assert decide(MeanDifference(*queries), MeanDifference(*sets)) == verdict


def test_a_run_without_peers_names_them(tmp_path):
    lines = """
from benchmarks.accuracy import quality
quality.main("--sets 2 --rounds 2 --queries 30 10 30 --out here --cells cells".split())
"""
    done = run_without_peers('import os; os.environ.pop("REFRANK_DATA", None)\n' + lines, tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "here" / "quality.md").read_text()
    assert "Left out because not installed: LightGBM, XGBoost, CatBoost, YDF." in page
    assert len(re.findall(r"^\| [a-z]", page, re.M)) == 1 + len(OURS) + 3  # the heading; three of scikit-learn
    assert len(list((tmp_path / "cells").iterdir())) == 2 * (len(OURS) + 3)


def test_sets_are_two_or_more(capsys):
    with pytest.raises(SystemExit):
        quality.main(["--sets", "1"])
    assert "--sets is 1: it must be an integer of at least 2" in capsys.readouterr().err


def test_a_peer_has_the_version_of_the_package_that_installs_it():
    module, name = load_peer("sklearn")
    assert name == f"sklearn {module.__version__}"
