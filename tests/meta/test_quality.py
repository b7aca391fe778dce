"""The page docs/use/quality.md: made from its JSON, right in its signs and verdicts, and complete without the peers."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.accuracy.quality import __main__ as quality
from benchmarks.accuracy.quality import ours
from benchmarks.accuracy.quality.libraries import list_rankers
from benchmarks.accuracy.quality.measuring import summarize_data
from benchmarks.accuracy.quality.page import ARTIFICIAL, count_verdicts, is_close, write_page, write_table
from benchmarks.accuracy.quality.rankers import SharedParameters, count_rows, expect_grade, scale_step, sum_binary
from benchmarks.side_by_side import load_peer
from refrank.metrics import PRESETS, ndcg
from refrank.reproduce.artificial import make_heavy_tailed_fold
from refrank.reproduce.replication import FEWEST_SETS
from refrank.reproduce.verdicts import judge_claims
from tests.meta.test_benchmarks import run_without_peers

SMALL = SharedParameters(n_rounds=5, n_trees=4, most_rounds=20, patience=5)
FOLD = make_heavy_tailed_fold((100, 50, 100))


def test_the_page_is_made_from_its_json():
    document = json.loads(quality.PAGE.with_suffix(".json").read_text(encoding="utf-8"))
    assert write_page(document) == quality.PAGE.read_text(encoding="utf-8")
    assert len(document["data"]) == 2
    assert len(document["data"][ARTIFICIAL]["sets"]) >= FEWEST_SETS
    assert document["left_out"] == []


@pytest.mark.parametrize("entry", list_rankers()[0], ids=lambda entry: entry.name)
def test_every_ranker_learns_and_has_its_rounds(entry):
    outcome = entry.train(FOLD, SMALL)
    test = FOLD.test
    assert outcome.scores.shape == test.y.shape
    by_chance = ndcg(test.y, np.zeros(len(test.y)), test.qid, k=10, spec=replace(PRESETS["paper"], ties="averaged"))
    assert ndcg(test.y, outcome.scores, test.qid, k=10, spec="paper") > by_chance + 0.05
    n_rounds = {"forest": 4, "forest of bins": 4, "LambdaMART": min(outcome.n_rounds, SMALL.most_rounds)}
    assert outcome.n_rounds == n_rounds.get(entry.family, 5)


def test_scores_by_class_probabilities_and_by_thresholds():
    assert expect_grade(np.array([[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]])).tolist() == [0.75, 2.0]
    # a classifier that answers the label itself gives the grade
    assert np.array_equal(sum_binary(FOLD, lambda above: above), FOLD.train.y)
    # of the queries in the order of their rows, whatever their ids
    assert count_rows(SimpleNamespace(qid=np.array([7, 7, 9, 3, 3, 3]))).tolist() == [2, 1, 3]
    # McRank Alg. 1, line 6: (K - 1) / K, K = 5; XGBoost divides by twice p (1 - p)
    assert scale_step(FOLD, SharedParameters(learning_rate=0.5), 2.0) == 0.5 * 2 * 4 / 5


def test_a_difference_is_refrank_minus_the_other_and_judged_over_all_of_a_table():
    losses = ("ordinal", "softmax")
    entries = [SimpleNamespace(name=f"{of}, {loss}", family=loss) for loss in losses for of in ("refrank", "other")]
    noise = np.random.default_rng(0).normal(0, 0.1, (8, 4, 40))  # of 8 sets, 4 rankers and 40 queries
    values = noise + np.array([3.0, 2.0, 1.0, 1.5])[:, None]
    cells = {
        str(i): {entry.name: {"test": row, "n_rounds": i} for entry, row in zip(entries, of_set, strict=True)}
        for i, of_set in enumerate(values)
    }
    summary = summarize_data(entries, cells)
    assert summary["n_queries"] == 8 * 40
    assert summary["rows"]["other, ordinal"]["n_rounds"] == [*range(8)]
    assert summary["rows"]["other, ordinal"]["means"] == values[:, 1].mean(axis=1).tolist()
    pairs = {  # places of the rankers
        "refrank, ordinal above other, ordinal": (0, 1),
        "refrank, ordinal above refrank, softmax": (0, 2),
        "refrank, softmax above other, softmax": (2, 3),
        "refrank, ordinal above other, softmax": (0, 3),
    }
    differences = [{name: of_set[a] - of_set[b] for name, (a, b) in pairs.items()} for of_set in values]
    assert summary["claims"] == [verdict.to_json() for verdict in judge_claims(differences)]

    rankers = {entry.name: {"family": entry.family, "call": "call"} for entry in entries}
    row = write_table(rankers, summary)[-1].split("|")
    assert row[1:4] == [" softmax ", " other, call ", " 0 to 7 "]
    assert row[5].endswith(" **below** ")
    assert row[6].endswith(" **above** ")
    of_loss, of_ordinal = (" ".join(line.split()) for line in count_verdicts(rankers, summary))
    assert " is above 1 of 2 rankers of other libraries and below 1 (other, softmax); 0 are not decided" in of_loss
    assert " is above 2 of 2 rankers of other libraries and below 0; 0 are not decided, 0 of them" in of_ordinal

    [claim] = (claim for claim in summary["claims"] if claim["claim"] == "refrank, softmax above other, softmax")
    claim |= {"verdict": "not decided", "p": 0.0612}
    assert write_table(rankers, summary)[-1].split("|")[5].endswith("] p 0.061 ")
    of_loss = " ".join(count_verdicts(rankers, summary)[0].split())
    assert of_loss.endswith(
        f"1 are not decided, 1 of them by the p-value alone (other, softmax: {claim['mean']:+.2f})."
    )


@pytest.mark.parametrize(
    ("queries", "sets", "close"),
    [
        ([0.5, 1.5], [0.1, 1.9], True),
        ([-1.5, -0.5], [-1.9, -0.1], True),
        ([0.5, 1.5], [-0.1, 2.1], False),
        ([-0.5, 2.5], [0.1, 1.9], False),
        ([0.5, 1.5], [-1.9, -0.1], False),
    ],
)
def test_the_p_value_alone_is_against_a_verdict_where_both_intervals_agree(queries, sets, close):
    assert is_close({"queries": queries, "sets": sets, "verdict": "not decided"}) == close
    assert not is_close({"queries": queries, "sets": sets, "verdict": "holds"})


def test_the_code_that_trains_is_part_of_the_key_of_a_cell():
    by_name = {entry.name: entry for entry in list_rankers()[0]}
    for name, kind in (("scikit-learn, forest", "RandomForestRegressor"), ("refrank, ordinal", "OrdinalBoostRanker")):
        shared, of_library = by_name[name].code
        assert "class SharedParameters" in shared
        assert kind in of_library


def test_a_run_without_peers_names_them(tmp_path):
    lines = """
from benchmarks.accuracy.quality import __main__ as quality
quality.main("--sets 2 --rounds 2 --queries 30 10 30 --out here --cells cells".split())
"""
    done = run_without_peers('import os; os.environ.pop("REFRANK_DATA", None)\n' + lines, tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "here" / "quality.md").read_text()
    assert "Left out because not installed: LightGBM, XGBoost, CatBoost, YDF." in page
    assert len(re.findall(r"^\| [a-z]", page, re.M)) == 1 + len(ours.RANKERS) + 3  # the heading; three of scikit-learn
    assert len(list((tmp_path / "cells").iterdir())) == 2 * (len(ours.RANKERS) + 3)


def test_sets_are_two_or_more(capsys):
    with pytest.raises(SystemExit):
        quality.main(["--sets", "1"])
    assert "--sets is 1: it must be an integer of at least 2" in capsys.readouterr().err


def test_a_peer_has_the_version_of_the_package_that_installs_it():
    module, name = load_peer("sklearn")
    assert name == f"sklearn {module.__version__}"
