"""Events of a training: `Engine.watch` takes each record as it happens.

A watcher may return another record of the same kind, with which the training goes on: so a port's numbers can take the
place of refrank's. A tree is named by its residual on the grid, one object in all records of the tree. Arrays belong to
the training: copy what is to be kept. Trees that are grown side by side are watched from their threads.
"""

from typing import Any, NamedTuple

from refrank.arrays import Floats, Ints, Matrix, Rows
from refrank.trees.numbers.grid import Gridded, GriddedWeights
from refrank.trees.splitting import Split


class FeaturesBinned(NamedTuple):
    """The training rows were binned."""

    X: Matrix  # (n_samples, n_features)
    binned: Any  # a `refrank.trees.bins.binning.BinnedFeatures`


class ScoresStarted(NamedTuple):
    """F before the first round was chosen."""

    values: tuple[float, ...]  # one per output


class ProbaMade(NamedTuple):
    """Probabilities of the training rows were computed, for trees that are grown next."""

    scores: Floats  # (n_samples, n_classes)
    first: int  # the class of the first column
    proba: Floats  # (n_samples, n_columns): one column per tree


class RootMade(NamedTuple):
    """The root of a tree was made; the tree is grown later."""

    tree: Gridded
    residual: Floats  # (n_samples,): the values that were put on the grid, times the weights
    weights: GriddedWeights


class CutFound(NamedTuple):
    """A node was searched for its best cut."""

    tree: Gridded
    node: int
    binned: Any  # the features: a `refrank.trees.bins.binning.BinnedFeatures`
    rows: Rows  # of the node
    sums: Ints  # the node's histogram, over bins or coarse bins
    min_samples_leaf: int
    split: Split


class CutMade(NamedTuple):
    """A node was cut in two: its rows are those of the left child, and then those of the right one."""

    tree: Gridded
    node: int
    left: int  # number of the left child, which the right one follows
    split: Split
    rows: Rows  # of the node, in place
    n_left: int  # rows


class TreeGrown(NamedTuple):
    """A tree is complete; its values are the means of its leaves."""

    tree: Gridded
    grown: Any  # a `refrank.trees.model.tree.Tree`
    leaves: Any  # its `refrank.trees.model.tree.Leaves`


class LeavesSummed(NamedTuple):
    """Another quantity was summed over the leaves of a tree."""

    rows: Rows  # the same array as in `TreeGrown`
    sums: Floats  # (n_leaves,)


class LeavesValued(NamedTuple):
    """The values of leaves were computed."""

    rows: Rows  # the same array as in `TreeGrown`
    values: Floats  # (n_leaves,)


class StepTaken(NamedTuple):
    """The values of leaves were shrunk, and will be added to the scores."""

    rows: Rows  # the same array as in `TreeGrown`
    values: Floats  # (n_leaves,)


class ScoresRaised(NamedTuple):
    """A step was added to the scores of the rows of each leaf."""

    rows: Rows  # the same array as in `TreeGrown`
    starts: Ints  # (n_leaves + 1,): the rows of leaf j are rows[starts[j]:starts[j + 1]]
    values: Floats  # (n_leaves,)
    scores: Floats  # (n_samples,): afterwards


class OutputsKept(NamedTuple):
    """Of the trees tried in a round, those of one base class were kept (ABC-LogitBoost)."""

    outputs: Floats  # (n_samples, n_outputs): afterwards


class RowsDrawn(NamedTuple):
    """Rows were drawn for a tree of a forest."""

    counts: Ints  # (n_samples,): how often each row


class ForestTreeGrown(NamedTuple):
    """A tree of a forest was grown on the rows just drawn."""

    tree: Any  # a `refrank.trees.model.tree.Tree`
