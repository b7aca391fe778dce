"""W8: reading MSLR's text, 136 features per line, about 50 MB, into the form that each tool keeps.

The text is generated: integers and decimals, as in MSLR. It has been read before, so it is in the page cache. The tools
do not do the same work: refrank returns dense float32 with query ids and comments, scikit-learn sparse float32 with
query ids, XGBoost a sparse matrix with query groups. LightGBM cannot read `qid:`, so its file lacks that column, and it
bins what it reads. The goal is ten times the 13 MB/s at which refrank began.
"""

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare, time_call
from benchmarks.speed.boosting_peers import HGB_NAME, LIGHTGBM, LIGHTGBM_NAME, XGBOOST, XGBOOST_NAME
from refrank.datasets import load_letor

N_ROWS, N_FEATURES, DOCS_PER_QUERY = 45_000, 136, 120  # about 50 MB
GOAL = 130e6  # bytes per second


def compare_reading(settings: Settings) -> Iterator[Pairing]:
    """Compare reading the text of a collection (W8)."""
    with tempfile.TemporaryDirectory() as folder:
        path, bare = Path(folder, "train.txt"), Path(folder, "bare.txt")
        lines = write_lines(settings.scale_rows(N_ROWS), settings.seed)
        path.write_text("".join(lines))
        bare.write_text("".join(line.split(" ", 2)[0] + " " + line.split(" ", 2)[2] for line in lines))
        n_bytes = path.stat().st_size

        load_letor(path, cache=True)
        ours = [
            Contestant("", lambda: time_call(load_letor, path)[0]),
            Contestant("from the cache", lambda: time_call(lambda: load_letor(path, cache=True))[0]),
        ]
        goal = Contestant(f"goal, {GOAL / 1e6:.0f} MB/s", lambda: n_bytes / GOAL)
        peers = [goal, *list_peers(path, bare, settings.threads)]
        what = f"reading {n_bytes / 1e6:.0f} MB of text"
        yield from compare("W8", what, ours, peers, settings.cap_turns(3), [FASTER])


def list_peers(path: Path, bare: Path, threads: int) -> Iterator[Contestant]:
    """Yield the peers that can be imported."""
    from sklearn.datasets import load_svmlight_file

    def read_sklearn() -> object:
        return load_svmlight_file(str(path), dtype=np.float32, query_id=True)

    def read_xgboost() -> object:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[\\s\\S]*Text file input has been deprecated", UserWarning)
            return XGBOOST.DMatrix(f"{path}?format=libsvm", nthread=threads)

    def read_lightgbm() -> object:
        parameters = {"max_bin": 255, "num_threads": threads, "verbose": -1}
        return LIGHTGBM.Dataset(str(bare), params=parameters).construct()

    yield Contestant(HGB_NAME, lambda: time_call(read_sklearn)[0])
    if XGBOOST:
        yield Contestant(XGBOOST_NAME, lambda: time_call(read_xgboost)[0])
    if LIGHTGBM:
        yield Contestant(f"{LIGHTGBM_NAME}, with binning", lambda: time_call(read_lightgbm)[0])


def write_lines(n_rows: int, seed: int) -> list[str]:
    """Write rows like those of MSLR: two of five features are integers, the others decimals, and a third is 0."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(5, n_rows, p=[0.52, 0.32, 0.13, 0.02, 0.01])
    places = rng.integers(0, 3, N_FEATURES) * 3  # 0, 3 or 6 decimals
    scale = 10.0 ** rng.uniform(0, 3, N_FEATURES)
    lines = []
    for i in range(n_rows):
        values = rng.exponential(size=N_FEATURES) * scale * (rng.random(N_FEATURES) > 1 / 3)
        pairs = (f"{f}:{0 if v == 0 else format(v, f'.{p}f')}" for f, v, p in zip(NUMBERS, values, places, strict=True))
        lines.append(f"{labels[i]} qid:{1 + i // DOCS_PER_QUERY} {' '.join(pairs)}\n")
    return lines


NUMBERS = range(1, N_FEATURES + 1)
