"""The engines that run shards, and the choice of one of them.

engine                       shards are                    needs
"local:4"                    4 processes of this machine   -
a Dask client, "tcp://..."   actors on its workers         pip install refrank[dask]
an MPI communicator, "mpi"   the processes of mpiexec      pip install refrank[mpi]
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from math import inf
from numbers import Real
from os import cpu_count
from typing import Any, Protocol

from refrank.cluster.driver import Start, Watch, drive
from refrank.cluster.local import Process
from refrank.cluster.member import Program
from refrank.cluster.threads import ThreadLine

RULE = '"local:N", a Dask client, the address of its scheduler, an MPI communicator, or "mpi"'


class Cluster(Protocol):
    """An engine, ready to run programs."""

    @property
    def n_workers(self) -> int:
        """The most shards that it runs."""

    def run(self, program: Program, sources: Sequence[Any], state: Any, watch: Watch) -> list[Any]:
        """Run a program on every source, and heal it; return the results of the shards that this process knows."""


@dataclass(frozen=True)
class SteppedCluster:
    """Shards that a driver, in this process, joins step by step."""

    start: Start
    n_workers: int
    limit: float  # seconds
    most_losses: int

    def run(self, program: Program, sources: Sequence[Any], state: Any, watch: Watch) -> list[Any]:
        """Run a program on every source; return the result of each."""
        return drive(self.start, program, sources, state, watch, self.limit, self.most_losses)


ACTIVE: ContextVar[Cluster | None] = ContextVar("ACTIVE", default=None)


@contextmanager
def use(engine: Any, *, limit: float = 600.0, most_losses: int = 3) -> Iterator[Cluster]:
    """Train on a cluster within a `with` block, by `fit_shards`.

    Parameters
    ----------
    engine : str, Dask client or MPI communicator
        "local:N", N processes of this machine; "tcp://host:port", a Dask scheduler; "mpi", all processes of mpiexec.
    limit : float, default 600
        Seconds from one join to the next after which a shard that does not answer is lost. It has to be longer than
        the longest work between two joins: reading a shard, or binning it.
    most_losses : int, default 3
        After so many losses the next one ends the training. The finished turns are kept, as long as one shard is left
        to send them; if all are lost at once, those up to the last checkpoint, or to about ten seconds before. Over
        MPI, the first loss ends the training.

    Raises
    ------
    ValueError
        If an argument breaks its rule.

    Examples
    --------
    >>> import refrank
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> halves = [(data.X[:500], data.y[:500], data.qid[:500]), (data.X[500:], data.y[500:], data.qid[500:])]
    >>> with use("local:2"):
    ...     ranker = refrank.LSBoostRanker(n_rounds=2).fit_shards(halves)
    >>> bool((ranker.predict(data.X) == refrank.LSBoostRanker(n_rounds=2).fit(data.X, data.y).predict(data.X)).all())
    True
    """
    if not isinstance(limit, Real) or not 0 < limit < inf:
        raise ValueError(f"limit is {limit!r}: it must be a number of seconds above 0")
    if not isinstance(most_losses, int) or most_losses < 0:
        raise ValueError(f"most_losses is {most_losses!r}: it must be an integer of at least 0")
    with choose_cluster(engine, float(limit), most_losses) as cluster, use_cluster(cluster):
        yield cluster


@contextmanager
def use_cluster(cluster: Cluster) -> Iterator[None]:
    """Train on a cluster within a `with` block."""
    token = ACTIVE.set(cluster)
    try:
        yield
    finally:
        ACTIVE.reset(token)


def find_cluster() -> Cluster:
    """Return the cluster of the `with` block around the call."""
    cluster = ACTIVE.get()
    if cluster is None:
        raise ValueError(
            'no cluster is in use: put `with refrank.cluster.use("local:4"):`, or another engine, around it'
        )
    return cluster


@contextmanager
def choose_cluster(engine: Any, limit: float, most_losses: int) -> Iterator[Cluster]:
    """Make the cluster that an engine stands for."""
    if isinstance(engine, str) and engine.startswith("threads:"):
        yield SteppedCluster(ThreadLine, read_number(engine), limit, most_losses)
        return
    if isinstance(engine, str) and engine.startswith("local:"):
        n_workers = read_number(engine)
        threads = max(1, (cpu_count() or 1) // n_workers)
        start = partial(Process, environment={"REFRANK_NUM_THREADS": str(threads)})
        yield SteppedCluster(start, n_workers, limit, most_losses)
        return
    if engine == "mpi" or hasattr(engine, "Iallreduce"):
        yield load_engine(engine, "mpi", "mpi").MPICluster(None if engine == "mpi" else engine, limit)
        return
    if hasattr(engine, "scheduler_info") or (isinstance(engine, str) and "://" in engine):
        with load_engine(engine, "dask_actors", "dask").connect(engine) as (of_dask, n_workers):
            yield SteppedCluster(of_dask, n_workers, limit, most_losses)
        return
    raise ValueError(f"engine is {engine!r}: it must be {RULE}")


def load_engine(engine: Any, module: str, extra: str) -> Any:
    """Import the module of an engine that needs a library."""
    try:
        return import_module(f"refrank.cluster.{module}")
    except (ImportError, RuntimeError) as fault:  # mpi4py raises a RuntimeError where there is no MPI
        raise ValueError(f"engine is {engine!r}: it needs `pip install 'refrank[{extra}]'` ({fault})") from None


def read_number(engine: str) -> int:
    """Read the number of processes or threads.

    >>> read_number("local:4")
    4
    """
    kind, _, number = engine.partition(":")
    if not number.isdecimal() or int(number) < 1:
        raise ValueError(f"engine is {engine!r}: N in {kind}:N must be an integer of at least 1")
    return int(number)
