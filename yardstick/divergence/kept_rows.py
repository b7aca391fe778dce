"""A port's records without the rows of weight 0, which refrank leaves out, and a port may carry along."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from refrank.arrays import Bools
from yardstick.divergence.followed_tree import find_ranges, is_order, make_field
from yardstick.traces.records import Key
from yardstick.traces.stages import Record

BY_ROW = {  # the fields of a training that have an entry for each row
    "bins": "codes",
    "draws": "counts",
    "proba": "values",
    "residual": "values",
    "grid": "integers",
    "scores": "values",
}


def drop_rows(records: Mapping[Key, Record], kept: Bools) -> dict[Key, Record]:
    """Drop the rows that are not kept, (n_samples,), from the records of a training."""
    return {
        key: (drop_from_tree if key[0] == "partition" else drop_from_stage)(record, kept)
        for key, record in records.items()
    }


def drop_from_stage(record: Record, kept: Bools) -> Record:
    """Drop rows from a record with an entry for each of them."""
    name = BY_ROW.get(record.stage, "")
    values = record.values(name)
    if values is None or values.shape[:1] != kept.shape:
        return record
    return replace(record, fields={**record.fields, name: make_field(values[kept])})


def drop_from_tree(record: Record, kept: Bools) -> Record:
    """Drop rows from the leaves of a tree, and from the counts of its cuts."""
    rows, nodes, n_left = (record.values(name) for name in ("rows", "nodes", "n_left"))
    if rows is None or not is_order(rows, len(kept)):
        return record
    fields = {**record.fields, "rows": make_field((np.cumsum(kept) - 1)[rows[kept[rows]]])}
    if nodes is not None and n_left is not None and nodes.shape == n_left.shape:
        ranges = find_ranges(nodes.tolist(), n_left.tolist(), len(rows))
        if len(ranges) == 2 * len(nodes) + 1:
            left = [kept[rows[start:stop]].sum() for start, stop in ranges[1::2]]
            fields["n_left"] = make_field(np.array(left, np.int64))
    return replace(record, fields=fields)
