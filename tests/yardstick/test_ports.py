"""Ports as refrank asks them, pages of Python and programs: what they offer and tell, and how a question may end."""

import gc
import resource
import sys
import time

import numpy as np
import pytest

from tests.yardstick.test_processes import has_ended
from yardstick.divergence.comparing import compare_traces
from yardstick.processes import find_memory
from yardstick.scorecard.adapters import load_adapter

PAGE = """
import os, sys, time
class Odd(Exception): pass
def fail(tell=None):
    BODY
def train(case, tell):
    tell("start", values=[0.5])
    fail(tell)
FUNCTIONS = {"who": os.getpid, "fail": fail}
LEMMAS = {"dcg": lambda *arguments: len(arguments)}
"""
PROGRAM = """
import os, sys, time
print('{"offers": ["function who", "function fail"]}', flush=True)
for line in sys.stdin:
    if '"function who"' in line:
        print(f'{{"value": {os.getpid()}}}', flush=True)
    else:
        if '"training' in line:
            print('{"stage": "start", "at": {}, "fields": {"values": [0.5]}}')
        BODY
        sys.stdout.flush()
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load a page, or a program, by what it does in a question: a program prints what it sends."""
    monkeypatch.setattr("yardstick.scorecard.adapters.LONG", 60)
    monkeypatch.setattr("yardstick.processes.ENDING", 0.5)

    def load(body, text=""):
        is_program = "print" in body
        path = tmp_path / ("program" if is_program else "page.py")
        path.write_text(text or (PROGRAM if is_program else PAGE).replace("BODY", body))
        return load_adapter(f"{sys.executable} {path}" if is_program else str(path))

    return load


def send(text):
    """Write a line of a program: it sends a text."""
    return f"print({text!r})"


def tell(values, stage="prediction", at="{}"):
    """Write a line of a program: it tells a record of one field."""
    return send(f'{{"stage": "{stage}", "at": {at}, "fields": {{"values": {values}}}}}')


NO_MESSAGE, NO_ANSWER = "program wrote to a file that it did not open", "program sent a message other than an answer"
ENDS = {  # of any question: what a port does, and the error
    "os.abort()": "ChildProcessError: ended the process (SIGABRT)",
    "os.closerange(3, 99); time.sleep(60)": "ChildProcessError: ended the process (its stream is closed)",
    "sys.exit(3)": "SystemExit: 3",
    "raise Odd('so')": "Odd: so (line 5: raise Odd('so'))",
    send("[" * 9999): NO_MESSAGE,
    send("[1]"): NO_MESSAGE,
    "print('{', end=''); sys.stdout.flush(); os._exit(6)": "ChildProcessError: ended the process (exit code 6)",
    send('{"value": 1, "fault": "x"}'): NO_ANSWER,
    send(f'{{"fault": "\\u001b[2J{"x" * 999}\\ud800: \\u0000"}}'): r"\ud800: \x00",
}
OF_CALLS = {
    "return object()": "TypeError: a value is of type object: it must be a number, a text or an array",
    "pass": "ValueError: an answer is None: it must be numbers",
    "raise NotImplementedError('not this')": "NotImplementedError: not this",
    send('{"not offered": "not \\u0000"}'): r"NotImplementedError: not \x00",
    tell("[1]"): NO_ANSWER,
}
OF_TRAININGS = {
    "for _ in 'ab': tell('proba', 1, None, 0, values=[1])": "values of stage proba is told twice, at round 1, output 0",
    send('{"stage": "order"}'): "it must be an object with stage, at and fields",
    tell('"x"'): "is 'x': it must be numbers",
    tell("[0.5]", "leaves"): "is of float64: it must be of a type of integers",
    tell('["inf"]', "leaves"): "is of float64: it must be of a type of integers",
    tell("[1e300]", "leaves"): "is of float64: it must be of a type of integers",
}


@pytest.mark.parametrize("body", ENDS | OF_CALLS, ids=range(len(ENDS | OF_CALLS)))
def test_a_call_that_fails_is_one_error_and_the_next_is_answered(load, body):
    functions, said = load(body).functions, (ENDS | OF_CALLS)[body]
    before = functions["who"]()
    with pytest.raises(Exception, match=r"\w") as fault:
        functions["fail"]()
    error = f"{fault.type.__name__}: {fault.value}"
    assert said in error
    assert error.isprintable()
    assert len(error) < 400
    is_new = any(words in said for words in ("ended the process", "program sent", "program wrote"))
    assert (functions["who"]() != before) == is_new


@pytest.mark.parametrize("body", ENDS | OF_TRAININGS, ids=range(len(ENDS | OF_TRAININGS)))
def test_a_training_that_fails_keeps_what_it_told(golden, tmp_path, load, body):
    trace = load(body).run(golden, tmp_path / "trace")
    ended = trace.manifest["ended"]
    assert (ENDS | OF_TRAININGS)[body].removeprefix("ChildProcessError: ") in ended
    assert ended.isprintable()
    assert len(ended) < 700
    assert any("the port ended early" in gap for gap in compare_traces(golden, trace).besides)
    assert next(trace.records()).values("values").tolist() == [0.5]


@pytest.mark.parametrize("body", ["raise NotImplementedError", send('{"not offered": ""}')])
def test_a_training_that_is_not_offered_leaves_no_trace(golden, tmp_path, load, body):
    assert load(body).run(golden, tmp_path / "trace") is None


ROUND = '{"round": %d}'
FLOODS = {
    "while True: print('x' * 99999, end='')": "sent a message of more than 16777216 bytes",
    "while True: print('x' * 2**17)": NO_MESSAGE,
    f"while True: {tell([1], at=ROUND)[:-1]} % (time.monotonic_ns() % 2**31))": "sent messages of more than 262144",
}


def find_peak():
    """The most memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("body", FLOODS)
def test_endless_output_waits_in_the_pipe_and_is_refused_in_bounded_memory(golden, tmp_path, load, monkeypatch, body):
    monkeypatch.setattr("yardstick.processes.MOST_BYTES", 2**18)
    port, before = load(body), find_peak()
    assert FLOODS[body] in port.run(golden, tmp_path / "trace").manifest["ended"]
    assert port.functions["who"]() > 0
    assert find_peak() - before < 2**27


def test_what_does_not_return_is_given_up_and_not_asked_again_and_the_process_ends_with_the_port(
    golden, tmp_path, load, monkeypatch
):
    port = load("time.sleep(60)")
    for seconds in (0.5, 60.0):
        monkeypatch.setattr("yardstick.scorecard.adapters.SECONDS", seconds)
        with pytest.raises(TimeoutError, match=r"^did not return within 0\.5 seconds$"):
            port.functions["fail"]()
    process = int(port.functions["who"]())
    assert not has_ended(process)
    monkeypatch.setattr("yardstick.scorecard.adapters.LONG", 0.5)
    assert port.run(golden, tmp_path / "trace").manifest["ended"] == "did not return within 0.5 seconds"
    assert has_ended(process)
    monkeypatch.setattr("yardstick.scorecard.adapters.LONG", 60)
    process = int(port.functions["who"]())
    del port
    gc.collect()
    assert has_ended(process)


def test_a_program_that_reads_nothing_holds_nobody_up(load, monkeypatch):
    """The question is longer than what a pipe holds."""
    port = load("print", f"{PROGRAM.partition('for')[0]}import time; time.sleep(60)")
    monkeypatch.setattr("yardstick.scorecard.adapters.SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        port.functions["fail"](x=np.zeros(2**18))
    assert time.monotonic() - began < 30


OFFERS = {  # of a page or a program: its text, and why it is refused
    "import sys; sys.exit('no data')": r"program ended the process \(exit code 1\), before it said what it offers",
    "print('hello')": "program wrote to a file that it did not open: hello",
    "import time; time.sleep(60)": "program did not return within 0.5 seconds, before it said",
    """print('{"offers": [1]}')""": r"program offers \[1\]: it must be a list of texts",
    """print('{"offers": ["lemma ndcg"]}')""": "a lemma of .*program is 'ndcg': it must be one of 'dcg'",
    """print('{"fault": "\\\\u001b[2J program"}')""": r"^\\x1b\[2J program$",
    "x = 1": "page.py failed: ValueError: it defines none of train, FUNCTIONS and LEMMAS, and no function",
    "LEMMAS = [1]": "page.py failed: TypeError: ",
    "1 / 0": "page.py failed: ZeroDivisionError: division by zero",
}


@pytest.mark.parametrize("text", OFFERS)
def test_what_offers_nothing_is_refused_in_a_line(load, monkeypatch, text):
    monkeypatch.setattr("yardstick.scorecard.adapters.LONG", 0.5 if "sleep" in text else 60)
    with pytest.raises(ValueError, match=OFFERS[text]):
        load("print" if "program" in OFFERS[text] else "", text)


@pytest.mark.parametrize("source", ["no.py", "no-program now.py", ""])
def test_a_port_that_is_not_there(source):
    with pytest.raises(FileNotFoundError, match=f"^{source}: there must be a file of Python, or a program, of this"):
        load_adapter(source)


def test_a_program_has_the_users_environment_and_limits(load, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "here")
    words = "os.environ['PYTHONPATH'], str(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    offer = f"import json, os, resource; print(json.dumps({{'name': ' '.join([{words}]), 'offers': []}}))"
    assert load("print", offer).name == f"here {find_memory()}"


def test_types_of_a_trace_are_kept_and_what_a_page_prints_disturbs_nothing(golden, tmp_path, load, capfd):
    """float32 stays float32: its numbers are compared, not its type. 1 may stand for 1.0, and 2.0 for 2."""
    (tmp_path / "beside.py").write_text("from numpy import float32, uint32\nprint('loaded')\n")
    text = "import os, beside\ndef train(case, tell):\n print('{', flush=True)\n os.write(1, b'[1]\\n')\n"
    text += " tell('prediction', values=beside.float32([1.5]))\n tell('order', rows=beside.uint32([3]))\n"
    text += " tell('start', values=[1])\n tell('leaves', values=[2.0])\n"
    trace = load("", text).run(golden, tmp_path / "trace")
    assert "ended" not in trace.manifest
    fields = [field for record in trace.records() for field in record.fields.values()]
    assert [field.dtype for field in fields] == ["float32", "uint32", "float64", "int64"]
    assert [field.values.tolist() for field in fields] == [[1.5], [3], [1.0], [2]]
    assert capfd.readouterr() == ("", "loaded\n{\n[1]\n")


def test_lemmas_are_called_in_order_and_need_hypothesis(load, monkeypatch):
    assert load("pass").lemmas["dcg"]([1, 0], [0.5, 0.25]) == 2
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(ValueError, match=r"page.py offers lemmas: it needs Hypothesis.*pip install 'refrank\[test\]'"):
        load("pass")
    port = load("", "ndcg, other, median = max, min, 3")  # without tables, what has a name of the vectors
    assert (port.functions.keys(), port.lemmas) == ({"ndcg", "stream"}, {})
