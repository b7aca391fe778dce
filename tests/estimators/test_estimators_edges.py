"""`refrank.estimators` at the edges of what works: empty classes, few rows, interrupts, a second fit."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from refrank import LADBoostRanker, LSBoostRanker, SoftmaxBoostRanker
from refrank.estimators import mcrank
from refrank.trees.tree import Tree
from tests.estimators.boosters import data, rankers, small, updates


@rankers
@updates
def test_an_empty_class_at_every_place(Ranker, update):
    X, y, _ = data(n_classes=5)
    for missing in range(5):
        kept = y != missing
        ranker = small(Ranker, update=update, n_classes=6).fit(X[kept], y[kept])
        assert ranker.n_classes_ == 6
        assert np.isfinite(ranker.predict(X)).all()


@rankers
def test_constant_features_give_one_score(Ranker):
    y = np.array([0, 1, 2, 1])
    scores = small(Ranker).fit(np.ones((4, 3)), y).predict(np.ones((2, 3)))
    assert scores[0] == scores[1]
    assert np.isfinite(scores).all()


@rankers
def test_numbers_of_other_types_and_few_rows_are_taken(Ranker):
    for y in ([False, True, True], np.array([0, 2, 1], np.uint8), [0.0, 1.0, 1.0], np.array([0, 1, 1], np.float16)):
        assert small(Ranker).fit([[0], [1], [2]], y).predict(np.array([[0], [1]], np.int8)).shape == (2,)


@rankers
def test_one_document_queries_and_queries_without_relevant_documents(Ranker):
    X, y, _ = data()
    ranker = small(Ranker).fit(X, y, np.arange(60))
    assert ranker.score(X, y, np.arange(60)) == np.mean(y > 0)  # each query of one relevant document is perfect
    assert ranker.score(X, np.zeros(60, int), np.arange(60) // 2) == 0.0


@pytest.mark.parametrize("Ranker", [LSBoostRanker, LADBoostRanker, SoftmaxBoostRanker])
@pytest.mark.parametrize("least", [1, 20])
def test_min_samples_leaf_reaches_the_trees(Ranker, least):
    X, y, qid = data()
    first = small(Ranker, n_rounds=1, min_samples_leaf=least).fit(X, y, qid).model_.rounds[0]
    tree = first if isinstance(first, Tree) else first[0]
    rows = [np.full(len(X), True)]  # the rows that come to each node, a parent before its children
    rows += [np.full(len(X), False)] * (len(tree.feature) - 1)
    for node in np.flatnonzero(tree.feature >= 0):
        left = X[:, tree.feature[node]] < tree.cut[node]
        rows[tree.left[node]], rows[tree.right[node]] = rows[node] & left, rows[node] & ~left
    fewest = min(int(rows[leaf].sum()) for leaf in np.flatnonzero(tree.feature < 0))
    assert fewest >= least
    assert (fewest < 20) == (least == 1)


@rankers
def test_more_leaves_than_rows(Ranker):
    assert len(small(Ranker, n_leaves=100, min_samples_leaf=50).fit([[0.0], [1.0]], [0, 1]).predict([[0.5]])) == 1


@rankers
def test_an_interrupt_keeps_the_rounds_done(Ranker, monkeypatch):
    X, y, _ = data()
    whole = small(Ranker, n_rounds=5).fit(X, y)

    def interrupted(turns, *args, **kwargs):
        for number, trees in enumerate(turns):
            if number == 3:
                raise KeyboardInterrupt
            yield trees

    monkeypatch.setattr(mcrank, "tqdm", interrupted)
    ranker = small(Ranker, n_rounds=5)
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(X, y)
    assert ranker.n_rounds_ == 3
    assert ranker.predict(X).tobytes() == list(whole.staged_predict(X))[2].tobytes()


@rankers
@pytest.mark.parametrize("failure", ["interrupt", "labels"])
def test_a_second_fit_that_fails_leaves_no_model_of_the_first(Ranker, failure, monkeypatch):
    """The trees of the first fit would read columns that the second fit's data do not have."""
    X, y, _ = data()
    ranker = small(Ranker).fit(X, y)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    if failure == "interrupt":
        monkeypatch.setattr(mcrank, "tqdm", interrupted)
    with pytest.raises((KeyboardInterrupt, ValueError)):
        ranker.fit(X[:, :2], y if failure == "interrupt" else -y)
    with pytest.raises(NotFittedError):
        ranker.predict(X[:, :2])


@pytest.mark.filterwarnings("ignore:overflow encountered in multiply:RuntimeWarning")
def test_products_of_weight_and_target_beyond_float64_are_refused():
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"summed over rows is inf at row \d+: it must be finite"):
        small(LSBoostRanker, target=[0.0, 1e200, 2e200, 3e200]).fit(X, y, sample_weight=np.full(60, 1e150))


@rankers
def test_no_output_unless_asked(Ranker, capfd):
    X, y, _ = data()
    small(Ranker, verbose=1).fit(X, y)  # standard error is no terminal here
    assert capfd.readouterr() == ("", "")
