"""What another program can hold of a ranker: sums of trees, and the head that turns them into a score.

    kind                     outputs                                        head          sums divided by
    softmax                  F_k, one per class                             Softmax       -
    ordinal                  F of each two-sided problem, one or two each   Ordinal       -
    ls, lad, gbrt            the score                                      Identity      -
    rf                       the score                                      Identity      number of trees
    igbrt                    the score; a leaf of the forest holds its      Identity      -
                             value over the number of trees
    rf, gbrt, igbrt with     T^c = P(rel < c), one per problem              Cumulative    as above
      setting=classification
    cocr over rf, gbrt,      the answer h_k of each problem, a constant     Total         as above
      igbrt, ls or lad       one included
    imported                 as in its file                                 Identity      of a forest: trees
                                                                            or Softmax

The sums are those of the ranker, to the bit, except for igbrt: it adds the mean of a forest to a sum of trees, in two
sums, where one sum rounds otherwise. `rounding` bounds how far the ranker is from the exact sum.

A feature that is missing reaches a tree as its substitute: it goes left if substitute < cut. That is a direction per
cut, which formats hold for NaN; `fill` and `marks_missing` say where.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.cocr.reduction import Constant
from refrank.estimators import COCRRanker, IGBRTRanker, ImportedRanker, OrdinalBoostRanker, RandomForestRanker
from refrank.estimators.base import LAST, Ranker
from refrank.estimators.mcrank import BoostRanker, ClassBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.exchange.heads import Cumulative, Head, Identity, Ordinal, Softmax, Total
from refrank.exchange.rounding import bound_additions, bound_output, half_ulp, largest_leaf
from refrank.mcrank.expected_relevance import transform_table
from refrank.trees.engine import default_engine
from refrank.trees.ensemble import Ensemble
from refrank.trees.splitting import Floats
from refrank.trees.tree import LEAF, Tree

NOT_TREES = "it must be a ranker by sums of trees, or COCR over one by regression"


@dataclass(frozen=True, eq=False, repr=False)
class Portable:
    """Sums of trees, and what a program needs to know beside them."""

    sums: Ensemble  # learning_rate 1: a leaf holds what is added
    divisor: int  # the outputs are the sums divided by this: the number of trees of a forest, else 1
    head: Head
    n_features: int
    outputs: Callable[[NDArray[np.floating]], Floats]  # those of the ranker itself
    rounding: Floats  # (n_outputs,): bound on the distance of those from the exact sums
    in_order: bool  # whether the ranker adds these very values in this order, in float64
    fill: NDArray[np.floating] | None = None  # (n_features,): substitutes of missing entries
    missing_value: float = np.nan  # what the ranker takes for missing, if there are substitutes

    @property
    def trees(self) -> list[tuple[Tree, ...]]:
        """List the trees of each output, at least one; a start other than 0 is the first, a leaf alone."""
        return with_starts(self.sums)

    def goes_left_if_missing(self, tree: Tree) -> NDArray[np.bool_]:
        """Tell for each node, (n_nodes,), whether rows that miss its feature go left; False in leaves."""
        if self.fill is None:
            return np.zeros(len(tree.feature), np.bool_)
        return (tree.feature != LEAF) & (self.fill[tree.feature] < tree.cut)


def make_portable(ranker: Any) -> Portable:
    """Take out of a fitted ranker what other programs can hold.

    Raises a ValueError, which says why, for a ranker that is not a sum of trees.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> portable = make_portable(LSBoostRanker(n_rounds=2).fit([[0.0], [1.0]], [0, 1]))
    >>> [len(trees) for trees in portable.trees], portable.outputs(np.array([[0.0], [1.0]])).shape
    ([3], (2, 1))
    """
    if isinstance(ranker, ImportedRanker):
        return carry_imported(ranker)
    if isinstance(ranker, BoostRanker):
        return carry_boosted(ranker)
    if isinstance(ranker, TreeRanker):
        return carry_trees(ranker)
    if isinstance(ranker, COCRRanker) and hasattr(ranker, "model_"):
        return carry_cocr(ranker)
    name = getattr(ranker, "algorithm", "") or type(ranker).__name__
    raise ValueError(f"the model is {name}: {NOT_TREES}, finished")


def carry_boosted(ranker: BoostRanker) -> Portable:
    """Carry the sums of McRank's rankers."""
    head: Head = Identity()
    if isinstance(ranker, OrdinalBoostRanker):
        head = Ordinal(ranker.constants_, ranker.relevance_)
    elif isinstance(ranker, ClassBoostRanker):
        head = Softmax(ranker.relevance_)
    return carry(ranker, scale(ranker.model_), head, lambda X: ranker.model_.scores(X, default_engine()))


def carry_trees(ranker: TreeRanker) -> Portable:
    """Carry the sums of iGBRT's rankers."""
    if has_classes(ranker) and ranker.clip == "each-round" and not isinstance(ranker, RandomForestRanker):
        raise ValueError(
            "clip is 'each-round': it must be True or False, since a sum of trees is clipped once, at last"
        )
    head: Head = Cumulative(bool(ranker.clip), ranker.n_classes_) if has_classes(ranker) else Identity()
    sums, divisor, rounding = scale(ranker.model_), 1, None
    if isinstance(ranker, RandomForestRanker):
        divisor = len(sums.rounds)
    if isinstance(ranker, IGBRTRanker) and ranker.forest_.rounds:
        forest = ranker.forest_.rounds
        pairs = zip(zip(*forest, strict=True), columns(sums), strict=True)
        rounding = np.array([bound_two_sums(*pair) for pair in pairs])
        shares = tuple(tuple(over(tree, len(forest)) for tree in trees) for trees in forest)
        sums = replace(sums, rounds=shares + sums.rounds)

    def outputs(X: NDArray[np.floating]) -> Floats:
        return next(ranker._staged_values(X, LAST))

    carried = carry(ranker, sums, head, outputs, divisor, rounding)
    return replace(carried, fill=ranker.fill_, missing_value=ranker.missing_value)


def carry_cocr(ranker: COCRRanker) -> Portable:
    """Carry the answers of COCR's problems, each of them a ranker by regression or a constant."""
    answers: list[Any] = [getattr(h, "regressor", h) for h in ranker.model_.soft_classifiers]
    known = [h for h in answers if not isinstance(h, Constant)]
    held = []
    for h in known:
        portable = make_portable(h) if isinstance(h, Ranker) else None
        if portable is None or not isinstance(portable.head, Identity):
            raise ValueError(f"the model is cocr over {type(h).__name__}: {NOT_TREES}")
        held.append(portable)
    divisors = {portable.divisor for portable in held} or {1}
    divisor = divisors.pop()
    if divisors:
        raise ValueError("the model is cocr over forests of several sizes: they must all have as many trees")
    if any(not same_fill(portable, held[0]) for portable in held):
        raise ValueError("the model is cocr over bases with substitutes of their own: they must all have the same")
    parts = iter(held)
    starts, trees, rounding = [], [], []
    for h in answers:
        part = None if isinstance(h, Constant) else next(parts)
        starts.append(part.sums.initial[0] if part else 0.0)
        trees.append(columns(part.sums)[0] if part else (make_leaf(h.value),) * divisor)  # n times 0 or 1, over n
        rounding.append(part.rounding[0] if part else 0.0)
    rounds = tuple(zip_longest(*trees, fillvalue=make_leaf(0.0)))  # adding 0 changes nothing
    in_order = all(portable.in_order for portable in held)
    first = held[0] if held else None
    return Portable(
        Ensemble(tuple(starts), rounds, 1.0),
        divisor,
        Total(len(answers)),
        ranker.n_features_in_,
        lambda X: ranker.model_.answers(np.ascontiguousarray(X, np.float64)),
        np.array(rounding),
        in_order,
        first.fill if first else None,
        first.missing_value if first else np.nan,
    )


def carry_imported(ranker: ImportedRanker) -> Portable:
    """Carry the sums of an imported model whose rules for missing entries are one."""
    if len(ranker.rules_) > 1 or ranker.rules_[0] not in ("nan right", "nan is zero"):
        rule = "it must be 'nan right' or 'nan is zero', the rules that every format holds"
        raise ValueError(f"rules_ is {', '.join(map(repr, ranker.rules_))}: {rule}")
    n_outputs = len(ranker.model_.initial)
    head = Identity() if n_outputs == 1 else Softmax(transform_table("k", n_outputs))
    divisor = max(1, ranker.n_rounds_) if ranker.averages_ else 1
    carried = carry(ranker, ranker.model_, head, ranker.predict_outputs, divisor)
    fill = np.full(ranker.n_features_in_, np.inf if ranker.rules_[0] == "nan right" else 0.0)
    return replace(carried, fill=fill)


def carry(
    ranker: Ranker,
    sums: Ensemble,
    head: Head,
    outputs: Callable[[NDArray[np.floating]], Floats],
    divisor: int = 1,
    rounding: Floats | None = None,
) -> Portable:
    """Put a record together; a rounding that is given says that the ranker adds otherwise."""
    in_order = rounding is None
    rounding = bound_outputs(sums, divisor) if rounding is None else rounding
    return Portable(sums, divisor, head, ranker.n_features_in_, outputs, rounding, in_order)


def bound_outputs(sums: Ensemble, divisor: int, in_order: bool = True) -> Floats:
    """Bound the rounding of each output, (n_outputs,), in float64."""
    return np.array([bound_output(trees, divisor, in_order) for trees in with_starts(sums)])


def scale(model: Ensemble) -> Ensemble:
    """Multiply the leaves by the learning rate, as each prediction does."""
    rate = model.learning_rate
    rounds = tuple(tuple(replace(tree, value=rate * tree.value) for tree in trees) for trees in model.rounds)
    return Ensemble(tuple(start + 0.0 for start in model.initial), rounds, 1.0)


def columns(sums: Ensemble) -> list[tuple[Tree, ...]]:
    """List the trees of each output."""
    return list(zip(*sums.rounds, strict=True)) or [()] * len(sums.initial)


def with_starts(sums: Ensemble) -> list[tuple[Tree, ...]]:
    """List the trees of each output, at least one; starts other than 0 are leaves alone in front of them."""
    trees = columns(sums)
    if sums.rounds and not any(sums.initial):
        return trees
    return [(make_leaf(start), *held) for start, held in zip(sums.initial, trees, strict=True)]


def over(tree: Tree, divisor: int) -> Tree:
    """Divide the leaves of a tree."""
    return replace(tree, value=tree.value / divisor)


def make_leaf(value: float) -> Tree:
    """Make a tree that gives one value to every row."""
    number, none = np.zeros(1, np.int32), np.zeros(1)
    leaf = np.full(1, LEAF, np.int32)
    return Tree(leaf, number, none, number, number, none, np.zeros(1, np.int64), np.full(1, value))


def same_fill(a: Portable, b: Portable) -> bool:
    """Tell whether two models substitute the same numbers for missing entries."""
    if a.fill is None or b.fill is None:
        return a.fill is b.fill
    return np.array_equal(a.fill, b.fill) and np.array_equal(a.missing_value, b.missing_value, equal_nan=True)


def bound_two_sums(forest: Sequence[Tree], boosted: Sequence[Tree]) -> float:
    """Bound the distance of igbrt's score from the exact sum of forest leaves over n, rounded, and boosted leaves."""
    n_trees = len(forest)
    of_forest, of_boosted = sum(map(largest_leaf, forest)) / n_trees, sum(map(largest_leaf, boosted))
    error = bound_output(forest, n_trees) + bound_additions(0.0, boosted)
    error += sum(half_ulp(largest_leaf(tree) / n_trees) for tree in forest)  # of each share
    return error + half_ulp(2 * (of_forest + of_boosted))
