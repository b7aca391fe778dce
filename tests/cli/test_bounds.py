"""`refrank bounds`: the errors and bounds it prints are those of `report_bounds`, line by line and as JSON."""

import pytest

from refrank.bounds import report_bounds
from refrank.bounds.printed import compute_informative
from refrank.bounds.report import DCG_BOUNDS, ERR_BOUNDS, NDCG_BOUNDS
from tests.cli.command_line import read_json, run, write_pairs

# labels 0..2, query ids out of order and one query with equal labels; scores beyond the grades on both sides
LABELS = [0, 2, 1, 1, 1, 2, 0, 1]
QUERIES = [7, 7, 7, 3, 3, 5, 5, 5]
SCORES = [1.9, 1.6, 0.2, 1.0, 0.0, -0.4, 2.7, 0.6]
NAMES = {"dcg": DCG_BOUNDS, "ndcg": NDCG_BOUNDS, "err": ERR_BOUNDS}


@pytest.fixture
def bounds(tmp_path):
    """The arguments of a command on these files."""
    rows = [f"{y} qid:{q} 1:{i}\n" for i, (y, q) in enumerate(zip(LABELS, QUERIES, strict=True), start=1)]
    (tmp_path / "test.txt").write_text("".join(rows))
    (tmp_path / "scores.txt").write_text("".join(f"{score}\n" for score in SCORES))
    return "bounds", tmp_path / "test.txt", "--scores", tmp_path / "scores.txt"


def report(**options):
    return report_bounds(LABELS, SCORES, QUERIES, **options)


@pytest.mark.parametrize("k", [None, 2])
def test_every_line_of_the_tables(bounds, capsys, k):
    """A cut-off adds the table of NDCG@k, and the first table says which places count."""
    code, out, _ = run(capsys, *bounds, "--max-grade", 2, *(() if k is None else ("--k", k)))
    names_of = {part: names for part, names in NAMES.items() if part != "ndcg" or k}
    ends = [place for place, line in enumerate([*out, ""]) if line == ""]
    assert (code, len(ends)) == (0, len(names_of))
    tables = [out[start:end] for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)]
    expected = report(max_grade=2, k=k)
    share = compute_informative(expected)
    for (part, names), (about, head, *lines) in zip(names_of.items(), tables, strict=True):
        assert about.startswith("1 - NDCG@2" if part == "ndcg" else f"{part.upper()}_g - {part.upper()}_pi")
        assert ("places 1 to 2" in about) == (part == "dcg" and k == 2)
        assert head.split() == ["query", "wrong", "error", "largest", *names]
        columns = [f"{part}_error", f"largest_{part}_error", *names]
        for row, (qid, wrong) in enumerate([(7, 2), (3, 1), (5, 2)]):
            figures = [f"{expected.per_query[name][row]:.4f}" for name in columns]
            assert lines[row].split() == [str(qid), str(wrong), *figures]
            assert lines[row].startswith(f"{qid} ")
        assert lines[3].split() == ["mean", "1.67", *(f"{expected.mean[name]:.4f}" for name in columns)]
        assert lines[4].split() == ["informative", *(f"{share[name]:.0%}" for name in names)]
        assert len(lines) == 5
        assert len({len(line) for line in (head, *lines)}) == 1, "columns stand below their names"


def test_json_holds_every_bit(bounds, capsys):
    document, expected = read_json(capsys, *bounds, "--max-grade", 2, "--k", 2), report(max_grade=2, k=2)
    assert list(document) == ["n_queries", "k", "mean", "informative", "queries"]
    assert (document["n_queries"], document["k"]) == (3, 2)
    assert document["mean"] == expected.mean
    assert [query["qid"] for query in document["queries"]] == [7, 3, 5]
    assert [query["n_errors"] for query in document["queries"]] == [2, 1, 2]
    for name, column in expected.per_query.items():
        assert [query[name] for query in document["queries"]] == column.tolist()


def test_the_highest_grade_is_that_of_report_bounds_by_default(bounds, capsys):
    assert read_json(capsys, *bounds)["mean"] == report().mean != report(max_grade=2).mean


def test_a_bound_says_something_when_it_is_below_the_largest_error():
    # labels 0..2 of three documents: thresholds are sharp for one exchange, the number of errors never says anything
    share = compute_informative(report_bounds([2, 1, 0, 0, 0], [2.0, 0.4, 0.6, 0.0, 0.0], max_grade=2))
    assert (share["dcg_threshold"], share["mcrank_lemma1"]) == (1.0, 0.0)
    # one query has equal labels, another has no error, and neither counts; 5/12 is below 15/32, 1/2 is not
    more = report_bounds([*LABELS, 2, 0], [*SCORES, 2.0, 0.0], [*QUERIES, 9, 9], max_grade=2)
    assert compute_informative(report(max_grade=2))["err_rr_dcg"] == compute_informative(more)["err_rr_dcg"] == 0.5


def test_no_error_has_no_share(capsys, tmp_path):
    bounds = "bounds", *write_pairs(tmp_path, (1, 0), scores=[(1, 0)])
    _, out, _ = run(capsys, *bounds)
    assert out[4].split() == ["informative", *["-"] * 6]
    assert read_json(capsys, *bounds)["informative"] == dict.fromkeys(DCG_BOUNDS + NDCG_BOUNDS + ERR_BOUNDS)
