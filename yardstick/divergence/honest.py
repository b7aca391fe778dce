"""A training in lockstep with a port of honest float arithmetic: each number may lie within its bound.

The bounds are those of docs/reference/numerics.md (yardstick/numbers/arithmetic.py). A stage is computed from the
port's own earlier numbers; where the port does not tell these, their bounds are handed on. A cut is lawful if its gain,
with its bound, reaches the best gain less the bound of that.
"""

from functools import partial
from typing import Any

import numpy as np

from refrank.arrays import Bools, Floats, Matrix
from refrank.estimators import COCRRanker
from refrank.estimators.mcrank import BoostRanker, ClassBoostRanker
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.tree_ranker import has_classes
from refrank.mcrank.softmax_boosting import softmax
from refrank.trees import events
from refrank.trees.contest import Contest, list_rivals
from refrank.trees.model.tree import LEAF, Tree, quotient
from refrank.trees.numbers.grid import GriddedWeights, find_exponent, from_grid, make_specified
from refrank.trees.splitter import name_arguments
from yardstick.divergence.judging import Judge
from yardstick.divergence.lockstep import Lockstep
from yardstick.numbers.arithmetic import Arithmetic, Near
from yardstick.traces.ranking import END
from yardstick.traces.stages import LabelledRows, Place

POSITIONS = 10  # that NDCG@10 counts


class HonestLockstep(Lockstep):
    """A recorder that follows a port of some arithmetic, and hands its judge the bound of each number.

    `targets`, (n_samples,) each, are what each output is trained to; of a classification by p, there are none.
    """

    def __init__(
        self, ranker: Any, judge: Judge, arithmetic: Arithmetic, targets: list[Floats], weight: Floats | None
    ) -> None:
        super().__init__(ranker, judge)
        self.weight, self.arithmetic = weight, arithmetic
        self.targets = [arithmetic.read(target) for target in targets]
        self.term = Near(0.0)  # the largest of a sum over rows, in units of the grid
        self.n_classes = 0
        self.forest: list[Any] = [0.0] * len(targets)  # how far the mean of each forest may be

    def bound(self, stage: str, place: Place, name: str, error: Any) -> None:
        """Have the judge allow an error."""
        self.taker.errors.setdefault((stage, place), {})[name] = error

    def find(self, stage: str, place: Place, name: str = "values") -> Any:
        """Return how far the port's numbers may be from those to go on with, which are its own if it tells them."""
        if self.taker.read(stage, place, name) is not None:
            return 0.0
        return self.taker.errors.get((stage, place), {}).get(name, 0.0)

    def find_scores(self, place: Place) -> Any:
        """Return how far F may be after a tree, or before it if it is not grown."""
        if ("scores", place) in self.taker.errors:
            return self.find("scores", place)
        if place.round != 1:
            return self.find("scores", place._replace(round=(place.round or 0) - 1))
        moved, k = float(np.max(self.find("start", Place()))), place.output or 0
        if not self.targets or isinstance(self.ranker, LossBoostRanker):
            return moved
        size, own = np.abs(self.targets[k].value).max(), self.targets[k].error.max()  # the target less the forest
        return float(self.arithmetic.bound_result(2 * size, moved + self.forest[k] + own))

    def find_residual(self, place: Place) -> Near:
        """Return the target less F before a tree: what a loss computes from."""
        k = place.output or 0
        F = self.scores.get(k, self.taker.array("start", Place(), "values")[k])
        return self.arithmetic.subtract(self.targets[k], Near(F, self.find_scores(place)))

    def rank(self, scores: Floats, rows: LabelledRows, place: Place) -> None:
        """Compare the ranking after a turn; bound it first."""
        bound_ranking(self, np.full(len(scores), True), self.n_turns + 1, place)
        super().rank(scores, rows, place)

    def watch(self, event: Any) -> Any:
        """Take an event; bound its numbers first."""
        tree: Any = self.growing.get(id(getattr(event, "rows", None)))
        match event:
            case events.FeaturesBinned():
                self.bound("bins", Place(), "cuts", self.bound_cuts(event.X, event.binned))
            case events.ScoresStarted():
                places = [self.arithmetic.bound_location(target, self.weight) for target in self.targets]
                errors = [place if value else 0.0 for place, value in zip(places, event.values, strict=False)]
                self.bound("start", Place(), "values", np.array(errors or [0.0]))
            case events.ProbaMade():
                self.bound_proba(event)
            case events.RootMade():
                self.bound_residual(event)
            case events.LeavesSummed():
                self.bound_curvature(tree)
            case events.LeavesValued():
                self.bound_leaf_values(tree, event.values)
            case events.StepTaken():
                rate = self.arithmetic.read(getattr(self.ranker, "base", self.ranker).learning_rate)
                values = Near(event.values / rate.value, self.find("leaf_values", tree.place))
                self.bound("step", tree.place, "values", self.arithmetic.multiply(rate, values).error)
            case events.ScoresRaised():
                moved = np.broadcast_to(self.find_scores(tree.place), len(event.scores)).copy()
                step = np.broadcast_to(self.find("step", tree.place), len(event.values))
                moved[event.rows] += step.repeat(np.diff(event.starts))
                self.bound("scores", tree.place, "values", self.arithmetic.bound_result(np.abs(event.scores), moved))
        return super().watch(event)

    def bound_cuts(self, X: Matrix, binned: Any) -> Floats:
        """Bound the cuts of all features, (n_cuts,)."""
        bounds = [np.empty(0)]
        for f, edges in enumerate(binned.cuts):
            values = np.sort(X[:, f].astype(np.float64))
            lowest = values[[0, *np.minimum(values.searchsorted(edges), len(values) - 1)]]
            bounds.append(self.arithmetic.bound_cuts(lowest[:-1], lowest[1:]))
        return np.concatenate(bounds)

    def bound_proba(self, event: events.ProbaMade) -> None:
        """Bound columns of p."""
        number, self.n_classes = self.counted.get("proba", 0), event.scores.shape[1]
        outputs = [*range(self.n_classes)]
        if self.ranker.algorithm == "ordinal":
            n_trees = 2 if self.ranker.update == "sequential" else 1  # of a problem
            outputs = [number - number % n_trees, number - number % n_trees + n_trees - 1]
        errors = [np.broadcast_to(self.find_scores(self.place_at(output)), len(event.scores)) for output in outputs]
        bounds = self.arithmetic.bound_proba(Near(event.scores, np.column_stack(errors)))
        for j in range(event.proba.shape[1]):
            self.bound("proba", self.place_at(number + j), "values", bounds[:, event.first + j])

    def bound_residual(self, event: events.RootMade) -> None:
        """Bound what a tree is fitted to."""
        place, arithmetic = self.place_at(self.counted.get("root", 0)), self.arithmetic
        weight = read_weight(event.weights)
        value = event.residual if weight is None else quotient(event.residual, weight)
        if ("proba", place) in self.taker.errors:
            error = arithmetic.bound_result(np.abs(value), self.find("proba", place))
        elif isinstance(self.ranker, LossBoostRanker):
            fitted = self.ranker.choose_loss().fitted
            error = arithmetic.bound_response(lambda values: fitted(values, weight), self.find_residual(place))
        else:
            error = self.find_scores(place)
        residual = Near(value, error)
        if weight is not None:
            residual = arithmetic.multiply(arithmetic.read(weight), residual)
        self.bound("residual", place, "values", np.broadcast_to(residual.error, event.residual.shape))
        moved = float(np.max(self.find("residual", place))) * 2.0**event.tree.exponent
        self.term = Near(float(np.abs(event.tree.integers).max(initial=0)), moved + 0.5)  # the grid moves half a step

    def bound_sum(self, n_rows: Any) -> Any:
        """Bound sums over so many rows, in units of the grid; a right side may be the node less the left side."""
        return self.arithmetic.bound_result(n_rows * self.term.value, n_rows * self.term.error, n_rows, n_uses=2)

    def compare(self, *node: Any) -> Contest:
        """Compare the cuts of a node: those within the bounds of the best one tie with it."""
        contest, (at, gains, sides), (sums, offsets, *_, missing) = super().compare(*node), list_rivals(*node), node
        if len(at) == 0 or missing is not None:
            return contest
        n_rows, weights = int(sums[offsets[0] : offsets[1], 1].sum()), sides[:, :2, 1].astype(np.float64)
        left, right = (Near(sides[:, side, 0].astype(np.float64), self.bound_sum(n_rows)) for side in (0, 1))
        of_weights = self.arithmetic.bound_result(weights, 0.0, n_rows) if sums.shape[1] > 2 else 0 * weights
        n_left, n_right = (Near(weights[:, side], of_weights[:, side]) for side in (0, 1))
        bounds = self.arithmetic.bound_gain(left, right, n_left, n_right)
        best = int(np.argmax(gains))
        near = at[gains + bounds >= gains[best] - bounds[best]]
        return contest._replace(tied=[*contest.tied, *((f, b, b) for f, b in near.tolist())])

    def settle_leaves(self, tree: Any, event: events.TreeGrown) -> events.TreeGrown:
        """Bound the cuts and the sums over the leaves of a complete tree."""
        leaves, place, arithmetic = event.leaves, tree.place, self.arithmetic
        self.bound("partition", place, "cut", arithmetic.bound_cuts)
        terms = from_grid(tree.root.integers, tree.root.exponent)
        moved = np.broadcast_to(self.find("residual", place), terms.shape) + arithmetic.bound_grid(terms)
        tree.rows, tree.groups = leaves.rows, np.repeat(np.arange(len(leaves.nodes)), np.diff(leaves.starts))
        self.bound_leaf_sums(tree, "numerator", Near(terms, moved), n_uses=2)
        weight = read_weight(tree.weights)
        if weight is not None:
            self.bound_leaf_sums(tree, "denominator", arithmetic.read(weight))
        return super().settle_leaves(tree, event)

    def bound_leaf_sums(self, tree: Any, name: str, terms: Near, n_uses: int = 1) -> None:
        """Bound sums over the leaves of a tree of terms, (n_samples,)."""
        inside = Near(terms.value[tree.rows], terms.error[tree.rows])
        sums = self.arithmetic.add_groups(inside, tree.groups, int(tree.groups[-1]) + 1, n_uses)
        self.bound("leaf_sums", tree.place, name, sums.error)

    def bound_curvature(self, tree: Any) -> None:
        """Bound the sums of p (1 - p) over the leaves."""
        arithmetic, place, weight = self.arithmetic, tree.place, read_weight(tree.weights)
        proba = Near(self.taker.array("proba", place, "values"), self.find("proba", place))
        curvature = arithmetic.multiply(arithmetic.subtract(Near(1.0), proba), proba)
        if weight is not None:
            curvature = arithmetic.multiply(arithmetic.read(weight), curvature)
        error = curvature.error + arithmetic.bound_grid(curvature.value)
        self.bound_leaf_sums(tree, "denominator", curvature._replace(error=error))
        tree.has_curvature = True

    def bound_leaf_values(self, tree: Any, values: Floats) -> None:
        """Bound the values of the leaves: quotients of their sums, or a place among their residuals."""
        of, n = ("leaf_sums", tree.place), self.n_classes
        top, low = (
            Near(self.taker.adopt(*of, name, getattr(tree, name)), self.find(*of, name))
            for name in ("numerator", "denominator")
        )
        if tree.has_curvature or np.array_equal(values, quotient(top.value, low.value)):
            error = self.arithmetic.divide(top, low, factor=(n - 1) / n if tree.has_curvature else 1.0).error
        else:
            residual, bound = self.find_residual(tree.place), self.arithmetic.bound_location
            leaves = np.split(tree.rows, np.flatnonzero(np.diff(tree.groups)) + 1)
            nears = [Near(residual.value[own], residual.error[own]) for own in leaves]
            weights = [None if self.weight is None else self.weight[own] for own in leaves]
            error = np.array([*map(bound, nears, weights)])
        self.bound("leaf_values", tree.place, "values", error)

    def grow_deep(self, *arguments: Any) -> Any:
        """Grow a tree of a forest with the port's choices among cuts within the bounds."""
        largest = float(np.abs(name_arguments("grow_deep", arguments)["integers"]).max())
        self.term = Near(largest, self.arithmetic.u * largest + 0.5)
        return super().grow_deep(*arguments)

    def settle_tree(self, tree: Tree, place: Place) -> Tree:
        """Bound the numbers of a tree of a forest."""
        arithmetic, counts, k = self.arithmetic, np.maximum(tree.n_node_samples, 1), place.output or 0
        error = np.ldexp(self.bound_sum(counts), -find_exponent(self.targets[k].value, make_specified()))
        sums = tree.value * counts  # of the nodes: children come after their parent
        for node in np.flatnonzero(tree.feature != LEAF)[::-1]:
            sums[node] = sums[tree.left[node]] + sums[tree.right[node]]
        sides = [Near(sums[child], error) for child in (tree.left, tree.right)]
        rows = [Near(counts[child].astype(np.float64)) for child in (tree.left, tree.right)]
        self.bound("tree", place, "cut", arithmetic.bound_cuts(tree.cut))
        self.bound("tree", place, "split_gain", arithmetic.bound_gain(*sides, *rows))
        self.bound("tree", place, "value", arithmetic.divide(Near(sums, error), Near(counts.astype(np.float64))).error)
        untold = np.broadcast_to(self.find("tree", place, "value"), tree.value.shape)
        largest, own = float(np.max(untold[tree.feature == LEAF])), arithmetic.u * np.abs(tree.value).max()
        self.forest[k] += (largest + own) / self.ranker.n_trees + 4 * own
        return super().settle_tree(tree, place)


def read_weight(weights: GriddedWeights) -> Floats | None:
    """Return the weights of the rows, (n_samples,), as the grid has them; None without weights."""
    return None if weights.integers is None else from_grid(weights.integers, weights.exponent)


def bound_ranking(lockstep: HonestLockstep, kept: Bools, n_turns: int, place: Place = END) -> None:
    """Bound the ranking scores of rows after so many turns, and the metrics; `kept`, (n_samples,), are trained on."""
    bound, error = partial(lockstep.bound, place=place), np.zeros(len(kept))
    error[kept] = bound_scores(lockstep, n_turns)
    error[~kept] = error.max()
    bound("prediction", name="values", error=error)
    for name, n_positions in ("ndcg", POSITIONS), ("err", len(kept)), ("mean", POSITIONS + len(kept)):
        bound("metric", name=name, error=partial(lockstep.arithmetic.bound_metric, n_positions=n_positions))


def bound_scores(lockstep: HonestLockstep, n_turns: int) -> Any:
    """Bound the ranking scores of the rows that are trained on, (n_samples,), which follow from outputs: sums of steps.

    A port may add the steps up once more, after its training.
    """
    ranker, bound_result, find = lockstep.outputs.learned, lockstep.arithmetic.bound_result, lockstep.find
    is_mcrank, is_cocr, errors = isinstance(ranker, BoostRanker), isinstance(ranker, COCRRanker), []
    n_averaged = max(1, min(n_turns, lockstep.n_forest))  # trees; the bound of a forest is that of the mean of all
    for k in lockstep.steps if is_cocr else range(len(ranker.model_.initial) if is_mcrank else len(lockstep.targets)):
        steps = lockstep.steps.get(k, [])
        if is_mcrank:
            size, moved = abs(ranker.model_.initial[k]), find("scores", Place(round=n_turns, output=k))
        else:
            size = 1.0 if is_cocr else np.abs(lockstep.targets[k].value).max()
            forest = 0.0 if is_cocr else lockstep.forest[k] * max(1, lockstep.n_forest) / n_averaged
            moved = np.max(find("start", Place())) + forest
            moved += sum(np.max(find("step", Place(round=m, output=k))) for m in range(1, len(steps) + 1))
        size += sum(np.abs(values).max() for *_, values in steps)
        errors.append(float(bound_result(size, np.max(moved), 2 * len(steps) + (2 if is_mcrank else 3))))
        if is_cocr:
            lockstep.bound("answers", Place(output=k), "values", errors[-1])
            errors[-1] = find("answers", Place(output=k))
    if isinstance(ranker, ClassBoostRanker):
        return bound_relevance(lockstep, np.array(errors))
    n = len(errors) + 1
    if is_cocr:
        return bound_result(float(n), sum(errors), n)
    return errors[0] if is_mcrank or not has_classes(ranker) else bound_result(2.0 * n**2, 2 * n * sum(errors), 3 * n)


def bound_relevance(lockstep: HonestLockstep, errors: Floats) -> Any:
    """Bound the expected relevance of the rows, (n_samples,), given the bounds of the outputs."""
    ranker, arithmetic = lockstep.outputs.learned, lockstep.arithmetic
    F, relevance = np.column_stack([lockstep.scores[k] for k in range(len(errors))]), arithmetic.read(ranker.relevance_)
    if ranker.algorithm == "softmax":
        proba = Near(softmax(F), arithmetic.bound_proba(Near(F, errors)))
        return arithmetic.add_up(arithmetic.multiply(proba, relevance)).error
    n_trees = 2 if ranker.update == "sequential" else 1  # of a problem
    moved, n_classes, most = np.zeros(len(F)), len(ranker.relevance_), np.abs(relevance.value).max()
    for k in range(0, F.shape[1], n_trees):
        other = F[:, k + 1] if n_trees == 2 else -F[:, k]
        both = Near(np.column_stack([F[:, k], other]), errors[[k, k + n_trees - 1]])
        moved += 2 * most * arithmetic.bound_proba(both)[:, 0]
    return arithmetic.bound_result(2 * n_classes * most, moved, 3 * n_classes)
