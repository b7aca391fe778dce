"""A port's records without the rows of weight 0, which refrank leaves out, and a port may carry along."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from refrank.arrays import Bools
from yardstick.divergence.followed_tree import find_ranges, is_order
from yardstick.traces.stages import Field, Key, Record, make_field

BY_ROW = {"bins": "codes", "draws": "counts", "grid": "integers"}  # the fields that have an entry for each row
BY_ROW |= dict.fromkeys(("proba", "residual", "scores"), "values")


def drop_rows(records: Mapping[Key, Record], kept: Bools) -> dict[Key, Record]:
    """Drop the rows that are not kept, (n_samples,), from the records of a training."""
    return {key: replace(of, fields={**of.fields, **list_shorter(of, kept)}) for key, of in records.items()}


def list_shorter(record: Record, kept: Bools) -> dict[str, Field]:
    """List the fields of a record that lose rows: of a tree, its leaves, and the counts of its cuts."""
    values = record.values(BY_ROW.get(record.stage, ""))
    if values is not None and values.shape[:1] == kept.shape:
        return {BY_ROW[record.stage]: make_field(values[kept])}
    rows, nodes, n_left = (record.values(name) for name in ("rows", "nodes", "n_left"))
    if record.stage != "partition" or rows is None or not is_order(rows, len(kept)):
        return {}
    fields = {"rows": make_field((np.cumsum(kept) - 1)[rows[kept[rows]]])}
    if nodes is not None and n_left is not None and nodes.shape == n_left.shape:
        ranges = find_ranges(nodes.tolist(), n_left.tolist(), len(rows))
        if len(ranges) == 2 * len(nodes) + 1:
            left = [kept[rows[start:stop]].sum() for start, stop in ranges[1::2]]
            fields["n_left"] = make_field(np.array(left, np.int64))
    return fields
