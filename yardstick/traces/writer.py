"""Write a trace: a folder that any language can read and write.

    manifest.json     the training, its data and its program; `"format": "refrank-trace", "version": 1`
    records.jsonl     a record per line (yardstick/traces/stages.py)
    tensors/N.safetensors    large arrays, with values="safetensors" all but small ones, each under "record/field"

    {"stage": "cut", "at": {"round": 1, "output": 0}, "fields": {"split_gain": {...}, ...}}

A field is an array in JSON (yardstick/numbers/encoding.py), with its `digest`; the rows and small fields have entries,
and with values="json" all fields. With values="digests", floats are only in hexadecimal: a float takes three times as
long to write in decimal.
"""

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self

from numpy.typing import NDArray

from yardstick.numbers.digest import digest
from yardstick.numbers.encoding import name_type, write_entries
from yardstick.traces.stages import Field, Place, Record

FORMAT, VERSION = "refrank-trace", 1
MANIFEST, RECORDS, TENSORS = "manifest.json", "records.jsonl", "tensors"
Values = Literal["digests", "json", "safetensors"]
AT_ONCE = 256  # records: writing them one by one, between the steps of a training, takes three times as long
ALWAYS = 256  # entries: a field of at most this many is written whole, at almost no cost
# entries of a field that are written in its line; more go to the tensors, since a line is read at once
MOST_IN_LINE: Mapping[Values, int] = {"digests": 2**16, "json": 2**22, "safetensors": ALWAYS}


class TraceWriter:
    """A trace that is being written: a temporary folder, renamed to `folder` at the end.

    `values` says which entries are kept. A ValueError says that the folder exists and is not empty, or is a link.
    """

    def __init__(self, folder: str | os.PathLike[str], values: Values, manifest: Mapping[str, Any]) -> None:
        self.folder, self.values, self.manifest = Path(folder), values, manifest
        is_folder = self.folder.is_dir() and not self.folder.is_symlink()  # a folder cannot replace a link
        if os.path.lexists(self.folder) and not (is_folder and not any(self.folder.iterdir())):
            raise ValueError(f"{self.folder} exists: a trace goes to a new folder, or to one that is empty")
        self.waiting, self.n_records = list[Record](), 0
        self.tensors, self.n_tensor_files = dict[str, NDArray[Any]](), 0

    def __enter__(self) -> Self:
        """Create the temporary folder."""
        self.unfinished = self.folder.absolute().with_name(f".refrank-{secrets.token_hex(8)}")
        self.unfinished.mkdir()
        self.lines = open(self.unfinished / RECORDS, "w", encoding="ascii", newline="\n")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Rename the folder to its final name; after an error, remove it."""
        try:
            self.write_waiting()
            self.write_tensors()
            self.lines.close()
            if kind is None:
                head = {"format": FORMAT, "version": VERSION, **self.manifest, "n_records": self.n_records}
                (self.unfinished / MANIFEST).write_text(json.dumps(head, indent=1, allow_nan=False) + "\n")
                os.replace(self.unfinished, self.folder)
        finally:
            shutil.rmtree(self.unfinished, ignore_errors=True)

    def keep(self, values: NDArray[Any]) -> Field:
        """Make a field from an array, which may change afterwards."""
        kept = values.copy() if self.values != "digests" or values.size <= ALWAYS else None  # in C order
        return Field(name_type(values.dtype), values.shape, digest(values), kept)

    def write(self, record: Record) -> None:
        """Take one record; write its line now or with later ones."""
        self.waiting.append(record)
        if len(self.waiting) >= AT_ONCE or self.values != "digests":
            self.write_waiting()

    def write_waiting(self) -> None:
        """Write the pending records."""
        for record in self.waiting:
            self.lines.write(self.write_line(record))
            self.n_records += 1
        self.waiting = []
        if self.tensors and sum(tensor.nbytes for tensor in self.tensors.values()) > 2**26:
            self.write_tensors()

    def write_line(self, record: Record) -> str:
        """Write a record in JSON, or its large arrays to the tensors."""
        parts = [f'{{"stage":"{record.stage}","at":{write_place(record.place)},"fields":{{']
        for i, (name, field) in enumerate(record.fields.items()):
            parts += [f'{"," * (i > 0)}"{name}":', *self.describe(name, field)]
        return "".join([*parts, "}}\n"])

    def describe(self, name: str, field: Field) -> list[str]:
        """Write a field in JSON, in parts, or a large one to the tensors."""
        start, end = f"{{{write_type(field.dtype, field.shape)},", f'"digest":"{field.digest:016x}"'
        if field.values is None:
            return [start, end, "}"]
        if field.values.size <= MOST_IN_LINE[self.values]:
            return [start, write_entries(field.values, exact_alone=self.values == "digests"), ",", end, "}"]
        self.tensors[f"{self.n_records}/{name}"] = field.values
        return [start, end, f',"tensors":"{self.n_tensor_files:06}"}}']

    def write_tensors(self) -> None:
        """Write the pending arrays to a separate file."""
        if not self.tensors:
            return
        from safetensors.numpy import save_file

        (self.unfinished / TENSORS).mkdir(exist_ok=True)
        save_file(self.tensors, self.unfinished / TENSORS / f"{self.n_tensor_files:06}.safetensors")
        self.tensors, self.n_tensor_files = {}, self.n_tensor_files + 1


@lru_cache(256)  # the records of a tree share one place
def write_place(place: Place) -> str:
    """Write a place in JSON."""
    return json.dumps(place.list_parts(), separators=(",", ":"))


@lru_cache(256)  # the fields of a training have few shapes
def write_type(dtype: str, shape: tuple[int, ...]) -> str:
    """Write the type and the shape of an array in JSON."""
    return f'"dtype":"{dtype}","shape":[{",".join(map(str, shape))}]'
