"""RankLib's ensembles come back: files in its own layout, hand-made ones, and what refrank wrote."""

import re

import numpy as np
import pytest

from refrank.models.exchange import ranklib, ranklib_reader
from refrank.models.exchange.importing import import_model
from refrank.models.exchange.packing import make_portable
from refrank.models.exchange.ranklib_reader import read_float32
from tests.cli.command_line import run
from tests.models.exchange.cases import beside, with_cuts
from tests.models.exchange.test_hostile import fault_of
from tests.models.exchange.test_ranklib import ONE_SUM, read, score
from tests.models.kinds import X, train

TREE = """\t<tree id="1" weight="0.1">
\t\t<split>
\t\t\t<feature>3 </feature>
\t\t\t<threshold> 0.3 </threshold>
\t\t\t<split pos="left">
\t\t\t\t<output>-1.25 </output>
\t\t\t</split>
\t\t\t<split pos="right">
\t\t\t\t<feature>1 </feature>
\t\t\t\t<threshold> -1.0E-4 </threshold>
\t\t\t\t<split pos="left">
\t\t\t\t\t<output>0.7 </output>
\t\t\t\t</split>
\t\t\t\t<split pos="right">
\t\t\t\t\t<output>2.0 </output>
\t\t\t\t</split>
\t\t\t</split>
\t\t</split>
\t</tree>
"""
ENSEMBLE = f"<ensemble>\n{TREE}</ensemble>\n"
MART = f"## MART\n## No. of trees = 1\n## No. of leaves = 3\n\n{ENSEMBLE}"
ROWS = np.float32([[0, 0, 0.3], [-1, 0, 0.5], [-1e-4, 0, 0.5], [0, 9, np.nextafter(np.float32(0.3), np.float32(1))]])
LEAVES = np.float32([-1.25, 0.7, 0.7, 2.0])


def test_a_file_of_ranklib_predicts_with_its_numbers():
    ranker = ranklib_reader.read(MART.encode())
    assert (ranker.n_features_in_, ranker.n_rounds_, ranker.rules_) == (3, 1, ("nan is zero",))
    rate = np.float64(np.float32(0.1))
    assert ranker.predict(ROWS.astype(np.float64)).tolist() == (LEAVES * rate).tolist()
    holes = [[np.nan, 0.0, 1.0]]  # read as 0, right of -1e-4
    assert ranker.predict(holes).tolist() == [2.0 * rate]
    on_one_line = ranklib_reader.read(ENSEMBLE.replace("\n", "").encode())
    assert on_one_line.predict(holes).tolist() == [2.0 * rate]


def test_a_forest_is_the_mean_of_its_ensembles_in_every_bit():
    other = ENSEMBLE.replace("0.7", "0.25").replace("2.0", "1e-3")
    forest = ranklib_reader.read(f"## Random Forests\n## No. of bags = 3\n\n{ENSEMBLE}\n{other}\n{ENSEMBLE}\n".encode())
    rate = np.float32(0.1)
    first, second = LEAVES * rate, np.float32([-1.25, 0.25, 0.25, 1e-3]) * rate  # float32, as RankLib's sums are
    expected = [(float(a) + float(b) + float(a)) / 3 for a, b in zip(first, second, strict=True)]
    assert forest.predict(ROWS.astype(np.float64)).tolist() == expected
    two = ENSEMBLE.replace("</tree>", f"</tree>{TREE}", 1)
    bags = ranklib_reader.read((two + ENSEMBLE).encode()).predict(ROWS.astype(np.float64))
    np.testing.assert_allclose(bags, LEAVES * 0.15, rtol=1e-7)


@pytest.mark.parametrize("name", ONE_SUM)
def test_what_was_written_comes_back_and_leaves_again(name):
    content = ranklib.write(make_portable(train(name)))
    imported = ranklib_reader.read(content, X.shape[1])
    rows = X.astype(np.float32).astype(np.float64)
    np.testing.assert_allclose(imported.predict(rows), score(read(content), rows), rtol=1e-5, atol=1e-6)
    assert ranklib.write(make_portable(imported)) == content


def test_rows_beside_a_cut_go_the_same_way():
    cuts = (0.0, 0.1, -0.1, 1 / 3, 5e-324, -5e-324, 1e-40, -1e-40, 1e-35, 16777217.0, 1e300, -1e300)
    content = ranklib.write(make_portable(with_cuts(cuts)))
    with np.errstate(over="ignore"):
        rows = beside(cuts).astype(np.float32)
    rows = rows[np.isfinite(rows[:, 0])].astype(np.float64)
    imported = ranklib_reader.read(content, rows.shape[1])
    assert np.array_equal(imported.predict(rows), score(read(content), rows))


def test_a_number_is_rounded_once():
    for text in ("1.000000059604644775390625", "1.000000178813934326171875", "-0.1"):
        assert read_float32(text, "x") == np.float32(float(text))  # two ties, which go to the even one
    above = "1.000000059604644775390626"
    assert read_float32(above, "x") == np.nextafter(np.float32(1), np.float32(2)) != np.float32(float(above))


def test_names_in_comments_count_the_features():
    names = "".join(f"## feature {f} = {name}\n" for f, name in enumerate("abcde", start=1))
    assert ranklib_reader.read((names + MART).encode()).feature_names_in_.tolist() == [*"abcde"]
    assert not hasattr(ranklib_reader.read((names[len("## feature 1 = a\n") :] + MART).encode()), "feature_names_in_")


EDITS = {
    ("<ensemble>", ""): "line 6: <tree> stands within <>",
    ("</ensemble>", ""): "it ends within <ensemble>",
    (TREE, ""): "it has no trees",
    ("<ensemble>", '<!DOCTYPE x [<!ENTITY a "b">]><ensemble>'): "line 5 is '<!DOCTYPE x",
    ("<ensemble>", "<?xml version='1.0'?><ensemble>"): "line 5 is .<.xml vers",
    ("-1.25", "&a;"): "line 11: output is '&a;': it must be a number",
    ("-1.25", "NaN"): "line 11: output is 'NaN': it must be a number",
    ("-1.25", "1" * 99): "line 11: output is '1111",
    ("-1.25", "Infinity"): "value at row",
    ("-1.25", "9e38"): "value at row",
    ("<feature>3 ", "<feature>0 "): "line 8: feature is '0': it must be at least 1",
    ("<feature>3 ", "<feature>9999999999 "): "line 8: feature is '9999999999'",
    (' weight="0.1"', ""): "line 6: a tree must have a weight",
    ("0.1", "x"): "line 6: weight is 'x': it must be a number",
    ('pos="left"', 'pos="right"'): "line 10: a split must have two splits, of pos left and right, in this order",
    ("<threshold> 0.3 </threshold>", ""): "line 23: a split must have an output, or a feature, a threshold and two",
    ("<output>-1.25 </output>", ""): "line 12: a split must have an output, or",
    ("<split>", "<split>x"): "line 7: a text follows split",
    ("</tree>", "</split>"): "line 24: </split> ends what has not begun, or not last",
    ("<output>0.7 </output>", "<output>0.7 </output><output>1 </output>"): "line 17: output is given twice, or late",
    ("</tree>", "<split></split></tree>"): "line 24: a tree must have one split, without pos",
}


@pytest.mark.parametrize(("old", "new"), EDITS, ids=range(len(EDITS)))
def test_the_fault_of_an_edited_ensemble_names_its_place(tmp_path, old, new):
    assert old in MART
    fault = fault_of(MART.replace(old, new, 1).encode(), "ranklib", tmp_path)
    assert re.match(EDITS[old, new], fault), fault


def test_depth_takes_no_stack_and_a_given_width_is_checked(tmp_path):
    deep = "<split><feature> 1 </feature><threshold> 1 </threshold>" + (
        '<split pos="left"><feature> 1 </feature><threshold> 1 </threshold>' * 3000
    )
    begun = f'<ensemble><tree id="1" weight="1">{deep}'
    assert fault_of(begun.encode(), "ranklib", tmp_path) == "it ends within <split>"
    leaf = "<output> 1 </output></split>"
    whole = begun + f'<split pos="left">{leaf}<split pos="right">{leaf}' + f'</split><split pos="right">{leaf}' * 3000
    assert fault_of(f"{whole}</split></tree></ensemble>".encode(), "ranklib", tmp_path) == ""
    (tmp_path / "m").write_bytes(MART.encode())
    with pytest.raises(
        ValueError, match="feature of node 0 of tree 0 is 2: it must be below 2, the number of features"
    ):
        import_model(tmp_path / "m", "ranklib", n_features=2)


def test_the_command_reads_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mart.txt").write_text(MART)
    words = "import", "mart.txt", "--from", "ranklib", "--model", "m"
    code, out, _ = run(capsys, *words, "--n-features", "7")
    assert (code, out[0]) == (0, "m: 1 rounds, 7 features, ranked by the output")
    assert out[1] == "not verified: RankLib is a Java program, which refrank does not run"
    for more, fault in {
        ("--verify", "mart.txt"): "--verify does not work with --from ranklib: RankLib is a Java program",
        ("--rounds", "best"): "mart.txt is not a RankLib ensemble: it does not name a best round",
    }.items():
        code, _, errors = run(capsys, *words, *more)
        assert code in (1, 2)
        assert fault in errors[0]
    code, _, errors = run(capsys, "import", "mart.txt", "--from", "xgboost", "--model", "m", "--n-features", "7")
    assert "it states how many features there are: --n-features is for RankLib's files" in errors[0]
