"""Messages of a port other than records and answers: each is refused in a line, in bounded memory and time."""

import resource
import sys
import time

import numpy as np
import pytest

from yardstick.scorecard.adapters import load_adapter

PROGRAM = """
import sys
print('{"name": "program", "offers": ["function send", "function three"]}', flush=True)
for line in sys.stdin:
    if '"function three"' in line:
        print('{"value": 3}', flush=True)
    else:
        BODY
"""
NO_MESSAGES = {
    "[" * 9999: "wrote to a file that it did not open",
    '{"a": ' + "9" * 9999 + "}": "wrote to a file that it did not open",
    '{"value": NaN}': "wrote to a file that it did not open",
    "x" * (2**24 + 1): "sent a message of more than 16777216 bytes",
}


def write_record(values, stage="start", at="{}"):
    return f'{{"stage": "{stage}", "at": {at}, "fields": {{"values": {values}}}}}'


def of_field(dtype, shape, values, stage="start"):
    """Write a record of one field."""
    return write_record(f'{{"dtype": "{dtype}", "shape": {shape}, "values": {values}}}', stage)


NO_RECORDS = {
    **NO_MESSAGES,
    "{}": "sent a message other than an answer",
    '{"stage": "start"}': "it must be an object with stage, at and fields",
    '{"stage": [], "at": {}, "fields": {"values": {}}}': "it must be one of data",
    write_record("[1]", stage="begin"): "it must be one of data",
    write_record("[1]", at='{"round": 1e9}'): "it must be an object of integers",
    write_record("[1]", at="[]"): "it must be an object of integers",
    '{"stage": "start", "at": {}, "fields": []}': "of stage start they are values",
    '{"stage": "start", "at": {}, "fields": {"value": [1]}}': "of stage start they are values",
    write_record("{}"): "values of stage start of a message of ",
    write_record('"x"'): "is 'x': it must be numbers",
    write_record("[0.5]", stage="leaves"): "is of float64: it must be of integers",
    write_record('["inf"]', stage="leaves"): "is of float64: it must be of integers",
    write_record("[1e300]", stage="leaves"): "is of float64: it must be of integers",
    of_field("float64", [-1], []): "it must be a list of at most 4 integers of at least 0",
    of_field("float64", [1], [[1]]): "it must be a number of type float64",
    of_field("float64", [1], "[1e999]"): "wrote to a file that it did not open",
    of_field("float64", [1], [0.5], "leaves"): "it must be of integers",
    f"{write_record('[1]')}\n{write_record('[1]')}": "values of stage start is told twice",
}
NO_ANSWERS = {
    **NO_MESSAGES,
    "{}": "sent a message other than an answer",
    '{"value": 1, "fault": "x"}': "sent a message other than an answer",
    write_record("[1]"): "sent a message other than an answer",
    '{"value": [null]}': "it must be numbers",
}


@pytest.fixture
def port(tmp_path, monkeypatch):
    """Starts a program that sends what is in a file, or what a body of code sends."""
    monkeypatch.setattr("yardstick.scorecard.calls.LONG", 60)

    def start(sent="", body="sys.stdout.write(open(SENT).read()); sys.stdout.flush()"):
        (tmp_path / "sent").write_text(sent + "\n")
        (tmp_path / "program").write_text(PROGRAM.replace("BODY", body).replace("SENT", repr(str(tmp_path / "sent"))))
        return load_adapter(f"{sys.executable} {tmp_path / 'program'}")

    return start


def find_end(port, golden, folder):
    """Return the line about a training that fails."""
    said = port.run(golden, folder).manifest["ended"]
    assert said.isprintable()
    assert len(said) < 700
    return said


@pytest.mark.parametrize("sent", NO_RECORDS, ids=range(len(NO_RECORDS)))
def test_what_is_no_record_ends_a_training_in_a_line(golden, tmp_path, port, sent):
    assert NO_RECORDS[sent] in find_end(port(sent), golden, tmp_path / "trace")


@pytest.mark.parametrize("sent", NO_ANSWERS, ids=range(len(NO_ANSWERS)))
def test_what_is_no_answer_is_refused_and_the_next_call_has_its_own(port, sent):
    functions = port(sent).functions
    with pytest.raises(ValueError, match=NO_ANSWERS[sent]):
        functions["send"]()
    assert functions["three"]() == 3


@pytest.mark.parametrize("kind", ["fault", "not offered"])
def test_what_a_port_says_is_shown_in_printable_characters(golden, tmp_path, port, kind):
    started = port(f'{{"{kind}": "\\u001b[2J{"x" * 999}\\ud800: \\u0000"}}')
    with pytest.raises(Exception, match=r"x00$") as fault:
        started.functions["send"]()
    said = f"{fault.type.__name__}: {fault.value}"
    assert said.isprintable()
    assert len(said) < 400
    assert fault.type is NotImplementedError or kind == "fault"
    assert (started.run(golden, tmp_path / "trace") is None) == (kind == "not offered")


def find_peak():
    """The most memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@pytest.mark.parametrize("piece", ["x", "x\n", "\n", of_field("float64", [0], []) + "\n"])
def test_endless_output_is_refused_in_bounded_memory(golden, tmp_path, port, monkeypatch, piece):
    monkeypatch.setattr("yardstick.processes.MOST_BYTES", 2**22)
    before = find_peak()
    find_end(port(body=f"while True: sys.stdout.write({piece!r} * 99999)"), golden, tmp_path / "trace")
    assert find_peak() - before < 2**28


def test_lines_that_are_not_asked_for_wait_in_the_pipe(port):
    functions = port(body="while True: sys.stdout.write('x' * 2**20 + '\\n')").functions
    before = find_peak()
    with pytest.raises(ValueError, match="wrote to a file that it did not open"):
        functions["send"]()
    assert functions["three"]() == 3
    assert find_peak() - before < 2**27


def test_a_program_that_reads_nothing_holds_nobody_up(tmp_path, monkeypatch):
    """The question is longer than what a pipe holds."""
    (tmp_path / "program").write_text(PROGRAM.partition("for")[0] + "import time; time.sleep(60)")
    function = load_adapter(f"{sys.executable} {tmp_path / 'program'}").functions["send"]
    monkeypatch.setattr("yardstick.scorecard.calls.SECONDS", 0.5)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        function(x=np.zeros(2**18))
    assert time.monotonic() - began < 30
