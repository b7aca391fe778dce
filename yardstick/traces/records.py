"""All records of a trace, by stage and place, and the number that two traces share, found without reading them.

If both traces have an index, about log2(n) comparisons of chains find the records up to which they agree
(`count_agreeing`). An index or a digest may be false, so neither is trusted alone:

    lines up to there   are the same bytes in both files     they are not read: the same text is the same record
    they differ         another writer, or other values      both traces are read whole, chains computed and compared

A record counts as equal if its line, and the file of tensors that it names, are byte for byte those of the golden
trace, or if the chain computed from its own digests, each checked against the entries beside it, is the golden
one.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping

from refrank.datasets.foreign_file import open_file
from yardstick.traces.chain import BEGINNING, link
from yardstick.traces.reader import LONGEST_LINE, Trace
from yardstick.traces.stages import STAGES, Place, Record
from yardstick.traces.writer import RECORDS, TENSORS

Key = tuple[str, Place]
HEAD = re.compile(  # how `TraceWriter` begins a line
    rb'\{"stage":"([a-z_]{1,20})","at":\{(?:"round":(\d{1,9}))?,?(?:"tree":(\d{1,9}))?,?(?:"output":(\d{1,9}))?\},"fields":\{'
)
NAMED_FILE = re.compile(rb'"tensors":"(\d{1,12})"')


class Records(Mapping[Key, Record]):
    """The records of a trace in order; those of the shared beginning are read on demand.

    Parameters
    ----------
    trace : Trace
    entries : dict
        For each stage and place, the record, or the number and the offset of its line.
    """

    def __init__(self, trace: Trace, entries: dict[Key, Record | tuple[int, int]]) -> None:
        self.trace, self.entries = trace, entries

    def __getitem__(self, key: Key) -> Record:
        """Return a record; read it first if necessary."""
        record = self.entries[key]
        if not isinstance(record, Record):
            record = next(self.trace.records(*record))
            self.entries[key] = record
        return record

    def __contains__(self, key: object) -> bool:
        """Return whether the record exists, without reading it."""
        return key in self.entries

    def __iter__(self) -> Iterator[Key]:
        """Iterate over stages and places."""
        return iter(self.entries)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.entries)


def index_records(trace: Trace) -> Records:
    """Read all records of a trace; each stage and place occurs once.

    Raises
    ------
    ValueError
        If a record is damaged, repeats a place, or differs from the index; the message names the line.
    """
    return read_on(Records(trace, {}), 0)


def index_both(golden: Trace, theirs: Trace) -> tuple[Records, Records, int]:
    """Read the records of two traces from the first different line on, and count the equal records before it.

    Raises
    ------
    ValueError
        As `index_records`.
    """
    n_agreeing = count_agreeing(golden, theirs)
    shared, end = list_shared(golden, theirs, n_agreeing)
    if shared is None:
        ours, other = index_records(golden), index_records(theirs)  # their indexes are checked here
        return ours, other, count_same_shapes(ours, other, n_agreeing)
    return read_on(Records(golden, {**shared}), end), read_on(Records(theirs, {**shared}), end), n_agreeing


def count_agreeing(golden: Trace, theirs: Trace) -> int:
    """Count the first records whose chains agree, in log2(n) comparisons; return 0 without an index."""
    ours, other = golden.index, theirs.index
    low, high = 0, min(len(ours), len(other))
    while low < high:
        middle = (low + high) // 2
        if ours[middle, 0] == other[middle, 0]:
            low = middle + 1
        else:
            high = middle
    return low


def list_shared(golden: Trace, theirs: Trace, n_records: int) -> tuple[dict[Key, Record | tuple[int, int]] | None, int]:
    """List stage and place of the first lines of two traces, and where they end; None if the lines differ."""
    if n_records == 0 or (golden.index[:n_records] != theirs.index[:n_records]).any():
        return None, 0
    shared: dict[Key, Record | tuple[int, int]] = {}
    same_files: set[bytes] = set()
    offset = 0
    kind = "records of a trace"
    with open_file(golden.folder / RECORDS, kind) as ours, open_file(theirs.folder / RECORDS, kind) as others:
        for number in range(n_records):
            line = ours.readline(LONGEST_LINE + 1)
            head = HEAD.match(line)
            if not line.endswith(b"\n") or line != others.readline(LONGEST_LINE + 1) or head is None:
                return None, 0
            for file in set(NAMED_FILE.findall(line)) - same_files:
                if not have_same_file(golden, theirs, file.decode()):
                    return None, 0
                same_files.add(file)
            stage, *place = head.groups()
            key = stage.decode(), Place(*(None if at is None else int(at) for at in place))
            if key[0] not in STAGES or key in shared or offset != golden.index[number, 1]:
                return None, 0  # reading it shows the difference
            shared[key] = number, offset
            offset += len(line)
    return shared, offset


def have_same_file(golden: Trace, theirs: Trace, file: str) -> bool:
    """Return whether a file of tensors is byte for byte the same in both traces."""
    digests = set()
    for trace in (golden, theirs):
        with open_file(trace.folder / TENSORS / f"{file}.safetensors", "tensors of a trace") as tensors:
            digests.add(hashlib.file_digest(tensors, "blake2b").digest())
    return len(digests) == 1


def count_same_shapes(ours: Records, other: Records, n_agreeing: int) -> int:
    """Count the first records whose fields also have equal shapes: digests cover only the entries."""
    for number, key in zip(range(n_agreeing), ours, strict=False):
        shapes = [{name: field.shape for name, field in records[key].fields.items()} for records in (ours, other)]
        if any(shapes[0][name] != shapes[1][name] for name in shapes[0].keys() & shapes[1].keys()):
            return number
    return n_agreeing


def read_on(records: Records, offset: int) -> Records:
    """Read the records from the line on that begins at `offset`."""
    trace, entries, first = records.trace, records.entries, len(records)
    chain = trace.index[first - 1, 0].tobytes()[::-1] if first else BEGINNING
    for number, record in enumerate(trace.records(first, offset), first):
        name = f"{trace.folder / RECORDS}, line {number + 1}"
        chain = link(chain, record)
        if len(trace.index) and chain != trace.index[number, 0].tobytes()[::-1]:
            raise ValueError(f"{name} is not the one in its index")
        key = record.stage, record.place
        if key in entries:
            place = f"stage {record.stage} at {record.place}" if str(record.place) else f"stage {record.stage}"
            raise ValueError(f"{name} is the second of {place}: each place has one")
        entries[key] = record
    return records
