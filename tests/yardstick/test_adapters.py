"""Ports as refrank asks them: pages of Python and programs, right ones and others, and what is said of each."""

import sys

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
import json, sys
def say(**message): print(json.dumps(message), flush=True)
say(name="a program", offers=["training ls"])
for line in sys.stdin:
    question = json.loads(line)
    if question["call"] == "training ls":
        y = question["arguments"]["y"]["values"]
        start = sum(2**label - 1 for label in y) / len(y)
        say(stage="start", at={}, fields={"values": [start]})
        say(stage="prediction", at={}, fields={"values": [start.hex()] * len(y)})
        say(value=None)
    else:
        say(**{"not offered": ""})
"""


@pytest.fixture
def load(tmp_path):
    """Loads a page of Python; or a program of Python by a command, as any other program."""

    def load(text, name="page.py"):
        (tmp_path / name).write_text(text)
        return load_adapter(str(tmp_path / name) if name == "page.py" else f"{sys.executable} {tmp_path / name}")

    return load


@pytest.mark.parametrize(("name", "text"), [("page.py", PAGE), ("program.py", PROGRAM)])
def test_a_port_tells_what_it_knows(golden, golden_of, tmp_path, load, name, text):
    port = load(text, name)
    assert port.name == f"a {name[:-3]}"
    trace = port.run(golden, tmp_path / "trace")
    assert [record.stage for record in trace.records()] == ["start", "prediction"]
    counts = compare_traces(golden, trace).counts
    assert (counts["start"], counts["prediction"]) == ({"agrees": 1}, {"differs": 1})
    assert port.run(golden_of("rf"), tmp_path / "other") is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import sys; sys.exit('no data')", r"program.py ended the process \(exit code 1\), before it said what"),
        ("print('hello')", "program.py wrote to a file that it did not open: hello"),
        ("import time; time.sleep(60)", "program.py did not return within 0.5 seconds, before it said"),
        ("print('{}')", 'program.py offers None: it must be a list of texts such as "function ndcg"'),
        ("""print('{"offers": [1]}')""", r"program.py offers \[1\]: it must be a list of texts"),
        ("""print('{"offers": ["lemma ndcg"]}')""", "a lemma of .*program.py is 'ndcg': it must be one of 'dcg'"),
        ("""print('{"fault": "\\\\u001b[2J program.py"}')""", r"^\\x1b\[2J program.py$"),
        ("x = 1", "page.py defines none of train, FUNCTIONS and LEMMAS"),
        ("FUNCTIONS = {'ndcg': 3}", "FUNCTIONS of .*page.py is dict: it must map names to functions"),
        ("LEMMAS = [1]", "LEMMAS of .*page.py is list: it must map names to functions"),
        ("1 / 0", "page.py failed: ZeroDivisionError: division by zero"),
        ("def", "page.py failed: SyntaxError"),
    ],
)
def test_what_offers_nothing_is_refused_in_a_line(load, monkeypatch, text, fault):
    monkeypatch.setattr("yardstick.scorecard.adapters.LONG", 0.5 if "sleep" in text else 60)
    with pytest.raises(ValueError, match=fault):
        load(text, "page.py" if "page.py" in fault else "program.py")


@pytest.mark.parametrize("source", ["no.py", "no-such-program now.py", ""])
def test_a_port_that_is_not_there(source):
    with pytest.raises(FileNotFoundError, match=f"^{source}: there must be a file of Python, or a program, of this"):
        load_adapter(source)


def test_a_program_has_the_users_environment_and_limits(load, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "here")
    limits = "import resource; limit = resource.getrlimit(resource.RLIMIT_DATA)[0]"
    words = "[os.environ['PYTHONPATH'], str(limit)]"
    offer = f"import json, os; {limits}; print(json.dumps({{'name': ' '.join({words}), 'offers': []}}))"
    assert load(offer, "program.py").name == f"here {find_memory()}"


ENDINGS = {  # what page.py does once it has told the start
    "os.abort()": "ended the process (SIGABRT)",
    "1 / 0": "ZeroDivisionError: division by zero",
    "tell('prediction', values=['a'])": "TypeError: a value is of type list: it must be a number",
    "for _ in 'ab': tell('proba', 1, None, 0, values=[1])": "values of stage proba is told twice, at round 1, output 0",
    "while True: pass": "did not return within 0.5 seconds",
}


@pytest.mark.parametrize("end", ENDINGS)
def test_a_page_that_fails_keeps_what_it_told(golden, tmp_path, load, monkeypatch, end):
    port = load(f"import os\ndef train(case, tell):\n tell('start', values=[0.0])\n {end}")
    monkeypatch.setattr("yardstick.scorecard.adapters.LONG", 0.5 if "while" in end else 60)
    trace = port.run(golden, tmp_path / "trace")
    assert ENDINGS[end] in trace.manifest["ended"]
    assert any("the port ended early" in gap for gap in compare_traces(golden, trace).besides)
    assert next(trace.records()).stage == "start"


def test_what_a_page_prints_disturbs_nothing(golden, tmp_path, load, capfd):
    (tmp_path / "beside.py").write_text("VALUES = [0.5]")
    text = "import os\nimport beside\nprint('loaded')\ndef train(case, tell):\n print('{', flush=True)\n"
    trace = load(text + " os.write(1, b'[1]\\n')\n tell('start', values=beside.VALUES)\n").run(
        golden, tmp_path / "trace"
    )
    assert "ended" not in trace.manifest
    assert [record.values("values").tolist() for record in trace.records()] == [[0.5]]
    assert capfd.readouterr() == ("", "loaded\n{\n[1]\n")


def test_types_of_a_trace_are_kept(golden, tmp_path, load):
    """float32 stays float32: its numbers are compared, not its type. 1 may stand for 1.0, and 2.0 for 2."""
    text = "import numpy as np\ndef train(case, tell):\n"
    text += " tell('prediction', values=np.float32([1.5]))\n tell('order', rows=np.uint32([3]))\n"
    text += " tell('start', values=[1])\n tell('leaves', values=[2.0])\n"
    trace = load(text).run(golden, tmp_path / "trace")
    fields = [field for record in trace.records() for field in record.fields.values()]
    assert [field.dtype for field in fields] == ["float32", "uint32", "float64", "int64"]
    assert [field.values.tolist() for field in fields] == [[1.5], [3], [1.0], [2]]


def test_lemmas_need_hypothesis(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ValueError, match=r"page.py offers lemmas: it needs Hypothesis.*pip install 'refrank\[test\]'"):
        load("LEMMAS = {'dcg': max}")
    assert load("FUNCTIONS = {'ndcg': max}").lemmas == {}
