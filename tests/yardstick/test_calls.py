"""Questions to a port in a process of its own: what crosses over, and how a question may end."""

import json
import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from yardstick.numbers.digest import digest
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.messages import pack, read_answer, unpack

FAULTS = {  # what a function does -> the error of its call
    "os.abort()": ("ChildProcessError", r"^ended the process \(SIGABRT\)$"),
    "os._exit(4)": ("ChildProcessError", r"^ended the process \(exit code 4\)$"),
    "os.closerange(3, 99); time.sleep(60)": ("ChildProcessError", r"^ended the process \(its stream is closed\)$"),
    "sys.exit(3)": ("SystemExit", "^3$"),
    "raise Odd('so')": ("Odd", "^so$"),
    r"b'\xff'.decode()": ("UnicodeDecodeError", "^'utf-8' codec can't decode byte 0xff"),
    "raise NotImplementedError('not this')": ("NotImplementedError", "^not this$"),
    "return object()": ("TypeError", "^a value is of type object: it must be a number, a text or an array"),
    "pass": ("ValueError", "^an answer is None: it must be numbers"),
    "return 10**30": ("TypeError", "^a value is of type int"),
    "same()": ("TypeError", "missing 1 required positional argument"),
}
PAGE = """
import os, sys, time
class Odd(Exception): pass
def who(): return os.getpid()
def same(x): return x
def hang(): time.sleep(60)
FUNCTIONS = {"who": who, "same": same, "hang": hang}
LEMMAS = {"dcg": lambda *arguments: len(arguments)}
"""
PAGE += "".join(f"def fail(): {code}\nFUNCTIONS[{code!r}] = fail\n" for code in FAULTS)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.py"
    path.write_text(PAGE)
    return str(path)


@pytest.fixture(scope="module")
def functions(page):
    return load_adapter(page).functions


@pytest.mark.parametrize("code", FAULTS)
def test_a_call_that_fails_is_one_error_and_the_next_is_answered(functions, monkeypatch, code):
    monkeypatch.setattr("yardstick.processes.ENDING", 0.5)
    (kind, message), before = FAULTS[code], functions["who"]()
    with pytest.raises(Exception, match=message) as fault:
        functions[code]()
    assert fault.type.__name__ == kind
    assert (functions["who"]() == before) == (kind != "ChildProcessError")


def test_a_call_that_hangs_is_given_up(functions, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("yardstick.scorecard.adapters.SECONDS", 0.5)
        with pytest.raises(TimeoutError, match=r"^did not return within 0\.5 s"):
            functions["hang"]()
    assert functions["same"](x=7) == 7
    with pytest.raises(TimeoutError, match=r"0\.5 s"):  # it is not asked again: a scorecard has dozens of cases
        functions["hang"]()


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


def cross(value):
    return json.loads(json.dumps(pack(value), allow_nan=False))


@given(st.dictionaries(TEXTS, VALUES, max_size=3))
def test_arguments_cross_over(given):
    crossed = unpack(cross(given))
    assert [*crossed] == [*given]
    for name, value in given.items():
        assert is_same(crossed[name], value) if isinstance(value, np.ndarray) else repr(crossed[name]) == repr(value)


@given(TABLES | st.floats() | st.integers(-(2**63), 2**63 - 1))
def test_answers_cross_over_alone_and_as_one_of_several(value):
    alone, (first, second), of = map(read_answer, map(cross, (value, (value, value), {"a": value})))
    assert all(is_same(part, value) for part in (alone, first, second, of.pop("a")))
    assert of == {}


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


def test_functions_of_lemmas_are_called_in_order(page):
    assert load_adapter(page).lemmas["dcg"]([1, 0], [0.5, 0.25]) == 2
