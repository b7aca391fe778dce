"""All cases, by function, in the order of `refrank/kernel/refrank_splitter.h`."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import product
from typing import Any

from yardstick.kernel import inputs
from yardstick.kernel.case import FUNCTIONS, KernelCase
from yardstick.kernel.inputs import BY_HAND, FLAGS, take
from yardstick.kernel.nodes import KINDS

FLOATS, THREADS = ("float64", "float32"), (1, 3)


def list_cases(functions: Collection[str] = FUNCTIONS) -> dict[str, list[KernelCase]]:
    """List the cases of the given functions.

    >>> {function: len(cases) > 3 for function, cases in list_cases().items()} == dict.fromkeys(FUNCTIONS, True)
    True
    """
    every = list(list_all())
    return {name: [case for case in every if case.function == name] for name in FUNCTIONS if name in functions}


def combine(function: str, make: Callable[..., tuple[Any, ...]], **axes: Collection[Any]) -> Iterator[KernelCase]:
    """List the cases of all combinations of some arguments of a maker; words stand for themselves in a case's name.

    >>> [case.name for case in combine("exp", tuple, x=("edges", "none"), n_threads=(1,))]
    ['edges, n_threads 1', 'none, n_threads 1']
    """
    for values in product(*axes.values()):
        named = dict(zip(axes, values, strict=True))
        words = (value if isinstance(value, str) else f"{axis} {value}" for axis, value in named.items())
        yield KernelCase(function, ", ".join(words), partial(make, **named))


def list_all() -> Iterator[KernelCase]:
    """List all cases."""
    for function in ("largest_magnitude", "histogram", "root_sums", "partition", "leaf_sums", "add_to_leaves"):
        yield from combine(function, partial(take, function), kind=KINDS, n_threads=THREADS)

    lengths, n_bins = (0.0, 1e-8, 0.3, 2.0, 1e300), (1, 2, 7, 65_536)
    values = inputs.make_ascending()
    yield from combine("bin_starts", inputs.start_bins, values=values, dtype=FLOATS, length=lengths, n_bins=n_bins)
    yield from combine("quantize", inputs.label_rows, kind=KINDS, dtype=FLOATS, n_threads=THREADS)
    some = "eight features", "nine features and weights"
    yield from combine("quantize", inputs.label_rows, kind=some, layout=("F", "every other row"))
    yield KernelCase("quantize", "NaN, infinities, signed zeros, and neighbours of cuts", inputs.label_special)
    yield from combine("largest_magnitude", inputs.measure_odd, value=("nan", "-nan", "inf", "-inf"))
    yield from combine("round_to_grid", inputs.round_values, kind=KINDS, shift=(0, -40, -3000), n_threads=THREADS)
    exact = "halves", "one unit off a half", "2**53 and below"
    yield from combine("round_to_grid", inputs.round_exactly, value=exact)

    cut = partial(take, "best_split")
    yield from combine("best_split", cut, kind=KINDS, min_samples_leaf=(1, 2, 5, 20), missing=FLAGS)
    yield from combine("best_split", cut, kind=KINDS, min_samples_leaf=(1,), n_threads=(3,))
    yield from combine("best_split", cut, kind=KINDS, min_samples_leaf=(1,), features=("every other feature",))
    yield from combine("best_split", inputs.cut_histogram, sums=BY_HAND, min_samples_leaf=(1, 2, 3), missing=FLAGS)
    yield from combine("best_split", inputs.cut_histogram, sums=inputs.make_histograms())
    yield from combine("best_split_inside", inputs.cut_inside, kind=KINDS, min_samples_leaf=(1, 5), missing=FLAGS)

    leaves = "leaves 1", "leaves 2", "leaves 10 10 10 10", "leaves 1 2 33 1 7"
    yield from combine("add_trees", inputs.walk, leaves=leaves, dtype=FLOATS, n_samples=(1, 257), n_threads=THREADS)
    yield from combine(
        "add_trees", inputs.walk, leaves=("leaves", "leaves 9 9"), dtype=FLOATS, n_samples=(40,), order=("C", "F")
    )
    for turn, (kind, (n_samples, n_rows, *_)) in enumerate(KINDS.items()):
        for i, missing in enumerate(FLAGS if n_samples < 10_000 else ()):
            depth, least = ((-1, 1), (3, 2), (-1, 5), (0, 1))[(i + turn) % 4]  # each flag with each limit, in some kind
            depth = 3 if n_rows > 500 else depth  # the specification is slow on many rows
            limits = {"max_depth": (depth,), "min_samples_leaf": (least,)}
            yield from combine("grow_deep", inputs.grow, kind=(kind,), missing=(missing,), **limits)
    yield from combine("exp", inputs.list_arguments, x=("random", "steps of k", "edges", "none", "two dimensions"))
    shapes, parts = ("1 x 2", "7 x 5", "513 x 3", "40 x 64"), ("all columns", "the last column", "all but the first")
    sizes = 0.0, 1.0, 300.0, 1e5
    yield from combine("softmax", inputs.share_out, shape=shapes, columns=parts, scale=sizes, n_threads=THREADS)
