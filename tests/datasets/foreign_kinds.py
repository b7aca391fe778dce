"""Each kind of foreign file: a good one, and what is read of it."""

import json
from typing import NamedTuple

import numpy as np

from refrank.datasets import letor_cache, load_letor, load_table
from refrank.datasets.foreign_file import read_file
from refrank.datasets.scores import read_scores
from refrank.estimators import LSBoostRanker
from refrank.metrics import PRESETS
from refrank.models import load_model, save_model
from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.importing import import_model
from refrank.models.exchange.packing import make_portable
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cells import CellStore
from refrank.reproduce.replication import read_recorded
from tests.yardstick.trainings import make, record
from yardstick.scorecard.card import read_deviations
from yardstick.traces.reader import open_trace

TEXT = "".join(f"{row % 3} qid:{row // 9} 1:{row % 5} 2:{row / 7} # row {row}\n" for row in range(999))
TABLE = "label,qid,a,b\n" + "".join(f"{row % 3},{row // 9},{row % 5},{row / 7}\n" for row in range(999))
CLAIM = {"claim": "a above b", "verdict": "holds", "mean": 0.5, "sets": [0.25, 0.75]}
VERDICTS = {"paper": "cocr", "seeds": [0, 1], "claims": [CLAIM]}
FOLD = make_artificial_fold((1, 1, 1))


class Kind(NamedTuple):
    """A file in a new folder, and its reading: it returns something to compare."""

    make: object  # folder -> path
    read: object  # path -> value


def put(name, content):
    """Make a file of this content."""

    def write(folder):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder / name

    return write


def fit():
    """Fit a small model."""
    X = np.arange(60.0).reshape(30, 2) % 7
    return LSBoostRanker(n_rounds=3).fit(X, np.arange(30) % 3)


def put_model(folder):
    save_model(fit(), folder / "model")
    return folder / "model"


def read_model(path):
    return load_model(path).predict(np.eye(2)).tobytes()


def put_other(source):
    """A model in the format of another program."""

    def write(folder):
        return put("model", FORMATS[source].write(make_portable(fit())))(folder)

    return Kind(write, lambda path: import_model(path, source).predict(np.eye(2)).tobytes())


def put_cache(folder):
    load_letor(put("rows", TEXT)(folder), cache=True)
    return letor_cache.place_cache(folder / "rows")


def put_cell(folder):
    store = CellStore(folder, FOLD, {}, PRESETS["paper"])
    store.write(store.place("cell"), {"a": np.arange(999.0)})
    return store.place("cell")


def read_cell(path):
    arrays = CellStore(path.parent, FOLD, {}, PRESETS["paper"]).read(path)
    return arrays and arrays["a"].tobytes()


def put_trace(part):
    def write(folder):
        return record(folder / "trace", make("ls"), "safetensors").folder / part

    return write


def read_trace(path):
    folder = path.parents[path.parent.name == "tensors"]
    return [[field.digest for field in one.fields.values()] for one in open_trace(folder).records()]


KINDS = {
    "rows": Kind(put("rows", TEXT), lambda path: load_letor(path).X.tobytes()),
    "table": Kind(put("table.csv", TABLE), lambda path: load_table(path).X.tobytes()),
    "scores": Kind(put("scores", "1.5\n" * 9999), lambda path: read_scores(path).tobytes()),
    "model": Kind(put_model, read_model),
    "model of LightGBM": put_other("lightgbm"),
    "model of XGBoost": put_other("xgboost"),
    "export": Kind(put("export", bytes(9999)), lambda path: read_file(path, "export")),
    "cache": Kind(put_cache, lambda path: load_letor(path.parents[1] / "rows", cache=True).X.tobytes()),
    "cell": Kind(put_cell, read_cell),
    "manifest of a trace": Kind(put_trace("manifest.json"), read_trace),
    "records of a trace": Kind(put_trace("records.jsonl"), read_trace),
    "tensors of a trace": Kind(put_trace("tensors/000000.safetensors"), read_trace),
    "list of deviations": Kind(
        put("list.toml", "[[deviation]]\nstage = 'cut'\nreason = 'ties'\n" * 99),
        lambda path: read_deviations(str(path)),
    ),
    "file of verdicts": Kind(put("verdicts", json.dumps(VERDICTS)), lambda path: read_recorded(path, "cocr")),
}
