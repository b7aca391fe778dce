"""Labels of bins in a file: they are those in memory, and the file has no name."""

import numpy as np
import pytest

from refrank import LSBoostRanker
from refrank.trees.bins.labels import allocate_labels
from tests.cluster.threads import use_threads

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 3)).astype(np.float32), RNG.integers(0, 3, 60)


def is_mapped(labels):
    with open("/proc/self/maps") as maps:
        start = labels.__array_interface__["data"][0]
        return any(int(line.partition("-")[0], 16) == start and "deleted" in line for line in maps)


@pytest.mark.skipif("not __import__('os').path.exists('/proc/self/maps')", reason="the system lists no maps in /proc")
@pytest.mark.parametrize("n_bins", [256, 300])
def test_labels_lie_in_a_file_without_a_name(monkeypatch, tmp_path, n_bins):
    monkeypatch.setenv("REFRANK_SCRATCH", str(tmp_path))
    labels = allocate_labels((2, 3, 8), n_bins)
    assert labels.dtype == (np.uint8 if n_bins == 256 else np.uint16)
    assert not labels.any()
    assert is_mapped(labels)
    assert not [*tmp_path.iterdir()]
    monkeypatch.delenv("REFRANK_SCRATCH")
    assert not is_mapped(allocate_labels((2, 3, 8), n_bins))


def test_the_model_is_the_same(monkeypatch, tmp_path):
    whole = LSBoostRanker(n_rounds=3).fit(X, Y).predict(X)
    monkeypatch.setenv("REFRANK_SCRATCH", str(tmp_path))
    assert (LSBoostRanker(n_rounds=3).fit(X, Y).predict(X) == whole).all()


def test_a_folder_that_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("REFRANK_SCRATCH", str(tmp_path / "gone"))
    with pytest.raises(OSError, match="gone"):
        LSBoostRanker(n_rounds=1).fit(X, Y)


def test_folders_of_arrays_are_mapped_and_make_the_same_model(tmp_path):
    for place, rows in enumerate((slice(0, 10), slice(10, 10), slice(10, 60))):
        (folder := tmp_path / str(place)).mkdir()
        np.save(folder / "X.npy", X[rows])
        np.save(folder / "y.npy", Y[rows])
    with use_threads():
        ranker = LSBoostRanker(n_rounds=3).fit_shards([str(tmp_path / str(place)) for place in range(3)])
    assert (ranker.predict(X) == LSBoostRanker(n_rounds=3).fit(X, Y).predict(X)).all()


def test_a_folder_without_arrays_is_refused(tmp_path):
    with use_threads(), pytest.raises((ValueError, OSError), match=r"X\.npy"):
        LSBoostRanker(n_rounds=3).fit_shards([str(tmp_path)])
