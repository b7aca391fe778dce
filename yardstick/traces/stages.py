"""The stages of a training, each of which follows from earlier ones, their records in a trace, and what takes them.

Rounds count from 1, everything else from 0: trees of a forest, outputs (classes, problems), nodes (in the order in
which they are made: the root, then left before right), rows, features, bins. If a round grows K trees one after the
other, output k is the k-th of them. Leaves are listed in the order of their rows, from left to right.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from refrank.arrays import Bools, Floats, Matrix
from refrank.trees.model.tree import Tree
from yardstick.numbers.digest import digest
from yardstick.numbers.encoding import name_type

INTEGER, FLOAT = "integer", "float"
# a stage, the parts of its place, its title, and its fields with their types and shapes
TABLE = """
data         -              training rows
    X float (n_samples, n_features); y float, qid integer, weight float (n_samples,)
bins         -              bins of the features
    cuts float (n_slots - n_features,); offsets integer (n_features + 1,); codes integer (n_samples, n_features);
    at an output, those of a problem of COCR that leaves out rows
start        -              scores before the first round
    values float (n_outputs,): F
draws        tree, output   rows drawn for a tree
    counts integer (n_samples,): how often the tree of a forest drew each row
proba        round, output  probabilities
    values float (n_samples,)
residual     round, output  residuals
    values float (n_samples,): the target of the tree, times the weights of the rows
grid         round, output  residuals on the grid
    integers integer (n_samples,); exponent integer (): a residual is integers[i] * 2**-exponent
histogram    round, output  histograms of the nodes
    nodes integer (n,), whose best cut was computed; digests integer (n,) of the sums of each node;
    beside: sums integer (n, n_slots, 2 or 3): residuals, rows, weights
cut          round, output  best cuts of the nodes
    nodes integer (n,); cut integer (n, 5): feature and bin, -1 if no cut gains, and left sum, count and weight;
    split_gain float (n,), in units of the grids;
    beside: reduction float (n,): the same in units of the residuals, of the sum of their squares; tied integer
    (n_runs, 4): node, feature, and first and last bin; runner_up integer (n, 2); gap float (n,): contest.py
partition    round, output  nodes cut, and their rows
    nodes integer, cut float, n_left integer (n_cuts,), in the order in which nodes were cut: x < cut goes left;
    rows integer (n_samples,), leaf after leaf
leaf_sums    round, output  sums over the leaves
    nodes integer, numerator float, denominator float (n_leaves,)
leaf_values  round, output  values of the leaves
    values float (n_leaves,): beta, before the learning rate
step         round, output  values that are added
    values float (n_leaves,): what is added to F; for GBRT, to the residual y - F
scores       round, output  scores after the step
    values float (n_samples,): F after the step; for GBRT, y - F
tree         tree, output   whole tree
    feature integer, bin integer, left integer, right integer, cut float, split_gain float, n_node_samples integer,
    value float (n_nodes,); of a model, at round, output
leaves       round, output  leaf of each row
    values integer (n_samples,): of a model, the leaf that each row reaches
answers      output         answers to a problem
    values float (n_samples,): h_k of COCR
prediction   -              what rows are ranked by
    values float (n_samples,): the ranking scores; in this stage and the next two, a record at a round, or at a tree of
    a forest, is of the sum so far, and of the rows that are trained on: those of weight 0 are left out
order        -              rows of each query, ranked
    rows integer (n_samples,): query after query, best first
metric       -              quality of the ranking
    ndcg float (n_queries,); err float (n_queries,): ERR, where its highest grade is at least all labels;
    mean float (): of ndcg, which is NDCG@10; by the convention that the manifest names
"""


class Stage(NamedTuple):
    """Contents of a record of one stage."""

    title: str
    fields: Mapping[str, str]  # compared: name -> INTEGER or FLOAT
    beside: Mapping[str, str]  # reported, not compared


def read_stages() -> dict[str, Stage]:
    """Read the table."""
    stages = {}
    for stage, _, title, text in re.findall(r"(?m)^(\w+)  +(\S.*?)  +(\S.*)\n((?:    .*\n)+)", TABLE):
        compared, beside = (
            dict(re.findall(r"(\w+) (integer|float)\b", part)) for part in f"{text}beside:".split("beside:")[:2]
        )
        stages[stage] = Stage(title, compared, beside)
    return stages


STAGES: Mapping[str, Stage] = read_stages()


class Place(NamedTuple):
    """Place of a record in a training; None for parts that do not apply."""

    round: int | None = None
    tree: int | None = None
    output: int | None = None

    def __str__(self) -> str:
        """Write the place as text, such as "round 3, output 0"."""
        return ", ".join(f"{name} {at}" for name, at in self.list_parts().items())

    def list_parts(self) -> dict[str, int]:
        """List the parts that apply."""
        return {name: at for name, at in self._asdict().items() if at is not None}


Key = tuple[str, Place]


class LabelledRows(NamedTuple):
    """Rows to train on."""

    X: Matrix  # (n_samples, n_features)
    y: NDArray[Any]  # (n_samples,)
    qid: NDArray[Any] | None  # (n_samples,); None: one query
    weight: Floats | None = None  # (n_samples,)

    def keep(self, kept: slice | Bools) -> "LabelledRows":
        """Keep some of the rows."""
        parts: Any = [None if values is None else values[kept] for values in self]
        return LabelledRows(*parts)


class Field(NamedTuple):
    """An array of a record: always its digest, and its entries if the trace keeps them."""

    dtype: str
    shape: tuple[int, ...]
    digest: int
    values: NDArray[Any] | None = None


def make_field(values: NDArray[Any]) -> Field:
    """Make a field from an array, with its entries."""
    return Field(name_type(values.dtype), values.shape, digest(values), values)


Keep = Callable[[NDArray[Any]], Field]  # makes a field from an array at once: the array may change later


@dataclass(frozen=True, eq=False)
class Record:
    """Result of a stage of a training at one place."""

    stage: str
    place: Place
    fields: Mapping[str, Field]

    @property
    def key(self) -> Key:
        """The stage and the place."""
        return self.stage, self.place

    def has_same_numbers(self, other: "Record") -> bool:
        """Return whether both records have the same numbers in all fields that are compared."""
        names = STAGES[self.stage].fields
        own, others = ({name: of.fields[name][1:3] for name in names if name in of.fields} for of in (self, other))
        return own == others

    def values(self, name: str) -> NDArray[Any] | None:
        """Return the entries of a field; None if the trace keeps none, or the record has no such field."""
        field = self.fields.get(name)
        return None if field is None else field.values


def make_record(keep: Keep, stage: str, place: Place, **arrays: NDArray[Any] | Field) -> Record:
    """Make a record from arrays and existing fields."""
    return Record(stage, place, {name: a if isinstance(a, Field) else keep(a) for name, a in arrays.items()})


class Taker:
    """Takes each stage of a training, and says with which numbers it goes on.

    This one makes a record: `keep` makes a field from an array, and `write` takes the record. The training goes on as
    it is; with a judge, it goes on with a port's numbers (yardstick/divergence/judging.py).
    """

    def __init__(self, keep: Keep, write: Callable[[Record], None]) -> None:
        self.keep, self.write = keep, write

    def take(self, stage: str, place: Place, **arrays: Any) -> None:
        """Take the arrays of a stage, or fields made from them."""
        keep = make_field if stage == "data" else self.keep  # a training can be repeated from the trace alone
        self.write(make_record(keep, stage, place, **arrays))

    def adopt(
        self, stage: str, place: Place, name: str, values: NDArray[Any], below: int | None = None
    ) -> NDArray[Any]:
        """Return the array with which the training goes on, in place of one that it has computed.

        `below` bounds numbers of things that exist, which count from 0.
        """
        return values

    def adopt_tree(self, place: Place, tree: Tree, n_features: int) -> Tree:
        """Return the tree with which the training goes on; its cuts are on `n_features` features."""
        return tree

    def settle(self, stage: str, place: Place, values: NDArray[Any], name: str = "values") -> NDArray[Any]:
        """Take an array that is a whole stage, and return the one to go on with."""
        self.take(stage, place, **{name: values})
        return self.adopt(stage, place, name, values)
