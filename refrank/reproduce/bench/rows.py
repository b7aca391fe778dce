"""The rows of a bench's tables as text, for Markdown, LaTeX and HTML alike, and the sentences beside them."""

from collections.abc import Iterator, Sequence

import numpy as np

from refrank.metrics import BootstrapInterval, summarize
from refrank.metrics.paired_comparison import POWER
from refrank.metrics.significance import N_RESAMPLES
from refrank.reproduce.bench.comparisons import MeasureComparison, SystemPair
from refrank.reproduce.bench.result import BenchResult
from refrank.reproduce.verdicts import LEVEL

Row = list[str]
TESTS = ["95% interval", "p (t)", "p (rand.)", "resolves", "differs"]
MEANS = ["system", "mean", "sd", "95% interval", "to best", *TESTS]
PAIRS = ["a", "b", "a - b", *TESTS, "above", "below", "equal"]
LEFT = {"system", "a", "b", "fold", "configuration"}  # columns of words, which stand on the left
CHOICES = ["system", "fold", "configuration", "rounds", "valid", "tried"]


def list_means(comparison: MeasureComparison) -> Iterator[Row]:
    """Yield a row of `MEANS` per system; where no pair is compared, the tests have none."""
    for system in comparison.systems:
        pair = comparison.find_pair(comparison.best, system.name)
        summary = [format_figure(system.summary.mean), format_figure(system.summary.sd)]
        tests = ["-"] * 5 + ["best" if system.name == comparison.best else "no"] if pair is None else list_tests(pair)
        yield [system.name, *summary, format_interval(system.interval), *tests]


def list_pairs(comparison: MeasureComparison) -> Iterator[Row]:
    """Yield a row of `PAIRS` per pair."""
    yield from ([pair.a, pair.b, *list_tests(pair), *map(str, pair.counts)] for pair in comparison.pairs)


def list_tests(pair: SystemPair) -> Row:
    """List the difference of a pair, and the columns of `TESTS`."""
    p_t = format_p_value(pair.p_t) if pair.compared.t_test else "-"
    return [
        format_figure(pair.compared.difference.mean),
        format_interval(pair.compared.interval),
        p_t,
        format_p_value(pair.p_randomization),
        format_figure(pair.resolved),
        "yes" if pair.differs else "no",
    ]


def list_folds(comparison: MeasureComparison) -> Iterator[Row]:
    """Yield a row per system: its mean in each fold, and the mean of these."""
    for system in comparison.systems:
        means = [*system.fold_means.tolist(), summarize(system.fold_means).mean]
        yield [system.name, *map(format_figure, means)]


def list_choices(result: BenchResult) -> Iterator[Row]:
    """Yield a row of `CHOICES` per system and fold."""
    for system, choices in result.choices.items():
        for fold, choice in zip(result.folds, choices, strict=True):
            configuration = ", ".join(f"{name}={value}" for name, value in choice.configuration.items()) or "-"
            rounds = "-" if choice.n_rounds is None else str(choice.n_rounds)
            yield [system, fold, configuration, rounds, format_figure(choice.valid), str(choice.n_tried)]


def conclude(comparison: MeasureComparison) -> str:
    """Write which system is the best by a measure, which are not told apart from it, and what would be."""
    best, *others = comparison.ranked
    text = f"By {comparison.measure}, {best.name} has the highest mean, {format_figure(best.summary.mean)}."
    close = [system.name for system in others if comparison.is_close(system.name)]
    if not close:
        names = ["Each other system", *(system.name for system in others)]
        return f"{text} {names[len(others) == 1]} differs from it." if others else text
    text = f"{text} Not told apart from it: {', '.join(close)}"
    resolved = [pair.resolved for name in close if (pair := comparison.find_pair(best.name, name))]
    if not resolved:
        return f"{text}."
    ends = " to ".join(dict.fromkeys(format_figure(end) for end in (min(resolved), max(resolved))))
    return f"{text}; these queries resolve {ends}."


def describe_setting(result: BenchResult) -> list[str]:
    """Write the sentences on the data, the convention and the budget."""
    tried = sorted({choice.n_tried for of in result.choices.values() for choice in of})
    budget = " to ".join(str(end) for end in dict.fromkeys((tried[0], tried[-1])))
    configurations = "configuration" if budget == "1" else "configurations"
    return [
        f"Test queries: {len(result.qid):,}, folds: {len(result.folds)}, convention: {result.measures[0].spec}.",
        f"In each fold, each system tried {budget} {configurations}; "
        f"the mean of {result.measures[0]} over the validation queries chose.",
    ]


def describe_tests(comparisons: Sequence[MeasureComparison]) -> list[str]:
    """Write the sentences on the figures and the tests."""
    n_pairs = len(comparisons[0].pairs)
    sentences = [
        "Mean and sd are over the queries of all folds; 95% intervals are those of the percentile bootstrap over "
        f"queries, {N_RESAMPLES:,} resamples.",
    ]
    if n_pairs == 0:
        return sentences
    return [
        *sentences,
        f"p: two-sided paired t-test and randomization test, by Holm's method over all {n_pairs} pairs of "
        "systems; each measure and each test is a family of its own.",
        f"To best: the best minus the system. Two systems differ if both p are below {LEVEL:g}.",
        f"A pair resolves the difference that the t-test finds with {POWER:.0%} probability at level "
        f"{LEVEL:g}/{n_pairs}, the first step of Holm's method: "
        "these queries need not show a smaller one.",
    ]


def format_figure(value: float) -> str:
    """Write a figure, or "-" if there is none."""
    return "-" if np.isnan(value) else f"{value:.4f}"


def format_interval(interval: BootstrapInterval | None) -> str:
    """Write both ends of an interval, or "-" if there is none."""
    return "-" if interval is None else f"[{interval.low:.4f}, {interval.high:.4f}]"


def format_p_value(p_value: float) -> str:
    """Write a p-value with two digits.

    >>> [format_p_value(p) for p in (1.0, 0.0123, 0.00004)]
    ['1', '0.012', '<0.0001']
    """
    return "<0.0001" if p_value < 0.0001 else f"{p_value:.2g}"
