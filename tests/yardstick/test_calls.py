"""Functions of a page, called in a process of its own: what crosses over, and how a call may end."""

import math
import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.cli import main
from yardstick.numbers.digest import digest
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.calls import Calls
from yardstick.scorecard.messages import DEEPEST, pack, unpack

PAGE = """
import os, sys, time
import numpy as np
print("loaded")

def crash(): os.abort()
def leave(): sys.exit(3)
def vanish(): os._exit(4)
def hang(): time.sleep(60)
def close(): os.closerange(3, 99); time.sleep(60)
def divide(): return 1 / 0
class Odd(Exception): pass
def odd(): raise Odd("so")
def undecoded(): b"\\xff".decode()
def absent(): raise NotImplementedError("not this")
def same(*arguments, **named): return arguments, named
def thing(): return object()
def noise(): print("{"); os.write(1, b"[1]\\n"); return 7
def who(): return os.getpid()
FUNCTIONS = {name: one for name, one in list(globals().items()) if callable(one) and name != "Odd"}
"""


@pytest.fixture
def calls(tmp_path):
    (tmp_path / "page.py").write_text(PAGE)
    return Calls(str(tmp_path / "page.py"))


def call(calls, name, *arguments, **named):
    return calls.call("FUNCTIONS", name, *arguments, **named)


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("crash", ChildProcessError, r"^it ended the process \(SIGABRT\)$"),
        ("vanish", ChildProcessError, r"^it ended the process \(exit code 4\)$"),
        ("leave", RuntimeError, "^SystemExit: 3$"),
        ("divide", ZeroDivisionError, "^division by zero$"),
        ("odd", RuntimeError, "^Odd: so$"),
        ("undecoded", RuntimeError, "^UnicodeDecodeError: "),
        ("absent", NotImplementedError, "^not this$"),
        ("thing", TypeError, "^a value is of type object: it must be a number, a text, an array"),
        ("nobody", KeyError, "nobody"),
    ],
)
def test_a_call_that_fails_is_one_error_and_the_next_is_answered(calls, name, kind, message):
    before = call(calls, "who")
    with pytest.raises(kind, match=message):
        call(calls, name)
    assert (call(calls, "who") == before) == (kind is not ChildProcessError)


@pytest.mark.parametrize(("name", "message"), [("hang", "it did not return within 0.5 s"), ("close", "is closed")])
def test_a_call_that_hangs_is_given_up(calls, monkeypatch, name, message):
    assert call(calls, "noise") == 7
    monkeypatch.setattr("yardstick.scorecard.calls.SECONDS", 0.5 if name == "hang" else 60)
    monkeypatch.setattr("yardstick.processes.ENDING", 0.5)
    with pytest.raises((TimeoutError, ChildProcessError), match=message):
        call(calls, name)
    monkeypatch.setattr("yardstick.scorecard.calls.SECONDS", 60)
    assert call(calls, "noise") == 7
    if name == "hang":  # it is not asked again: a scorecard has dozens of cases
        with pytest.raises(TimeoutError, match=message):
            call(calls, name)


def test_what_a_page_prints_disturbs_no_answer(calls, capfd):
    assert call(calls, "noise") == 7
    said = capfd.readouterr()
    assert said.out == ""
    assert {"loaded", "{", "[1]"} >= set(said.err.split())
    assert "[1]\n" in said.err


def test_the_process_ends_with_its_calls(tmp_path):
    (tmp_path / "page.py").write_text(PAGE)
    port = load_adapter(str(tmp_path / "page.py"))
    number = port.functions["who"]()
    assert number != os.getpid()
    os.kill(number, 0)  # it is there
    del port
    for _ in range(100):
        if not Path(f"/proc/{number}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the process of the functions has not ended")


NUMBERS = st.floats() | st.integers(-(2**70), 2**70) | st.booleans() | st.none() | st.text(max_size=5)
VALUES = st.recursive(
    NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner) | st.dictionaries(st.text(), inner, max_size=2),
)


@given(VALUES)
def test_values_cross_over_and_back(value):
    assert repr(unpack(pack(value))) == repr(value)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "uint64"])
def test_arrays_and_their_types_cross_over(calls, dtype):
    array = np.array([[0, 1, 2], [3, 4, 5]], dtype)
    (crossed,), named = call(calls, "same", array, y=array[0, 1])
    assert (crossed.dtype, crossed.shape, digest(crossed)) == (array.dtype, array.shape, digest(array))
    assert type(named["y"]) is array.dtype.type


def test_odd_numbers_cross_over(calls):
    arguments = np.array([math.nan, math.inf, -0.0, 5e-324]), -0.0, math.nan, 2**63 + 1, (True, None, "é")
    crossed, named = call(calls, "same", *arguments, k=[1, (2,)])
    assert repr(crossed) == repr(arguments)
    assert named == {"k": [1, (2,)]}


@pytest.mark.parametrize(
    "document",
    [[1], {}, {"float": "1"}, {"list": 1}, {"array": {"dtype": "object"}}, {"pickle": "x"}, {"list": [], "tuple": []}],
)
def test_other_messages_are_refused(document):
    with pytest.raises(ValueError, match=r"message holds|dtype of array is"):
        unpack(document)


def test_what_is_nested_too_deeply_is_refused():
    value: list = []
    for _ in range(DEEPEST + 1):
        value = [value]
    with pytest.raises(TypeError, match="nested too deeply"):
        pack(value)


def test_a_function_that_crashes_is_a_line_of_the_scorecard(tmp_path, capsys):
    page = tmp_path / "page.py"
    page.write_text("import os\ndef softmax(**given): os.abort()\nFUNCTIONS = {'softmax': softmax}\n")
    assert main(["conform", "run", str(page), "--only", "ls"]) == 3
    said = capsys.readouterr().out
    assert "failed    function softmax: " in said
    assert "raised: ChildProcessError: it ended the process (SIGABRT)" in said
