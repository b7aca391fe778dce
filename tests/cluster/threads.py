"""Shards as threads for tests, and rows dealt to them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from refrank.cluster.engines import SteppedCluster, use_cluster
from refrank.cluster.threads import ThreadLine


@contextmanager
def use_threads(
    start: Any = ThreadLine, n_workers: int = 16, limit: float = 60.0, most_losses: int = 3
) -> Iterator[None]:
    """Train on threads within a `with` block; `start` may be another class of lines."""
    with use_cluster(SteppedCluster(start, n_workers, limit, most_losses)):
        yield


def deal(arrays: Sequence[Any], places: Sequence[int], n_shards: int) -> list[tuple[Any, ...]]:
    """Deal rows to shards: row i to shard places[i]; `arrays` are X, y and so on, None for one that is not given."""
    return [
        tuple(None if values is None else values[places == place] for values in arrays) for place in range(n_shards)
    ]
