"""The smallest case of a difference: planted mistakes of the example port, each shown by a few rows."""

import json
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest

from refrank.cli import main
from refrank.estimators.registry import RANKERS
from tests.libraries import NEEDS_COMPILER, PORT, load_port
from tests.yardstick.test_clients import need
from tests.yardstick.test_planted_in_training import MISTAKES, place_of
from tests.yardstick.trainings import OF_TREES, record
from yardstick.divergence.comparing import Mode
from yardstick.divergence.judging import Judgement
from yardstick.numbers.encoding import decode
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.smallest import CLIENTS, SmallestCase, find_smallest, write_array, write_tests
from yardstick.traces.reader import index_records
from yardstick.traces.stages import LabelledRows, Place

SHRUNK = ("rate of regression fixed", "min samples", "copies of a row uncounted", "curvature p")


def repeat(document, folder: Path):
    """Train on a case that was written, and return what its field should hold."""
    parameters = {name: value for name, value in document["parameters"].items() if not isinstance(value, dict)}
    names = LabelledRows._fields
    rows = LabelledRows(*(None if document[name] is None else decode(document[name]) for name in names))
    ranker = RANKERS[document["algorithm"]](**parameters)
    records = index_records(record(folder, ranker, rows=rows))
    return records[document["stage"], Place(**document["at"])].values(document["field"])


@NEEDS_COMPILER
@pytest.mark.parametrize("mistake", [of for of in MISTAKES if of.words in SHRUNK], ids=lambda mistake: mistake.words)
def test_a_mistake_shows_on_few_rows(tmp_path, monkeypatch, mistake):
    stage, name = place_of(mistake)
    port = load_port(tmp_path / "port", monkeypatch, mistake)
    case = find_smallest(port, OF_TREES[name], Mode())
    assert case.first.stage == stage
    assert len(case.training.rows.y) <= 8
    assert case.training.rows.X.shape[1] == 1
    document = json.loads(write_tests(case, "case")[".json"])
    expected, found = decode(document["expected"]), decode(document["found"])
    assert np.array_equal(repeat(document, tmp_path / "again"), expected)
    assert not np.array_equal(expected, found)
    assert find_smallest(Adapter("refrank", lambda golden, folder: golden), case.training, Mode()) is None


@NEEDS_COMPILER
def test_the_command_writes_a_case_for_each_stage(tmp_path, monkeypatch, capsys):
    [mistake] = [of for of in MISTAKES if of.words == "start 0"]
    load_port(tmp_path / "port", monkeypatch, mistake)
    (tmp_path / "page.py").write_text(f"import runpy\ntrain = runpy.run_path({str(PORT / 'adapter.py')!r})['train']\n")
    given = "conform", "run", str(tmp_path / "page.py"), "--only", "ls, few rows", "ls", "rf", "--smallest", "--out"
    assert main([*given, str(tmp_path / "card")]) == 3
    path = tmp_path / "card" / "smallest" / "ls-few-rows.json"
    assert f"1 feature, 1 round: {path}\n" in capsys.readouterr().out
    assert {*path.parent.iterdir()} == {path.with_suffix(suffix) for suffix in (".json", ".c", ".go", ".js", ".rs")}
    assert json.loads(path.read_text())["algorithm"] == "ls"


COMPARED = {  # in each language, how its test is made ready, and what is written where it calls the port
    "c": (
        "cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -o case case.c -lm",
        ("return -1;", "memcpy(found, {}, n_expected * sizeof *found);\n    return n_expected;"),
    ),
    "go": ("go build -o case case.go", ("return nil", "return {}")),
    "js": ("cp case.js case", ("return [];", "return {};")),
    "rs": ("rustc -D warnings --edition 2021 -o case case.rs", ("vec![]", "({}).to_vec()")),
}


@pytest.mark.parametrize("expected", [np.array([0.1, np.inf, -np.inf, -0.0, 5e-324]), np.uint64([2**64 - 1, 0])])
@pytest.mark.parametrize("language", COMPARED)
def test_a_test_in_another_language_passes_if_the_port_agrees_to_the_bit(tmp_path, language, expected):
    """On rows that lack features, with weights."""
    need(language)
    first = Judgement("bins", Place(), "differs", "cuts")
    text = write_tests(SmallestCase(OF_TREES["gbrt, three-way"], first, expected, expected), "case")[f".{language}"]
    build, (old, new) = COMPARED[language]
    assert text.count(old) == 1
    written = tomllib.loads((CLIENTS / "case.toml").read_text())[language]
    unsigned, other = expected + expected.dtype.type(0), expected + (expected == 0)
    for answer, agrees in ((None, False), (expected, True), (unsigned, expected.dtype.kind == "u"), (other, False)):
        call = old if answer is None else new.format(write_array(answer, written))
        (tmp_path / f"case.{language}").write_text(text.replace(old, call))
        subprocess.run(build.split(), cwd=tmp_path, check=True)
        ran = subprocess.run(["node", "case"] if language == "js" else ["./case"], cwd=tmp_path, capture_output=True)
        assert (ran.returncode == 0) == agrees, ran.stderr
