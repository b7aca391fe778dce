"""`refrank compare`: the comparisons of the library, as a table and as JSON, whichever way two rankings are given."""

from dataclasses import asdict

import numpy as np
import pytest

from refrank.metrics import PRESETS, compare_systems, err, ndcg
from refrank.models import load_model
from tests.cli.command_line import DATA, read_json, run, write_pairs

SWAPPED = (2, 1), (1, 2)


@pytest.fixture(scope="module")
def rankings(folder):
    """The model ranks the rows, and a file holds another ranking of them."""
    score = load_model(folder / "m.refrank").predict(DATA.X)
    other = np.where(DATA.qid < DATA.qid[-1], DATA.X[:, 0].astype(float), score)  # of the last query, the same one
    (folder / "other.txt").write_text("".join(f"{value!r}\n" for value in other.tolist()))
    return score, other


def compare(a, b, spec="paper", k=10):
    values = {f"NDCG@{k}": [ndcg(DATA.y, score, DATA.qid, k, spec, per_query=True) for score in (a, b)]}
    if PRESETS[spec].max_grade:
        values["ERR"] = [err(DATA.y, score, DATA.qid, None, spec, per_query=True) for score in (a, b)]
    return {name: compare_systems(*pair) for name, pair in values.items()}


def test_json_holds_the_comparisons_of_the_library(capsys, folder, rankings):
    by_model, by_scores = ["--model", folder / "m.refrank"], ["--scores", folder / "other.txt"]
    document = read_json(capsys, "compare", folder / "train.txt", *by_model, *by_scores)
    assert document["metrics"] == {name: asdict(pair) for name, pair in compare(*rankings).items()}
    assert document["metrics"]["ERR"]["n_differ"] < document["n_queries"] == 8
    assert (document["convention"], document["seed"]) == (str(PRESETS["paper"]), 0)
    assert (document["a"], document["b"]) == (str(folder / "m.refrank"), str(folder / "other.txt"))
    by_scores_alone = "--scores", folder / "scores.txt", folder / "other.txt"
    assert read_json(capsys, "compare", folder / "train.txt", *by_scores_alone)["metrics"] == document["metrics"]


def test_the_first_ranking_of_the_line_is_a(capsys, folder, rankings):
    files = ["--scores", folder / "other.txt"], ["--model", folder / "m.refrank"]
    document = read_json(capsys, "compare", folder / "train.txt", *files[0], *files[1])
    assert document["metrics"] == {name: asdict(pair) for name, pair in compare(*rankings[::-1]).items()}
    assert document["a"] == str(folder / "other.txt")


def test_the_table_has_a_column_per_metric(capsys, folder, rankings):
    code, lines, errors = run(
        capsys, "compare", folder / "train.txt", "--model", folder / "m.refrank", "--scores", folder / "other.txt"
    )
    assert (code, errors) == (0, [])
    comparisons = [*compare(*rankings).values()]
    assert lines[:3] == [f"convention {PRESETS['paper']}", f"a {folder / 'm.refrank'}", f"b {folder / 'other.txt'}"]
    expected = {
        "": ["NDCG@10", "ERR"],
        "queries": [8, 8],
        "queries that differ": [pair.n_differ for pair in comparisons],
        "mean of a": [f"{pair.a.mean:.4f}" for pair in comparisons],
        "mean of b": [f"{pair.b.mean:.4f}" for pair in comparisons],
        "a - b": [f"{pair.difference.mean:.4f}" for pair in comparisons],
        "sd over queries": [f"{pair.difference.sd:.4f}" for pair in comparisons],
        "95% interval, from": [f"{pair.interval.low:.4f}" for pair in comparisons],
        "to": [f"{pair.interval.high:.4f}" for pair in comparisons],
        "p, paired t-test": [f"{pair.t_test.p_value:.3g}" for pair in comparisons],
        "p, randomization": [f"{pair.randomization.p_value:.3g}" for pair in comparisons],
        "queries needed": [pair.n_needed for pair in comparisons],
    }
    for line, (name, cells) in zip(lines[3:15], expected.items(), strict=True):
        assert line.split() == [*name.split(), *map(str, cells)]
    assert len({len(line) for line in lines[3:15]}) == 1, "columns stand below their names"
    assert lines[15:] == [
        f"randomization, NDCG@10: exact, all 2^{comparisons[0].n_differ} swaps of the queries that differ",
        f"randomization, ERR: exact, all 2^{comparisons[1].n_differ} swaps of the queries that differ",
        "interval: percentile bootstrap, 9999 resamples, seed 0",
        "tests are two-sided; needed: queries that resolve a difference of this size, at 80% power and the 5% level",
    ]


def test_spec_level_and_grade_are_those_of_the_flags(capsys, folder, rankings):
    files = folder / "train.txt", "--scores", folder / "scores.txt", folder / "other.txt"
    document = read_json(capsys, "compare", *files, "--spec", "lightgbm", "--k", 3)
    assert document["metrics"] == {name: asdict(pair) for name, pair in compare(*rankings, "lightgbm", 3).items()}
    assert [*document["metrics"]] == ["NDCG@3"]
    paper, graded = (read_json(capsys, "compare", *files, *more)["metrics"] for more in ((), ("--max-grade", 5)))
    assert paper["NDCG@10"] == graded["NDCG@10"]
    assert paper["ERR"]["a"]["mean"] > graded["ERR"]["a"]["mean"]


def test_queries_that_the_convention_skips_are_left_out_of_both(capsys, tmp_path):
    files = write_pairs(tmp_path, (1, 0), (0, 0), (0, 2), (1, 0), scores=SWAPPED)
    for spec, counted in (("paper", 4), ("trec", 3)):
        document = read_json(capsys, "compare", *files, "--spec", spec)
        assert document["n_queries"] == 4
        assert {metric[side]["n_queries"] for metric in document["metrics"].values() for side in "ab"} == {counted}
    assert document["metrics"]["NDCG@10"]["n_differ"] == 3


def test_equal_rankings_have_p_1_no_t_test_and_no_number_of_queries(capsys, tmp_path):
    files = write_pairs(tmp_path, (1, 0), (0, 1), scores=((2, 1), (2, 1)))
    ndcg = read_json(capsys, "compare", *files)["metrics"]["NDCG@10"]
    assert (ndcg["t_test"], ndcg["randomization"]["p_value"], ndcg["n_needed"]) == (None, 1.0, None)
    _, lines, _ = run(capsys, "compare", *files)
    ends = {line.split("  ")[0]: line.split()[-2:] for line in lines[12:15]}
    assert ends == {"p, paired t-test": ["-", "-"], "p, randomization": ["1", "1"], "queries needed": ["-", "-"]}


def test_many_queries_are_sampled_by_a_fixed_seed(capsys, tmp_path):
    files = write_pairs(tmp_path, *[(1, 0), (0, 2), (1, 0)] * 5, scores=SWAPPED)
    _, lines, _ = run(capsys, "compare", *files)
    assert "randomization, ERR: sampled, 9999 of the 2^15 swaps, seed 0" in lines
    assert run(capsys, "compare", *files)[1] == lines
