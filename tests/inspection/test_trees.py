"""Trees as text, and importances by gain: a reader of the text scores rows as the tree does."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LambdaRanker, OrdinalBoostRanker, RandomForestRanker
from refrank.cli import main
from refrank.inspection import export_text
from refrank.models import save_model
from refrank.models.exchange.lightgbm import write
from refrank.models.exchange.lightgbm_reader import read
from refrank.models.exchange.packing import make_portable
from tests.estimators.cases import SIZES, each, fit, small, which
from tests.strategies import rng_of

NAMES = ["match", "links", "<script>", "x < 1", "age"]


def hollow(seed=0, share=0.2):
    """Features on a small grid, so that six digits tell cuts apart, with holes."""
    rng = rng_of(seed)
    X = rng.integers(0, 9, (80, 5)).astype(float)
    y = np.clip(np.rint(X[:, 0] / 4 + (X[:, 1] > 3)), 0, 3).astype(int)
    X[rng.random(X.shape) < share] = np.nan
    return X, y


def descend(lines, row):
    """Follow a text from its first line: which of the two lines of the next depth answers the question?"""
    at, depth = 0, 0
    while question := re.fullmatch(r"(.*) (?:< (\S+)|is there)  \(.*rows?, gain .*\)", lines[at][1]):
        x = row[NAMES.index(question[1])]
        answer = "missing" if np.isnan(x) else "yes" if question[2] is None or x < float(question[2]) else "no"
        if question[2] is None and answer == "missing":
            answer = "no"
        depth += 1
        at = next(n for n in range(at + 1, len(lines)) if lines[n][0] == depth and answer in lines[n][2])
    return float(lines[at][1].split("  ")[0])


def parse(text):
    """Take a text apart: the depth, the words and the answer of each line."""
    for line in text.splitlines():
        lead = re.match(r"((?:\|   |    )*)(?:[|']-- ([a-z, ]+): +)?(.*)", line)
        yield len(lead[1]) // 4 + (lead[2] is not None), lead[3], lead[2]


MISSING = [{"missing": rule} for rule in ("three-way", "mean", "zero", "-inf", "inf", None)]


@pytest.mark.parametrize("rules", [*MISSING, {"missing": "three-way", "three_way": "rt-rank"}], ids=str)
def test_a_reader_of_the_text_scores_rows_as_the_tree_does(rules):
    X, y = hollow(share=0.2 if rules["missing"] else 0.0)
    ranker = GBRTRanker(n_rounds=2, max_depth=3, n_threads=1, **rules).fit(X, y)
    values = 0.0
    for m in (1, 2):
        lines = list(parse(export_text(ranker.tree(m), NAMES).split("\n", 1)[1]))
        values += 0.1 * np.array([descend(lines, row) for row in X])
    np.testing.assert_allclose(values, ranker.predict(X), rtol=1e-5, atol=1e-5)
    assert rules["missing"] is None or re.search("or missing|is there", str(ranker.tree(1)))


def test_an_imported_tree_names_features_under_each_rule():
    X, y = hollow()
    ranker = GBRTRanker(n_rounds=2, max_depth=3, missing="mean").fit(X, y)
    imported = read(write(make_portable(ranker)).decode())
    assert imported.rules_ == ("nan right", "nan left")
    ours, theirs = (export_text(of.tree(2)).split("\n", 1)[1] for of in (ranker, imported))
    assert re.findall(r"x\d < \S+|, or missing", ours) == re.findall(r"x\d < \S+|, or missing", theirs)
    np.testing.assert_allclose(imported.feature_importances_, ranker.feature_importances_, rtol=1e-12)


def test_a_tree_has_the_names_of_its_ranker():
    pandas = pytest.importorskip("pandas")
    X, y = hollow(share=0.0)
    ranker = OrdinalBoostRanker(n_rounds=3, n_leaves=3).fit(pandas.DataFrame(X, columns=NAMES), y)
    named = ranker.tree(3, 5)
    assert named.tree is ranker.model_.rounds[2][5]
    assert str(named).startswith("tree 3, output 5, of OrdinalBoostRanker; it adds 0.05 times a value\n")
    lines = [line for _, line, _ in parse(str(named).split("\n", 1)[1])]
    assert {line.rpartition(" < ")[0] for line in lines if " < " in line} <= {*NAMES}
    assert repr(named).endswith("times a value: Tree(5 nodes, 3 leaves)>")
    with pytest.raises(ValueError, match=r"feature_names has 1 names: the tree cuts on feature \d, counted from 0"):
        export_text(replace(named, names=None).tree, ["match"])


def test_the_trees_of_each_part_are_there():
    X, y = hollow(share=0.0)
    ranker = small(IGBRTRanker, n_trees=2).fit(X, y)
    assert ranker.tree(2, forest=True).tree is ranker.forest_.rounds[1][0]
    assert ranker.tree(3).tree is ranker.model_.rounds[2][0]
    assert "tree 2 of the forest, output 0, of IGBRTRanker; it adds 0.5 times" in str(ranker.tree(2, forest=True))
    cocr = COCRRanker(small(GBRTRanker)).fit(X, y)
    assert cocr.tree(2, 1).tree is cocr.model_.soft_classifiers[1].regressor.model_.rounds[1][0]
    assert str(cocr.tree(2, 1)).startswith("problem y >= 2: tree 2, output 0, of GBRTRanker")


REFUSED = {
    "m is 4: it must be an integer from 1 to 3": lambda X, y: small(GBRTRanker).fit(X, y).tree(4),
    "m is 0: it must be an integer from 1 to 3": lambda X, y: small(GBRTRanker).fit(X, y).tree(0),
    "k is 1: it must be an integer from 0 to 0": lambda X, y: small(GBRTRanker).fit(X, y).tree(1, 1),
    "forest is True: GBRTRanker has one sum of trees": lambda X, y: small(GBRTRanker).fit(X, y).tree(1, forest=True),
    "LambdaRanker is not a sum of trees: refrank.inspection": lambda X, y: small(LambdaRanker).fit(X, y).tree(1),
    "problem y >= 1 is answered by LinearRegression": lambda X, y: COCRRanker(LinearRegression()).fit(X, y).tree(1),
    "COCR over LinearRegression is not a sum of": lambda X, y: COCRRanker(LinearRegression()).fit(X, y).list_sums(),
    "This GBRTRanker instance is not fitted": lambda X, y: GBRTRanker().tree(1),
}


@pytest.mark.parametrize(("sentence", "look"), REFUSED.items())
def test_what_is_not_there_is_refused(sentence, look):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        look(*hollow(share=0.0))


def test_the_command_shows_a_tree(tmp_path, capsys):
    X, y = hollow(share=0.0)
    ranker = small(OrdinalBoostRanker).fit(X, y)
    save_model(ranker, tmp_path / "m")
    for words, place in (("2,1", (2, 1)), ("3", (3, 0))):
        assert main(["show", str(tmp_path / "m"), "--tree", words]) == 0
        assert capsys.readouterr().out == f"{ranker.tree(*place)}\n"
    for words, sentence in (("2,x", "--tree is '2,x': it must be m,k, such as 3,0"), ("4", "m is 4: it must be")):
        assert main(["show", str(tmp_path / "m"), "--tree", words]) == 2
        assert sentence in capsys.readouterr().err


WITH_TREES = which(lambda ranker: not {"n_epochs", "base"} & {*ranker.get_params()})


@each(WITH_TREES)
def test_importances_are_shares_of_the_gain(make):
    ranker = fit(make())
    parts = [ranker.forest_, ranker.model_] if hasattr(ranker, "forest_") else [ranker.model_]
    totals = [Fraction(0)] * 5
    for part in parts:
        for tree in (tree for trees in part.rounds for tree in trees):
            for feature, gain in zip(tree.feature.tolist(), tree.split_gain.tolist(), strict=True):
                totals[feature] += Fraction(gain)  # of a leaf, 0
    np.testing.assert_allclose(ranker.feature_importances_, [float(part / sum(totals)) for part in totals], rtol=1e-12)


def test_importances_of_cocr_are_the_mean_of_its_bases():
    X, y = hollow(share=0.0)
    y = np.where(y == 3, 1, y)  # no row of the highest class: the last answer is a constant
    base = RandomForestRegressor(3, random_state=0)
    ranker = COCRRanker(base, n_classes=4).fit(X, y)
    expected = np.mean([h.regressor.feature_importances_ for h in ranker.model_.soft_classifiers[:2]], axis=0)
    np.testing.assert_allclose(ranker.feature_importances_, expected, rtol=1e-12)
    assert not hasattr(COCRRanker(LinearRegression()).fit(X, y), "feature_importances_")
    assert not hasattr(small(RandomForestRanker), "feature_importances_")
    assert [len(part.ensemble.rounds) for part in COCRRanker(small(GBRTRanker), n_classes=4).fit(X, y).list_sums()] == [
        *(SIZES["n_rounds"],) * 2,
        0,
    ]
