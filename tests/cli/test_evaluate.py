"""`refrank evaluate`: the figures of the library, as a table and as JSON."""

import math

import numpy as np
import pytest

from refrank.datasets import letor_text, load_letor
from refrank.metrics import PRESETS, compare_presets, err, ndcg, rmse
from refrank.models import load_model
from tests.cli.command_line import DATA, read_json, run, write_pairs


@pytest.fixture
def with_an_empty_query(tmp_path):
    """Three queries, the second without a relevant document."""
    return write_pairs(tmp_path, (1, 0), (0, 0), (0, 2))


def table(capsys, *arguments):
    code, out, errors = run(capsys, "evaluate", *arguments)
    assert (code, errors) == (0, [])
    return out


def test_table_and_json_hold_the_figures_of_the_library(capsys, folder):
    by_model = folder / "train.txt", "--model", folder / "m.refrank"
    document, lines = read_json(capsys, "evaluate", *by_model), table(capsys, *by_model)
    assert read_json(capsys, "evaluate", folder / "train.txt", "--scores", folder / "scores.txt") == document
    score = load_model(folder / "m.refrank").predict(DATA.X)
    values = {f"NDCG@{k}": ndcg(DATA.y, score, DATA.qid, k, per_query=True) for k in range(1, 11)}
    values["ERR"] = err(DATA.y, score, DATA.qid, per_query=True)
    error = rmse(DATA.y, score)
    assert (document["convention"], document["n_queries"], document["rmse"]) == (str(PRESETS["paper"]), 8, error)
    assert lines[0] == f"convention {PRESETS['paper']}"
    assert lines[1].split() == ["mean", "sd", "over", "8", "queries"]
    for line, (name, entry), value in zip(lines[2:-1], document["metrics"].items(), values.values(), strict=True):
        assert (entry["mean"], entry["n_counted"]) == (math.fsum(value) / 8, 8)
        # standard deviation with n - 1; NumPy's sums round, ours do not
        np.testing.assert_allclose(entry["sd"], np.std(value, ddof=1), rtol=1e-13)
        assert line.split() == [name, f"{entry['mean']:.4f}", f"{entry['sd']:.4f}"]
    assert [*document["metrics"]] == [*values]
    assert lines[-1].split()[:2] == ["RMSE", f"{error:.4f}"]


def test_skipped_queries_are_not_counted(capsys, with_an_empty_query):
    document = read_json(capsys, "evaluate", *with_an_empty_query, "--spec", "trec")
    assert document["n_queries"] == 3
    assert {metric["n_counted"] for metric in document["metrics"].values()} == {2}
    assert document["metrics"]["NDCG@1"]["mean"] == 0.5
    assert table(capsys, *with_an_empty_query, "--spec", "trec")[1].endswith("over 2 queries, 1 more skipped")
    assert table(capsys, *with_an_empty_query)[1].endswith("over 3 queries")


def test_where_every_query_is_skipped_there_is_no_mean(capsys, tmp_path):
    skipped = read_json(capsys, "evaluate", *write_pairs(tmp_path, (0, 0)), "--compare")["compare"]["trec"]
    assert skipped["ndcg@10"] is None
    assert skipped["problem"]


def test_a_single_query_has_no_standard_deviation(capsys, tmp_path):
    files = write_pairs(tmp_path, (0, 1))
    assert read_json(capsys, "evaluate", *files)["metrics"]["NDCG@1"] == {"mean": 0.0, "sd": None, "n_counted": 1}
    assert table(capsys, *files)[2].split() == ["NDCG@1", "0.0000", "-"]


def test_compare_gives_every_convention(capsys, with_an_empty_query):
    file, _, scores = with_an_empty_query
    document = read_json(capsys, "evaluate", *with_an_empty_query, "--compare")
    data, score = load_letor(file), np.loadtxt(scores)
    expected, of_err = (compare_presets(data.y, score, data.qid, name) for name in ("ndcg@10", "err"))
    assert list(document["compare"]) == [value.spec.name for value in expected]
    for value, err_value in zip(expected, of_err, strict=True):
        entry = document["compare"][value.spec.name]
        assert (entry["ndcg@10"], entry["n_counted"]) == (value.value, value.n_counted)
        assert entry["err"] == (err_value.value if value.spec.max_grade else None)
        assert entry["alone"] == {effect.rule: effect.value for effect in value.effects}
    rows = {line.split()[0]: line for line in table(capsys, *with_an_empty_query, "--compare") if line}
    lightgbm = document["compare"]["lightgbm"]
    start, rule = f"lightgbm {lightgbm['ndcg@10']:.4f} - 3", f"(alone {lightgbm['alone']['no_relevant']:.4f})"
    assert " ".join(rows["lightgbm"].split()) == f"{start} no_relevant 1.0 {rule}"
    assert "compare" not in read_json(capsys, "evaluate", *with_an_empty_query)


def test_max_grade_changes_err_only(capsys, with_an_empty_query):
    four = read_json(capsys, "evaluate", *with_an_empty_query)["metrics"]
    two = read_json(capsys, "evaluate", *with_an_empty_query, "--max-grade", 2)["metrics"]
    assert two.pop("ERR")["mean"] > four.pop("ERR")["mean"]
    assert two == four
    assert "ERR" not in read_json(capsys, "evaluate", *with_an_empty_query, "--spec", "lightgbm")["metrics"]


@pytest.mark.parametrize("command", ["evaluate", "bounds", "compare"])
def test_a_stated_number_of_features_lets_a_sparse_file_be_read(capsys, tmp_path, monkeypatch, command):
    monkeypatch.setattr(letor_text, "X_FLOOR", 0)
    (tmp_path / "rows").write_text("1 qid:1 900:1\n0 qid:1 1:1\n1 qid:2 1:1\n0 qid:2 1:1\n")
    (tmp_path / "scores").write_text("1\n2\n2\n1\n")
    scores = [tmp_path / "scores"] * (1 + (command == "compare"))
    words = [command, tmp_path / "rows", "--scores", *scores]
    code, out, errors = run(capsys, *words)
    assert (code, out) == (2, [])
    assert "pass --n-features if there are so many columns" in errors[0]
    code, out, errors = run(capsys, *words, "--n-features", 900)
    assert (code, errors) == (0, [])
    assert out
