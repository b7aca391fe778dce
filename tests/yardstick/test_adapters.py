"""Ports as refrank asks them: pages of Python and programs, right ones and others, and what is said of each."""

import sys
from pathlib import Path

import numpy as np
import pytest

from yardstick.divergence.comparing import compare_traces
from yardstick.programs import find_memory
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
PROGRAM = """
import json, os, sys, time
def say(**message): print(json.dumps(message), flush=True)
say(name="a program", offers=["function exp", "training ls"])
for line in sys.stdin:
    question = json.loads(line)
    given = question["arguments"]
    if question["call"] == "training ls":
        y = given["y"]["values"]
        start = sum(2**label - 1 for label in y) / len(y)
        say(stage="start", at={}, fields={"values": [start]})
        say(stage="prediction", at={}, fields={"values": [start.hex()] * len(y)})
        say(value=None)
    else:
        say(**{"not offered": ""})
"""


@pytest.fixture
def forest(golden_of):
    return golden_of("rf")


def write(folder: Path, text: str, name: str = "page.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


@pytest.fixture
def start(tmp_path):
    """Starts a program of Python by a command, as any other program."""

    def run(text):
        return load_adapter(f"{sys.executable} {write(tmp_path, text, 'program.py')}")

    return run


@pytest.mark.parametrize("kind", ["page", "program"])
def test_a_port_tells_what_it_knows(golden, forest, tmp_path, start, kind):
    port = load_adapter(write(tmp_path, PAGE)) if kind == "page" else start(PROGRAM)
    assert port.name == f"a {kind}"
    trace = port.run(golden, tmp_path / "trace")
    stages = {record.stage: record for record in trace.records()}
    assert [*stages] == ["start", "prediction"]
    assert stages["start"].values("values").tolist() == pytest.approx([1.4], rel=0.5)
    comparison = compare_traces(golden, trace)
    assert comparison.counts["start"] == {"agrees": 1}
    assert comparison.counts["prediction"] == {"differs": 1}
    assert port.run(forest, tmp_path / "other") is None
    if kind == "program":
        with pytest.raises(NotImplementedError):
            port.functions["exp"](x=np.zeros(1))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import sys; sys.exit('no data')", r"program.py ended the process \(exit code 1\), before it said what"),
        ("print('hello')", "program.py wrote to a file that it did not open: hello"),
        ("import time; time.sleep(60)", "program.py did not return within 0.5 seconds, before it said"),
        ("print('{}')", 'program.py offers None: it must be a list of texts such as "function ndcg"'),
        ("""print('{"offers": [1]}')""", r"program.py offers \[1\]: it must be a list of texts"),
        ("""print('{"offers": ["lemma ndcg"]}')""", "has 'ndcg': each name must be one of dcg, err"),
        ("""print('{"fault": "\\\\u001b[2J no library"}')""", r"^\\x1b\[2J no library$"),
    ],
)
def test_a_program_that_offers_nothing_is_refused_in_a_line(start, monkeypatch, text, fault):
    monkeypatch.setattr("yardstick.scorecard.calls.LONG", 0.5 if "sleep" in text else 60)
    with pytest.raises(ValueError, match=fault):
        start(text)


def test_a_program_has_the_users_environment_and_limits(start, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "here")
    limits = "import resource; limit = resource.getrlimit(resource.RLIMIT_DATA)[0]"
    words = "[os.environ['PYTHONPATH'], str(limit)]"
    port = start(f"import json, os; {limits}; print(json.dumps({{'name': ' '.join({words}), 'offers': []}}))")
    assert port.name == f"here {find_memory()}"


ENDINGS = {
    "import os\ndef train(case, tell):\n tell('start', values=[0.0])\n os.abort()": "SIGABRT",
    "import os\ndef train(case, tell):\n os._exit(5)": "it ended the process (exit code 5)",
    "def train(case, tell):\n tell('start', values=[0.0])\n 1 / 0": "ZeroDivisionError: division by zero",
    "def train(case, tell):\n tell('begin', values=[0.0])": "page.py is 'begin': it must be one of data, bins",
    "def train(case, tell):\n tell('start', value=[0.0])": "of stage start they are values",
    "def train(case, tell):\n tell('start', values=['a'])": "TypeError: a value is of type list: it must be a number",
    "def train(case, tell):\n tell('order', rows=[0.5])": "page.py is of float64: it must be of integers",
    "def train(case, tell):\n for _ in 'ab': tell('start', values=[0.0])": "values of stage start is told twice",
    "def train(case, tell):\n for _ in 'ab': tell('proba', 1, None, 0, values=[1])": "twice, at round 1, output 0",
    "def train(case, tell):\n tell('proba', round=-1, values=[1])": "it must be an object of integers",
    "def train(case, tell):\n while True: pass": "did not return within 0.5 seconds",
    "import os\ndef train(case, tell):\n os.closerange(3, 99)\n while True: pass": "its stream is closed",
}


@pytest.mark.parametrize("page", ENDINGS)
def test_a_page_that_fails_keeps_what_it_told(golden, tmp_path, monkeypatch, page):
    port = load_adapter(write(tmp_path, page))
    monkeypatch.setattr("yardstick.scorecard.calls.LONG", 0.5 if "within" in ENDINGS[page] else 60)
    monkeypatch.setattr("yardstick.processes.ENDING", 0.5 if "closerange" in page else 60)
    trace = port.run(golden, tmp_path / "trace")
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


@pytest.mark.parametrize(
    ("source", "kind"), [("no.py", "file"), ("no-such-program now.py", "program"), ("", "program")]
)
def test_a_port_that_is_not_there(source, kind):
    with pytest.raises(FileNotFoundError, match=f"^{source}: there must be a {kind} of this name"):
        load_adapter(source)


def test_types_of_a_trace_are_kept(golden, tmp_path):
    """float32 stays float32: its numbers are compared, not its type. 1 may stand for 1.0, and 2.0 for 2."""
    text = "import numpy as np\ndef train(case, tell):\n"
    text += " tell('prediction', values=np.float32([1.5]))\n tell('order', rows=np.uint32([3]))\n"
    text += " tell('start', values=[1])\n tell('leaves', values=[2.0])\n"
    trace = load_adapter(write(tmp_path, text)).run(golden, tmp_path / "trace")
    fields = [field for record in trace.records() for field in record.fields.values()]
    assert [field.dtype for field in fields] == ["float32", "uint32", "float64", "int64"]
    assert np.array_equal(next(trace.records()).values("values"), [1.5])


def test_lemmas_need_hypothesis(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ValueError, match=r"page.py offers LEMMAS: it needs Hypothesis.*pip install 'refrank\[test\]'"):
        load_adapter(write(tmp_path, "LEMMAS = {'dcg': max}"))
    assert load_adapter(write(tmp_path, "FUNCTIONS = {'ndcg': max}")).lemmas == {}
