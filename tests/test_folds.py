"""Collections in folds: the layouts, the files of each fold, rows that nobody judged."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from refrank.datasets import load_folds, load_letor


def write(path, *lines):
    """A file of lines, gzipped where its name says so."""
    path.parent.mkdir(exist_ok=True)
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


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
    write(tmp_path / "S1.txt", "1 qid:1 1:1")
    write(tmp_path / "S3.txt", "1 qid:1 1:1")
    write(tmp_path / "S4.txt", "1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"holds no folds in a layout that is known: Fold1/train\.txt"):
        next(load_folds(tmp_path))


def test_a_fold_without_a_file(tmp_path):
    write(tmp_path / "Fold1" / "train.txt", "1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"Fold1 needs one of vali\.txt, .*valid\.txt\.gz, and holds none"):
        next(load_folds(tmp_path))
    write(tmp_path / "Fold1" / "vali.txt", "1 qid:1 1:1")
    write(tmp_path / "Fold1" / "valid.txt", "1 qid:1 1:1")
    with pytest.raises(ValueError, match="holds more than one"):
        next(load_folds(tmp_path))


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
