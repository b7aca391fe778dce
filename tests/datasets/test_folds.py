"""folds: every layout is found, each fold has its files, and rows that were not judged are treated as asked."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from refrank.cli import main
from refrank.datasets import load_folds, load_letor
from refrank.datasets.folds import load_fold
from refrank.datasets.layouts import find_folds


def write(path, *lines):
    """Write lines to a file, gzipped if its name says so."""
    path.parent.mkdir(exist_ok=True)
    data = "".join(line + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def write_parts(folder, *parts, last=1):
    """Write parts S1, S2, ... of two rows each; the query is the number of the part, and so are the comments."""
    for part in parts:
        write(folder / f"S{part}.txt", f"1 qid:{part} 1:0.5 # d{part}", f"0 qid:{part} {last}:0.25 # e{part}")


def splits(fold):
    return fold.train, fold.valid, fold.test


def contents(fold):
    return [(split.X.tobytes(), split.y.tolist(), split.qid.tolist(), split.comments) for split in splits(fold)]


def queries(fold):
    return [list(dict.fromkeys(split.qid.tolist())) for split in splits(fold)]


# LETOR 4.0's table of folds, a line per fold: train, validation, test
LETOR_FOLDS = [
    [[*map(int, part)] for part in line.split()] for line in ("123 4 5", "234 5 1", "345 1 2", "451 2 3", "512 3 4")
]


def test_five_parts_make_the_folds_of_letor(tmp_path):
    write_parts(tmp_path, 1, 2, 3, 4, 5, last=3)
    names = [f"Fold{i}" for i in range(1, 6)]
    files = find_folds(tmp_path)
    assert [*files] == names
    assert [[[int(path.stem[1:]) for path in paths] for paths in places] for places in files.values()] == LETOR_FOLDS
    folds = list(load_folds(tmp_path, absent=np.nan))
    assert [fold.name for fold in folds] == names
    assert [queries(fold) for fold in folds] == LETOR_FOLDS
    assert folds[3].train.comments == ("d4", "e4", "d5", "e5", "d1", "e1")
    assert folds[3].train.y.tolist() == [1, 0] * 3
    assert folds[3].train.qid.tolist() == [4, 4, 5, 5, 1, 1]
    assert np.isnan(folds[0].train.X[:, 1]).all()  # no line lists feature 2
    alone = load_fold("Fold4", files["Fold4"], absent=np.nan)  # one fold without the others
    assert (alone.name, contents(alone)) == ("Fold4", contents(folds[3]))


@given(n_parts=st.integers(3, 12))
def test_each_part_is_tested_once_and_validated_once(tmp_path_factory, n_parts):
    folder = tmp_path_factory.mktemp("parts")
    files = [folder / f"S{part}.txt.gz" for part in range(1, n_parts + 1)]
    for file in files:
        file.touch()
    train, valid, test = zip(*find_folds(folder).values(), strict=True)
    assert [*test] == [(file,) for file in files[-1:] + files[:-1]]
    assert [*valid] == [(file,) for file in files[-2:] + files[:-2]]
    for split in zip(train, valid, test, strict=True):
        assert sorted(path for paths in split for path in paths) == sorted(files)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            [f"Fold{n}/{part}.txt" for n in (1, 2, 10) for part in ("train", "vali", "test")],
            ["Fold1", "Fold2", "Fold10"],
        ),
        (["Fold2/train.txt.gz", "Fold2/vali.txt", "Fold2/test.txt.gz"], ["Fold2"]),
        (["set1.train.txt", "set1.valid.txt", "set1.test.txt"], ["set1"]),
        ([f"set{number}.{part}.txt.gz" for number in (1, 2) for part in ("train", "valid", "test")], ["set1", "set2"]),
        (["train.txt", "vali.txt", "test.txt"], ["data"]),
        (["train.txt", "valid.txt.gz", "test.txt"], ["data"]),
    ],
)
def test_layouts(tmp_path, monkeypatch, names, expected):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "README.txt").write_text("no data")
    for i, name in enumerate(names):
        write(folder / name, f"2 qid:{i} 1:1 3:{i}", f"{i} qid:{i} {5 if i % 3 == 1 else 2}:1")  # one goes up to 5
    folds = list(load_folds(folder))
    assert [fold.name for fold in folds] == expected
    for number, fold in enumerate(folds):
        assert queries(fold) == [[3 * number], [3 * number + 1], [3 * number + 2]]
        assert [split.y.tolist() for split in splits(fold)] == [[2, 3 * number + place] for place in range(3)]
        assert [split.X.shape for split in splits(fold)] == [(2, 5)] * 3
    monkeypatch.chdir(folder)
    assert [*find_folds(".")] == expected  # the folder's name, though it is not in its path


def test_arguments_reach_the_files_of_a_fold_which_get_equally_many_features(tmp_path):
    for name, width in (("train", 2), ("vali", 4), ("test", 1)):
        write(tmp_path / f"{name}.txt", "-1 qid:1 1:7", f"1 qid:1 {width}:7")
    [fold] = load_folds(tmp_path, absent=float("nan"), dtype=np.float64, unlabelled="drop")
    nan = np.nan
    expected = ([nan, 7, nan, nan], [nan, nan, nan, 7], [7, nan, nan, nan])
    for split, line in zip(splits(fold), expected, strict=True):
        assert_array_equal(split.X, np.array([line]), strict=True)  # float64
        assert split.y.tolist() == [1]
    [fold] = load_folds(tmp_path, n_features=5, unlabelled="zero")
    assert_array_equal(fold.test.X, np.array([[7, 0, 0, 0, 0]] * 2, np.float32), strict=True)


def test_a_fold_is_shown_on_one_line(tmp_path):
    write_parts(tmp_path, *range(1, 6), last=46)
    fold = next(load_folds(tmp_path))
    assert repr(fold.train) == "LetorData(6 rows, 46 features, 3 queries, labels 0..1)"
    assert repr(fold) == (
        "Fold(Fold1: train 6 rows of 3 queries, valid 2 rows of 1 queries, test 2 rows of 1 queries; 46 features)"
    )


def test_folders_without_a_layout(tmp_path):
    (tmp_path / "README.txt").write_text("no data")
    with pytest.raises(
        ValueError, match=r"contains no folds in a known layout, nor does a folder in it: Fold1/train\.txt"
    ):
        next(load_folds(tmp_path))
    for name in ("nowhere", "README.txt"):
        with pytest.raises(FileNotFoundError, match=rf"{name} is not a folder: .* that contains Fold1/train\.txt"):
            find_folds(tmp_path / name)


PARTS = [((1, 3, 4), 2), ((1, 2, 4, 5), 3), ((1, 2), 3), ((2, 3, 4), 1)]  # there, and the first that is absent
ALL = r"\.txt \(or S.\.txt\.gz\): .* all parts S1, S2, \.\.\."


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        *(([f"S{part}.txt" for part in there], f"lacks S{absent}{ALL}") for there, absent in PARTS),
        # any file of a fold tells the layout; the ones beside it are asked for
        (
            ["set1.test.txt"],
            r"lacks set1\.train\.txt \(or set1\.train\.txt\.gz, set1\.trainingset\.txt, .*\): a fold needs",
        ),
        (
            ["valid.txt.gz"],
            r"lacks train\.txt \(or train\.txt\.gz, .*\): a fold needs its training, validation and test file",
        ),
        (["Fold1/train.txt"], r"Fold1 lacks vali\.txt .*valid\.txt\.gz, .*\): a fold needs"),
        (["Fold1/train.txt", "Fold1/vali.txt", "Fold1/valid.txt"], r"contains vali\.txt and valid\.txt: .* only once"),
        (["S1.txt", "S2.txt", "S3.txt", "S2.txt.gz"], r"contains S2\.txt and S2\.txt\.gz: .* only once"),
    ],
)
def test_absent_and_double_files_are_named(tmp_path, names, fault):
    for name in names:
        write(tmp_path / name, "1 qid:1 1:1")
    with pytest.raises(ValueError, match=fault):
        find_folds(tmp_path)


def test_a_query_in_two_parts(tmp_path):
    for part in range(1, 5):
        write(tmp_path / f"S{part}.txt", f"1 qid:{part // 2} 1:1")
    folds = load_folds(tmp_path)
    next(folds)  # trains on S1 and S2: queries 0 and 1
    with pytest.raises(ValueError, match=r"S3\.txt: query 1 is also in .*S2\.txt: joined files must not share queries"):
        next(folds)


def test_rows_that_were_not_judged(tmp_path):
    path = tmp_path / "web.txt"
    write(path, "-1 qid:1 1:1 # a", "2 qid:1 1:2 # b", "-1 qid:2 1:3 # c", "0 qid:3 1:4 # d", "-1 qid:3 1:5 # e")
    zero, drop = (load_letor(path, unlabelled=rule) for rule in ("zero", "drop"))
    assert (zero.y.tolist(), zero.qid.tolist(), len(zero.X)) == ([0, 2, 0, 0, 0], [1, 1, 2, 3, 3], 5)
    assert (drop.y.tolist(), drop.qid.tolist(), drop.comments) == ([2, 0], [1, 3], ("b", "d"))
    assert drop.X.tolist() == [[2.0], [4.0]]
    rule = "the label, first on a line, must be an integer from"
    unjudged = r"to 2\*\*53; for -1, not judged, unlabelled must be zero or drop"
    with pytest.raises(ValueError, match=rf"line 1, column 1: '-1': {rule} 0 {unjudged}"):
        load_letor(path)
    write(path, "-1 qid:1 1:1", "-2 qid:1 1:2")
    with pytest.raises(ValueError, match=rf"line 2, column 1: '-2': {rule} -1 to 2\*\*53$"):
        load_letor(path, unlabelled="zero")
    write(path, "-1 qid:1 1:1")
    with pytest.raises(ValueError, match=r"web\.txt: every row is unlabelled \(-1\)"):
        load_letor(path, unlabelled="drop")


def test_absent_parts_and_the_rule_for_unlabelled_rows_reach_each_paper(tmp_path, capsys):
    def errors(paper, *flags):
        assert main(["reproduce", paper, "--data", str(tmp_path), "--out", str(tmp_path / "out"), *flags]) == 2
        return capsys.readouterr().err

    papers = ("mcrank", "igbrt", "cocr")
    write_parts(tmp_path, 1, 2, 4, 5)
    for paper in papers:
        assert "lacks S3.txt" in errors(paper)
    for part in range(1, 6):
        write(tmp_path / f"S{part}.txt", f"-1 qid:{part} 1:1")
    for paper in papers:
        assert "the label, first on a line, must be an integer from 0" in errors(paper)
        drop = errors(paper, "--unlabelled", "drop")
        assert "S1.txt: every row is unlabelled (-1), so unlabelled='drop' leaves none" in drop
