"""Numbers in JSON come back as they were, bit by bit; other documents are refused by name and place."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from yardstick.numbers.encoding import FLOATS, INTEGERS, decode, encode, write_entries

ARRAYS = st.sampled_from([*FLOATS, *INTEGERS]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
)


@given(ARRAYS, st.sampled_from(["both", "values", "exact"]))
def test_arrays_come_back_bit_by_bit(array, which):
    document, entries = encode(array), array.ravel().tolist()
    floats = array.dtype.kind == "f"
    exact = {"hex": [x.hex() for x in entries]} if floats else {"text": [*map(str, entries)]}
    exact = exact if floats or any(abs(x) > 2**53 for x in entries) else {}
    values = {"values": [x if np.isfinite(x) else str(x) for x in entries]}
    assert document == {"dtype": array.dtype.name, "shape": [*array.shape], **values, **exact}
    alone = json.loads("{" + write_entries(array, exact_alone=True) + "}")
    assert alone == (exact if floats else {**values, **exact})
    if which != "both" and exact:
        del document[next(iter(exact)) if which == "values" else "values"]
    again = decode(document)
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    canonical = np.where(np.isnan(array), np.nan, array).astype(array.dtype) if floats else array
    assert again.tobytes() == np.ascontiguousarray(canonical).tobytes()


def test_the_hex_of_c_is_read_and_integers_that_a_float64_may_not_hold_are_texts_too():
    document = {"dtype": "float64", "shape": [3], "hex": ["0x1p-1", "-0x0p+0", "0x1.999999999999ap-4"]}
    assert decode(document).tobytes() == np.array([0.5, -0.0, 0.1]).tobytes()
    assert ["text" in encode(n) for n in (2**53, 2**53 + 1, -(2**53), -(2**53) - 1)] == [False, True, False, True]


FLOAT, INT = {"dtype": "float64", "shape": [1]}, {"dtype": "uint8", "shape": [1]}
KEYS = "it must have values, hex of floats, or text of integers"
SHAPE, EQUAL = "it must be a list of at most 4 integers", "both must be the same number"
REFUSED = [  # a document, and what is said of it
    ([], r"array is \[\]: it must be an object with dtype, shape and values"),
    ({"dtype": "float16", "shape": [], "values": [1]}, "dtype of array is 'float16': it must be one of float64"),
    ({**FLOAT, "shape": [-1], "values": []}, rf"shape of array is \[-1\]: {SHAPE}"),
    ({**FLOAT, "shape": [True], "values": [1]}, rf"shape of array is \[True\]: {SHAPE}"),
    ({**FLOAT, "shape": [1] * 5, "values": [1]}, SHAPE),
    ({**FLOAT, "shape": [2**31], "values": [1]}, SHAPE),
    (FLOAT, rf"array has keys \['dtype', 'shape'\]: {KEYS}"),
    ({**INT, "hex": ["0x1p0"]}, KEYS),
    ({**INT, "text": []}, "text of array is 0 entries: its shape wants a list of 1 entries"),
    ({**FLOAT, "values": "1"}, "array is '1': its shape wants a list of 1 entries"),
    ({**INT, "values": [1], "text": ["2"]}, f"array at entry 0 is 1, and in text 2: {EQUAL}"),
    ({**FLOAT, "values": [0.5], "hex": ["0x1p0"]}, f"array at entry 0 is 0.5, and in hex 1.0: {EQUAL}"),
    ({**FLOAT, "values": [0.0], "hex": ["-0x0p0"]}, EQUAL),
]
WRONG = [  # entries that are not of the type, by the list that they stand in
    *((INT, "text", entry) for entry in ("0x1", "256", "")),
    *((INT, "values", entry) for entry in (256, -1, 1.0, True)),
    *((FLOAT, "values", entry) for entry in ("1e5", "infinity", 2**53 + 1, 10**400, True, None)),
    *((FLOAT, "hex", entry) for entry in ("0x1.8g", "0x1p99999")),
    (FLOAT | {"dtype": "float32"}, "values", 0.1),
]


@pytest.mark.parametrize(("document", "fault"), REFUSED)
def test_other_documents_are_refused(document, fault):
    with pytest.raises(ValueError, match=fault):
        decode(document)


@pytest.mark.parametrize(("document", "name", "entry"), WRONG)
def test_other_entries_are_refused(document, name, entry):
    rule = f"it must be a number of type {document['dtype']}, or its text in {'digits' if document is INT else 'hex'}"
    with pytest.raises(ValueError, match=rf"array at entry 0 is {re.escape(repr(entry)[:20])}.*: {rule}"):
        decode({**document, name: [entry]})


def test_other_types_are_not_written():
    with pytest.raises(ValueError, match="dtype of values is 'bool': it must be one of float64"):
        encode(np.array([True]))
