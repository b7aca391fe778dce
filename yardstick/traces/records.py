"""All records of a trace, by stage and place, and how many of the first ones two traces share.

Two traces of the same bytes agree: of their records, which `list_same` lists, the quality of the ranking alone is read.
Other traces are read whole. Each digest is checked against the entries beside it, and each chain is computed, since an
index may be false; two records agree if their chains do, and the shapes of their fields, which no digest covers.
"""

import hashlib
import re
from collections.abc import Iterator

import numpy as np

from refrank.datasets.foreign_file import open_file
from refrank.strict_json import parse_json
from yardstick.traces.chain import BEGINNING, link
from yardstick.traces.reader import LONGEST_LINE, Trace
from yardstick.traces.stages import STAGES, Place, Record
from yardstick.traces.writer import RECORDS, TENSORS

Key = tuple[str, Place]
HEAD = re.compile(  # how `TraceWriter` begins a line
    rb'\{"stage":"([a-z_]{1,20})","at":\{(?:"round":(\d{1,9}))?,?(?:"tree":(\d{1,9}))?,?(?:"output":(\d{1,9}))?\},"fields":\{'
)
NAMED_FILE = re.compile(rb'"tensors":"(\d{1,12})"')


def index_records(trace: Trace) -> dict[Key, Record]:
    """Read all records of a trace; a ValueError names a line that is damaged, not in the index, or a place again."""
    return {(record.stage, record.place): record for _, record in follow_chain(trace)}


def index_both(golden: Trace, theirs: Trace) -> tuple[dict[Key, Record], dict[Key, Record], int]:
    """Read the records of two traces, unless they are the same bytes, and count the first ones that agree."""
    same = list_same(golden, theirs)
    if same is not None:
        return same, same, len(same)
    ours, other = ([*follow_chain(trace)] for trace in (golden, theirs))
    n_agreeing = 0
    for (chain, record), (of_theirs, their_record) in zip(ours, other, strict=False):
        names = record.fields.keys() & their_record.fields.keys()
        if chain != of_theirs or any(record.fields[name].shape != their_record.fields[name].shape for name in names):
            break
        n_agreeing += 1
    of_golden, of_other = ({(record.stage, record.place): record for _, record in of} for of in (ours, other))
    return of_golden, of_other, n_agreeing


def follow_chain(trace: Trace) -> Iterator[tuple[bytes, Record]]:
    """Yield each record of a trace with its chain, which must be that of the index, if there is one."""
    chain, keys = BEGINNING, set[Key]()
    for number, record in enumerate(trace.records()):
        name = f"{trace.folder / RECORDS}, line {number + 1}"
        chain = link(chain, record)
        if len(trace.index) and chain != trace.index[number, 0].tobytes()[::-1]:
            raise ValueError(f"{name} is not the one in its index")
        if (record.stage, record.place) in keys:
            place = f"stage {record.stage} at {record.place}" if str(record.place) else f"stage {record.stage}"
            raise ValueError(f"{name} is the second of {place}: each place has one")
        keys.add((record.stage, record.place))
        yield chain, record


def list_same(golden: Trace, theirs: Trace) -> dict[Key, Record] | None:
    """List the records of two traces of the same bytes, with fields of the metric alone; None if they differ."""
    if len(golden.index) == 0 or not np.array_equal(golden.index, theirs.index):
        return None
    same: dict[Key, Record] = {}
    files: set[bytes] = set()
    kind = "records of a trace"
    with open_file(golden.folder / RECORDS, kind) as ours, open_file(theirs.folder / RECORDS, kind) as others:
        while line := ours.readline(LONGEST_LINE + 1):
            head = HEAD.match(line)
            if head is None or line != others.readline(LONGEST_LINE + 1) or not line.endswith(b"\n"):
                return None
            stage, *numbers = head.groups()
            key = stage.decode(), Place(*(None if number is None else int(number) for number in numbers))
            if key in same or key[0] not in STAGES:
                return None
            same[key] = Record(*key, {})
            if key[0] == "metric":
                name = f"{golden.folder / RECORDS}, line {len(same)}"
                same[key] = golden.read_record(parse_json(line, name), name, len(same) - 1)
            files |= {*NAMED_FILE.findall(line)}
        is_whole = len(same) == len(golden.index) and not others.read(1)
    return same if is_whole and all(have_same_file(golden, theirs, file.decode()) for file in files) else None


def have_same_file(golden: Trace, theirs: Trace, file: str) -> bool:
    """Return whether a file of tensors is byte for byte the same in both traces."""
    digests = set()
    for trace in (golden, theirs):
        with open_file(trace.folder / TENSORS / f"{file}.safetensors", "tensors of a trace") as tensors:
            digests.add(hashlib.file_digest(tensors, "blake2b").digest())
    return len(digests) == 1
