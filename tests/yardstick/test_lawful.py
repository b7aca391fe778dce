"""Choices that the papers leave open are told from mistakes: cuts, nodes and rows that tie."""

import pytest

from refrank.trees import engine, splitting
from tests.yardstick.trainings import WEIGHT, changed, make, record, swap
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode
from yardstick.traces.contest import compare_cuts, make_cut
from yardstick.traces.records import index_records
from yardstick.traces.stages import Place


def test_a_tie_is_lawful(golden_of, tmp_path):
    """The last of the cuts that tie, with the sums of its own left side, and all that follows from it."""
    golden = golden_of("softmax")
    records = index_records(golden)
    runs = {key: record.values("tied") for key, record in records.items() if key[0] == "cut"}
    key, node = next((key, run[0]) for key, tied in runs.items() for run in tied if sum(tied[:, 0] == run[0]) > 1)
    last = runs[key][runs[key][:, 0] == node][-1, [1, 3]].tolist()
    offsets, sums = records["bins", Place()].values("offsets"), records["histogram", key[1]].values("sums")

    def take_last(arrays):
        i = arrays["nodes"].tolist().index(node)
        f, b, _, *left = make_cut(sums[i], offsets, None, *last)
        arrays["cut"][i] = [f, b, *left]

    comparison = compare_traces(golden, changed(tmp_path / "theirs", make("softmax"), *key, take_last))
    assert comparison.counts["cut"]["lawful"] == 1
    assert not comparison.passes
    assert comparison.first.verdict == "lawful"

    def lie(arrays):
        take_last(arrays)
        arrays["cut"][arrays["nodes"].tolist().index(node), 3] += 1

    theirs = changed(tmp_path / "lie", make("softmax"), *key, lie)
    assert compare_traces(golden, theirs).first.verdict == "differs"


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "parameters", [{}, {"max_features": 6}, {"max_features": 3, "min_samples_leaf": 4, "cut_at": "midpoint"}]
)
def test_a_tie_in_a_forest_is_lawful(tmp_path, monkeypatch, parameters, weighted):
    """The last of the cuts that tie, and the tree that grows from it; a cut that gains less is none of them."""
    ranker, weight = make("rf").set_params(**parameters), WEIGHT if weighted else None
    golden = record(tmp_path / "golden", ranker, weight=weight)

    def take(place, sums, offsets, features, min_samples_leaf):
        """Take the last of the cuts that tie, or the second best, in place of the best."""
        contest = compare_cuts(sums, offsets, features, min_samples_leaf)
        if not contest.tied:
            return splitting.NO_SPLIT
        others = contest.tied[-1] if place == "last" else contest.runner_up
        f, *_, b = others if others[0] >= 0 else contest.tied[0][:2]
        return make_cut(sums, offsets, None, f, b)

    for name, verdict in (("last", "lawful"), ("second", "differs")):
        with monkeypatch.context() as changing:
            changing.setattr(splitting, "best_split", lambda *given, name=name: take(name, *given[:4]))
            changing.setattr(engine, "DEFAULT_SPLITTER", splitting)
            theirs = record(tmp_path / name, ranker, weight=weight)
        comparison = compare_traces(golden, theirs)
        assert verdict in comparison.counts["tree"]
        assert comparison.counts["tree"].keys() <= {"agrees", verdict}
        assert comparison.counts["prediction"].keys() <= {"follows", "agrees"}
        assert compare_traces(golden, theirs, Mode("tie")).passes == (name == "last")


def test_rows_with_equal_scores_may_change_places(golden_of, tmp_path):
    golden = golden_of("lad")
    records = index_records(golden)
    rows, scores = records["order", Place()].values("rows"), records["prediction", Place()].values("values")
    at = next(i for i in range(len(rows) - 1) if scores[rows[i]] == scores[rows[i + 1]])

    for i, j, verdict in ((at, at + 1, "lawful"), (0, -1, "differs")):  # the first and the last are of two queries
        theirs = changed(tmp_path / verdict, make("lad"), "order", Place(), swap("rows", i, j))
        assert compare_traces(golden, theirs).counts["order"] == {verdict: 1}
