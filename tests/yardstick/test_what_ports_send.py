"""Messages of a port other than records and answers: each is refused in a line, in bounded memory and time."""

import json
import resource
import sys

import pytest

from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.calls import Calls
from yardstick.scorecard.messages import DEEPEST, pack, unpack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the page finds its stream in /proc")
PAGE = """
import os, stat

def send(*_):
    for file in range(3, 9):
        if os.path.exists(f"/proc/self/fd/{file}") and stat.S_ISFIFO(os.fstat(file).st_mode):
            try:
                with open(file, "wb", closefd=False) as stream:
                    BODY
            except OSError:  # it is there to be read
                pass

def three():
    return 3

train, FUNCTIONS = send, {"send": send, "three": three}
"""
NO_MESSAGES = {
    "[" * 9999: "wrote to a file that it did not open",
    '{"a": ' + "9" * 9999 + "}": "wrote to a file that it did not open",
    '{"value": NaN}': "wrote to a file that it did not open",
    "x" * (2**24 + 1): "sent a message of more than 16777216 bytes",
}


def of_field(dtype, shape, values):
    """Write a record of one field."""
    field = f'{{"dtype": "{dtype}", "shape": {shape}, "values": {values}}}'
    return f'{{"stage": "start", "at": {{}}, "fields": {{"values": {field}}}}}'


NO_RECORDS = {
    **NO_MESSAGES,
    "{}": "it must be an object with stage, at and fields",
    '{"stage": "start"}': "it must be an object with stage, at and fields",
    '{"stage": [], "at": {}, "fields": {"values": {}}}': "it must be one of data",
    '{"stage": "start", "at": {"round": 1e9}, "fields": {"values": {}}}': "it must be an object of integers",
    '{"stage": "start", "at": [], "fields": {"values": {}}}': "it must be an object of integers",
    '{"stage": "start", "at": {}, "fields": []}': "of stage start they are values",
    of_field("float64", [-1], []): "it must be a list of at most 4 integers of at least 0",
    of_field("float64", [1], [[1]]): "it must be a float64",
    of_field("float64", [1], "[1e999]"): "wrote to a file that it did not open",
    of_field("int8", [1], [1]): "it must be of a type of floats",
}
NO_ANSWERS = {
    **NO_MESSAGES,
    "{}": "sent a message other than an answer",
    '{"value": 1, "fault": ["KeyError", "x"]}': "sent a message other than an answer",
    '{"fault": 5}': "sent a message other than an answer",
    '{"fault": [1, "x"]}': "sent a message other than an answer",
    '{"value": [1]}': "holds a bare list",
}


@pytest.fixture
def page(tmp_path):
    """Writes a page that sends what is in a file, or what a body of code sends."""

    def write(sent="", body="stream.write(open(SENT, 'rb').read())"):
        (tmp_path / "sent").write_text(sent + "\n")
        text = PAGE.replace("BODY", body).replace("SENT", repr(str(tmp_path / "sent")))
        (tmp_path / "page.py").write_text(text)
        return str(tmp_path / "page.py")

    return write


def find_fault(source, golden, folder):
    """Return the line about a training that fails."""
    with pytest.raises(ValueError) as refused:  # noqa: PT011  the callers compare the message
        load_adapter(source).run(golden, folder)
    said = str(refused.value)
    assert "page.py" in said
    assert said.isprintable()
    assert len(said) < 700
    return said


@pytest.mark.parametrize("sent", NO_RECORDS, ids=range(len(NO_RECORDS)))
def test_what_is_no_record_is_refused_in_a_line(golden, tmp_path, page, sent):
    assert NO_RECORDS[sent] in find_fault(page(sent), golden, tmp_path / "trace")


@pytest.mark.parametrize("sent", NO_ANSWERS, ids=range(len(NO_ANSWERS)))
def test_what_is_no_answer_is_refused_and_the_next_call_has_its_own(page, sent):
    calls = Calls(page(sent))
    with pytest.raises(ValueError, match=NO_ANSWERS[sent]):
        calls.call("FUNCTIONS", "send")
    assert calls.call("FUNCTIONS", "three") == 3


def find_peak():
    """The most memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("piece", [b"x", b"x\n", b"\n", of_field("float64", [0], []).encode() + b"\n"])
def test_endless_output_is_refused_in_bounded_memory(golden, tmp_path, page, monkeypatch, piece):
    monkeypatch.setattr("yardstick.processes.MOST_BYTES", 2**22)
    before = find_peak()
    find_fault(page(body=f"while True: stream.write({piece!r} * 99999)"), golden, tmp_path / "trace")
    assert find_peak() - before < 2**28


def test_lines_that_are_not_asked_for_wait_in_the_pipe(page):
    calls = Calls(page(body="while True: stream.write(b'x' * 2**20 + b'\\n')"))
    before = find_peak()
    with pytest.raises(ValueError, match="wrote to a file that it did not open"):
        calls.call("FUNCTIONS", "send")
    assert calls.call("FUNCTIONS", "three") == 3
    assert find_peak() - before < 2**27


def test_of_endless_errors_a_command_the_last_are_kept(golden, tmp_path):
    text = "import sys\nfor _ in range(199): sys.stderr.write('x' * 999_999)\nsys.exit('\\nno data')"
    (tmp_path / "command").write_text(text)
    before = find_peak()
    with pytest.raises(ValueError, match=r"ended with exit code 1: no data$"):
        load_adapter(f"{sys.executable} {tmp_path / 'command'}").run(golden, tmp_path / "trace")
    assert find_peak() - before < 2**26


@pytest.mark.parametrize("sign", [1, -1])
def test_a_huge_integer_is_no_answer(sign):
    assert unpack(pack(sign * (10**999 - 1))) == sign * (10**999 - 1)
    with pytest.raises(TypeError, match="an integer has 1000 digits or more"):
        pack(sign * 10**999)


def test_an_answer_that_is_nested_too_deeply_is_refused():
    deep = '{"list": [' * DEEPEST + "1" + "]}" * DEEPEST
    assert json.dumps(pack(unpack(json.loads(deep)))) == deep
    with pytest.raises(ValueError, match="nested too deeply"):
        unpack({"list": [json.loads(deep)]})
