"""layouts: the collections, laid out as they are published, are found from their folder and from the one above it."""

import gzip

import numpy as np
import pytest

from refrank.datasets import load_folds
from refrank.datasets.layouts import EXAMPLES, LAYOUTS, find_folds
from refrank.datasets.reading import Reading

FIVE = range(1, 6)
LETOR = [f"Fold{i}/{split}.txt" for i in FIVE for split in ("train", "vali", "test")]
# the files of each collection, its folds, and the share of training queries that validate
COLLECTIONS = {
    "MQ2007": (LETOR, [f"Fold{i}" for i in FIVE], None),
    "MQ2008 with its parts": ([*LETOR, *(f"S{i}.txt" for i in FIVE)], [f"Fold{i}" for i in FIVE], None),
    "MQ2008 in parts": ([f"S{i}.txt" for i in FIVE], [f"Fold{i}" for i in FIVE], None),
    "MSLR-WEB10K": ([name + ".gz" for name in LETOR], [f"Fold{i}" for i in FIVE], None),
    "OHSUMED": (
        [f"Fold{i}/{split}set.txt" for i in FIVE for split in ("training", "validation", "test")],
        [f"Fold{i}" for i in FIVE],
        None,
    ),
    "ltrc_yahoo": (
        [f"set{i}.{split}.txt" for i in (1, 2) for split in ("train", "valid", "test")],
        ["set1", "set2"],
        None,
    ),
    "sample": (["train.txt", "vali.txt", "test.txt"], ["sample"], None),
    "full": (["train.txt", "test.txt"], ["full"], 0.25),
}


def lay_out(folder, names):
    """Write a file of four queries for each name; the value of the only feature is the number of the file."""
    for number, name in enumerate(names, start=1):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{query % 2} qid:{4 * number + query} 1:{number}\n" for query in range(4)).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    (folder / "README.txt").write_text("no data")


@pytest.mark.parametrize("collection", COLLECTIONS)
@pytest.mark.parametrize("above", [False, True])
def test_a_collection_is_found_from_its_folder_and_the_one_above(tmp_path, collection, above):
    names, expected, share = COLLECTIONS[collection]
    folder = tmp_path / collection
    lay_out(folder, names)
    (tmp_path / "papers").mkdir()  # a folder without data beside it
    directory = tmp_path if above else folder
    assert [*find_folds(directory, draw_valid=share is not None)] == expected
    folds = list(load_folds(directory, valid_share=share))
    assert [fold.name for fold in folds] == expected
    for fold in folds:
        queries = [set(split.qid.tolist()) for split in (fold.train, fold.valid, fold.test)]
        assert all(queries)
        assert sum(map(len, queries)) == len(set.union(*queries))  # no query is in two splits
    if "S1.txt" not in names or "Fold1/train.txt" in names:  # which file each split has
        values = [np.unique(split.X).tolist() for fold in folds for split in (fold.train, fold.valid, fold.test)]
        given = range(1, 1 + 3 * len(folds))
        assert values == ([[number] for number in given] if share is None else [[1], [1], [2]])
    if share is not None:
        assert [len(set(split.qid.tolist())) for split in (folds[0].train, folds[0].valid)] == [3, 1]


def test_two_folders_with_folds_are_not_chosen_between(tmp_path):
    """Istella's archive has `full` and `sample`, LETOR's OHSUMED one folder for each version of the features."""
    for name in ("full", "sample"):
        lay_out(tmp_path / name, ["train.txt", "test.txt"])
    with pytest.raises(ValueError, match=r"contains folds in full, sample: it must be one of these folders$"):
        find_folds(tmp_path, draw_valid=True)
    assert [*find_folds(tmp_path / "full", draw_valid=True)] == ["full"]


def test_folds_two_folders_down_are_not_found(tmp_path):
    lay_out(tmp_path / "letor" / "MQ2008", LETOR)
    with pytest.raises(ValueError, match="contains no folds in a known layout"):
        find_folds(tmp_path)


def test_a_fold_without_a_validation_file_is_read_only_with_a_share(tmp_path):
    lay_out(tmp_path / "full", ["train.txt", "test.txt"])
    with pytest.raises(ValueError, match=r"lacks vali\.txt .*: .*; valid_share draws validation queries$"):
        next(load_folds(tmp_path))
    for share in (0, 0.6, -1, float("nan"), True):
        with pytest.raises(ValueError, match=r"valid_share is .*: it must be a number above 0 and at most 0\.5"):
            next(load_folds(tmp_path, valid_share=share))
    assert Reading(valid_share=0.25).list_folds(tmp_path) == ["full"]


@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (
            ["train.txt", "valid.txt", "test.txt"],
            "contains valid.txt: valid_share is for folds without a validation file",
        ),
        (["S1.txt", "S2.txt", "S3.txt"], "contains S1.txt: valid_share is for folds without a validation part"),
    ],
)
def test_a_share_is_refused_where_validation_queries_are_given(tmp_path, names, fault):
    lay_out(tmp_path, names)
    with pytest.raises(ValueError, match=fault):
        find_folds(tmp_path, draw_valid=True)


def test_the_message_names_each_layout():
    assert all(layout.example in EXAMPLES for layout in LAYOUTS)
