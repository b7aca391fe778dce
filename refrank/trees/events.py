"""Events of growing trees: `Engine.watch` takes each record as it happens.

A tree is named by its residual on the grid, one object in all records of the tree. Arrays belong to the tree: copy what
is to be kept. Trees that are grown side by side are watched from their threads.
"""

from typing import Any, NamedTuple

from refrank.arrays import Floats, Ints, Rows
from refrank.trees.numbers.grid import Gridded, GriddedWeights
from refrank.trees.splitting import Split


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
    n_left: int  # rows


class LeavesMade(NamedTuple):
    """A tree is complete."""

    tree: Gridded
    nodes: Ints  # (n_leaves,): number of each leaf's node
    rows: Rows  # (n_samples,): leaf after leaf


class LeavesSummed(NamedTuple):
    """Another quantity was summed over the leaves of a tree."""

    rows: Rows  # the same array as in `LeavesMade`
    sums: Floats  # (n_leaves,)


class ScoresRaised(NamedTuple):
    """The values of leaves were added to the scores of their rows."""

    rows: Rows  # the same array as in `LeavesMade`
    starts: Ints  # (n_leaves + 1,): the rows of leaf j are rows[starts[j]:starts[j + 1]]
    values: Floats  # (n_leaves,)
    scores: Floats  # (n_samples,): afterwards
