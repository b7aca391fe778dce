"""Model files: the head, the arrays and the zip are changed, each by the rules of its own form."""

import io
import json
import struct
import warnings
import zipfile
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from refrank.models import describe_model, load_model, save_model
from tests.fuzz.target import Refusal, Target, flip, pick

HEAD = "head.json"
BIG = [
    *(0, 1, -1, 2, 5, 255, 2**31 - 1, 2**31, -(2**31), 2**53 + 1, 2**62, 2**63, 2**64),
    *(10**18, 10**308, 10**400, -(10**999)),
]
VALUES: list[Any] = [
    *(None, True, False, *BIG, 0.5, -0.0, 5e-324, 1e308, 1e-300),
    *("", "x", "k", "2^k-1", "oerr", "mean", "nan", "a" * 2000, "\x1b[2J\n", "\ud800", "é\u202e"),
    *([], {}, [[]], [None], [0] * 300, [0.0, 1.0, 2.0], {"": {}}, {"a": [{}]}),
    *({"float": text} for text in ("nan", "inf", "-inf", "1")),
    *({"tuple": items} for items in ([], [1, [2]], 1)),
    *({"npy": "x.npy"}, {"npy": "head.json"}, {"records": "Tree"}, {"records": "Tree", "shape": [10**12, 0]}),
    *({"type": name} for name in ("Ensemble", "Constant", "M5Tree", "GBRTRanker", "Ridge", "BaggingRegressor")),
    *({"type": []}, {"type": "Parallel"}, {"type": "Constant", "value": 1.0}, {"type": "Ridge", "parameters": {}}),
]
NUMBERS = [
    *(0, 1, -1, 2, 3, 7, 127, 255, 2**31 - 1, -(2**31), 2**53, 2**62, -(2**63)),
    *(np.nan, np.inf, -np.inf, 5e-324, 1e308, -0.0),
]
SHAPES = [(0,), (1,), (2**62, 0), (0, 2**62), (1, 1), (), (2**40,), (1,) * 40, (3, 2), (2, 3)]
LITERALS = [
    *(b"NaN", b"Infinity", b"1e999", b"-1e999", b"9" * 5000, b"[" * 5000, b'{"type":' * 3000),
    *(b"\\ud800", b"\xff", b"-0"),
]
ROWS = np.array([[0.0], [1.0], [-1.5], [1e30], [-1e-30], [0.25]])
WIDEST = 1000  # features of the rows that models are tried on


@cache
def take_apart(content: bytes) -> dict[str, bytes]:
    """The members of a file."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def zip_up(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED, comment: bytes = b"") -> bytes:
    """A file of these members."""
    content = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(content, "w", compression) as file:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, value in members:
            file.writestr(zipfile.ZipInfo(name), value, compression)
        file.comment = comment
    return content.getvalue()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, except the document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in items for place in ((*path, key), *places(item, (*path, key)))]


def change_head(content: bytes, rng: np.random.Generator) -> bytes:
    """Change a value of the head: another value, none, one more, one from elsewhere, or text that no writer writes."""
    head = json.loads(content)
    everywhere = places(head)
    place, other = pick(rng, everywhere), pick(rng, everywhere)
    inner, key = reduce(getitem, place[:-1], head), place[-1]
    match rng.integers(0, 8):
        case 0:
            del inner[key]
        case 1:
            inner[key] = json.loads(json.dumps(reduce(getitem, other, head)))
        case 2 if isinstance(inner, dict):
            inner[pick(rng, ["", "x", "type", "npy", "n_threads", "_run", "__class__", "base", "fit", "model_"])] = 1
        case 2:
            inner[key : key + 1] = [inner[key]] * int(rng.integers(2, 5))
        case 3:
            inner[key] = [inner[key]]
        case 4 if isinstance(inner[key], int | float):
            near = [inner[key] + 1, inner[key] - 1, -inner[key], inner[key] * 1.0, inner[key] * 1000]
            inner[key] = pick(rng, pick(rng, [near, BIG]))
        case 5:
            inner[key] = "@@"
            return json.dumps(head).encode().replace(b'"@@"', pick(rng, LITERALS))
        case 6 if isinstance(inner, dict):
            text = json.dumps(head)
            name = json.dumps(key)
            return text.replace(f"{name}:", f"{name}: 1, {name}:", 1).encode()
        case _:
            inner[key] = pick(rng, VALUES)
    return json.dumps(head).encode()


def change_array(content: bytes, rng: np.random.Generator) -> bytes:
    """Change an array: an entry, its length, shape, type or order, or its header."""
    array = np.load(io.BytesIO(content)).copy(order="K")
    match rng.integers(0, 7):
        case 0 | 1 | 2 if array.size:
            with np.errstate(all="ignore"):
                array.flat[rng.integers(0, array.size)] = np.array(pick(rng, NUMBERS)).astype(array.dtype)
        case 3:
            array = array[: len(array) // 2] if rng.integers(0, 2) else np.concatenate([array, array])
        case 4:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)  # an array may be changed twice
                types = ["f2", "f4", "f8", ">f8", "i1", "i4", "i8", "u1", "u8", "c16", "?", "U3"]
                array = array.astype(pick(rng, types))
        case 5:
            header = f"{{'descr': '{array.dtype.str}', 'fortran_order': {bool(rng.integers(0, 2))}, "
            header += f"'shape': {pick(rng, SHAPES)}, }}"
            header = header.ljust(117) + "\n"
            return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + array.tobytes()
        case _:
            array = pick(rng, [array.T, array[..., np.newaxis], array.ravel(), np.asfortranarray(array), array[::-1]])
    written = io.BytesIO()
    np.lib.format.write_array(written, array, version=pick(rng, [(1, 0), (1, 0), (1, 0), (2, 0)]))
    return written.getvalue()


def change_zip(members: list[tuple[str, bytes]], rng: np.random.Generator) -> bytes:
    """Write the members in another way."""
    name, content = pick(rng, members)
    match rng.integers(0, 8):
        case 0:
            return zip_up(members, zipfile.ZIP_DEFLATED)
        case 1:
            return zip_up([*members, (name, content)])
        case 2:
            added = ["x.npy", "../x.npy", "folder/", "", "x\n\x1b[2J.npy", HEAD + "\0.npy"]
            added += ["é" * 200 + ".npy", "a" * 60_000]
            return zip_up([*members, (pick(rng, added), pick(rng, [b"", content]))])
        case 3:
            return zip_up([(f"{n}.npy", b"") for n in range(int(rng.integers(0, 2000)))] + members)
        case 4:
            comments = [b"x", b"PK\x05\x06" + bytes(18), b"PK\x05\x06" * 5000, bytes(65535)]
            return zip_up(members, comment=pick(rng, comments))
        case 5:
            return pick(rng, [b"#!/bin/sh\n", b"PK\x03\x04", bytes(1000)]) + zip_up(members)
        case 6:
            whole = zip_up(members)
            central = whole.rindex(b"PK\x01\x02") if rng.integers(0, 2) else whole.index(b"PK\x01\x02")
            return whole[:central] + flip(whole[central:], rng, (b"\xff" * 4, b"\xff" * 8, bytes(4), b"PK\x06\x06"))
        case _:
            return zip_up([(member, data) for member, data in members if member != name])


class Models(Target):
    """`refrank.models`: what loads predicts, is described, and is written and read again."""

    name = "models"

    def make(self, rng: np.random.Generator) -> bytes:
        """Change a model of the corpus."""
        whole = pick(rng, self.seeds)
        members = dict(take_apart(whole))
        for _ in range(rng.integers(1, 3)):
            name = HEAD if rng.integers(0, 2) else pick(rng, sorted(members))
            match rng.integers(0, 10):
                case 0:
                    return flip(whole, rng)
                case 1:
                    return change_zip(list(members.items()), rng)
                case 2 | 3:
                    members[name] = flip(members[name], rng, (b"{}", b"[]", b"null", b",", b"1e9", *LITERALS))
                case _:
                    try:
                        members[name] = (change_head if name == HEAD else change_array)(members[name], rng)
                    except Exception:  # changed before, so that nothing else reads it
                        members[name] = flip(members[name], rng)
        return zip_up(list(members.items()))

    def check(self, content: bytes) -> None:
        """Load it, and do with a model what people do."""
        model = self.refuse_or_return(load_model, self.path)
        if isinstance(model, Refusal):
            assert model.startswith(f"{self.path} is not a refrank model: "), model
            return
        if hasattr(model, "algorithm") and hasattr(model, "verbose"):
            lines = describe_model(self.path).split("\n")
            assert all(line.isprintable() for line in lines), "a description that is not printable"
        if model.n_features_in_ <= WIDEST:
            again = Path(f"{self.path}.again")
            save_model(model, again)
            rows = np.repeat(ROWS, model.n_features_in_, axis=1)
            assert predict(load_model(again), rows) == predict(model, rows), (
                "written and read again, it predicts otherwise"
            )


def predict(model: Any, rows: np.ndarray) -> bytes:
    """The bits of what a model predicts, in this process, on features without names."""
    with np.errstate(all="ignore"), warnings.catch_warnings(), joblib.parallel_config("threading"):
        warnings.simplefilter("ignore")
        scores = model.predict(rows)
    assert scores.shape == (len(rows),), f"scores of shape {scores.shape}"
    return scores.tobytes()
