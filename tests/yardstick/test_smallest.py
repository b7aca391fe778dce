"""The smallest case of a difference: planted mistakes of the example port, each shown by a few rows."""

import json
from pathlib import Path

import numpy as np
import pytest

from refrank.cli import main
from refrank.estimators.registry import RANKERS
from tests.yardstick.libraries import NEEDS_COMPILER, PORT, load_port
from tests.yardstick.test_planted_in_training import MISTAKES, place_of
from tests.yardstick.trainings import OF_TREES, record
from yardstick.numbers.encoding import decode
from yardstick.scorecard.smallest import find_smallest, write_case
from yardstick.scorecard.training_rows import LabelledRows
from yardstick.traces.records import index_records
from yardstick.traces.stages import Place

pytestmark = NEEDS_COMPILER

SHRUNK = ("rate of regression fixed", "min samples", "copies of a row uncounted", "curvature p")


def repeat(document, folder: Path):
    """Train on a case that was written, and return what its field should hold."""
    parameters = {name: value for name, value in document["parameters"].items() if not isinstance(value, dict)}
    names = LabelledRows._fields
    rows = LabelledRows(*(None if document[name] is None else decode(document[name]) for name in names))
    ranker = RANKERS[document["algorithm"]](**parameters)
    records = index_records(record(folder, ranker, rows=rows))
    return records[document["stage"], Place(**document["at"])].values(document["field"])


@pytest.mark.parametrize("mistake", [of for of in MISTAKES if of.words in SHRUNK], ids=lambda mistake: mistake.words)
def test_a_mistake_shows_on_few_rows(tmp_path, monkeypatch, mistake):
    stage, name = place_of(mistake)
    port = load_port(tmp_path / "port", monkeypatch, mistake)
    case = find_smallest(port, OF_TREES[name])
    assert case.first.judgement.stage == stage
    rows = case.training.rows()
    assert len(rows.y) <= 8
    assert rows.X.shape[1] == 1
    document = json.loads(write_case(case))
    expected, found = decode(document["expected"]), decode(document["found"])
    assert np.array_equal(repeat(document, tmp_path / "again"), expected)
    assert not np.array_equal(expected, found)


def test_a_training_that_agrees_has_no_case(tmp_path, monkeypatch):
    assert find_smallest(load_port(tmp_path / "port", monkeypatch), OF_TREES["ls, few rows"]) is None


def test_the_command_writes_a_case_for_each_stage(tmp_path, monkeypatch, capsys):
    [mistake] = [of for of in MISTAKES if of.words == "start 0"]
    load_port(tmp_path / "port", monkeypatch, mistake)
    (tmp_path / "page.py").write_text(f"import runpy\ntrain = runpy.run_path({str(PORT / 'adapter.py')!r})['train']\n")
    given = "conform", "run", str(tmp_path / "page.py"), "--only", "ls, few rows", "ls", "--smallest", "--out"
    assert main([*given, str(tmp_path / "card")]) == 3
    path = tmp_path / "card" / "smallest" / "ls-few-rows.json"
    assert f"1 feature, 1 round: {path}\n" in capsys.readouterr().out
    assert [*path.parent.iterdir()] == [path]
    assert json.loads(path.read_text())["algorithm"] == "ls"
