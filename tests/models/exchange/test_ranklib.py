"""RankLib's ensemble, read by an independent reader that reads, compares and adds in float32, as RankLib does."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from refrank import LSBoostRanker
from refrank.cli import main
from refrank.models import save_model
from refrank.models.exchange import ranklib
from refrank.models.exchange.lightgbm import write as write_lightgbm
from refrank.models.exchange.lightgbm_reader import read as read_lightgbm
from refrank.models.exchange.packing import make_portable
from tests.models.exchange.cases import beside, missing_kinds, with_cuts
from tests.models.kinds import X, train

ONE_SUM = ["gbrt", "rf", "igbrt", "ls", "lad", "huber", "cuts midway", "no forest", "cocr over gbrt"]


def read(content):
    """The trees of an ensemble, with their weights."""
    text = content.decode()
    head, _, xml = text.partition("<ensemble>")
    assert all(line.startswith("## ") for line in head.splitlines() if line)
    root = ElementTree.fromstring(f"<ensemble>{xml}")
    assert [tree.get("id") for tree in root] == [str(number) for number in range(1, len(root) + 1)]
    assert f"## No. of trees = {len(root)}\n" in head
    return [(np.float32(tree.get("weight")), tree.find("split")) for tree in root]


def evaluate(split, row):
    """Go down from a split to the output of a leaf; a feature that the row leaves out is 0."""
    while split.find("output") is None:
        x = row.get(int(split.find("feature").text), np.float32(0))
        side = "left" if x <= np.float32(split.find("threshold").text) else "right"
        split = next(below for below in split.findall("split") if below.get("pos") == side)
    return np.float32(split.find("output").text)


def score(trees, X):
    """Score rows, which are NaN where a feature is left out."""
    scores = []
    for values in X.astype(np.float32):
        row = {f: x for f, x in enumerate(values, start=1) if x == x}
        total = np.float32(0)
        for weight, split in trees:
            total = np.float32(total + evaluate(split, row) * weight)
        scores.append(float(total))
    return np.array(scores)


@pytest.mark.parametrize("name", ONE_SUM)
def test_a_reader_scores_as_the_ranker_does(name):
    ranker = train(name)
    portable = make_portable(ranker)
    rows = X.astype(np.float32).astype(np.float64)
    expected = portable.head(portable.outputs(rows))
    bound = float(sum(portable.rounding + ranklib.bound_rounding(portable))) * 4 + 1e-6 * np.abs(expected).max()
    assert np.abs(score(read(ranklib.write(portable)), rows) - expected).max() <= bound
    assert bound < 1e-4


def test_rows_beside_a_cut_go_the_same_way():
    """In float32, where all features of RankLib are; the bits of a score say at which cuts a row went right."""
    cuts = (0.0, 0.1, -0.1, 1 / 3, 5e-324, -5e-324, 1e-40, -1e-40, 1e-35, 16777217.0, 1e300, -1e300)
    ranker = with_cuts(cuts)
    with np.errstate(over="ignore"):
        rows = beside(cuts).astype(np.float32)
    rows = rows[np.isfinite(rows[:, 0])].astype(np.float64)
    trees = read(ranklib.write(make_portable(ranker)))
    assert np.array_equal(score(trees, rows), ranker.predict(rows))


def test_missing_entries_leave_where_they_go_with_0():
    left = []
    for kind, ranker, rows in missing_kinds():
        portable, marker = make_portable(ranker), ranker.missing_value
        rows = np.where(rows == marker, marker, rows.astype(np.float32))
        if all((cut.left_if_missing == (cut.tree.cut > 0))[cut.tree.feature >= 0].all() for cut in portable.rounds):
            content = ranklib.write(portable)
        else:
            with pytest.raises(ValueError, match=r"tree \d+ sends missing entries elsewhere than 0: missing entries m"):
                ranklib.write(portable)
            continue
        left.append(kind)
        holes = np.where(rows == marker, np.nan, rows)
        np.testing.assert_allclose(score(read(content), holes), ranker.predict(rows), rtol=1e-5, atol=1e-6)
    assert "missing=zero" in left
    assert not {"missing=inf", "missing=-inf", "missing=three-way", "marked by 0"} & {*left}


def test_at_a_cut_of_0_a_missing_entry_goes_right_as_0_does():
    kind, ranker, _ = next(missing_kinds())
    assert kind == "missing=zero"
    tree = ranker.model_.rounds[0][0]
    tree.cut[0] = 0.0
    thresholds = [split.find("threshold") for _, split in read(ranklib.write(make_portable(ranker)))]
    first = next(threshold for threshold in thresholds if threshold is not None)
    assert np.float32(first.text) == np.nextafter(np.float32(0), np.float32(-1))


@pytest.mark.parametrize("name", ["softmax", "ordinal", "gbrt of classes"])
def test_several_outputs_are_refused(name):
    with pytest.raises(ValueError, match=r"^the score is a \w+ of several sums of trees: RankLib's ensemble must"):
        ranklib.write(make_portable(train(name)))


def test_the_command_writes_it_and_verifies_nothing(tmp_path, capsys):
    ranker = train("ls")
    save_model(ranker, tmp_path / "m")
    words = ["export", str(tmp_path / "m"), "--to", "ranklib", "--out", str(tmp_path / "xml")]
    assert main(words) == 0
    assert (tmp_path / "xml").read_bytes() == ranklib.write(make_portable(ranker))
    (tmp_path / "rows").write_text("1 qid:1 1:0.5\n")
    assert main([*words, "--verify", str(tmp_path / "rows")]) == 2
    assert "--verify does not work with --to ranklib: refrank runs no program" in capsys.readouterr().err


def test_names_leave_and_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    names = ["match", "links: all", 'the "age"', "a<b>[c]", "match\nlines"]
    ranker = LSBoostRanker(n_rounds=2).fit(pandas.DataFrame(X, columns=names), np.arange(len(X)) % 3)
    portable = make_portable(ranker)
    assert portable.names == tuple(names)
    assert "## feature 5 = match lines\n" in ranklib.write(portable).decode()
    imported = read_lightgbm(write_lightgbm(portable).decode())
    assert imported.feature_names_in_.tolist() == ["match", "links__all", "the__age_", "a<b>_c_", "match_lines"]
    assert np.array_equal(imported.predict(X), ranker.predict(pandas.DataFrame(X, columns=names)))  # without a warning
    assert re.search(r"match|links__all|the__age_|a<b>_c_", str(imported.tree(2)))
    save_model(imported, tmp_path / "m")
    same = replace(portable, names=("a b", "a_b", "", "c", "d"))
    text = write_lightgbm(same).decode()
    assert "feature_names=Column_0 Column_1 Column_2 c d\n" in text
    assert not hasattr(read_lightgbm(write_lightgbm(make_portable(train("ls"))).decode()), "feature_names_in_")


def test_xgboost_holds_names():
    import json

    from refrank.models.exchange import xgboost, xgboost_reader

    portable = replace(make_portable(train("ls")), names=("a", "b<", "[c]", "d d", "e"))
    content = xgboost.write(portable)
    assert json.loads(content)["learner"]["feature_names"] == ["a", "b_", "_c_", "d d", "e"]
    assert xgboost_reader.read(content).feature_names_in_.tolist() == ["a", "b_", "_c_", "d d", "e"]
    twice = xgboost.write(replace(portable, names=("a", "b<", "b[", "d", "e")))
    assert not hasattr(xgboost_reader.read(twice), "feature_names_in_")


@pytest.mark.parametrize("program", ["lightgbm", "xgboost"])
def test_contributions_of_the_program_add_up(program):
    """TreeSHAP of the exported model: another split of the same score, from the same base."""
    pytest.importorskip(program)
    ranker = train("ls")
    portable = make_portable(ranker)
    if program == "lightgbm":
        import lightgbm

        values = lightgbm.Booster(model_str=write_lightgbm(portable).decode()).predict(X, pred_contrib=True)
    else:
        import xgboost as program

        from refrank.models.exchange.xgboost import write

        booster = program.Booster(model_file=bytearray(write(portable)))
        values = booster.predict(program.DMatrix(X.astype(np.float32)), pred_contribs=True)
    np.testing.assert_allclose(values.sum(axis=1), ranker.predict(X), atol=1e-5)
    np.testing.assert_allclose(values[:, -1], ranker.contributions(X)[:, -2], atol=1e-5)


def test_rankers_without_names_have_no_comments():
    assert b"feature 1 =" not in ranklib.write(make_portable(train("ls")))
    assert make_portable(train("softmax")).names is None
