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


class Row(NamedTuple):
    """A row of the table: the stream's function, how it is called, its number of cases, and its inputs."""

    function: str
    call: str
    n_cases: int
    inputs: dict[str, Any]


def wide(*shape: int) -> dict[str, Any]:
    """Draw floats of many magnitudes."""
    return {"rule": "wide", "shape": list(shape)}


def integer(low: Any, high: Any, *shape: int, times: Any = None) -> dict[str, Any]:
    """Draw integers from low to high, or multiples of a number."""
    return {"rule": "integer", "low": low, "high": high, "shape": list(shape), **({"times": times} if times else {})}


WORD = {"rule": "word", "shape": []}
LABELS, SCORES = integer(0, 4, 20), integer(-9, 9, 20, times=0.5)
VALUES = {"values": integer(0, 99, 40, times=0.125), "n_bins": 8}
SLOTS = {"offsets": [0, 5, 12], "min_samples_leaf": 2, "missing": None}
TREE = {
    "X": integer(0, 9, 12, 2, times=0.5),
    "n_bins": 256,
    "binning": "exact",
    "residual": wide(12),
    "weight": None,
    "max_depth": None,
    "min_samples_leaf": 1,
    "cut_at": "bins",
    "three_way": None,
}
TABLE = {
    "exp": Row("exp", "rows", MILLION, {"x": wide()}),
    "softmax": Row("softmax", "rows", MILLION // 4, {"scores": wide(4)}),
    "round_to_grid": Row("round_to_grid", "rows", MILLION, {"value": wide(), "exponent": 40}),
    "halves": Row("round_to_grid", "rows", MILLION, {"value": integer(-(2**20), 2**20, times=0.25), "exponent": 0}),
    "to_grid": Row("to_grid", "case", FEW, {"value": wide(25)}),
    "grid_sum": Row("grid_sum", "case", FEW, {"value": wide(25)}),
    "grid_mean": Row("grid_mean", "case", FEW, {"value": wide(20), "weight": integer(1, 40, 20, times=0.1)}),
    "splitmix64": Row("splitmix64", "first", MILLION, {"key": 1234567, "n": {"rule": "count", "plus": 0}}),
    "below": Row("below", "rows", MILLION, {"bits": WORD, "n": 2**31 - 1}),
    "bootstrap": Row(
        "bootstrap", "case", FEW, {"seed": integer(0, 2**31 - 2), "tree": integer(0, 999), "n_samples": 20}
    ),
    "feature_subset": Row("feature_subset", "case", FEW, {"key": WORD, "n_candidates": 6, "n_features": 15}),
    "quantize": Row(
        "quantize",
        "rows",
        MILLION,
        {"x": integer(-99, 99, times=0.25), "cuts": [-8.0, -4.5, -0.25, 0.0, 0.3, 1.0, 9.0]},
    ),
    "cuts_app_i": Row("cuts_app_i", "case", FEW, {**VALUES, "growth": 2.0}),
    "cuts_quantile": Row("cuts_quantile", "case", FEW, {**VALUES, "weight": integer(1, 40, 40, times=0.1)}),
    "cuts_exact": Row("cuts_exact", "case", FEW, VALUES),
    "split_gain": Row(
        *("split_gain", "rows", MILLION),
        {side: integer([-(2**30), 1], [2**30 - 1, 2**20], 2) for side in ("left", "right")},
    ),
    "best_split": Row("best_split", "case", FEW, {"sums": integer([-9, 1], [9, 3], 12, 2), **SLOTS}),
    "best_split-weighted": Row("best_split", "case", FEW, {"sums": integer([-999, 1, 0], [999, 3, 9], 12, 3), **SLOTS}),
    "grow_tree": Row("grow_tree", "case", FEW, {**TREE, "n_leaves": 5}),
    "grow_forest_tree": Row(
        "grow_forest_tree", "case", FEW, {**TREE, "counts": integer(0, 2, 12), "n_candidates": 1, "key": WORD}
    ),
    "leaf_values": Row(
        *("leaf_values", "case", FEW),
        {
            "residual": integer(-999, 999, 12, times=0.001),
            "proba": integer(1, 999, 12, times=0.001),
            "leaf": [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3],
            "n_classes": 5,
            "weight": integer(1, 40, 12, times=0.1),
        },
    ),
    "median": Row("median", "case", FEW, {"values": integer(-9, 9, 8, times=0.1), "weight": integer(0, 3, 8)}),
    "class_proba": Row("class_proba", "rows", MILLION // 4, {"cumulative_proba": integer(0, 2**30, 4, times=2.0**-30)}),
    "expected_relevance": Row(
        "expected_relevance", "rows", MILLION // 4, {"class_proba": wide(4), "transform": "2^k-1"}
    ),
    "hard_rank": Row("hard_rank", "rows", MILLION // 4, {"answers": integer(-8, 24, 4, times=0.0625)}),
    "soft_rank": Row("soft_rank", "rows", MILLION // 4, {"answers": wide(4)}),
    "grade_proba": Row("grade_proba", "rows", MILLION // 4, {"answers": wide(4)}),
    "oerr_weights": Row("oerr_weights", "rows", MILLION, {"y": integer(0, 20), "max_grade": 20}),
    "dcg": Row("dcg", "case", FEW, {"y": integer(0, 4, 100), "score": wide(100), "k": None}),
    "ndcg": Row("ndcg", "case", FEW, {"y": LABELS, "score": SCORES, "k": 10}),
    "err": Row("err", "case", FEW, {"y": LABELS, "score": SCORES, "k": 10, "max_grade": 4}),
    "rmse": Row("rmse", "case", FEW, {"y": LABELS, "score": wide(20)}),
    "discounts": Row(
        *("discounts", "first", MILLION),
        {"n_positions": {"rule": "count", "plus": 0}, "k": None, "discount": "log2(1+i)"},
    ),
    "logarithms-2": Row("logarithms", "first", MILLION, {"highest": {"rule": "count", "plus": 1}, "base": "2"}),
    "logarithms-e": Row("logarithms", "first", MILLION, {"highest": {"rule": "count", "plus": 1}, "base": "e"}),
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
    print(write_file(FOLDER / STREAMS_FILE, print_streams().encode()))
