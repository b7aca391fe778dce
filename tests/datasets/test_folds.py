"""Collections in folds: the layouts, the files of each fold, rows that nobody judged."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from refrank.cli import main
from refrank.datasets import load_folds, load_letor
from refrank.datasets.folds import find_folds


def write(path, *lines):
    """A file of lines, gzipped where its name says so."""
    path.parent.mkdir(exist_ok=True)
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def write_rows(path, first_qid, n=30, last_feature=""):
    """Rows of labels 0, 1, 2 in queries of ten, with the features 1 and 3; the first row may have one more."""
    rng = np.random.default_rng(first_qid)
    rows = [f"{i % 3} qid:{first_qid + i // 10} 1:{rng.normal() + i % 3} 3:{rng.normal()}" for i in range(n)]
    write(path, rows[0] + last_feature, *rows[1:])


def queries(fold):
    return [list(dict.fromkeys(part.qid.tolist())) for part in (fold.train, fold.valid, fold.test)]


def test_folds_of_letor_and_mslr_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 2, 1):
        for place, name in enumerate(("train", "vali", "test")):
            write(tmp_path / f"Fold{number}" / f"{name}.txt", f"{place} qid:{10 * number + place} 1:{number}")
    (tmp_path / "README.txt").write_text("no data")
    folds = list(load_folds(tmp_path))
    assert [fold.name for fold in folds] == ["Fold1", "Fold2", "Fold10"]
    assert [queries(fold) for fold in folds] == [[[10 * n], [10 * n + 1], [10 * n + 2]] for n in (1, 2, 10)]
    assert [fold.valid.X.tolist() for fold in folds] == [[[1.0]], [[2.0]], [[10.0]]]


def test_five_parts_make_the_folds_of_letor(tmp_path):
    for part in range(1, 6):
        write(tmp_path / f"S{part}.txt", f"1 qid:{part} 1:0.5 # d{part}", f"0 qid:{part} 1:0.25 # e{part}")
    folds = list(load_folds(tmp_path))
    # LETOR 4.0's table of folds: train, validation, test
    assert [queries(fold) for fold in folds] == [
        [[1, 2, 3], [4], [5]],
        [[2, 3, 4], [5], [1]],
        [[3, 4, 5], [1], [2]],
        [[4, 5, 1], [2], [3]],
        [[5, 1, 2], [3], [4]],
    ]
    assert [fold.name for fold in folds] == [f"Fold{i}" for i in range(1, 6)]
    assert folds[3].train.comments == ("d4", "e4", "d5", "e5", "d1", "e1")
    assert folds[3].train.y.tolist() == [1, 0] * 3


def test_the_parts_of_a_collection_make_five_folds(tmp_path):
    for i in range(1, 6):
        write_rows(tmp_path / f"S{i}.txt", 100 * i)
    parts = {name: [[path.stem for path in paths] for paths in places] for name, places in find_folds(tmp_path).items()}
    assert parts["Fold1"] == [["S1", "S2", "S3"], ["S4"], ["S5"]]
    assert parts["Fold4"] == [["S4", "S5", "S1"], ["S2"], ["S3"]]
    assert sorted(parts) == [f"Fold{i}" for i in range(1, 6)]
    first = next(load_folds(tmp_path, absent=np.nan))
    assert first.train.qid.tolist() == [100 * s + i // 10 for s in (1, 2, 3) for i in range(30)]
    assert np.isnan(first.train.X[:, 1]).all()  # no line lists feature 2


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Fold1/train.txt", "Fold1/vali.txt", "Fold1/test.txt"], ["Fold1"]),
        (["Fold2/train.txt.gz", "Fold2/vali.txt", "Fold2/test.txt.gz"], ["Fold2"]),
        (["set1.train.txt", "set1.valid.txt", "set1.test.txt"], ["set1"]),
        (["train.txt", "vali.txt", "test.txt"], ["data"]),
    ],
)
def test_layouts(tmp_path, monkeypatch, names, expected):
    folder = tmp_path / "data"
    folder.mkdir()
    for i, name in enumerate(names):
        write_rows(folder / name, 10 * i + 1, last_feature=" 5:2" if i == 1 else "")
    (fold,) = load_folds(folder)
    assert [fold.name] == expected
    assert [part.X.shape for part in (fold.train, fold.valid, fold.test)] == [(30, 5)] * 3  # one file goes up to 5
    assert [int(part.qid[0]) for part in (fold.train, fold.valid, fold.test)] == [1, 11, 21]
    monkeypatch.chdir(folder)
    assert [*find_folds(".")] == expected  # the folder's name, though it is not in its path


def test_sets_of_yahoo_are_folds(tmp_path):
    for number in (1, 2):
        for part in ("train", "valid", "test"):
            write(tmp_path / f"set{number}.{part}.txt.gz", f"{number} qid:{number} 700:1")
    assert [(fold.name, fold.test.y.tolist()) for fold in load_folds(tmp_path)] == [("set1", [1]), ("set2", [2])]


def test_a_folder_of_three_files_is_one_fold(tmp_path):
    for part in ("train.txt", "valid.txt.gz", "test.txt"):
        write(tmp_path / "only" / part, "1 qid:3 1:1")
    [fold] = load_folds(tmp_path / "only")
    assert fold.name == "only"


def test_files_of_a_fold_are_given_equally_many_features(tmp_path):
    for name, width in (("train", 2), ("vali", 4), ("test", 1)):
        write(tmp_path / f"{name}.txt", f"1 qid:1 {width}:7")
    [fold] = load_folds(tmp_path, absent=float("nan"))
    assert_array_equal(fold.train.X, [[np.nan, 7, np.nan, np.nan]])
    assert_array_equal(fold.valid.X, [[np.nan, np.nan, np.nan, 7]])
    assert_array_equal(fold.test.X, [[7, np.nan, np.nan, np.nan]])
    [fold] = load_folds(tmp_path, n_features=5)
    assert_array_equal(fold.test.X, [[7, 0, 0, 0, 0]])


def test_arguments_reach_the_files(tmp_path):
    for name in ("train", "vali", "test"):
        write(tmp_path / f"{name}.txt", "-1 qid:1 1:7", "2 qid:1 2:1")
    [fold] = load_folds(tmp_path, dtype=np.float64, unlabelled="drop")
    assert fold.test.X.dtype == np.float64
    assert [part.y.tolist() for part in (fold.train, fold.valid, fold.test)] == [[2]] * 3


def test_folders_without_a_layout(tmp_path):
    (tmp_path / "README.txt").write_text("no data")
    with pytest.raises(ValueError, match=r"holds no folds in a layout that is known: Fold1/train\.txt"):
        next(load_folds(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=r"nowhere: there is no such folder; folds are in one, as Fold1/train\."
    ):
        find_folds(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"README\.txt: there is no such folder"):
        find_folds(tmp_path / "README.txt")


@pytest.mark.parametrize(("there", "first_absent"), [((1, 3, 4), 2), ((1, 2, 4, 5), 3), ((1, 2), 3), ((2, 3, 4), 1)])
def test_absent_parts_are_named(tmp_path, there, first_absent):
    for part in there:
        write(tmp_path / f"S{part}.txt", "1 qid:1 1:1")
    with pytest.raises(
        ValueError, match=rf"lacks S{first_absent}\.txt \(or S.\.txt\.gz\): .* all parts S1, S2, \.\.\."
    ):
        next(load_folds(tmp_path))


def test_a_part_too_few(tmp_path, capsys):
    for i in (1, 2, 4, 5):
        write_rows(tmp_path / f"S{i}.txt", i)
    for paper in ("mcrank", "igbrt", "cocr"):
        assert main(["reproduce", paper, "--data", str(tmp_path), "--out", str(tmp_path / "out")]) == 2
        assert "lacks S3.txt" in capsys.readouterr().err


def test_a_fold_without_a_file(tmp_path):
    write(tmp_path / "Fold1" / "train.txt", "1 qid:1 1:1")
    rule = r"Fold1 lacks vali\.txt .*valid\.txt\.gz\): a fold needs its training, validation and test file"
    with pytest.raises(ValueError, match=rule):
        next(load_folds(tmp_path))
    write(tmp_path / "Fold1" / "vali.txt", "1 qid:1 1:1")
    write(tmp_path / "Fold1" / "valid.txt", "1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"holds more than one of a kind, vali\.txt and valid\.txt"):
        next(load_folds(tmp_path))


@pytest.mark.parametrize("name", ["set1.test.txt", "valid.txt.gz"])
def test_absent_files_are_named(tmp_path, name):
    """Any file of a fold tells the layout; the ones beside it are asked for."""
    write(tmp_path / name, "1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"lacks (set1\.)?train\.txt \(or (set1\.)?train\.txt\.gz\): a fold needs"):
        find_folds(tmp_path)


def test_a_file_that_is_there_twice(tmp_path):
    for name in ("S1.txt", "S2.txt", "S3.txt", "S2.txt.gz"):
        write(tmp_path / name, "1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"holds more than one of a kind, S2\.txt and S2\.txt\.gz"):
        find_folds(tmp_path)


def test_a_query_in_two_parts(tmp_path):
    for part in range(1, 5):
        write(tmp_path / f"S{part}.txt", f"1 qid:{part // 2} 1:1")
    folds = load_folds(tmp_path)
    next(folds)  # trains on S1 and S2: queries 0 and 1
    with pytest.raises(ValueError, match=r"S3\.txt: query 1 is in .*S2\.txt too"):
        next(folds)


def test_rows_that_nobody_judged(tmp_path):
    path = tmp_path / "web.txt"
    write(path, "-1 qid:1 1:1 # a", "2 qid:1 1:2 # b", "-1 qid:2 1:3 # c", "0 qid:3 1:4 # d", "-1 qid:3 1:5 # e")
    zero, drop = (load_letor(path, unlabelled=rule) for rule in ("zero", "drop"))
    assert (zero.y.tolist(), zero.qid.tolist(), len(zero.X)) == ([0, 2, 0, 0, 0], [1, 1, 2, 3, 3], 5)
    assert (drop.y.tolist(), drop.qid.tolist(), drop.comments) == ([2, 0], [1, 3], ("b", "d"))
    assert drop.X.tolist() == [[2.0], [4.0]]
    with pytest.raises(ValueError, match=r"line 1, column 1: '-1': the label, first on a line, is an integer from 0"):
        load_letor(path)


def test_unlabelled_rules_have_limits(tmp_path):
    path = tmp_path / "web.txt"
    write(path, "-1 qid:1 1:1", "-2 qid:1 1:2")
    with pytest.raises(ValueError, match=r"line 2, column 1: '-2': the label, first on a line, is an integer from -1"):
        load_letor(path, unlabelled="zero")
    write(path, "-1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"web\.txt: every row is unlabelled \(-1\)"):
        load_letor(path, unlabelled="drop")
    with pytest.raises(ValueError, match="unlabelled='skip' of load_letor: one of 'error', 'zero', 'drop'"):
        load_letor(path, unlabelled="skip")


def test_the_rule_for_unlabelled_rows_reaches_each_paper(tmp_path, capsys):
    for part in range(1, 6):
        write(tmp_path / f"S{part}.txt", f"-1 qid:{part} 1:1")
    for paper in ("mcrank", "igbrt", "cocr"):
        command = ["reproduce", paper, "--data", str(tmp_path), "--out", str(tmp_path / "out")]
        assert main(command) == 2
        assert "the label, first on a line, is an integer from 0" in capsys.readouterr().err
        assert main([*command, "--unlabelled", "drop"]) == 2
        assert "S1.txt: every row is unlabelled (-1), so unlabelled='drop' leaves none" in capsys.readouterr().err


def test_mq2008_has_its_published_folds():
    if "REFRANK_DATA" not in os.environ:
        pytest.skip("REFRANK_DATA does not name a folder with mq2008/")
    folds = list(load_folds(Path(os.environ["REFRANK_DATA"], "mq2008")))
    sizes = [tuple(len(part.y) for part in (fold.train, fold.valid, fold.test)) for fold in folds]
    s1, s2, s3, s4, s5 = 2933, 3635, 3062, 2707, 2874
    assert sizes == [
        (s1 + s2 + s3, s4, s5),
        (s2 + s3 + s4, s5, s1),
        (s3 + s4 + s5, s1, s2),
        (s4 + s5 + s1, s2, s3),
        (s5 + s1 + s2, s3, s4),
    ]
    assert {fold.test.X.shape[1] for fold in folds} == {46}
