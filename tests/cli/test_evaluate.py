"""`refrank evaluate`: the figures of the library, as a table and as JSON, and scores files that are bad."""

import json
import math

import numpy as np
import pytest

from refrank.datasets import load_letor
from refrank.metrics import PRESETS, compare_presets, err, ndcg, rmse
from refrank.model_file import load_model
from tests.cli.command_line import DATA, run


def write(folder, *queries):
    """A file of queries, each the labels of two documents, and scores that rank every second one last."""
    lines = [f"{label} qid:{q} 1:{label}\n" for q, labels in enumerate(queries, start=1) for label in labels]
    (folder / "f.txt").write_text("".join(lines))
    (folder / "s.txt").write_text("2\n1\n" * len(queries))
    return folder / "f.txt", "--scores", folder / "s.txt"


@pytest.fixture
def with_an_empty_query(tmp_path):
    """Three queries, the second without a relevant document."""
    return write(tmp_path, (1, 0), (0, 0), (0, 2))


def evaluated(capsys, *arguments):
    code, out, errors = run(capsys, "evaluate", *arguments, "--json")
    assert (code, errors, len(out)) == (0, [], 1)
    return json.loads(out[0], parse_constant=pytest.fail)  # JSON has no NaN


def test_evaluate_gives_the_figures_of_the_library(capsys, folder):
    by_model = evaluated(capsys, folder / "train.txt", "--model", folder / "m.refrank")
    by_scores = evaluated(capsys, folder / "train.txt", "--scores", folder / "scores.txt")
    assert by_model == by_scores
    score = load_model(folder / "m.refrank").predict(DATA.X)
    values = {f"NDCG@{k}": ndcg(DATA.y, score, DATA.qid, k, per_query=True) for k in range(1, 11)}
    values["ERR"] = err(DATA.y, score, DATA.qid, per_query=True)
    assert by_model["convention"] == str(PRESETS["paper"])
    assert (by_model["n_queries"], by_model["rmse"]) == (8, rmse(DATA.y, score))
    assert by_model["metrics"].keys() == values.keys()
    for name, value in values.items():
        found = by_model["metrics"][name]
        assert (found["mean"], found["n_counted"]) == (math.fsum(value) / 8, 8)
        # standard deviation with n - 1; NumPy's sums round, ours do not
        np.testing.assert_allclose(found["sd"], np.std(value, ddof=1), rtol=1e-13)


def test_the_table_holds_the_figures_of_the_json(capsys, folder):
    code, out, _ = run(capsys, "evaluate", folder / "train.txt", "--model", folder / "m.refrank")
    document = evaluated(capsys, folder / "train.txt", "--model", folder / "m.refrank")
    assert code == 0
    assert out[0] == f"convention {PRESETS['paper']}"
    assert out[1].split() == ["mean", "sd", "over", "8", "queries"]
    rows = {line.split()[0]: line.split()[1:3] for line in out[2:-1]}
    assert rows == {name: [f"{m['mean']:.4f}", f"{m['sd']:.4f}"] for name, m in document["metrics"].items()}
    assert out[-1].split()[:2] == ["RMSE", f"{document['rmse']:.4f}"]


def test_skipped_queries_are_not_counted(capsys, with_an_empty_query):
    document = evaluated(capsys, *with_an_empty_query, "--spec", "trec")
    assert document["n_queries"] == 3
    assert {metric["n_counted"] for metric in document["metrics"].values()} == {2}
    assert document["metrics"]["NDCG@1"]["mean"] == 0.5
    _, out, _ = run(capsys, "evaluate", *with_an_empty_query, "--spec", "trec")
    assert out[1].endswith("over 2 queries, 1 more skipped")
    _, out, _ = run(capsys, "evaluate", *with_an_empty_query)
    assert out[1].endswith("over 3 queries")


def test_where_every_query_is_skipped_there_is_no_mean(capsys, tmp_path):
    files = write(tmp_path, (0, 0))
    code, out, errors = run(capsys, "evaluate", *files, "--spec", "trec")
    assert (code, out, len(errors)) == (2, [], 1)
    assert "every query" in errors[0]
    skipped = evaluated(capsys, *files, "--compare")["compare"]["trec"]
    assert skipped["ndcg@10"] is None
    assert skipped["problem"]


def test_a_single_query_has_no_standard_deviation(capsys, tmp_path):
    files = write(tmp_path, (0, 1))
    assert evaluated(capsys, *files)["metrics"]["NDCG@1"] == {"mean": 0.0, "sd": None, "n_counted": 1}
    _, out, _ = run(capsys, "evaluate", *files)
    assert out[2].split() == ["NDCG@1", "0.0000", "-"]


def test_compare_gives_every_convention(capsys, with_an_empty_query):
    file, _, scores = with_an_empty_query
    document = evaluated(capsys, *with_an_empty_query, "--compare")
    data, score = load_letor(file), np.loadtxt(scores)
    expected = compare_presets(data.y, score, data.qid)
    assert list(document["compare"]) == [value.spec.name for value in expected]
    for value in expected:
        found = document["compare"][value.spec.name]
        assert (found["ndcg@10"], found["err"], found["n_counted"]) == (value.ndcg, value.err, value.n_counted)
        assert found["alone"] == {effect.rule: effect.ndcg for effect in value.effects}
    _, out, _ = run(capsys, "evaluate", *with_an_empty_query, "--compare")
    rows = {line.split()[0]: line for line in out if line}
    lightgbm = document["compare"]["lightgbm"]
    start, rule = f"lightgbm {lightgbm['ndcg@10']:.4f} - 3", f"(alone {lightgbm['alone']['no_relevant']:.4f})"
    assert " ".join(rows["lightgbm"].split()) == f"{start} no_relevant 1.0 {rule}"
    assert "compare" not in evaluated(capsys, *with_an_empty_query)


def test_max_grade_changes_err_only(capsys, with_an_empty_query):
    four = evaluated(capsys, *with_an_empty_query)["metrics"]
    two = evaluated(capsys, *with_an_empty_query, "--max-grade", 2)["metrics"]
    assert two.pop("ERR")["mean"] > four.pop("ERR")["mean"]
    assert two == four
    assert "ERR" not in evaluated(capsys, *with_an_empty_query, "--spec", "lightgbm")["metrics"]


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"1\n\n2\n", ["s.txt, line 2", "one per line"]),
        (b"1\nx\n2\n", ["s.txt, line 2", "'x'"]),
        (b"1\n2\n\xff\xfe\n", ["s.txt, line 3"]),
        (b"1\n2\n", ["score has shape (2,)", "here (6,)"]),
        (b"1\nnan\n2\n1\n1\n1\n", ["score at row 1", "nan"]),
        (b"1\ninf\n2\n1\n1\n1\n", ["score at row 1", "inf"]),
    ],
)
def test_bad_scores_are_one_line_that_names_the_place(capsys, tmp_path, with_an_empty_query, content, parts):
    (tmp_path / "s.txt").write_bytes(content)
    code, out, errors = run(capsys, "evaluate", *with_an_empty_query)
    assert (code, out, len(errors)) == (2, [], 1)
    assert all(part in errors[0] for part in parts), errors
