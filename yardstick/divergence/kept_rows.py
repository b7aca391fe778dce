"""A port's records without the rows of weight 0, which refrank leaves out, and a port may carry along."""

from collections.abc import Iterator, Mapping

import numpy as np

from refrank.arrays import Bools
from yardstick.divergence.followed_tree import make_field
from yardstick.divergence.port_tree import find_ranges
from yardstick.traces.records import Key
from yardstick.traces.stages import Record

BY_ROW = {  # the fields of a training that have an entry for each row
    "bins": ("codes",),
    "draws": ("counts",),
    "proba": ("values",),
    "residual": ("values",),
    "grid": ("integers",),
    "scores": ("values",),
}


class KeptRows(Mapping[Key, Record]):
    """Records of the rows that are kept, (n_samples,); others than those of a training are left as they are."""

    def __init__(self, records: Mapping[Key, Record], kept: Bools) -> None:
        self.records, self.kept = records, kept

    def __getitem__(self, key: Key) -> Record:
        """Return a record, with the rows that are kept."""
        record = self.records[key]
        rows = record.values("rows") if record.stage == "partition" else None
        if rows is not None and np.array_equal(np.sort(rows), np.arange(len(self.kept))):
            return self.renumber_rows(record)
        fields = dict(record.fields)
        for name in BY_ROW.get(record.stage, ()):
            values = record.values(name)
            if values is not None and values.shape[:1] == self.kept.shape:
                fields[name] = make_field(values[self.kept])
        return Record(record.stage, record.place, fields)

    def renumber_rows(self, record: Record) -> Record:
        """Leave rows out of the leaves of a tree, and out of the counts of its cuts."""
        fields, numbers = dict(record.fields), np.cumsum(self.kept) - 1
        rows, nodes, n_left = (record.values(name) for name in ("rows", "nodes", "n_left"))
        assert rows is not None
        fields["rows"] = make_field(numbers[rows[self.kept[rows]]])
        if nodes is not None and n_left is not None and nodes.shape == n_left.shape:
            ranges = find_ranges(nodes.tolist(), n_left.tolist(), len(rows))
            if len(ranges) == 2 * len(nodes) + 1:
                left = [self.kept[rows[start:stop]].sum() for start, stop in ranges[1::2]]
                fields["n_left"] = make_field(np.array(left, np.int64))
        return Record(record.stage, record.place, fields)

    def __iter__(self) -> Iterator[Key]:
        """Iterate over stages and places."""
        return iter(self.records)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.records)
