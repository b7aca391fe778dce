"""Ports as refrank asks them: pages of Python and commands, right ones and others, and what is said of each."""

import sys
from pathlib import Path

import numpy as np
import pytest

from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.adapters import load_adapter

PAGE = """
import numpy as np
NAME = "a page"

def train(case, tell):
    if case.algorithm != "ls":
        raise NotImplementedError
    target = 2.0**case.y - 1
    tell("start", values=[float(target.mean())])
    tell("prediction", values=np.full(len(case.y), target.mean()))
"""
COMMAND = """
import json, os, shutil, sys
golden, out = sys.argv[-2:]
if json.load(open(os.path.join(golden, "manifest.json")))["algorithm"] != "ls":
    sys.exit(77)
shutil.copytree(golden, out)
"""


@pytest.fixture
def forest(golden_of):
    return golden_of("rf")


def write(folder: Path, text: str, name: str = "page.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_page_tells_what_it_knows(golden, forest, tmp_path):
    port = load_adapter(write(tmp_path, PAGE))
    assert port.name == "a page"
    trace = port.run(golden, tmp_path / "trace")
    stages = {record.stage: record for record in trace.records()}
    assert [*stages] == ["start", "prediction"]
    assert stages["start"].values("values").tolist() == pytest.approx([1.4], rel=0.5)
    comparison = compare_traces(golden, trace)
    assert comparison.counts["start"] == {"agrees": 1}
    assert comparison.counts["prediction"] == {"differs": 1}
    assert port.run(forest, tmp_path / "other") is None


def test_a_command_reads_and_writes_folders(golden, forest, tmp_path):
    port = load_adapter(f"{sys.executable} {write(tmp_path, COMMAND, 'command')}")
    trace = port.run(golden, tmp_path / "trace")
    assert compare_traces(golden, trace).passes
    assert port.run(forest, tmp_path / "other") is None


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("import sys; sys.exit('no data\\n')", "ended with exit code 1: no data"),
        ("pass", "manifest.json"),
        ("import time; time.sleep(60)", "did not return within 0.5 seconds"),
    ],
)
def test_a_command_that_fails_is_told_in_a_line(golden, tmp_path, monkeypatch, command, fault):
    monkeypatch.setattr("yardstick.scorecard.adapters.SECONDS", 0.5 if "sleep" in command else 60)
    port = load_adapter(f"{sys.executable} {write(tmp_path, command, 'command')}")
    with pytest.raises((ValueError, OSError), match=fault):
        port.run(golden, tmp_path / "trace")


ENDINGS = {
    "import os\ndef train(case, tell):\n tell('start', values=[0.0])\n os.abort()": "SIGABRT",
    "import os\ndef train(case, tell):\n os._exit(5)": "exit code 5",
    "def train(case, tell):\n tell('start', values=[0.0])\n 1 / 0": "ZeroDivisionError: division by zero",
    "def train(case, tell):\n tell('begin', values=[0.0])": "stage is 'begin'",
    "def train(case, tell):\n tell('start', value=[0.0])": "stage start has no field 'value'",
    "def train(case, tell):\n tell('start', values=['a'])": "values of stage start is of <U1: it must be of numbers",
    "def train(case, tell):\n tell('order', rows=[0.5])": "rows of stage order is of float64: it must be of integers",
    "def train(case, tell):\n for _ in 'ab': tell('start', values=[0.0])": "values of stage start is told twice",
    "def train(case, tell):\n for _ in 'ab': tell('proba', 1, None, 0, values=[1])": "twice, at round 1, output 0",
    "def train(case, tell):\n while True: pass": "did not return within 0.5 seconds",
    "import os\ndef train(case, tell):\n os.closerange(3, 99)\n while True: pass": "its stream is closed",
}


@pytest.mark.parametrize("page", ENDINGS)
def test_a_page_that_fails_keeps_what_it_told(golden, tmp_path, monkeypatch, page):
    monkeypatch.setattr("yardstick.scorecard.adapters.SECONDS", 0.5 if "within" in ENDINGS[page] else 60)
    monkeypatch.setattr("yardstick.processes.ENDING", 0.5 if "closerange" in page else 60)
    trace = load_adapter(write(tmp_path, page)).run(golden, tmp_path / "trace")
    assert ENDINGS[page] in trace.manifest["ended"]
    comparison = compare_traces(golden, trace)
    assert not comparison.passes
    assert any("the port ended early" in gap for gap in comparison.besides)
    assert ("start" in {record.stage for record in trace.records()}) == ("'start', values=[0.0]" in page)


def test_what_a_page_prints_disturbs_nothing(golden, tmp_path, capfd):
    text = "import os\nimport beside\ndef train(case, tell):\n print('{', flush=True)\n os.write(1, b'[1]\\n')\n"
    write(tmp_path, "VALUES = [0.5]", "beside.py")
    page = write(tmp_path, text + " tell('start', values=beside.VALUES)\n")
    trace = load_adapter(page).run(golden, tmp_path / "trace")
    assert "ended" not in trace.manifest
    assert [record.values("values").tolist() for record in trace.records()] == [[0.5]]
    assert capfd.readouterr() == ("", "{\n[1]\n")


def test_messages_are_data(golden, tmp_path):
    """A page that writes to its stream itself; test_processes.py has what is not a message."""
    page = """
import os, stat
def train(case, tell):
    for file in range(3, 9):
        if os.path.exists(f"/proc/self/fd/{file}") and stat.S_ISFIFO(os.fstat(file).st_mode):
            try:
                os.write(file, b'{"stage": "start", "at": {}, "fields": {"values": [1]}}\\n')
            except OSError:  # it is there to be read
                pass
"""
    with pytest.raises(ValueError, match=r"^values of a message of .*page.py is \[1\]: it must be an object"):
        load_adapter(write(tmp_path, page)).run(golden, tmp_path / "trace")


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("x = 1", "defines none of train, FUNCTIONS and LEMMAS"),
        ("FUNCTIONS = {'ndcg': 3}", "FUNCTIONS of .* is dict: it must map names to functions"),
        ("FUNCTIONS = [1]", "FUNCTIONS of .* is list"),
        ("LEMMAS = [1]", "LEMMAS of .* is list: it must map names to functions"),
        ("LEMMAS = {'dcg': 3}", "LEMMAS of .* is dict: it must map names to functions"),
        ("LEMMAS = {'ndcg': max}", "LEMMAS of .* has 'ndcg': each name must be one of dcg, err, expected_relevance"),
        ("1 / 0", "page.py failed: ZeroDivisionError: division by zero"),
        ("def", "page.py failed: SyntaxError"),
    ],
)
def test_a_page_without_a_port_is_refused(tmp_path, page, fault):
    with pytest.raises(ValueError, match=fault):
        load_adapter(write(tmp_path, page))


def test_a_page_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there must be a file of this name"):
        load_adapter(str(tmp_path / "no.py"))


def test_types_of_a_trace_are_kept(golden, tmp_path):
    """float32 stays float32: its numbers are compared, not its type."""
    text = "import numpy as np\ndef train(case, tell):\n"
    text += " tell('prediction', values=np.float32([1.5]))\n tell('order', rows=np.uint32([3]))\n"
    trace = load_adapter(write(tmp_path, text)).run(golden, tmp_path / "trace")
    fields = [field for record in trace.records() for field in record.fields.values()]
    assert [field.dtype for field in fields] == ["float32", "uint32"]
    assert np.array_equal(next(trace.records()).values("values"), [1.5])


def test_lemmas_need_hypothesis(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ValueError, match=r"page.py offers LEMMAS: it needs Hypothesis.*pip install 'refrank\[test\]'"):
        load_adapter(write(tmp_path, "LEMMAS = {'dcg': max}"))
    assert load_adapter(write(tmp_path, "FUNCTIONS = {'ndcg': max}")).lemmas == {}
