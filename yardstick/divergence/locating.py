"""The place of a number in a training, in words: round, output, node, feature, bin, row."""

import numpy as np

from refrank.arrays import Ints
from yardstick.divergence.judging import Judge, Judgement
from yardstick.traces.stages import Place

COLUMNS = ("sum of residuals", "count of rows", "sum of weights")
OF_CUT = ("feature", "bin", "sum of residuals on the left", "count of rows on the left", "weight on the left")
ENTRIES = {  # what an entry of a stage belongs to; other stages have one for each row
    **dict.fromkeys(("leaf_sums", "leaf_values", "step"), "leaf {} from the left"),
    "metric": "query {}",
    "order": "place {}",
    "partition": "cut {} of the tree",
    "start": "output {}",
    "tree": "node {}",
}
FIELDS = {"values": "", "integers": "integer on the grid", "rows": "row", "codes": "bin"}


def locate(judgement: Judgement, judge: Judge) -> str:
    """Name the place of the first entry that differs: "round 3, output 0, node 5, feature 2, bin 17: count of rows"."""
    name, index = judgement.field, judgement.index
    words = name if name != "values" else ""
    if index:
        try:
            words = name_entry(judgement, index, judge)
        except (KeyError, ValueError, IndexError):  # a port's arrays may not fit together
            words = f"entry {list(index)}"
    return ", ".join(filter(None, [str(judgement.place), words])) or "the whole training"


def name_entry(judgement: Judgement, index: tuple[int, ...], judge: Judge) -> str:
    """Name an entry within its record."""
    stage, name, (at, *others) = judgement.stage, judgement.field, index
    if name == "offsets" or (name == "nodes" and stage in ("histogram", "cut")):
        return f"{name} {list(index)}"
    if stage in ("histogram", "cut"):
        node = f"node {int(judge.array(stage, judgement.place, 'nodes')[at])}"
        if name != "sums":
            return f"{node}: {OF_CUT[others[0]] if name == 'cut' else name}"
        feature, bin = find_bin(judge.array("bins", Place(), "offsets"), others[0])
        return f"{node}, feature {feature}, bin {bin}: {COLUMNS[others[1]]}"
    if (stage, name) == ("partition", "rows"):
        return f"place {at} of the rows"
    if (stage, name) == ("bins", "cuts"):
        offsets = judge.array("bins", Place(), "offsets")
        feature, cut = find_bin(offsets - np.arange(len(offsets)), at)
        return f"feature {feature}, cut {cut}"
    column = f", {'feature' if name == 'codes' else 'column'} {others[0]}" if others else ""
    field = "which node is cut" if (stage, name) == ("partition", "nodes") else FIELDS.get(name, name)
    return ENTRIES.get(stage, "row {}").format(at) + column + (field and f": {field}")


def find_bin(offsets: Ints, slot: int) -> tuple[int, int]:
    """Find the feature and bin of a histogram slot, or the feature and cut of one of all cuts."""
    feature = int(np.searchsorted(offsets, slot, side="right")) - 1
    return feature, slot - int(offsets[feature])
