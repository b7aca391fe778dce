"""Live values: trainings on the toy query, recorded, and their records in Markdown."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from refrank import (
    COCRRanker,
    GBRTRanker,
    IGBRTRanker,
    LSBoostRanker,
    OrdinalBoostRanker,
    RandomForestRanker,
    SoftmaxBoostRanker,
)
from yardstick.traces.stages import STAGES, LabelledRows, Record, make_field
from yardstick.traces.tracing import record_training

TOY = json.loads((Path(__file__).parents[2] / "refrank" / "inspection" / "step" / "toy.json").read_text("utf-8"))
RANKERS = {  # with the parameters at which the page of steps begins
    "softmax": SoftmaxBoostRanker(n_rounds=1, n_leaves=3, learning_rate=0.3),
    "ordinal": OrdinalBoostRanker(n_rounds=1, n_leaves=3, learning_rate=0.3),
    "ls": LSBoostRanker(n_rounds=1, n_leaves=3, learning_rate=0.3),
    "forest": RandomForestRanker(n_trees=3, max_features=1),
    "gbrt": GBRTRanker(n_rounds=1, max_depth=2, learning_rate=0.3),
    "igbrt": IGBRTRanker(n_rounds=1, n_trees=3, max_features=1, max_depth=2, learning_rate=0.3),
    "cocr": COCRRanker(GBRTRanker(n_rounds=3, max_depth=2, learning_rate=0.3), cost="oerr"),
}
OF_DOCUMENTS = {"data": "y", "draws": "counts", **dict.fromkeys(("proba", "residual", "scores", "answers"), "values")}
OF_DOCUMENTS |= {"prediction": "values"}
TITLES = {"data": "the grades", "prediction": "the scores by which documents are ranked", "order": "the ranking"}
TITLES |= {
    "partition": "the tree",
    "leaf_values": "the values of its leaves, each named by its documents",
    "tree": "the tree",
}
TITLES |= {"cocr residual": "the right answers times their weights, whose mean is 1"}
TITLES |= {"metric": "the quality of the ranking"}
OUTPUTS = {"softmax": ", class 0", "ordinal": ", k = 0", "cocr": ", k = 1"}
OF_RANKINGS = ("prediction", "order", "metric")  # of which the last record counts: that of the whole model
OF_LEAVES = ("leaf_values", "step")
Records = Mapping[str, Record]  # the first of each stage


@cache
def record_toy(name: str) -> Records:
    """Record a training on the toy query: the first record of each stage, of a ranking the last."""
    rows = LabelledRows(np.array(TOY["X"], np.float64), np.array(TOY["y"]), None)
    records: dict[str, Record] = {}

    def keep_first(record: Record) -> None:
        if record.stage in OF_RANKINGS or record.stage not in records:
            records[record.stage] = record

    record_training(clone(RANKERS[name]), rows, lambda values: make_field(values.copy()), keep_first)
    return records


def show_stage(name: str, stage: str) -> str:
    """Show the first record of a stage: a table by documents or by leaves, or a sentence."""
    records = record_toy(name)
    record = records[stage]
    at = f"round {record.place.round}{OUTPUTS.get(name, '')}" if record.place.round and stage not in OF_RANKINGS else ""
    words = TITLES.get(f"{name} {stage}", TITLES.get(stage, STAGES[stage].title))
    title = f"{words}{f' ({at})' if at else ''}"
    if stage in OF_DOCUMENTS:
        return f"{title}\n\n{lay_out(TOY['documents'], read(record, OF_DOCUMENTS[stage]))}"
    if stage in OF_LEAVES:
        return f"{title}\n\n{lay_out(list_leaves(records), read(record, 'values'))}"
    return f"{title}: {SENTENCES[stage](records)}."


def describe_bins(records: Records) -> str:
    """Name the number of bins of each feature."""
    numbers = np.diff(read(records["bins"], "offsets")).tolist()
    return ", ".join(f"{n} of {name}" for n, name in zip(numbers, TOY["features"], strict=True))


def describe_cuts(records: Records) -> str:
    """Describe the cuts of a tree, in the order in which they were made."""
    record, parts = records["partition"], []
    features = dict(
        zip(read(records["cut"], "nodes").tolist(), read(records["cut"], "cut")[:, 0].tolist(), strict=True)
    )
    rows_of = part_rows(record)
    for i, (node, cut) in enumerate(zip(read(record, "nodes").tolist(), read(record, "cut").tolist(), strict=True)):
        left, right = name_documents(rows_of[2 * i + 1]), name_documents(rows_of[2 * i + 2])
        parts.append(f"{TOY['features'][features[node]]} < {cut:g} parts {left} from {right}")
    return "; ".join(parts)


def describe_tree(records: Records, node: int = 0) -> str:
    """Describe a whole tree from a node on."""
    of = {name: read(records["tree"], name) for name in ("feature", "cut", "left", "right", "value")}
    if of["feature"][node] < 0:
        return f"{of['value'][node]:.4g}"
    sides = [describe_tree(records, int(of[side][node])) for side in ("left", "right")]
    text = f"{sides[0]} where {TOY['features'][of['feature'][node]]} < {of['cut'][node]:g}, else {sides[1]}"
    return f"({text})" if node else text


def describe_metric(records: Records) -> str:
    """Name the quality of the ranking."""
    ndcg, err = (read(records["metric"], name)[0] for name in ("ndcg", "err"))
    return f"NDCG@10 {ndcg:.4f}, ERR {err:.4f} with highest grade 4"


SENTENCES = {
    "bins": describe_bins,
    "start": lambda records: ", ".join(f"{value:g}" for value in read(records["start"], "values")),
    "partition": describe_cuts,
    "tree": describe_tree,
    "order": lambda records: name_documents(read(records["order"], "rows")),
    "metric": describe_metric,
}


def list_leaves(records: Records) -> list[str]:
    """List the leaves of a tree, from left to right, each by its documents."""
    rows_of = part_rows(records["partition"])
    return [name_documents(rows_of[node]) for node in read(records["leaf_sums"], "nodes").tolist()]


def part_rows(record: Record) -> dict[int, Any]:
    """Find the rows of every node of a tree, from a record of the stage partition."""
    rows = read(record, "rows")
    segments = {0: (0, len(rows))}
    cuts = zip(read(record, "nodes").tolist(), read(record, "n_left").tolist(), strict=True)
    for i, (node, n_left) in enumerate(cuts):
        start, stop = segments[node]
        segments |= {2 * i + 1: (start, start + n_left), 2 * i + 2: (start + n_left, stop)}
    return {node: rows[start:stop] for node, (start, stop) in segments.items()}


def name_documents(rows: Any) -> str:
    """Name documents by their letters."""
    return " ".join(TOY["documents"][row] for row in rows)


def read(record: Record, name: str) -> Any:
    """Return the entries of a field."""
    return record.fields[name].values


def lay_out(names: Sequence[str], values: Any) -> str:
    """Lay values out as a table of one row, with four digits."""
    lines = names, ["---:"] * len(names), [f"{value:.4g}" for value in values]
    return "\n".join(f"| {' | '.join(map(escape, line))} |" for line in lines)
