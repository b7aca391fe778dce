"""CART on binned features: best-first to J leaves (McRank Alg. 1, line 5), or to a depth (iGBRT Alg. 2, line 3).

McRank App. I: the tree "recursively splits the training data points into two groups on the current 'best' feature that
will reduce the mean square errors (MSE) the most". The split_gain of a cut is how much it lowers the sum of squared
errors.

    symbol    in code      shape
    -         residual     (n_samples,) float64: the values to fit
    w         weight       (n_samples,) float64, or None where all rows weigh the same
    J         n_leaves     int, the largest number of leaves
    d         max_depth    int, the largest number of cuts above a leaf

This module chooses the node to cut, and ends the growth; refrank/trees/growth/growing.py moves the rows of a cut, and
refrank/trees/growth/roots.py sums over rows.

Nodes that wait to be cut keep their histograms, up to a number of bytes in all. A node beyond them keeps none, and its
rows are summed again when it is cut: sums are exact, so no bit depends on it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from refrank.arrays import Floats, Ints, Rows
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.engine import Engine
from refrank.trees.events import CutFound, TreeGrown
from refrank.trees.growth.growing import Growing, Nodes, make_tree
from refrank.trees.growth.midpoints import CutAt, at_bins
from refrank.trees.growth.roots import Root, make_newton_roots, make_roots
from refrank.trees.growth.sharing import divide, run_together
from refrank.trees.growth.whole_trees import can_grow_at_once, grow_at_once
from refrank.trees.model.tree import LEAF, Leaves, Tree, check_leaves
from refrank.trees.splitting import Split

MOST_HELD = 2**30  # bytes of the histograms that wait; one of 100,000 features with 256 bins takes 410 MB

Grown = tuple[Tree, Leaves]
Grow = Callable[[Floats, Floats | None], Grown]  # of a residual and weights: a `Grower`, or a function that calls one


@dataclass(frozen=True)
class Grower:
    """Grow a tree that greedily minimises sum_i weight_i (residual_i - tree(x_i))**2.

    With `n_leaves`, the node whose best cut gains most is cut next. Without it, every node that a cut improves is cut,
    left before right. Without a limit on the leaves, both orders grow the same tree, and the second holds the fewest
    histograms. With neither limit, growth ends where no cut gains.

    A cut three ways (`binned.missing`) adds two leaves. Where only one is left, such a cut is passed over. Raises a
    ValueError if `n_leaves` is 2 where cuts go three ways.

    Examples
    --------
    >>> import numpy as np
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, engine=default_engine())
    >>> grow = Grower(binned, n_leaves=2)
    >>> tree, leaves = grow(np.array([0.0, 5.0, 6.0]))
    >>> float(tree.cut[0]), tree.value.tolist()
    (0.500000005, [0.0, 0.0, 5.5])
    """

    binned: BinnedFeatures  # the features, and the engine that does the work
    n_leaves: int | None = None  # J; the tree has fewer leaves only where no cut that fits gains
    max_depth: int | None = None  # d
    min_samples_leaf: int = 1  # a cut leaves at least this many rows on either side
    cut_at: CutAt = at_bins  # where a cut lies between its two sides: `at_bins`, or `at_midpoints` of the training rows

    def __post_init__(self) -> None:
        """Refuse fewer leaves than a cut may make, and more than can be numbered."""
        if self.n_leaves == 2 < self.binned.n_ways:
            raise ValueError("n_leaves is 2: it must be at least 3 where cuts go three ways, since one adds two leaves")
        check_leaves(self.binned.n_samples, self.min_samples_leaf, self.max_depth, self.n_leaves, self.binned.n_ways)

    @property
    def engine(self) -> Engine:
        """The engine that does the work; it travels with the features."""
        return self.binned.engine

    def on(self, engine: Engine) -> "Grower":
        """Return the same grower on another engine; no bit depends on it."""
        return replace(self, binned=self.binned.on(engine))

    def __call__(self, residual: Floats, weight: Floats | None = None) -> Grown:
        """Fit a tree to a residual with weights, (n_samples,) each.

        The values of the tree are the means of its leaves; `with_values` replaces them. A residual or a weight that is
        not finite raises a ValueError.
        """
        [root] = self.make_roots([residual], weight)
        return self.grow_from(root)

    def make_roots(self, residuals: Iterable[Floats], weight: Floats | None = None) -> list[Root]:
        """Make the roots of several trees, each fitted to its residual, for `grow_from`."""
        return make_roots(self.binned, residuals, weight)

    def make_newton_roots(self, slopes: Iterable[tuple[Floats, Floats]]) -> list[Root]:
        """Make the roots of several trees, each given the two derivatives of its loss, for `grow_from`."""
        return make_newton_roots(self.binned, slopes)

    def grow_from(self, root: Root) -> Grown:
        """Grow the tree of a root."""
        [grown] = self.grow_all([root])
        return grown

    def grow_all(self, roots: Sequence[Root]) -> Iterator[Grown]:
        """Grow the trees of roots, side by side: in one call of the kernel where it can do all that is asked for."""
        if all(can_grow_at_once(root.on(self.engine)) for root in roots):
            limits = self.n_leaves, self.max_depth, self.min_samples_leaf, MOST_HELD // max(1, roots[0].sums.nbytes)
            whole = grow_at_once(self.binned, roots, *limits)
            yield from (self.finish(root, *grown) for root, grown in zip(roots, whole, strict=True))
        else:
            growers = [self.on(engine) for engine in divide(self.engine, len(roots))]
            steps = [partial(grower.grow_in_steps, root) for grower, root in zip(growers, roots, strict=True)]
            # in turn: the next tree is grown when the one before it has taken its step
            yield from (step() for step in steps) if self.engine.in_turn else run_together(self.engine, steps)

    def grow_in_steps(self, root: Root) -> Grown:
        """Grow the tree of a root with the functions of any splitter, watched."""
        root = root.on(self.engine)
        growing = Growing(root)
        # nodes that a cut improves: the cut, the two-way cuts that make it up, and the node's histogram, or None where
        # the memory for them is full
        waiting: dict[int, tuple[Split, list[Split], Ints | None]] = {}
        n_held, most_held = 0, MOST_HELD // max(1, root.sums.nbytes)
        children, parent_sums = [0], root.sums
        # McRank Alg. 1, line 5: "J-terminal node regression tree"
        while growing.n_leaves != self.n_leaves:
            # iGBRT Eq. 1: "the maximum depth of the resulting tree"
            if growing.nodes[children[0]].depth != self.max_depth:
                rows = {child: growing.get_rows(child) for child in children}
                largest = max(children, key=lambda child: growing.nodes[child].n_samples)
                sums = {largest: parent_sums}  # it overwrites its parent's
                for child in set(children) - {largest}:
                    sums[child] = root.histogram(rows[child])
                    parent_sums -= sums[child]
                for child in children:
                    node = rows[child], sums[child], self.min_samples_leaf
                    split = root.best_split(*node)
                    split = self.engine.tell(CutFound(root.residual, child, self.binned, *node, split)).split
                    if split.feature != LEAF:
                        held, slots = n_held < most_held, root.list_slots(sums[child], split.feature)
                        in_two = self.binned.take_apart(split, slots)
                        waiting[child] = split, in_two, sums[child] if held else None
                        n_held += held
            if growing.n_leaves + 1 == self.n_leaves:
                # Paper is silent: cuts three ways. One that does not fit into the last leaf is passed over.
                waiting = {node: held for node, held in waiting.items() if len(held[1]) == 1}
            if not waiting:
                break
            if self.n_leaves is None:
                number = next(reversed(waiting))
            else:
                # Paper is silent: which node is cut next. The one whose cut gains most; ties go to the node made first.
                number = min(waiting, key=lambda node: (-waiting[node][0].split_gain, node))
            _, in_two, kept = waiting.pop(number)
            n_held -= kept is not None
            parent_sums = root.histogram(growing.get_rows(number)) if kept is None else kept
            children = growing.cut(number, in_two)
        return self.finish(root, growing.rows, growing.list_nodes())

    def finish(self, root: Root, rows: Rows, nodes: Nodes) -> Grown:
        """Make the tree of a root and its leaves, and place the cuts."""
        tree, leaves = make_tree(root.on(self.engine), rows, nodes)
        return self.engine.tell(TreeGrown(root.residual, self.cut_at(tree, rows), leaves))[1:]
