"""The training of a ranker on shards, each of which reads its own rows."""

import os
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any, NamedTuple, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike

from refrank.cluster.communicator import Progress, count_rows, find_shards
from refrank.cluster.engines import find_cluster
from refrank.cluster.joins import ClusterError, JoinError
from refrank.datasets import load_letor
from refrank.estimators.run import forget, keep_earlier
from refrank.estimators.watching import MonitoredTurns

Learned = dict[str, Any]
Monitor = Callable[[int, Callable[[], Any]], object]  # that of `fit`


class FitsShards:
    """The part of every ranker that trains it on shards, or explains why it needs all rows in one place."""

    def fit_shards(
        self,
        shards: Sequence[Any],
        *,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        qid_val: ArrayLike | None = None,
        early_stopping_rounds: int | None = None,
        eval_metric: Any = "ndcg@10",
        monitor: Monitor | None = None,
    ) -> Self:
        """Train on rows that are cut into shards, to the bits of `fit` on all of them, on the cluster in use.

        Each shard is read, checked, binned and trained on where it lies; sums and cuts travel, rows do not. A shard
        may be empty, the rows of a query may lie on several, and no bit depends on how the rows are cut.

        Parameters
        ----------
        shards : list
            Each is a file of LETOR lines; a folder with X.npy, y.npy, and if there are any qid.npy and
            sample_weight.npy, which are mapped into memory; these arrays themselves, in this order, as `fit` takes
            them; a function without arguments that returns them, which runs where the shard is; or a Dask future of
            them (`refrank.cluster.dask_rows.split` makes those of dask arrays and dataframes).
        X_val, y_val, qid_val : arrays of shape (n_valid, n_features), (n_valid,) and (n_valid,), optional
            A validation set, as in `fit`; every shard holds all of it.
        early_stopping_rounds, eval_metric, monitor : optional
            As in `fit`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument, a parameter or a shard breaks its rule, or the ranker needs all rows in one place.
        ClusterError
            If shards were lost too often. The ranker keeps the finished turns; `warm_start` continues them.

        See Also
        --------
        refrank.cluster.use : the clusters, with an example.
        """
        choice = {"early_stopping_rounds": early_stopping_rounds, "eval_metric": eval_metric}
        held_out = {"X_val": X_val, "y_val": y_val, "qid_val": qid_val, **choice}
        return fit_shards(self, shards, monitor, held_out)

    def explain_whole_rows(self) -> str:
        """Explain why the ranker cannot be trained on shards; "" if it can."""
        return "not every sum over its rows is a sum of integers"


class ShardRows(NamedTuple):
    """The rows of a shard."""

    X: Any
    y: ArrayLike
    qid: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    names: Sequence[str] = ()  # of the columns, if the shard's file has them
    files: Sequence[tuple[str, int]] = ()  # name and number of rows of each, if the shard is several


@dataclass(frozen=True)
class ShardSource:
    """A shard that is not yet read."""

    name: str
    read: Callable[[], Any]  # returns X, y, and what else `ShardRows` has
    absent: float | None = None  # what stands for the features after the last that the shard names; None: it names all

    def __str__(self) -> str:
        """Return the name."""
        return self.name


def make_source(place: int, shard: Any) -> ShardSource:
    """Make the source of a shard that `fit_shards` got."""
    if isinstance(shard, ShardSource):
        return shard
    if isinstance(shard, str):
        return ShardSource(shard, partial(read_path, shard), 0.0)
    read = shard if callable(shard) or hasattr(shard, "result") else partial(tuple, shard)  # a future has a result
    return ShardSource(f"number {place}", read)


def read_path(path: str) -> Any:
    """Read a file of LETOR lines; or map the arrays of a folder into memory, X.npy, y.npy and what else it has."""
    if not os.path.isdir(path):
        return load_letor(path)
    files = {name: os.path.join(path, f"{name}.npy") for name in ShardRows._fields[:4]}
    own = {name: np.load(file, "r") for name, file in files.items() if name in "Xy" or os.path.exists(file)}
    return ShardRows(**own)


def read_source(source: ShardSource) -> ShardRows:
    """Read the rows of a shard."""
    read = source.read()
    if not isinstance(read, ShardRows):
        read = ShardRows(read.X, read.y, read.qid) if hasattr(read, "qid") else ShardRows(*read)
    n_samples, n_features = (*np.shape(read.X), 0, 0)[:2]  # `fit` refuses other shapes
    of_shards = find_shards().gather((n_features, read.names))
    if np.ndim(read.X) != 2 or (source.absent is None and n_features):
        return read
    names = read.names if n_samples else next((names for _, names in of_shards if names), ())
    return read._replace(X=widen(read.X, max(of_shards)[0], source.absent or 0.0), names=names)


def widen(X: Any, n_features: int, absent: float) -> Any:
    """Add columns of features that the rows, (n_samples, fewer), do not name."""
    if X.shape[1] >= n_features:
        return X
    wider = np.full((len(X), n_features), absent, X.dtype)
    wider[:, : X.shape[1]] = X
    return wider


def place_row(sentence: str, files: Sequence[tuple[str, int]]) -> str:
    """Number the row that a fault names within its file.

    >>> place_row("y at row 3 is 2.5: labels must be integers", [("a.txt", 3), ("b.txt", 4)])
    'y at row 0 of b.txt is 2.5: labels must be integers'
    """
    match = re.match(r"(X|y|qid) at row (\d+)", sentence)
    if match is None:
        return sentence
    row = int(match[2])
    for name, n_rows in files:
        if row < n_rows:
            return f"{match[1]} at row {row} of {name}{sentence[match.end() :]}"
        row -= n_rows
    return sentence


def shake_hands(ranker: Any, source: ShardSource, rows: ShardRows) -> None:
    """Refuse shards that differ in what they must have in common, and shards without any row."""
    shape = np.shape(rows.X)
    facts = {
        "refrank": version("refrank"),
        "the ranker": re.sub(" at 0x[0-9A-Fa-f]+", "", repr(ranker)),
        "number of columns": shape[1] if len(shape) == 2 else None,  # `fit` refuses other shapes
        "columns": [*map(str, rows.names or getattr(rows.X, "columns", ()))],
        "type of X": str(getattr(rows.X, "dtype", "") or [*map(str, getattr(rows.X, "dtypes", ()))]),
        "qid": "missing" if rows.qid is None else "given",
        "sample_weight": "missing" if rows.sample_weight is None else "given",
    }
    all_facts = find_shards().gather((source.name, facts))
    first, expected = all_facts[0]
    for name, own in all_facts:
        for fact, value in own.items():
            if value != expected[fact]:
                raise ValueError(f"shard {name}: {fact} is {value}, and that of shard {first} is {expected[fact]}")
    if count_rows(shape[0] if shape else 0) == 0:
        raise ValueError("the shards have no rows: there must be at least one")


def fit_shard(ranker: Any, held_out: Mapping[str, Any], source: ShardSource, state: Learned | None) -> Any:
    """Train a ranker on the rows of a shard, joined with those of all; return what it learned, and its warnings."""
    rows, shards, fitted = read_source(source), find_shards(), copy(ranker)
    if state is not None:
        assign(fitted, state).warm_start = True
    if source.absent is not None and held_out["X_val"] is not None:
        held_out = {**held_out, "X_val": widen(held_out["X_val"], rows.X.shape[1], source.absent)}
    weight = {} if rows.sample_weight is None else {"sample_weight": rows.sample_weight}
    # Shard 0 alone, from the first join to the last: shards may be threads of one process, which has one list of them.
    with warnings.catch_warnings(record=True) if shards.place == 0 else nullcontext([]) as caught:
        if shards.place == 0:
            warnings.simplefilter("always")
        shake_hands(ranker, source, rows)
        try:
            fitted.fit(rows.X, rows.y, rows.qid, **weight, **held_out, monitor=report_to(shards.report, rows.names))
        except ValueError as fault:
            raise ValueError(place_row(str(fault), rows.files)) from fault
        learned = take_learned(fitted, rows.names)
        if len({*shards.gather(joblib.hash(learned))}) > 1:
            raise JoinError(f"shard {source} arrived at another model than others")
    return learned, [*dict.fromkeys((warning.category, str(warning.message)) for warning in caught)]


def report_to(report: Callable[..., bool], names: Sequence[str]) -> Callable[[int, Callable[[], Any], Progress], bool]:
    """Make a monitor that sends what a ranker has learned, not the ranker."""
    return lambda n_done, so_far, progress: report(n_done, lambda: take_learned(so_far(), names), progress)


def take_learned(ranker: Any, names: Sequence[str] = ()) -> Learned | None:
    """Take what a ranker has learned, if anything, and the names of the features if their file has them."""
    learned = {name: value for name, value in vars(ranker).items() if name.endswith("_") or name == "_n_unnamed"}
    if names:
        learned["feature_names_in_"] = np.array(names, dtype=object)
    return learned if "n_queries_" in learned else None


def fit_shards(ranker: Any, shards: Sequence[Any], monitor: Any, held_out: Mapping[str, Any]) -> Any:
    """Train a ranker on the shards, on the cluster in use; return it."""
    cluster = find_cluster()
    ranker.check_parameters()
    check_cuttable(ranker)
    sources = [make_source(place, shard) for place, shard in enumerate(shards)]
    if not sources:
        raise ValueError("shards is []: there must be at least one")

    state = take_learned(ranker) if ranker.warm_start else None
    turns = MonitoredTurns(monitor, ranker.verbose, state is not None)

    def watch(n_done: int, fetch: Callable[[], Learned], progress: Progress) -> bool:
        return turns.notice(n_done, lambda: assign(copy(ranker), fetch()), progress)

    with keep_earlier(ranker):
        forget(ranker)
        try:
            learned, caught = cluster.run(partial(fit_shard, ranker, held_out), sources, state, watch)[0]
        except ClusterError as fault:
            if fault.state is not None:
                assign(ranker, fault.state)
            if isinstance(fault.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise
    for category, text in caught:
        warnings.warn(text, category, stacklevel=3)
    return assign(ranker, learned)


def check_cuttable(ranker: Any) -> None:
    """Refuse a ranker that cannot be trained on shards."""
    if reason := ranker.explain_whole_rows():
        raise ValueError(f"{type(ranker).__name__} needs all rows in one place: {reason}")


def assign(ranker: Any, learned: Learned) -> Any:
    """Give what was learned to a ranker that has learned nothing, or has forgotten it."""
    vars(ranker).update(learned)
    return ranker
