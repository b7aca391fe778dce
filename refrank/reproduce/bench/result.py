"""The result of a bench: the test values of each system, query by query, and the configurations that were chosen.

symbol      in code     shape
N_Q         n_queries   test queries of all folds, fold after fold
-           values      (n_systems, n_queries)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refrank.arrays import Floats, Ints
from refrank.metrics.measures import Measure


@dataclass(frozen=True)
class Choice:
    """The configuration of a system that was best on the validation queries of a fold."""

    configuration: Mapping[str, Any]  # parameter -> value, in types that TOML can hold
    n_tried: int  # configurations; the same for all systems
    valid: float  # the mean of the first measure over the validation queries
    n_rounds: int | None  # of the chosen model; None where a system has none


@dataclass(frozen=True, eq=False)
class BenchResult:
    """All systems on the test queries of all folds."""

    collection: str
    systems: tuple[str, ...]  # as the tables name them, in their order
    measures: tuple[Measure, ...]  # all of the same convention; the first chose the configurations
    folds: tuple[str, ...]
    fold_of_query: Ints  # (n_queries,), a place in `folds`
    qid: tuple[str, ...]  # of each query
    values: Mapping[str, Floats]  # text of a measure -> (n_systems, n_queries), NaN where the convention skips
    choices: Mapping[str, tuple[Choice, ...]]  # system -> one per fold
