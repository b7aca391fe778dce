"""The specification with one mistake built in: what a port would compute that had made it.

Each takes the arguments of the function that it imitates, and returns its outputs; None where the mistake does not
apply.
"""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from refrank.arrays import Flags, Floats, Ints, Rows
from refrank.trees import splitting
from refrank.trees.numbers.exponential import exp
from refrank.trees.splitting import GROUP, NEEDS_CUT, NO_SPLIT, Split

Made = dict[str, Any] | None
Gain = Callable[[Ints, Ints], Any]
MISSING, MAX_DEPTH, LEAST = 6, 7, 8  # places among the arguments of grow_deep


def label_on_cut(X: Any, cuts: Floats, offsets: Ints, codes: Any, n_threads: int) -> Made:
    """Put x on a cut into the bin below it."""
    for f in range(X.shape[1]):
        edges = cuts[offsets[f] - f : offsets[f + 1] - f - 1]
        codes[f // GROUP, :, f % GROUP] = np.searchsorted(edges, X[:, f], side="left")
    return {"codes": codes}


def label_off_by_one(X: Any, cuts: Floats, offsets: Ints, codes: Any, n_threads: int, step: int) -> Made:
    """Make every label one larger or smaller, within its feature."""
    splitting.quantize(X, cuts, offsets, codes, n_threads)
    for f, n_bins in enumerate(np.diff(offsets).tolist()):
        column = codes[f // GROUP, :, f % GROUP].astype(np.int64)
        codes[f // GROUP, :, f % GROUP] = np.clip(column + step, 0, n_bins - 1)
    return {"codes": codes}


def close_bins(values: Any, length: float, n_bins: int) -> Made:
    """Make a bin hold start + length, too."""
    values, starts, following = values.astype(np.float64), [0], 0
    while (following := int(values.searchsorted(values[starts[-1]] + length, side="right"))) < len(values):
        starts.append(following)
    return {"starts": np.array(starts if len(starts) <= n_bins else [], np.int64)}


def round_by(value: Floats, exponent: int, n_threads: int, rule: Callable[[Any], Any]) -> Made:
    """Round in another way."""
    return {"integers": rule(np.ldexp(value, exponent)).astype(np.int64)}


def sum_by(value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int, rule: Callable[[Any], Any]) -> Made:
    """Round in another way before adding."""
    return {"sums": np.add.reduceat(rule(np.ldexp(value, exponent)).astype(np.int64)[rows], starts[:-1])}


def sum_then_round(value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Made:
    """Round the sum of floats, not each value."""
    leaves = pairwise(starts)
    sums = [np.rint(np.ldexp(np.add.accumulate(value[rows[a:b]])[-1], exponent)) for a, b in leaves]
    return {"sums": np.array(sums).astype(np.int64)}


def cut(
    sums: Ints, offsets: Ints, features: Rows, least: int, n_threads: int, missing: Flags | None = None, **mistake: Any
) -> Made:
    """Find the best cut with another size of sides, other flags, another gain, or another rule for ties."""
    if "more" in mistake:
        return as_outputs(splitting.best_split(sums, offsets, features, least + mistake["more"], 1, missing))
    if "flags" in mistake:
        flags = None if missing is None else mistake["flags"](missing)
        return as_outputs(splitting.best_split(sums, offsets, features, least, 1, flags))
    gain, last = mistake.get("gain", splitting.compute_gains), mistake.get("last", False)
    best = NO_SPLIT
    for f in features.tolist():
        slots, flag = sums[offsets[f] : offsets[f + 1]], 0 if missing is None else int(missing[f])
        find = find_in_three if flag and slots[-1, 1] > 0 else find_in_two
        found = find(slots, least, gain, last, flag)
        if found.split_gain > best.split_gain or (last and found.split_gain == best.split_gain > 0):
            best = found._replace(feature=f)
    return as_outputs(best)


def find_in_two(slots: Ints, least: int, gain: Gain, last: bool, flag: int = 0) -> Split:
    """Find the best cut of one feature by a gain; of equal ones the first, or the last."""
    left = slots.cumsum(axis=0)[:-1]
    right = slots.sum(axis=0) - left
    bins = np.flatnonzero(is_enough(left, least) & is_enough(right, least))
    gains = np.asarray(gain(left[bins], right[bins]))
    if len(bins) == 0 or not gains.max() > 0:
        return NO_SPLIT
    at = len(gains) - 1 - int(np.argmax(gains[::-1])) if last else int(np.argmax(gains))
    side = left[bins[at]].tolist()
    return Split(0, int(bins[at]), float(gains[at]), side[0], side[1], side[-1])


def find_in_three(slots: Ints, least: int, gain: Gain, last: bool, flag: int) -> Split:
    """Find the best cut of one feature that some rows miss."""
    present, missed = slots[:-1].sum(axis=0), slots[-1]
    if not (is_enough(present, least) and is_enough(missed, least)):
        return NO_SPLIT
    parting, among = float(gain(present, missed)), find_in_two(slots[:-1], least, gain, last)
    if among.feature >= 0 and (parting + among.split_gain > parting or flag == NEEDS_CUT):
        return among._replace(split_gain=parting + among.split_gain)
    alone = Split(0, len(slots) - 2, parting, int(present[0]), int(present[1]), int(present[-1]))
    return NO_SPLIT if flag == NEEDS_CUT else alone


def is_enough(side: Ints, least: int) -> Any:
    """Return which sides of cuts, (..., 2 or 3), hold enough rows, and some weight."""
    return (side[..., 1] >= least) & (side[..., -1] > 0)


def cut_inside(*arguments: Any, **mistake: Any) -> Made:
    """Find the same in the bins of a node's rows."""
    column_codes, offsets, _, _, _, rows, integers, weights, features, least, n_threads, missing = arguments
    codes = np.zeros((-(-len(column_codes) // GROUP), column_codes.shape[1], GROUP), column_codes.dtype)
    for f, column in enumerate(column_codes):
        codes[f // GROUP, :, f % GROUP] = column
    sums = splitting.histogram(codes, offsets, rows, integers, weights, 1)
    return cut(sums, offsets, features, least, n_threads, missing, **mistake)


def as_outputs(split: Split) -> Made:
    """Name the fields of a cut."""
    return split._asdict()


def gain_by_squares(left: Ints, right: Ints) -> Any:
    """The same gain by another formula."""
    (s_left, n_left), (s_right, n_right) = as_floats(left), as_floats(right)
    total = s_left + s_right
    return s_left * s_left / n_left + s_right * s_right / n_right - total * total / (n_left + n_right)


def gain_of_parent(left: Ints, right: Ints) -> Any:
    """Take the mean of the node off that of the left side."""
    (s_left, n_left), (_, n_right), (s_node, n_node) = as_floats(left), as_floats(right), as_floats(left + right)
    d = s_left / n_left - s_node / n_node
    return d * d * (n_left * n_right / n_node)


def gain_of_float32(left: Ints, right: Ints) -> Any:
    """Hold the sums in float32."""
    (s_left, n_left), (s_right, n_right) = as_floats(left), as_floats(right)
    d = s_left.astype(np.float32) / n_left - s_right.astype(np.float32) / n_right
    return d * d * (n_left * n_right / (n_left + n_right))


def as_floats(side: Ints) -> tuple[Floats, Floats]:
    """Return the sums of residuals and of weights, or counts, of sides, (..., 2 or 3)."""
    return side[..., 0].astype(np.float64), side[..., -1].astype(np.float64)


def part_below(codes: Any, rows: Rows, feature: int, bin: int, n_threads: int) -> Made:
    """Send the rows of the cut's own bin to the right."""
    return {"n_left": splitting.partition(codes, rows, feature, bin - 1, n_threads), "rows": rows}


def walk_on_cut(X: Any, roots: Ints, feature: Rows, cut: Floats, *others: Any) -> Made:
    """Send x on a cut to the left."""
    splitting.add_trees(X, roots, feature, np.nextafter(cut, np.inf), *others)
    return {"scores": others[-2]}


def walk_in_float32(X: Any, roots: Ints, feature: Rows, cut: Floats, *others: Any) -> Made:
    """Compare in float32."""
    splitting.add_trees(X.astype(np.float32), roots, feature, cut.astype(np.float32).astype(np.float64), *others)
    return {"scores": others[-2]}


def share_without_highest(scores: Floats, first: int, proba: Floats, n_threads: int) -> Made:
    """Take exp of the scores themselves."""
    terms = [exp(scores[:, k]) for k in range(scores.shape[1])]
    total = np.zeros(len(scores))
    for term in terms:
        total += term
    return {"proba": np.column_stack([term / total for term in terms[first : first + proba.shape[1]]])}


def grow(*arguments: Any, **mistake: Any) -> Made:
    """Grow a deep tree with another argument."""
    changed = list(arguments)
    changed[MISSING] = None if "missing" in mistake else changed[MISSING]
    changed[MAX_DEPTH] += mistake.get("depth", 0)
    changed[LEAST] += mistake.get("more", 0)
    names = "feature", "bin", "left", "right", "split_gain", "sum", "count", "weight"
    return dict(zip(names, splitting.grow_deep(*changed), strict=True))


ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "values are cut off, not rounded: use rint": np.trunc,
    "halves are rounded up: round them to even, as rint does": lambda value: np.floor(value + 0.5),
    "halves are rounded away from 0: round them to even, as rint does": lambda value: np.copysign(
        np.floor(np.abs(value) + 0.5), value
    ),
}
CUTS: dict[str, dict[str, Any]] = {
    "a tie went to the last cut: it goes to the lowest feature, then to the lowest bin": {"last": True},
    "a side needs min_samples_leaf rows, not one more": {"more": 1},
    "a side needs min_samples_leaf rows, not one fewer": {"more": -1},
    "missing flags were not looked at": {"flags": lambda missing: None},
    "the missing flags 1 and 2 were taken for each other": {"flags": lambda missing: (3 - missing) * (missing > 0)},
    "the missing flag 2 was taken for 1": {"flags": lambda missing: np.minimum(missing, 1)},
    "the gain by sums of squares, which rounds otherwise: use rule 3": {"gain": gain_by_squares},
    "the mean of the node stands where that of the right side belongs": {"gain": gain_of_parent},
    "sums were rounded to float32": {"gain": gain_of_float32},
}
MISTAKES: dict[str, dict[str, Callable[..., Made]]] = {
    "bin_starts": {"a bin does not hold start + length: it ends below": close_bins},
    "quantize": {
        "x on a cut belongs to the bin above the cut": label_on_cut,
        "every bin is one too high": partial(label_off_by_one, step=1),
        "every bin is one too low": partial(label_off_by_one, step=-1),
    },
    "round_to_grid": {text: partial(round_by, rule=rule) for text, rule in ROUNDINGS.items()},
    "best_split": {text: partial(cut, **mistake) for text, mistake in CUTS.items()},
    "best_split_inside": {text: partial(cut_inside, **mistake) for text, mistake in CUTS.items()},
    "partition": {"rows with code <= bin go left, those of the cut's own bin too": part_below},
    "leaf_sums": {text: partial(sum_by, rule=rule) for text, rule in ROUNDINGS.items()}
    | {"each value is rounded to the grid, not their sum": sum_then_round},
    "add_trees": {
        "a row goes left where x < cut: x on a cut went left": walk_on_cut,
        "x and the cut are compared in double, not in float": walk_in_float32,
    },
    "softmax": {"the highest score of the row was not taken off": share_without_highest},
    "grow_deep": {
        "missing flags were not looked at": partial(grow, missing=None),
        "max_depth counts cuts, not levels of nodes: the tree is one too deep": partial(grow, depth=1),
        "max_depth counts cuts, not levels of nodes: the tree is one too shallow": partial(grow, depth=-1),
        "a side needs min_samples_leaf rows, not one more": partial(grow, more=1),
        "a side needs min_samples_leaf rows, not one fewer": partial(grow, more=-1),
    },
}
