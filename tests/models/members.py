"""Model files taken apart, and written again with anything in them."""

import io
import json
import warnings
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from refrank.models import describe_model, load_model
from tests.models.kinds import rows_for

KINDS = (
    *("softmax", "ordinal", "mirrored", "own target", "igbrt of classes", "lambdarank", "m5p", "cocr", "cocr over m5p"),
    *("cocr over bagged ridge", "cocr over ridge", "cocr over gbrt", "weka-linear"),
)
HEAD = "head.json"


def take_apart(path):
    """The members of a file, decoded."""
    with zipfile.ZipFile(path) as file:
        members = {member: io.BytesIO(file.read(member)) for member in file.namelist()}
    return {key: (json.load if key == HEAD else np.load)(content) for key, content in members.items()}


def encode(value):
    """The bytes of a member: of an array, of a head, or given as they are."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, np.ndarray):
        return json.dumps(value).encode()
    content = io.BytesIO()
    np.lib.format.write_array(content, value, version=(1, 0))
    return content.getvalue()


def write(path, members, compression=zipfile.ZIP_STORED):
    """Write a file as another program may."""
    with zipfile.ZipFile(path, "w", compression) as file:
        for name, value in members.items():
            file.writestr(name, encode(value))


def fault_of(path, *words):
    with pytest.raises(ValueError, match="is not a refrank model") as fault:
        load_model(path)
    check_message(str(fault.value), path, *words)


def check_message(message, path, *words):
    assert message.startswith(f"{path} is not a refrank model: ")
    assert "\n" not in message
    assert len(message) < 600, message
    assert all(part in message for part in words), message


def refused_or_harmless(path, name):
    """Load a file; what is read predicts, or refuses the rows, and is described, whatever it says."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimator = load_model(path)
        except ValueError as fault:
            return check_message(str(fault), path)
        with suppress(ValueError):
            estimator.predict(rows_for(name))
        assert describe_model(path)


def answer(estimator, name):
    return estimator.predict(rows_for(name)).tobytes()
