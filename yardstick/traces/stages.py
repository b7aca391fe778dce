"""The stages of a training, each of which follows from earlier ones, and their records in a trace.

    stage        at                    fields, and their shapes
    data         -                     X (n_samples, n_features), y, qid, weight (n_samples,)
    bins         -                     cuts (n_slots - n_features,), offsets (n_features + 1,),
                                       codes (n_samples, n_features)
    start        -                     values (n_outputs,): F before the first round
    draws        tree, output          counts (n_samples,): how often the tree of a forest drew each row
    proba        round, output         values (n_samples,)
    residual     round, output         values (n_samples,): the target of the tree, times the weights of the rows
    grid         round, output         integers (n_samples,), exponent (): value = integer * 2**-exponent
    histogram    round, output         nodes (n,); sums (n, n_slots, 2 or 3): residuals, rows, weights;
                                       digests (n,) of the sums of each node
    cut          round, output         nodes (n,); cut (n, 5): feature, bin, and left sum, count and weight;
                                       split_gain (n,), in units of the grids; tied (n_runs, 4): node, feature, and
                                       first and last bin; runner_up (n, 2), gap (n,): contest.py
    partition    round, output         nodes, cut, n_left (n_cuts,), in the order in which nodes were cut: x < cut goes
                                       left; rows (n_samples,), leaf after leaf
    leaf_sums    round, output         nodes, numerator, denominator (n_leaves,)
    leaf_values  round, output         values (n_leaves,): beta, before the learning rate
    step         round, output         values (n_leaves,): what is added to F; for GBRT, to the residual y - F
    scores       round, output         values (n_samples,): F after the step; for GBRT, y - F
    tree         tree, output          feature, bin, left, right, cut, split_gain, n_node_samples, value (n_nodes,);
                                       of a model, at round, output
    leaves       round, output         values (n_samples,): of a model, the leaf that each row reaches
    answers      output                values (n_samples,): h_k of COCR
    prediction   -                     values (n_samples,): the ranking scores
    order        -                     rows (n_samples,): query after query, best first
    metric       -                     ndcg (n_queries,), mean (): NDCG@10; err (n_queries,): ERR, where its highest
                                       grade is at least all labels; by the convention that the manifest names

Rounds count from 1, everything else from 0: trees of a forest, outputs (classes, problems), nodes (in the order in
which they are made: the root, then left before right), rows, features, bins. Leaves are listed in the order of their
rows, from left to right. `histogram` and `cut` have the n nodes whose best cut was computed; feature and bin are -1
if no cut gains.
If a round grows K trees one after the other, output k is the k-th of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

INTEGER, FLOAT = "integer", "float"


class Stage(NamedTuple):
    """Contents of a record of one stage."""

    title: str
    fields: Mapping[str, str]  # compared: name -> INTEGER or FLOAT
    beside: Mapping[str, str] = {}  # reported, not compared


STAGES: Mapping[str, Stage] = {
    "data": Stage("training rows", {"X": FLOAT, "y": FLOAT, "qid": INTEGER, "weight": FLOAT}),
    "bins": Stage("bins of the features", {"cuts": FLOAT, "offsets": INTEGER, "codes": INTEGER}),
    "start": Stage("scores before the first round", {"values": FLOAT}),
    "draws": Stage("rows drawn for a tree", {"counts": INTEGER}),
    "proba": Stage("probabilities", {"values": FLOAT}),
    "residual": Stage("residuals", {"values": FLOAT}),
    "grid": Stage("residuals on the grid", {"integers": INTEGER, "exponent": INTEGER}),
    "histogram": Stage("histograms of the nodes", {"nodes": INTEGER, "digests": INTEGER}, {"sums": INTEGER}),
    "cut": Stage(
        "best cuts of the nodes",
        {"nodes": INTEGER, "cut": INTEGER, "split_gain": FLOAT},
        {"tied": INTEGER, "runner_up": INTEGER, "gap": FLOAT},
    ),
    "partition": Stage(
        "nodes cut, and their rows", {"nodes": INTEGER, "cut": FLOAT, "n_left": INTEGER, "rows": INTEGER}
    ),
    "leaf_sums": Stage("sums over the leaves", {"nodes": INTEGER, "numerator": FLOAT, "denominator": FLOAT}),
    "leaf_values": Stage("values of the leaves", {"values": FLOAT}),
    "step": Stage("values that are added", {"values": FLOAT}),
    "scores": Stage("scores after the step", {"values": FLOAT}),
    "tree": Stage(
        "whole tree",
        {
            "feature": INTEGER,
            "bin": INTEGER,
            "left": INTEGER,
            "right": INTEGER,
            "cut": FLOAT,
            "split_gain": FLOAT,
            "n_node_samples": INTEGER,
            "value": FLOAT,
        },
    ),
    "leaves": Stage("leaf of each row", {"values": INTEGER}),
    "answers": Stage("answers to a problem", {"values": FLOAT}),
    "prediction": Stage("what rows are ranked by", {"values": FLOAT}),
    "order": Stage("rows of each query, ranked", {"rows": INTEGER}),
    "metric": Stage("quality of the ranking", {"ndcg": FLOAT, "err": FLOAT, "mean": FLOAT}),
}


class Place(NamedTuple):
    """Place of a record in a training; None for parts that do not apply."""

    round: int | None = None
    tree: int | None = None
    output: int | None = None

    def __str__(self) -> str:
        """Write the place as text.

        >>> str(Place(round=3, output=0))
        'round 3, output 0'
        """
        return ", ".join(f"{name} {at}" for name, at in self._asdict().items() if at is not None)


class Field(NamedTuple):
    """An array of a record: always its digest, and its entries if the trace keeps them."""

    dtype: str
    shape: tuple[int, ...]
    digest: int
    values: NDArray[Any] | None = None


Keep = Callable[[NDArray[Any]], Field]  # makes a field from an array at once: the array may change later


@dataclass(frozen=True, eq=False)
class Record:
    """Result of a stage of a training at one place."""

    stage: str
    place: Place
    fields: Mapping[str, Field]

    def values(self, name: str) -> NDArray[Any] | None:
        """Return the entries of a field; None if the trace keeps none, or the record has no such field."""
        field = self.fields.get(name)
        return None if field is None else field.values


def make_record(keep: Keep, stage: str, place: Place, **arrays: NDArray[Any] | Field) -> Record:
    """Make a record from arrays and existing fields."""
    return Record(stage, place, {name: a if isinstance(a, Field) else keep(a) for name, a in arrays.items()})
