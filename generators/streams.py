"""Write yardstick/vectors/data/streams.json: `python -m generators.streams`, which takes some minutes.

`TABLE` lists the streams. Their answers are those of refrank's specification.
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from generators.cases import FAMILIES
from yardstick.numbers.digest import digest
from yardstick.vectors.files import FOLDER, STREAMS_FILE, write_file
from yardstick.vectors.streams import N_BLOCKS, Stream

MILLION, FEW = 10**6, 10**4
COMPUTE = {function.name: function.compute for family in FAMILIES for function in family.functions}


class StreamRow(NamedTuple):
    """A row of the table: the stream's function, how it is called, its number of cases, and its inputs."""

    function: str
    call: str
    n_cases: int
    inputs: dict[str, Any]


def draw_wide(*shape: int) -> dict[str, Any]:
    """Draw floats of many magnitudes."""
    return {"rule": "wide", "shape": list(shape)}


def draw_integer(low: Any, high: Any, *shape: int, times: Any = None) -> dict[str, Any]:
    """Draw integers from low to high, or multiples of a number."""
    return {"rule": "integer", "low": low, "high": high, "shape": list(shape), **({"times": times} if times else {})}


WORD = {"rule": "word", "shape": []}
LABELS, SCORES = draw_integer(0, 4, 20), draw_integer(-9, 9, 20, times=0.5)
VALUES = {"values": draw_integer(0, 99, 40, times=0.125), "n_bins": 8}
SLOTS = {"offsets": [0, 12], "min_samples_leaf": 5, "missing": None}  # of one feature: others have the same totals
TREE = {  # no node has ties: each has rows in all bins, of which no two features part 32 rows alike
    "X": draw_integer(0, 2, 128, 6, times=0.5),
    "n_bins": 256,
    "binning": "exact",
    "residual": draw_wide(128),
    "weight": None,
    "max_depth": None,
    "min_samples_leaf": 16,
    "cut_at": "bins",
    "three_way": None,
}
TABLE = {
    "exp": StreamRow("exp", "rows", MILLION, {"x": draw_wide()}),
    "softmax": StreamRow("softmax", "rows", MILLION // 4, {"scores": draw_wide(4)}),
    "round_to_grid": StreamRow("round_to_grid", "rows", MILLION, {"value": draw_wide(), "exponent": 40}),
    "halves": StreamRow(
        "round_to_grid", "rows", MILLION, {"value": draw_integer(-(2**20), 2**20, times=0.25), "exponent": 0}
    ),
    "to_grid": StreamRow("to_grid", "case", FEW, {"value": draw_wide(25)}),
    "grid_sum": StreamRow("grid_sum", "case", FEW, {"value": draw_wide(25)}),
    "grid_mean": StreamRow(
        "grid_mean", "case", FEW, {"value": draw_wide(20), "weight": draw_integer(1, 40, 20, times=0.1)}
    ),
    "splitmix64": StreamRow("splitmix64", "first", MILLION, {"key": 1234567, "n": {"rule": "count", "plus": 0}}),
    "below": StreamRow("below", "rows", MILLION, {"bits": WORD, "n": 2**31 - 1}),
    "bootstrap": StreamRow(
        "bootstrap", "case", FEW, {"seed": draw_integer(0, 2**31 - 2), "tree": draw_integer(0, 999), "n_samples": 20}
    ),
    "feature_subset": StreamRow("feature_subset", "case", FEW, {"key": WORD, "n_candidates": 6, "n_features": 15}),
    "quantize": StreamRow(
        "quantize",
        "rows",
        MILLION,
        {"x": draw_integer(-99, 99, times=0.25), "cuts": [-8.0, -4.5, -0.25, 0.0, 0.3, 1.0, 9.0]},
    ),
    "cuts_app_i": StreamRow("cuts_app_i", "case", FEW, {**VALUES, "growth": 2.0}),
    "cuts_quantile": StreamRow("cuts_quantile", "case", FEW, {**VALUES, "weight": draw_integer(1, 40, 40, times=0.1)}),
    "cuts_exact": StreamRow("cuts_exact", "case", FEW, VALUES),
    "split_gain": StreamRow(
        *("split_gain", "rows", MILLION),
        {side: draw_integer([-(2**30), 1], [2**30 - 1, 2**20], 2) for side in ("left", "right")},
    ),
    "best_split": StreamRow(
        "best_split", "case", FEW, {"sums": draw_integer([-(2**40), 1], [2**40, 3], 12, 2), **SLOTS}
    ),
    "best_split-weighted": StreamRow(
        "best_split", "case", FEW, {"sums": draw_integer([-(2**40), 1, 0], [2**40, 3, 9], 12, 3), **SLOTS}
    ),
    "grow_tree": StreamRow("grow_tree", "case", FEW, {**TREE, "n_leaves": 5}),
    "grow_forest_tree": StreamRow(
        "grow_forest_tree", "case", FEW, {**TREE, "counts": draw_integer(0, 3, 128), "n_candidates": 3, "key": WORD}
    ),
    "leaf_values": StreamRow(
        *("leaf_values", "case", FEW),
        {
            "residual": draw_integer(-999, 999, 12, times=0.001),
            "proba": draw_integer(1, 999, 12, times=0.001),
            "leaf": [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3],
            "n_classes": 5,
            "weight": draw_integer(1, 40, 12, times=0.1),
        },
    ),
    "median": StreamRow(
        "median", "case", FEW, {"values": draw_integer(-9, 9, 8, times=0.1), "weight": draw_integer(0, 3, 8)}
    ),
    "class_proba": StreamRow(
        "class_proba", "rows", MILLION // 4, {"cumulative_proba": draw_integer(0, 2**30, 4, times=2.0**-30)}
    ),
    "expected_relevance": StreamRow(
        "expected_relevance", "rows", MILLION // 4, {"class_proba": draw_wide(4), "transform": "2^k-1"}
    ),
    "hard_rank": StreamRow("hard_rank", "rows", MILLION // 4, {"answers": draw_integer(-8, 24, 4, times=0.0625)}),
    "soft_rank": StreamRow("soft_rank", "rows", MILLION // 4, {"answers": draw_wide(4)}),
    "grade_proba": StreamRow("grade_proba", "rows", MILLION // 4, {"answers": draw_wide(4)}),
    "oerr_weights": StreamRow("oerr_weights", "rows", MILLION, {"y": draw_integer(0, 20), "max_grade": 20}),
    "dcg": StreamRow("dcg", "case", FEW, {"y": draw_integer(0, 4, 100), "score": draw_wide(100), "k": None}),
    "ndcg": StreamRow("ndcg", "case", FEW, {"y": LABELS, "score": SCORES, "k": 10}),
    "err": StreamRow("err", "case", FEW, {"y": LABELS, "score": SCORES, "k": 10, "max_grade": 4}),
    "rmse": StreamRow("rmse", "case", FEW, {"y": LABELS, "score": draw_wide(20)}),
    "discounts": StreamRow(
        *("discounts", "first", MILLION),
        {"n_positions": {"rule": "count", "plus": 0}, "k": None, "discount": "log2(1+i)"},
    ),
    "logarithms-2": StreamRow("logarithms", "first", MILLION, {"highest": {"rule": "count", "plus": 1}, "base": "2"}),
    "logarithms-e": StreamRow("logarithms", "first", MILLION, {"highest": {"rule": "count", "plus": 1}, "base": "e"}),
}


def make_stream(name: str, digests: tuple[str, ...] = ()) -> Stream:
    """Make a stream, whose key is the digest of its name."""
    row, key = TABLE[name], digest(np.frombuffer(name.encode(), np.uint8))
    of_these = f"{digest(np.array([int(text, 16) for text in digests], np.uint64)):016x}"
    return Stream(name, row.function, row.call, key, row.n_cases, row.inputs, digests, of_these)


def compute_digest(name: str, block: int) -> str:
    """Compute the digest of a sixteenth of a stream."""
    stream = make_stream(name)
    n = stream.n_cases // N_BLOCKS
    return stream.compute_digest(COMPUTE[stream.function], block * n, n)


def list_lines() -> Iterator[str]:
    """Yield the streams in JSON, a line each."""
    for name in TABLE:
        stream = make_stream(name, tuple(compute_digest(name, block) for block in range(N_BLOCKS)))
        fields = {key: value for key, value in vars(stream).items() if key != "name"}
        yield f"  {json.dumps(name)}: {json.dumps(fields | {'key': str(stream.key)})}"


def print_streams() -> str:
    """Write all streams in JSON."""
    head = ' "format": "refrank-streams",\n "version": 1,\n "streams": {\n'
    return "{\n" + head + ",\n".join(list_lines()) + "\n }\n}\n"


if __name__ == "__main__":
    print(write_file(FOLDER / STREAMS_FILE, print_streams()))
