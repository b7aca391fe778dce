"""Conversion of every kind of ranker to sums of trees that another program can hold.

    kind                     outputs                                        head          sums divided by
    softmax                  F_k, one per class                             Softmax       -
    ordinal                  F of each two-sided problem, one or two each   Ordinal       -
    gbrt, and any loss of    the score                                      Identity      -
      one score (ls, ...)
    rf                       the score                                      Identity      number of trees
    igbrt                    the score; a leaf of the forest holds its      Identity      -
                             value over the number of trees
    rf, gbrt, igbrt with     T^c = P(rel < c), one per problem              Cumulative    as above
      setting=classification
    cocr over one of these   the answer h_k of each problem, a constant     Total         as above
      by regression          one included
    imported                 as in its file                                 Identity or   number of rounds of
                                                                            Softmax       a forest

The sums are those of the ranker, to the bit, except for igbrt. It adds the mean of a forest to a sum of trees, and one
sum rounds differently from these two. `Portable.rounding` bounds how far the ranker is from the exact sum.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.cocr.reduction import Constant
from refrank.estimators import (
    ABCLogitBoostRanker,
    COCRRanker,
    IGBRTRanker,
    ImportedRanker,
    OrdinalBoostRanker,
    RandomForestRanker,
)
from refrank.estimators.base import Ranker
from refrank.estimators.feature_tables import drop_names
from refrank.estimators.filled_ranker import FilledRanker
from refrank.estimators.mcrank import BoostRanker, ClassBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.mcrank.expected_relevance import transform_table
from refrank.models.exchange.heads import Cumulative, Head, Identity, Ordinal, Softmax, Total
from refrank.models.exchange.imported_trees import direct_imported
from refrank.models.exchange.portable import (
    Portable,
    bound_outputs,
    direct_by_substitute,
    direct_right,
    list_outputs,
    make_leaf,
)
from refrank.models.exchange.rounding import bound_additions, bound_output, find_largest_leaf, half_ulp
from refrank.trees.engine import default_engine
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree

NOT_TREES = "it must be a ranker by sums of trees, or COCR over one by regression"


def make_portable(ranker: Any) -> Portable:
    """Extract from a fitted ranker the parts that other programs can hold.

    Raises a ValueError, with the reason, for a ranker that is not a sum of trees.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> portable = make_portable(LSBoostRanker(n_rounds=2).fit([[0.0], [1.0]], [0, 1]))
    >>> [len(trees) for trees in portable.trees], portable.outputs(np.array([[0.0], [1.0]])).shape
    ([3], (2, 1))
    """
    portable = carry_any(drop_names(ranker))
    names = getattr(ranker, "feature_names_in_", None)
    return portable if names is None else replace(portable, names=tuple(map(str, names)))


def carry_any(ranker: Any) -> Portable:
    """Extract the parts of a ranker of any kind, without the names of its features."""
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
    """Extract the sums of McRank's rankers."""

    def compute_outputs(X: Matrix) -> Floats:
        return ranker.model_.scores(ranker.fill(X), default_engine())

    head: Head = Identity()
    if isinstance(ranker, ABCLogitBoostRanker):
        raise ValueError("the model is abc-logitboost: its outputs are of pairs of classes, and no format adds them up")
    if isinstance(ranker, OrdinalBoostRanker):
        head = Ordinal(ranker.constants_, ranker.relevance_)
    elif isinstance(ranker, ClassBoostRanker):
        head = Softmax(ranker.relevance_)
    return carry_fill(ranker, carry(ranker, multiply_out(ranker.model_), head, compute_outputs))


def carry_trees(ranker: TreeRanker) -> Portable:
    """Extract the sums of iGBRT's rankers."""
    if has_classes(ranker) and ranker.clip == "each-round" and not isinstance(ranker, RandomForestRanker):
        rule = "it must be True or False, since a sum of trees is clipped once, at last"
        raise ValueError(f"clip is 'each-round': {rule}")
    head: Head = Cumulative(bool(ranker.clip), ranker.n_classes_) if has_classes(ranker) else Identity()
    sums, divisor, rounding = multiply_out(ranker.model_), 1, None
    if isinstance(ranker, RandomForestRanker):
        divisor = len(sums.rounds)
    if isinstance(ranker, IGBRTRanker) and ranker.forest_.rounds:
        forest = ranker.forest_.rounds
        pairs = zip(zip(*forest, strict=True), list_outputs(sums), strict=True)
        rounding = np.array([bound_two_sums(*pair) for pair in pairs])
        shares = scale(ranker.forest_, lambda value: value / len(forest)).rounds
        sums = replace(sums, rounds=shares + sums.rounds)

    def compute_outputs(X: Matrix) -> Floats:
        return ranker.predict_cumulative_proba(X) if has_classes(ranker) else ranker.predict(X)[:, np.newaxis]

    return carry_fill(ranker, carry(ranker, sums, head, compute_outputs, divisor, rounding))


def carry_fill(ranker: FilledRanker, carried: Portable) -> Portable:
    """Add the directions of missing entries, which go where their substitutes go."""
    if ranker.fill_ is None:
        return carried
    return replace(carried, direct=partial(direct_by_substitute, ranker.fill_), missing_value=ranker.missing_value)


def carry_cocr(ranker: COCRRanker) -> Portable:
    """Extract the answers to COCR's problems, each of them a ranker by regression or a constant."""
    answers: list[Any] = [getattr(h, "regressor", h) for h in ranker.model_.soft_classifiers]
    learned = [h for h in answers if not isinstance(h, Constant)]
    held = []
    for h in learned:
        portable = make_portable(h) if isinstance(h, Ranker) else None
        if portable is None or not isinstance(portable.head, Identity):
            raise ValueError(f"the model is cocr over {type(h).__name__}: {NOT_TREES}")
        held.append(portable)
    divisors = {portable.divisor for portable in held} or {1}
    divisor = divisors.pop()
    if divisors:
        raise ValueError("the model is cocr over forests of several sizes: they must all have as many trees")
    if any(not have_same_fill(h, learned[0]) for h in learned):
        raise ValueError("the model is cocr over bases with substitutes of their own: they must all have the same")
    parts = iter(held)
    starts, trees, rounding = [], [], []
    for h in answers:
        part = None if isinstance(h, Constant) else next(parts)
        starts.append(part.sums.initial[0] if part else 0.0)
        trees.append(list_outputs(part.sums)[0] if part else (make_leaf(h.value),) * divisor)  # n times 0 or 1, over n
        rounding.append(part.rounding[0] if part else 0.0)
    rounds = tuple(zip_longest(*trees, fillvalue=make_leaf(0.0)))  # adding 0 changes nothing
    in_order = all(portable.in_order for portable in held)
    return Portable(
        Ensemble(tuple(starts), rounds, 1.0),
        divisor,
        Total(len(answers)),
        ranker.n_features_in_,
        lambda X: ranker.model_.answers(np.ascontiguousarray(X, np.float64)),
        np.array(rounding),
        in_order,
        held[0].direct if held else direct_right,
        held[0].missing_value if held else None,
    )


def carry_imported(ranker: ImportedRanker) -> Portable:
    """Extract the sums of an imported model, with its own directions of missing entries."""
    divisor = max(1, ranker.n_rounds_) if ranker.averages_ else 1
    carried = carry(ranker, ranker.model_, choose_head(ranker), ranker.predict_outputs, divisor)
    return replace(carried, direct=direct_imported(ranker), missing_value=np.nan)


def choose_head(ranker: ImportedRanker) -> Identity | Softmax:
    """Return the head of an imported model: the output itself, or expected relevance of several."""
    n_outputs = len(ranker.model_.initial)
    return Identity() if n_outputs == 1 else Softmax(transform_table("k", n_outputs))


def carry(
    ranker: Ranker,
    sums: Ensemble,
    head: Head,
    outputs: Callable[[Matrix], Floats],
    divisor: int = 1,
    rounding: Floats | None = None,
) -> Portable:
    """Build the record; a given `rounding` means that the ranker adds in another way."""
    in_order = rounding is None
    rounding = bound_outputs(sums, divisor) if rounding is None else rounding
    return Portable(sums, divisor, head, ranker.n_features_in_, outputs, rounding, in_order, direct_right, None)


def multiply_out(model: Ensemble) -> Ensemble:
    """Multiply the leaves by the learning rate, as each prediction does."""
    return scale(model, lambda value: model.learning_rate * value)


def scale(model: Ensemble, change: Callable[[Floats], Floats]) -> Ensemble:
    """Change the values of all leaves."""
    rounds = tuple(tuple(replace(tree, value=change(tree.value)) for tree in trees) for trees in model.rounds)
    return Ensemble(tuple(start + 0.0 for start in model.initial), rounds, 1.0)


def have_same_fill(a: Any, b: Any) -> bool:
    """Return whether two rankers use the same substitutes for the same missing entries."""
    fills = [getattr(ranker, "fill_", None) for ranker in (a, b)]
    if fills[0] is None or fills[1] is None:
        return fills[0] is fills[1]
    return np.array_equal(fills[0], fills[1]) and np.array_equal(a.missing_value, b.missing_value, equal_nan=True)


def bound_two_sums(forest: Sequence[Tree], boosted: Sequence[Tree]) -> float:
    """Bound the distance of igbrt's score from the exact sum of rounded forest leaves over n and boosted leaves."""
    n_trees = len(forest)
    of_forest, of_boosted = sum(map(find_largest_leaf, forest)) / n_trees, sum(map(find_largest_leaf, boosted))
    error = bound_output(forest, n_trees) + bound_additions(0.0, boosted)
    error += sum(half_ulp(find_largest_leaf(tree) / n_trees) for tree in forest)  # rounding of each share
    return error + half_ulp(2 * (of_forest + of_boosted))
