"""Checks of input: one vocabulary of faults, and one form of sentence for each of them.

    {name} is {value}: it must be {rule}                      a parameter
    {name} at row {i} is {value}: {rule}                      an entry of an array
    {name} at row {i}, column {j} is {value}: {rule}          an entry of a table
    {name} has shape {shape}: it must have shape {rule}       an array as a whole

Every fault is a ValueError that calls the argument `name`. A check returns its argument, in the type that the library
works with.
"""

import math
from collections.abc import Collection
from contextlib import suppress
from numbers import Integral, Real
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Bools, Floats, Ints, Matrix
from refrank.cluster.communicator import count_rows, find_shards, find_span, is_alone, is_any

BLOCK = 16384  # rows checked at a time: no temporary is as large as X
MOST_CLASSES = 64  # more than these are taken for a mistake, unless n_classes says otherwise
MOST_STATED_CLASSES = 1024  # with more, the gain 2^y - 1 of the highest label is not a float64
LARGEST_COUNT = 2**31 - 1  # the highest int32: trees number rows, features and nodes by these
LARGEST_SUMMED = 1e290  # in size, of a number of which 2**31 are summed: the sum is finite
LARGEST_SEED = 2**128 - 1  # NumPy's generators start from 128 bits, trees from the last 64


def check_integer(name: str, value: object, at_least: int, at_most: int | None = None) -> int:
    """Return an integer within its bounds; `at_most` None: the highest int32, and the rule names the broken bound.

    >>> check_integer("n_leaves", 1, at_least=2)
    Traceback (most recent call last):
    ValueError: n_leaves is 1: it must be an integer of at least 2
    >>> check_integer("n_leaves", 2**63, at_least=2)
    Traceback (most recent call last):
    ValueError: n_leaves is 9223372036854775808: it must be an integer of at most 2147483647
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    highest = LARGEST_COUNT if at_most is None else at_most
    if not whole or not at_least <= value <= highest:  # type: ignore[operator]
        rule = f"from {at_least} to {highest}"
        if at_most is None:
            above = whole and value > highest  # type: ignore[operator]
            rule = f"of at most {highest}" if above else f"of at least {at_least}"
        raise ValueError(f"{name} is {short(value)}: it must be an integer {rule}")
    return int(value)  # type: ignore[call-overload]


def check_seed(name: str, value: object) -> int:
    """Return a seed: an integer from 0 to the highest of 128 bits.

    >>> check_seed("random_state", -1)
    Traceback (most recent call last):
    ValueError: random_state is -1: it must be an integer from 0 to 340282366920938463463374607431768211455
    """
    return check_integer(name, value, at_least=0, at_most=LARGEST_SEED)


def check_number(
    name: str, value: object, *, above: float = -math.inf, at_least: float = -math.inf, at_most: float = math.inf
) -> float:
    """Return a finite number within its bounds.

    >>> check_number("learning_rate", 1.5, above=0, at_most=1)
    Traceback (most recent call last):
    ValueError: learning_rate is 1.5: it must be a number above 0 and at most 1
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):  # an integer beyond the largest float64
            number = float(value)
            if math.isfinite(number) and above < number and at_least <= number <= at_most:
                return number
    bounds = {"above": above, "of at least": at_least, "at most": at_most}
    rule = " and ".join(f"{words} {bound:g}" for words, bound in bounds.items() if math.isfinite(bound))
    raise ValueError(f"{name} is {short(value)}: it must be a {f'number {rule}' if rule else 'finite number'}")


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return one of the choices.

    >>> check_choice("update", "parallel", ("sequential", "simultaneous"))
    Traceback (most recent call last):
    ValueError: update is 'parallel': it must be one of 'sequential', 'simultaneous'
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} is {short(value)}: it must be one of {', '.join(map(repr, choices))}")
    return value


def check_shape(name: str, values: NDArray[Any], shape: tuple[int, ...], rule: str) -> None:
    """Refuse an array of another shape; the rule names the shape, and what an entry is.

    >>> check_shape("score", np.zeros(3), (2,), "(n_samples,), one score per row")
    Traceback (most recent call last):
    ValueError: score has shape (3,): it must have shape (n_samples,), one score per row, here (2,)
    """
    if values.shape != shape:
        raise ValueError(f"{name} has shape {values.shape}: it must have shape {rule}, here {shape}")


def check_entries(name: str, values: NDArray[Any], wrong: Bools, rule: str) -> None:
    """Refuse the first entry that is marked wrong; `wrong` has the shape of `values`, of one dimension or two.

    >>> y = np.array([0.0, 2.5])
    >>> check_entries("y", y, y != np.rint(y), "labels must be integers")
    Traceback (most recent call last):
    ValueError: y at row 1 is 2.5: labels must be integers
    """
    if wrong.any():
        place = tuple(int(at) for at in np.argwhere(wrong)[0])
        value = values[place].item() if isinstance(values[place], np.generic) else values[place]
        raise ValueError(f"{name} at {name_place(place)} is {short(value)}: {rule}")


def name_place(place: tuple[int, ...]) -> str:
    """Name an entry by its row, and in a table by its column.

    >>> name_place((3,)), name_place((3, 1))
    ('row 3', 'row 3, column 1')
    """
    return "".join(f"{word} {at}" for word, at in zip(("row", ", column"), place, strict=False))


def check_unmasked(name: str, values: Any) -> None:
    """Refuse an array of `numpy.ma` with a masked entry, of one dimension or two: its number has no meaning.

    >>> check_unmasked("y", np.ma.array([0, 1, 2], mask=[False, True, False]))
    Traceback (most recent call last):
    ValueError: y at row 1 is masked: every entry must have a value; numpy.ma.filled gives them one, such as NaN
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = name_place(tuple(int(at) for at in np.argwhere(values.mask)[0]))
        rule = "every entry must have a value; numpy.ma.filled gives them one, such as NaN"
        raise ValueError(f"{name} at {place} is masked: {rule}")


def check_numbers(name: str, values: ArrayLike, rule: str) -> Floats:
    """Return an array as float64: no entry is masked, and its type is one of real numbers.

    >>> check_numbers("score", ["1", "2"], "scores must be numbers")
    Traceback (most recent call last):
    ValueError: score has type <U1: scores must be numbers
    """
    check_unmasked(name, values)
    numbers = np.asarray(values)
    if numbers.dtype.kind == "O" and all(isinstance(number, Real) for number in numbers.flat):
        with suppress(OverflowError):  # an integer beyond the largest float64
            numbers = numbers.astype(np.float64)
    if numbers.dtype.kind not in "iufb":
        raise ValueError(f"{name} has type {numbers.dtype}: {rule}")
    return np.ascontiguousarray(numbers, np.float64)


def check_table_size(shape: tuple[int, ...], name: str = "X") -> None:
    """Refuse more rows or columns than an int32 can number; the shape is known before anything is read or copied.

    >>> check_table_size((3 * 10**9, 5))
    Traceback (most recent call last):
    ValueError: X has 3000000000 rows: there must be at most 2147483647, the highest int32, which numbers them
    """
    for count, what in zip(shape, ("rows", "columns"), strict=False):
        if count > LARGEST_COUNT:
            rule = f"there must be at most {LARGEST_COUNT}, the highest int32, which numbers them"
            raise ValueError(f"{name} has {count} {what}: {rule}")


def check_finite(
    X: Matrix, names: ArrayLike | None = None, recipe: str = "; sklearn.impute.SimpleImputer fills gaps"
) -> None:
    """Refuse features, (n_samples, n_features), that are NaN or infinite.

    `names` are those of the columns, and `recipe` says what can be done with NaN.

    >>> check_finite(np.array([[0.0, 1.0], [2.0, np.nan]]))
    Traceback (most recent call last):
    ValueError: X at row 1, column 1 is NaN: every feature must be finite; sklearn.impute.SimpleImputer fills gaps
    """
    for start in range(0, len(X), BLOCK):
        finite = np.isfinite(X[start : start + BLOCK])
        if not finite.all():
            row, column = (int(at) for at in np.argwhere(~finite)[0])
            x, rule = float(X[start + row, column]), "every feature must be finite"
            value, rule = ("NaN", rule + recipe) if math.isnan(x) else (str(x), rule)
            name = "" if names is None else f" ({np.asarray(names)[column]})"
            raise ValueError(f"X at row {start + row}, column {column}{name} is {value}: {rule}")


def check_labels(y: ArrayLike, highest: int | None = None, name: str = "y") -> Ints:
    """Return labels, (n_samples,), as int64: integers, or floats without a fraction, from 0 to `highest`.

    The highest label allowed is by default the highest int32.

    >>> check_labels([0, 5], highest=4)
    Traceback (most recent call last):
    ValueError: y at row 1 is 5: labels must be integers from 0 to 4
    """
    return check_label_column(y, highest, name).astype(np.int64, copy=False)


def check_label_column(y: ArrayLike, highest: int | None = None, name: str = "y") -> NDArray[Any]:
    """Return labels, (n_samples,), checked as by `check_labels`, in the type that they have."""
    labels = check_column(name, y)
    rule = "labels must be integers " + ("of at least 0" if highest is None else f"from 0 to {highest}")
    if labels.dtype.kind not in "iufb":
        raise ValueError(f"{name} has type {labels.dtype}: {rule}; Unknown label type")
    top = np.iinfo(np.int32).max if highest is None else highest
    if len(labels) == 0:  # of a shard: its rows are elsewhere
        return labels
    with np.errstate(invalid="ignore"):
        # The bounds first: marking each entry takes several times as long, and is needed only where one is wrong.
        # As Python's numbers, since a type of few bits does not hold `top`. No NaN is lawful.
        lawful = labels.min().item() >= 0 and labels.max().item() <= top
        if not lawful or (labels.dtype.kind == "f" and (labels != np.rint(labels)).any()):
            integers = labels.astype(np.int64)
            check_entries(name, labels, (integers != labels) | (integers < 0) | (integers > top), rule)
    return labels


def check_column(name: str, values: ArrayLike) -> NDArray[Any]:
    """Return an array of one dimension, (n_samples,), with at least one entry."""
    check_unmasked(name, values)
    column = np.asarray(values)
    if column.ndim != 1:
        raise ValueError(f"{name} has shape {column.shape}: it must have shape (n_samples,)")
    if len(column) == 0 and is_alone():
        raise ValueError(f"{name} is empty: there must be at least one row")
    return column


def check_scores(score: ArrayLike, n_samples: int, name: str = "score") -> Floats:
    """Return scores, (n_samples,), as float64; infinite scores are allowed, because they have a place in a ranking."""
    rule = "scores must be numbers and not NaN"
    scores = check_numbers(name, score, rule)
    check_shape(name, scores, (n_samples,), "(n_samples,), one score per row of y")
    check_entries(name, scores, np.isnan(scores), rule)
    return scores


def count_classes(labels: Ints, n_classes: int | None) -> int:
    """Return K: `n_classes` where it is given, else the highest label plus 1.

    Refuse labels, (n_samples,), that are all equal: there is nothing to rank by.
    """
    (lowest, highest), n_samples = find_span(labels), count_rows(len(labels))
    if lowest >= highest:
        rule = "a ranker needs labels of at least two classes"
        raise ValueError(f"y is {highest} in every row ({n_samples} sample(s)): {rule}")
    if n_classes is not None:
        return n_classes
    rule = f"more than {MOST_CLASSES} classes are taken for a mistake; to train on them, pass n_classes"
    check_entries("y", labels, labels >= MOST_CLASSES, rule)
    return highest + 1


def check_target(y: ArrayLike) -> Floats:
    """Return regression targets, (n_samples,), as float64."""
    values = check_column("y", y)
    rule = f"a target of regression must be finite, and at most {LARGEST_SUMMED:g} in size, so that no sum overflows"
    if values.dtype.kind not in "iufb":
        raise ValueError(f"y has type {values.dtype}: {rule}; Unknown label type")
    target = values.astype(np.float64)
    check_entries("y", target, ~(np.abs(target) <= LARGEST_SUMMED), rule)
    return target


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> Floats | None:
    """Return the weights, (n_samples,): finite, not negative, not all 0; None where there are none."""
    if sample_weight is None:
        return None
    rule = "weights must be finite and not negative"
    weight = check_numbers("sample_weight", sample_weight, rule)
    check_shape("sample_weight", weight, (n_samples,), "(n_samples,), one weight per row of X")
    check_entries("sample_weight", weight, ~(np.isfinite(weight) & (weight >= 0)), rule)
    if not is_any(weight.any()):
        raise ValueError("sample_weight is zero in every row: some row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(sum(find_shards().gather(weight.sum()))):
            raise ValueError("sample_weight adds up to more than the largest float64: the sum must be finite")
    return weight


def print_text(text: str, most: int) -> str:
    """Write a text in printable characters, on one line; shorten a long one to its beginning and end.

    >>> print_text(chr(27) + "[2J", 20) == chr(92) + "x1b[2J", print_text("0123456789" * 9, 20)
    (True, '01234567 ... 3456789')
    """
    ends = text if len(text) <= 2 * most else text[:most] + text[-most:]
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in ends)
    return line if len(line) <= most else f"{line[: most // 2 - 2]} ... {line[3 - most // 2 :]}"
