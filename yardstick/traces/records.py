"""All records of a trace, by stage and place."""

from yardstick.traces.reader import Trace
from yardstick.traces.stages import Place, Record
from yardstick.traces.writer import RECORDS

Key = tuple[str, Place]


def index_records(trace: Trace) -> dict[Key, Record]:
    """Read all records of a trace; a ValueError names a line that is damaged, or has the place of an earlier one."""
    records = dict[Key, Record]()
    for number, record in enumerate(trace.records()):
        key = record.stage, record.place
        if key in records:
            at = f" at {record.place}" if str(record.place) else ""
            line = f"{trace.folder / RECORDS}, line {number + 1}"
            raise ValueError(f"{line} is the second of stage {record.stage}{at}: each place has one")
        records[key] = record
    return records
