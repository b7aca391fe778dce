"""Read a trace that anybody may have written: it is checked line by line, and never executed.

Other writers may omit fields, and digests of fields that have entries. What they write must be right: an unknown stage
or field, a digest that does not fit its entries, or an array of the wrong type for its stage is a ValueError that names
file and line.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.foreign_file import open_file, read_file
from refrank.datasets.strict_json import parse_json
from yardstick.numbers.digest import digest
from yardstick.numbers.encoding import FLOATS, check_type, decode, read_shape, show
from yardstick.traces.stages import FLOAT, STAGES, Field, Key, Place, Record, make_field
from yardstick.traces.writer import FORMAT, MANIFEST, RECORDS, TENSORS, VERSION

LONGEST_LINE = 2**28  # bytes; arrays of a longer record belong in tensors
DIGEST = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class Trace:
    """A trace in a folder; its records are read one at a time, on demand."""

    folder: Path
    manifest: Mapping[str, Any]
    tensors: dict[Path, Mapping[str, NDArray[Any]]] = field(default_factory=dict)  # of the file that was read last

    def records(self) -> Iterator[Record]:
        """Yield the records; a ValueError or an OSError names the file and the line of a fault."""
        stated, number, keys = self.manifest.get("n_records"), 0, set[Key]()
        with open_file(self.folder / RECORDS, "records of a trace") as lines:
            while line := lines.readline(LONGEST_LINE + 1):
                name = f"{self.folder / RECORDS}, line {number + 1}"
                if len(line) > LONGEST_LINE:
                    raise ValueError(f"{name} is longer than 2^28 bytes: arrays of that size belong into tensors")
                if number == stated:
                    raise ValueError(f"{name} is beyond the {stated} records that its manifest states")
                record = read_record(parse_json(line, name), name, partial(self.read_field, number))
                if record.key in keys:
                    at = f" at {record.place}" if str(record.place) else ""
                    raise ValueError(f"{name} is the second of stage {record.stage}{at}: each place has one")
                yield record
                keys.add(record.key)
                number += 1
        if stated not in (None, number):
            count = f"{number} records, and its manifest says {show(stated)}"
            raise ValueError(f"{self.folder / RECORDS} has {count}: it is incomplete")

    def read_field(self, number: int, document: Any, name: str, key: str, _: str) -> Field:
        """Read a field of a record of this number."""
        if not isinstance(document, dict):
            raise ValueError(f"{name} is {show(document)}: it must be an object")
        stated = document.get("digest")
        if "digest" in document and not (isinstance(stated, str) and DIGEST.fullmatch(stated)):
            raise ValueError(f"digest of {name} is {show(stated)}: it must be 16 digits from 0 to f")
        if {"values", "hex", "text"} & {*document}:
            values = decode(document, name)
        elif "tensors" in document:
            values = self.read_tensor(document["tensors"], f"{number}/{key}", name)
        elif stated is None:
            raise ValueError(f"{name} has neither entries nor a digest: it must have one of them")
        else:
            dtype = check_type(document.get("dtype"), name)
            return Field(dtype, tuple(read_shape(document.get("shape"), name)), int(stated, 16))
        field = make_field(values)
        if stated is not None and field.digest != int(stated, 16):
            raise ValueError(f"digest of {name} is {stated}: that of its entries is {field.digest:016x}")
        return field

    def read_tensor(self, file: Any, key: str, name: str) -> NDArray[Any]:
        """Read the array of a field from its file of tensors."""
        if not isinstance(file, str) or not (len(file) <= 12 and file.isascii() and file.isdigit()):
            raise ValueError(f"tensors of {name} is {show(file)}: it must be the number of a file, in digits")
        path = self.folder / TENSORS / f"{file}.safetensors"
        if path not in self.tensors:
            self.tensors.clear()  # one file at a time, since records are read in order
            self.tensors[path] = read_tensors(path)
        if key not in self.tensors[path]:
            raise ValueError(f"{path} has no tensor {key}")
        values = self.tensors[path][key]
        check_type(str(values.dtype), name)
        return values


def read_record(document: Any, name: str, read: Callable[[Any, str, str, str], Field]) -> Record:
    """Read a record; `read` reads a field, given its document, its name in errors, its own name, and its kind."""
    if not isinstance(document, dict) or not {"stage", "at", "fields"} <= document.keys():
        raise ValueError(f"{name} is {show(document)}: it must be an object with stage, at and fields")
    stage, place, fields = document["stage"], document["at"], document["fields"]
    if not isinstance(stage, str) or stage not in STAGES:
        raise ValueError(f"stage of {name} is {show(stage)}: it must be one of {', '.join(STAGES)}")
    if not (isinstance(place, dict) and {*place} <= {*Place._fields} and all(map(is_count, place.values()))):
        rule = f"it must be an object of integers from 0 to 2^31 - 1 named {', '.join(Place._fields)}"
        raise ValueError(f"at of {name} is {show(place)}: {rule}")
    kinds = {**STAGES[stage].fields, **STAGES[stage].beside}
    if not isinstance(fields, dict) or not fields or not fields.keys() <= kinds.keys():
        raise ValueError(f"fields of {name} are {show(fields)}: of stage {stage} they are {', '.join(kinds)}")
    read_fields = {key: read(of, f"{key} of {name}", key, kinds[key]) for key, of in fields.items()}
    for key, of_key in read_fields.items():
        if (of_key.dtype in FLOATS) != (kinds[key] == FLOAT):
            raise ValueError(f"{key} of {name} is of {of_key.dtype}: it must be of a type of {kinds[key]}s")
    if "sums" in read_fields and (sums := read_fields["sums"].values) is not None:  # their digests are compared
        read_fields["digests"] = make_field(np.array([digest(of_node) for of_node in np.atleast_1d(sums)], np.uint64))
    return Record(stage, Place(**place), read_fields)


def open_trace(folder: str | os.PathLike[str]) -> Trace:
    """Open a trace, and read its manifest; a ValueError or an OSError names a file that is none of this version."""
    path = Path(folder) / MANIFEST
    manifest = parse_json(read_file(path, "manifest of a trace"), str(path))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError(f'{path} is not the manifest of a trace: its format must be "{FORMAT}"')
    if manifest.get("version") != VERSION or type(manifest["version"]) is not int:
        raise ValueError(f"{path} has version {show(manifest.get('version'))}: this release reads {VERSION}")
    if not isinstance(manifest.get("algorithm"), str) or not isinstance(manifest.get("parameters", {}), dict):
        raise ValueError(f"{path} must name its algorithm, a text, and its parameters, an object")
    if "n_records" in manifest and not is_count(manifest["n_records"]):
        raise ValueError(f"n_records of {path} is {show(manifest['n_records'])}: it must be an integer of at least 0")
    return Trace(Path(folder), manifest)


def index_records(trace: Trace) -> dict[Key, Record]:
    """Read all records of a trace."""
    return {record.key: record for record in trace.records()}


def read_tensors(path: Path) -> Mapping[str, NDArray[Any]]:
    """Read a file of tensors."""
    from safetensors.numpy import load

    content = read_file(path, "tensors of a trace")
    try:
        return load(content)
    except Exception as fault:  # a KeyError for a type that NumPy has not, beside its own
        raise ValueError(f"{path} is no file of tensors: {show(str(fault))}") from None


def is_count(value: Any) -> bool:
    """Return whether the value is an integer from 0 to the highest int32."""
    return type(value) is int and 0 <= value < 2**31
