"""A recorded training of many queries, as the document of one: its rows, its features, and numbers of all rows."""

import json
import re

import numpy as np
import pytest

from refrank import GBRTRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.estimators import COCRRanker, LADBoostRanker
from refrank.inspection.step.page import MOST, SOURCE
from refrank.inspection.step.training import record_query
from refrank.metrics import ndcg

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 60)).round(2)
y = np.clip(np.rint(X[:, 3] + X[:, 7] * X[:, 1] + 1), 0, 2).astype(np.int64)
qid = np.repeat([30, 10, 20], 30)[RNG.permutation(90)]  # whose rows are scattered
SOFTMAX = SoftmaxBoostRanker(n_rounds=3, n_leaves=4, n_bins=8)
needs_page = pytest.mark.skipif(not (SOURCE / "page.html").exists(), reason="there is no template of the page")


def read(document, stage, name, **at):
    """Read a field of a document as an array."""
    [record] = [record for record in document["records"] if (record["stage"], record["at"]) == (stage, at)]
    return np.array(record["fields"][name]["values"]).reshape(record["fields"][name]["shape"])


@pytest.fixture(scope="module")
def document():
    return record_query(SOFTMAX, X, y, qid, 20, [f"f{f}" for f in range(60)])


def test_rows_are_those_of_the_query_and_the_training_is_that_of_all(document):
    ranker, shown = SOFTMAX.fit(X, y, qid), np.flatnonzero(qid == 20)
    kept = [int(name[1:]) for name in document["manifest"]["features"]]
    assert 1 < len(kept) < 60
    assert read(document, "data", "X").tolist() == X[np.ix_(shown, kept)].tolist()
    assert document["manifest"]["n_samples"] == 90
    assert document["manifest"]["documents"] == [str(i) for i in range(1, 31)]
    assert (document["manifest"]["query"], document["manifest"]["classes"]) == ("20", 3)
    for m, scores in enumerate(ranker.staged_predict(X), start=1):
        assert read(document, "prediction", "values", round=m).tolist() == scores[shown].tolist()
        order = read(document, "order", "rows", round=m)
        assert order.tolist() == np.argsort(-scores[shown], kind="stable").tolist()
        assert read(document, "metric", "ndcg", round=m) == ndcg(y[shown], scores[shown])


def test_a_tree_parts_the_shown_rows_by_the_features_that_are_kept(document):
    ranker = SOFTMAX.fit(X, y, qid)
    tree, at = ranker.model_.rounds[1][2], {"round": 2, "output": 2}
    kept = [int(name[1:]) for name in document["manifest"]["features"]]
    nodes, cuts = read(document, "cut", "nodes", **at), read(document, "cut", "cut", **at)
    own = read(document, "data", "X")
    rows, n_left = read(document, "partition", "rows", **at), read(document, "partition", "n_left", **at)
    ranges = [(0, len(rows))]
    for node, cut, count in zip(
        *(read(document, "partition", of, **at) for of in ("nodes", "cut")), n_left, strict=True
    ):
        feature = cuts[nodes == node][0, 0]
        assert kept[feature] == tree.feature[node]
        start, stop = ranges[node]
        ranges += [(start, start + count), (start + count, stop)]
        assert (own[rows[start : start + count], feature] < cut).all()
        assert (own[rows[start + count : stop], feature] >= cut).all()
    inner = tree.feature >= 0
    assert read(document, "cut", "reduction", **at)[np.isin(nodes, np.flatnonzero(inner))] == pytest.approx(
        tree.split_gain[inner], rel=1e-12
    )
    sums, offsets = read(document, "histogram", "sums", **at), read(document, "bins", "offsets")
    assert sums.shape[1] == offsets[-1] == len(read(document, "bins", "cuts")) + len(kept)
    assert sums[0, : offsets[1], 1].sum() == 90  # of all rows


@pytest.mark.parametrize("ranker", [RandomForestRanker(n_trees=2), COCRRanker(GBRTRanker(n_rounds=2, max_depth=1))])
def test_forests_and_problems_are_documents_too(ranker):
    document = record_query(ranker, X, y, qid, "10")
    assert read(document, "prediction", "values").tolist() == ranker.predict(X[qid == 10]).tolist()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize(
    ("ranker", "query", "fault"),
    [
        (SOFTMAX, 7, "query is 7: it must be the id of a query, such as 30, 10, 20"),
        (SOFTMAX, None, "query is None: it must be the id of a query"),
        (LADBoostRanker(), 10, "algorithm is .lad.: it must be one of .softmax., .ordinal."),
    ],
)
def test_what_cannot_be_shown_is_refused(ranker, query, fault):
    ids = np.array([30, 10, 20])[np.arange(90) % 3] if query == 7 else qid
    with pytest.raises(ValueError, match=fault):
        record_query(ranker, X, y, ids, query)


@needs_page
def test_the_command_and_the_method_write_one_page(tmp_path, document, capsys):
    texts = (" ".join(f"{f}:{x!r}" for f, x in enumerate(row, start=1)) for row in X.tolist())
    lines = [f"{label} qid:{q} {text}\n" for label, q, text in zip(y, qid, texts, strict=True)]
    (tmp_path / "data.txt").write_text("".join(lines))
    words = ["--query", "20", "--learning-rate", "0.05", "--n-leaves", "4", "--dtype", "float64"]
    assert main(["step", str(tmp_path / "data.txt"), *words, "--out", str(tmp_path / "a.html")]) == 0
    SOFTMAX.step(X, y, qid, query=20, out=tmp_path / "b.html")
    pages = [(tmp_path / name).read_text() for name in ("a.html", "b.html")]
    assert max(map(len, pages)) < MOST
    found = [json.loads(re.search(r'(?s)id="document">(.*?)</script>', page)[1]) for page in pages]
    assert found[0]["records"] == found[1]["records"] == document["records"]
    assert main(["step", "--out", str(tmp_path / "toy.html")]) == 0
    assert 'id="document">null</script>' in (tmp_path / "toy.html").read_text()
    assert main(["step", "--query", "20", "--out", str(tmp_path / "c.html")]) == 2
    assert "DATA is missing" in capsys.readouterr().err
