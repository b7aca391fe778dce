"""The place of a number in a training, in words: round, output, node, feature, bin, row."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstick.divergence.judging import Judge, Judgement
from yardstick.divergence.port_tree import find_ranges
from yardstick.traces.stages import Place

COLUMNS = ("sum of residuals", "count of rows", "sum of weights")
OF_CUT = ("feature", "bin", "sum of residuals on the left", "count of rows on the left", "weight on the left")
ROWS = ("proba", "residual", "scores", "answers", "prediction", "draws", "data", "leaves")


def locate(judgement: Judgement, judge: Judge) -> str:
    """Name the place of the first entry that differs.

    Returns
    -------
    str
        Such as "round 3, output 0, node 5, feature 2, bin 17: sum of residuals".
    """
    words = [str(judgement.place)] if str(judgement.place) else []
    try:
        words += name_entry(judgement, judge)
    except (KeyError, ValueError, IndexError, StopIteration):  # a port's arrays may not fit together
        words += [f"entry {list(judgement.index or ())}"]
    return ", ".join(words) or "the whole training"


def name_entry(judgement: Judgement, judge: Judge) -> list[str]:
    """Name the entry within its record."""
    stage, name, index = judgement.stage, judgement.field, judgement.index
    if index is None or not index:
        return [name] if name not in ("", "values") else []
    at = index[0]
    if stage == "histogram" and name == "sums":
        feature, bin = find_bin(judge.array("bins", Place(), "offsets"), index[1])
        node = int(judge.array("histogram", judgement.place, "nodes")[at])
        return [f"node {node}", f"feature {feature}", f"bin {bin}: {COLUMNS[index[2]]}"]
    if stage in ("histogram", "cut") and name != "nodes":
        node = int(judge.array(stage, judgement.place, "nodes")[at])
        return [f"node {node}: {OF_CUT[index[1]] if name == 'cut' else name}"]
    if stage == "partition" and name == "rows":
        return [f"row at place {at}, {find_leaf(judge, judgement.place, at)}"]
    if stage == "partition":
        return [f"cut {at} of the tree: {'which node is cut' if name == 'nodes' else name}"]
    if stage in ("leaf_sums", "leaf_values", "step"):
        return [f"leaf {at} from the left: {name}" if name != "values" else f"leaf {at} from the left"]
    if stage == "tree":
        return [f"node {at}: {name}"]
    if stage == "bins" and name == "cuts":
        offsets = judge.array("bins", Place(), "offsets")
        feature = int(np.searchsorted(offsets[1:] - np.arange(1, len(offsets)), at, side="right"))
        return [f"feature {feature}, cut {at - int(offsets[feature]) + feature}"]
    if stage == "bins" and name == "codes":
        return [f"row {at}, feature {index[1]}: bin"]
    if stage == "start":
        return [f"output {at}"]
    if stage == "grid":
        return [f"row {at}: integer on the grid"]
    if stage == "order":
        return [f"place {at}: row"]
    if stage == "metric":
        return [f"query {at}: {name}"]
    if stage in ROWS:
        words = f"row {at}" + (f", column {index[1]}" if len(index) > 1 else "")
        return [words if name == "values" else f"{words}: {name}"]
    return [f"{name} {list(index)}"]


def find_bin(offsets: NDArray[Any], slot: int) -> tuple[int, int]:
    """Find the feature and bin of a histogram slot.

    >>> find_bin(np.array([0, 3, 5]), 4)
    (1, 1)
    """
    feature = int(np.searchsorted(offsets, slot, side="right")) - 1
    return feature, slot - int(offsets[feature])


def find_leaf(judge: Judge, place: Place, at: int) -> str:
    """Name the leaf that holds this place among the rows of a tree."""
    nodes, n_left = (judge.array("partition", place, name).tolist() for name in ("nodes", "n_left"))
    ranges = find_ranges(nodes, n_left, len(judge.array("partition", place, "rows")))
    leaf = next(node for node, (start, stop) in enumerate(ranges) if node not in nodes and start <= at < stop)
    return f"leaf node {leaf}"
