"""The kinds of shards: folders, files, arrays; and facts that must be the same on all of them."""

import numpy as np
import pytest
from sklearn.base import clone

from refrank import LSBoostRanker
from refrank.cluster import JoinError
from refrank.cluster.communicator import find_shards
from refrank.estimators import sharded
from refrank.models import save_model
from tests.cli.command_line import write_letor
from tests.cluster.threads import use_threads

RNG = np.random.default_rng(0)
X, Y, QID = RNG.normal(size=(60, 3)).astype(np.float32), RNG.integers(0, 3, 60), np.arange(60) // 7
ARRAYS = {"X": X, "y": Y, "qid": QID, "sample_weight": RNG.integers(1, 4, 60) / 2}
PARTS = slice(0, 25), slice(25, 60)  # the fourth query lies on both
RANKER = LSBoostRanker(n_rounds=2)


def fit_shards(shards):
    with use_threads():
        return clone(RANKER).fit_shards(shards)


def save(ranker, path):
    save_model(ranker, path)
    return path.read_bytes()


def test_folders_have_ids_and_weights_and_are_mapped(tmp_path):
    folders = [tmp_path / str(place) for place in range(2)]
    for folder, part in zip(folders, PARTS, strict=True):
        folder.mkdir()
        for name, values in ARRAYS.items():
            np.save(folder / f"{name}.npy", values[part])
    whole = clone(RANKER).fit(X, Y, QID, ARRAYS["sample_weight"])
    assert save(fit_shards([*map(str, folders)]), tmp_path / "cut") == save(whole, tmp_path / "whole")
    assert all(isinstance(values, np.memmap) for values in sharded.read_path(str(folders[0]))[:4])


def test_files_of_lines_may_name_fewer_features(tmp_path):
    filled, files = X.copy(), [str(tmp_path / name) for name in "ab"]
    filled[PARTS[0], 2] = 0.0
    write_letor(tmp_path / "a", X[PARTS[0], :2], Y[PARTS[0]], QID[PARTS[0]])
    write_letor(tmp_path / "b", X[PARTS[1]], Y[PARTS[1]], QID[PARTS[1]])
    whole = clone(RANKER).fit(filled, Y, QID)
    assert save(fit_shards(files), tmp_path / "cut") == save(whole, tmp_path / "whole")


def test_shards_of_two_versions_are_refused(monkeypatch):
    monkeypatch.setattr(sharded, "version", lambda name: f"1.{find_shards().place}")
    with pytest.raises(ValueError, match=r"^shard number 1: refrank is 1\.1, and that of shard number 0 is 1\.0$"):
        fit_shards([(X, Y), (X, Y)])


def test_shards_that_arrive_at_two_models_are_refused(monkeypatch):
    monkeypatch.setattr(sharded.joblib, "hash", lambda learned: find_shards().place)
    with pytest.raises(JoinError, match="arrived at another model than others"):
        fit_shards([(X, Y), (X, Y)])


def read_nothing():
    raise OSError("a shard is read")


def test_parameters_are_checked_before_a_shard_is_read():
    with use_threads(), pytest.raises(ValueError, match="n_rounds is 0"):
        LSBoostRanker(n_rounds=0).fit_shards([read_nothing])
