"""The place of a number in a training, in words: round, output, node, feature, bin, row."""

import numpy as np

from refrank.arrays import Ints
from yardstick.divergence.judging import Judge, Judgement
from yardstick.traces.stages import Place

COLUMNS = ("sum of residuals", "count of rows", "sum of weights")
OF_CUT = ("feature", "bin", "sum of residuals on the left", "count of rows on the left", "weight on the left")
ENTRIES = {  # what an entry of a stage, or of a field of its, belongs to; other stages have one for each row
    **dict.fromkeys(("leaf_sums", "leaf_values", "step"), "leaf {} from the left"),
    **{"metric": "query {}", "order": "place {}", "start": "output {}", "tree": "node {}"},
    "partition": "cut {} of the tree",
    "partition nodes": "cut {} of the tree: which node is cut",
    "partition rows": "place {} of the rows",
    **{"bins offsets": "offsets [{}]", "histogram nodes": "nodes [{}]", "cut nodes": "nodes [{}]"},
}
FIELDS = {"values": "", "integers": ": integer on the grid", "rows": ": row", "codes": ": bin"}


def locate(judgement: Judgement, judge: Judge) -> str:
    """Name the place of the first entry that differs: "round 3, output 0, node 5, feature 2, bin 17: count of rows"."""
    words = judgement.field if judgement.field != "values" else ""
    if judgement.index:
        try:
            words = name_entry(judgement, judgement.index, judge)
        except (KeyError, ValueError, IndexError):  # a port's arrays may not fit together
            words = f"entry {list(judgement.index)}"
    return ", ".join(filter(None, [str(judgement.place), words])) or "the whole training"


def name_entry(judgement: Judgement, index: tuple[int, ...], judge: Judge) -> str:
    """Name an entry within its record."""
    stage, name, (at, *others) = judgement.stage, judgement.field, index
    if f"{stage} {name}" in ENTRIES:
        return ENTRIES[f"{stage} {name}"].format(at)
    offsets = judge.array("bins", Place(), "offsets") if name in ("sums", "cuts") else np.zeros(1, np.int64)
    if name == "cuts":
        return find_slot(offsets - np.arange(len(offsets)), at, "cut")
    if stage in ("histogram", "cut"):
        node = f"node {int(judge.array(stage, judgement.place, 'nodes')[at])}"
        where = ", " + find_slot(offsets, others[0], "bin") if name == "sums" else ""
        words = {"cut": OF_CUT, "sums": COLUMNS}.get(name, (name,))
        return f"{node}{where}: {words[others[-1] if others else 0]}"
    column = f", {'feature' if name == 'codes' else 'column'} {others[0]}" if others else ""
    return ENTRIES.get(stage, "row {}").format(at) + column + FIELDS.get(name, f": {name}")


def find_slot(offsets: Ints, slot: int, kind: str) -> str:
    """Name a slot of all features by the feature, and its place there."""
    feature = int(np.searchsorted(offsets, slot, side="right")) - 1
    return f"feature {feature}, {kind} {slot - int(offsets[feature])}"
