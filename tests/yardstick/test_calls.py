"""Questions to a port in a process of its own: what crosses over, and how a question may end."""

import json
import math
import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from refrank.cli import main
from yardstick.numbers.digest import digest
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.calls import Calls
from yardstick.scorecard.messages import pack, read_answer, unpack

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
def thing(): return object()
def nothing(): pass
def huge(): return 10**30
def noise(): print("{"); os.write(1, b"[1]\\n"); return 7
def who(): return os.getpid()
def types(**given): return [(type(x).__name__ + str(getattr(x, "dtype", ""))).encode()[0] for x in given.values()]
def same(x): return x
FUNCTIONS = {name: one for name, one in list(globals().items()) if callable(one) and name != "Odd"}
LEMMAS = {"dcg": lambda *arguments: len(arguments)}
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.py"
    path.write_text(PAGE)
    return str(path)


@pytest.fixture(scope="module")
def calls(page):
    return Calls(page)


def call(calls, name, **arguments):
    return read_answer(calls.ask(f"function {name}", arguments))


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("crash", "ChildProcessError", r"^it ended the process \(SIGABRT\)$"),
        ("vanish", "ChildProcessError", r"^it ended the process \(exit code 4\)$"),
        ("leave", "SystemExit", "^3$"),
        ("divide", "ZeroDivisionError", "^division by zero$"),
        ("odd", "Odd", "^so$"),
        ("undecoded", "UnicodeDecodeError", "^'utf-8' codec can't decode byte 0xff"),
        ("absent", "NotImplementedError", "^not this$"),
        ("thing", "TypeError", "^a value is of type object: it must be a number, a text or an array"),
        ("nothing", "ValueError", "^an answer is None: it must be numbers"),
        ("huge", "TypeError", "^a value is of type int"),
        ("nobody", "KeyError", "nobody"),
    ],
)
def test_a_call_that_fails_is_one_error_and_the_next_is_answered(calls, name, kind, message):
    before = call(calls, "who")
    with pytest.raises(Exception, match=message) as fault:
        call(calls, name)
    assert fault.type.__name__ == kind
    assert (call(calls, "who") == before) == (kind != "ChildProcessError")


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


def test_what_a_page_prints_disturbs_no_answer(page, capfd):
    assert call(Calls(page), "noise") == 7
    said = capfd.readouterr()
    assert said.out == ""
    assert {"loaded", "{", "[1]"} >= set(said.err.split())
    assert "[1]\n" in said.err


def test_the_process_ends_with_its_calls(page):
    port = load_adapter(page)
    number = int(port.functions["who"]())
    assert number != os.getpid()
    os.kill(number, 0)  # it is there
    del port
    for _ in range(100):
        if not Path(f"/proc/{number}").exists():
            return
        time.sleep(0.05)
    pytest.fail("the process of the functions has not ended")


NUMBERS = st.floats() | st.integers(-(2**63), 2**64 - 1) | st.booleans()
TABLES = arrays.arrays(
    st.sampled_from(["f8", "f4", "i8", "i1", "u8"]), arrays.array_shapes(min_dims=1, min_side=0, max_side=3)
)
TEXTS = st.text(max_size=5)
VALUES = NUMBERS | TABLES | st.none() | TEXTS | st.lists(TEXTS, min_size=1, max_size=3).map(tuple)


def is_same(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return (left.dtype, left.shape, digest(left)) == (right.dtype, right.shape, digest(right))


@given(st.dictionaries(TEXTS, VALUES, max_size=3))
def test_arguments_cross_over(given):
    crossed = unpack(json.loads(json.dumps(pack(given), allow_nan=False)))
    assert [*crossed] == [*given]
    for name, value in given.items():
        assert is_same(crossed[name], value) if isinstance(value, np.ndarray) else repr(crossed[name]) == repr(value)


@given(TABLES | st.floats() | st.integers(-(2**63), 2**63 - 1))
def test_answers_cross_over_alone_and_as_one_of_several(value):
    for answer in (value, (value, value), {"a": value}):
        crossed = read_answer(json.loads(json.dumps(pack(answer), allow_nan=False)))
        parts = (
            crossed if isinstance(crossed, tuple) else [*crossed.values()] if isinstance(crossed, dict) else [crossed]
        )
        assert all(is_same(part, value) for part in parts)
        assert len(parts) == (2 if isinstance(answer, tuple) else 1)


@pytest.mark.parametrize(
    ("document", "value"),
    [
        (1.5, np.float64(1.5)),
        ("0x1.8p+1", np.float64(3.0)),
        ("-0x1p-1074", np.float64(-5e-324)),
        (["-0.0", "nan", "-nan", "+Inf", "-Infinity", "1e5"], np.array([-0.0, np.nan, np.nan, np.inf, -np.inf, 1e5])),
        ([[1, 2], ["3", 4]], np.array([[1, 2], [3, 4]])),
        ("18446744073709551615", np.uint64(2**64 - 1)),
        (["6457827717110365317", 9817491932198370423], np.array([6457827717110365317, 9817491932198370423], np.uint64)),
        ([123456789012345680000, 0.5], np.array([123456789012345680000.0, 0.5])),
        ([123456789012345680000, -1], np.array([123456789012345680000.0, -1.0])),
        ([], np.array([])),
        ([True, False], np.array([1, 0])),
    ],
)
def test_plain_numbers_are_answers(document, value):
    assert is_same(read_answer(document), value)


NO_NUMBERS = [None, "x", "1" * 41, "0x", [[1], [2, 3]], [[[[[1]]]]], [{"a": 1}, 2], {"a": {"b": 1}}, [1, None], 10**999]


@pytest.mark.parametrize("document", NO_NUMBERS, ids=str)
def test_other_answers_are_refused(document):
    with pytest.raises(ValueError, match="it must be numbers, or lists of them of equal lengths"):
        read_answer(document)


def test_arguments_have_the_types_that_the_vectors_promise(calls):
    given = {"a": np.array([1.0]), "b": 2**63, "c": None, "d": math.nan, "e": "inf", "f": ("u", "v"), "g": True}
    first_letters = [ord(name[0]) for name in ("ndarray", "int", "NoneType", "float", "str", "tuple", "bool")]
    assert call(calls, "types", **given).tolist() == first_letters
    array = np.array([[0.1, math.nan], [-0.0, 5e-324]], np.float32)
    assert is_same(call(calls, "same", x=array), array)


def test_functions_of_lemmas_are_called_in_order(page):
    assert load_adapter(page).lemmas["dcg"]([1, 0], [0.5, 0.25]) == 2


def test_a_function_that_crashes_is_a_line_of_the_scorecard(tmp_path, capsys):
    page = tmp_path / "page.py"
    page.write_text("import os\ndef softmax(**given): os.abort()\nFUNCTIONS = {'softmax': softmax}\n")
    assert main(["conform", "run", str(page), "--only", "ls"]) == 3
    said = capsys.readouterr().out
    assert "failed    function softmax: " in said
    assert "raised: ChildProcessError: it ended the process (SIGABRT)" in said


@pytest.mark.parametrize(("wrong", "state"), [("", "agrees   "), (" + 1", "differs  ")])
def test_what_is_not_offered_for_some_arguments_is_no_failure(tmp_path, capsys, wrong, state):
    text = f"""
def hard_rank(answers):
    if len(answers) > 3:
        raise NotImplementedError("many rows")
    return (answers >= 0.5).sum(axis=1){wrong}

FUNCTIONS = {{"hard_rank": hard_rank}}
"""
    (tmp_path / "page.py").write_text(text)
    code = main(["conform", "run", str(tmp_path / "page.py"), "--only", "ls"])
    said = capsys.readouterr().out
    assert f"{state} function hard_rank: " in said
    assert (code, "cases are not offered" in said) == ((3, False) if wrong else (0, True))
