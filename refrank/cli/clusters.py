"""`--cluster`: the rows of a command lie in several files, the shards, and each file is read where its shard is.

A cluster with fewer processes than there are files gives each process some files that follow each other, as one shard.
Over `mpi` every process runs the command: the first one checks, writes and prints, and the others help it to train.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from io import StringIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from refrank.cluster.engines import Cluster
    from refrank.estimators.sharded import ShardSource

ENGINES = "local:N (processes of this machine), tcp://HOST:PORT (a Dask scheduler) or mpi (the processes of mpiexec)"
CLUSTER = f"share out the files among the processes of {ENGINES}"
LIMIT = "with --cluster: seconds after which a process that does not answer is lost; default 600"
Read = Callable[[], Any]


def add_cluster(command: argparse.ArgumentParser) -> None:
    """Add the flags of a cluster."""
    command.add_argument("--cluster", metavar="ENGINE", default=argparse.SUPPRESS, help=CLUSTER)
    command.add_argument("--cluster-limit", type=float, metavar="SECONDS", default=argparse.SUPPRESS, help=LIMIT)


@contextmanager
def open_cluster(flags: dict[str, Any], files: Sequence[str]) -> Iterator["Cluster | None"]:
    """Take the flags of a cluster out of those of a command, and use the cluster for its files; None without one.

    Raises a ValueError for flags that break a rule, and for files that cannot be shards; and an OSError for a cluster
    that cannot go on.
    """
    engine, limit = flags.pop("cluster", None), flags.pop("cluster_limit", None)
    check_files(engine, limit, files)
    if engine is None:
        yield None
        return
    from refrank.cluster import ClusterError, JoinError, use
    from refrank.cluster.engines import read_number

    with ExitStack() as stack:
        try:
            if engine.startswith(("local:", "threads:")):
                engine = f"{engine.partition(':')[0]}:{min(read_number(engine), len(files))}"
            cluster = stack.enter_context(use(engine, **({} if limit is None else {"limit": limit})))
        except ValueError as fault:
            flags = {"engine": "--cluster", "limit": "--cluster-limit"}
            raise ValueError(re.sub("^(engine|limit)", lambda name: flags[name[0]], str(fault))) from None
        except ImportError as fault:
            extra = "mpi" if engine == "mpi" else "dask"
            raise ValueError(f"--cluster {engine}: {fault}; install it with: pip install 'refrank[{extra}]'") from None
        if not is_first(cluster):
            sys.stdout = sys.stderr = StringIO()  # which nobody reads
        try:
            yield cluster
        except (ClusterError, JoinError) as fault:
            if isinstance(fault.__cause__, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            raise OSError(str(fault)) from fault


def check_files(engine: str | None, limit: float | None, files: Sequence[str]) -> None:
    """Refuse flags of a cluster that do not fit, and files that cannot be shards.

    >>> check_files(None, None, ["a.txt", "b.txt"])
    Traceback (most recent call last):
    ValueError: b.txt is a second file: several files are the shards of a cluster, such as --cluster local:2
    """
    if engine is None:
        if limit is not None:
            raise ValueError("--cluster-limit works with --cluster only: it says when a process of it is lost")
        if len(files) > 1:
            rule = f"several files are the shards of a cluster, such as --cluster local:{len(files)}"
            raise ValueError(f"{files[1]} is a second file: {rule}")
        return
    if engine != "mpi" and not engine.startswith(("local:", "threads:")) and "://" not in engine:
        raise ValueError(f"--cluster is {engine!r}: it must be {ENGINES}")
    seen: dict[str, str] = {}
    for file in files:
        if file == "-":
            raise ValueError("- is standard input, which one process alone can read: the shards of --cluster are files")
        if (path := os.path.realpath(file)) in seen:
            raise ValueError(f"{file} is given twice: the rows of {seen[path]} would count twice")
        seen[path] = file


def is_first(cluster: "Cluster | None") -> bool:
    """Return whether this process writes and prints, as one of several over MPI does."""
    if not has_processes(cluster):
        return True
    from mpi4py import MPI

    return bool(MPI.COMM_WORLD.Get_rank() == 0)


def has_processes(cluster: "Cluster | None") -> bool:
    """Return whether all processes run the command, over MPI."""
    return type(cluster).__module__ == "refrank.cluster.mpi"


def make_once(cluster: "Cluster | None", make: Read) -> Any:
    """Make something in the first process, and share it, or the fault, with the others, if there are any."""
    if not has_processes(cluster):
        return make()
    assert cluster is not None
    [(made, fault)] = cluster.run(partial(share_first, make), [None] * cluster.n_workers, None, ignore_turn)
    if fault is not None:
        raise fault
    return made


def share_first(make: Read, source: object, state: object) -> Any:
    """Share with all shards what the first one makes, or its fault."""
    from refrank.cluster.communicator import find_shards

    made, fault = None, None
    if find_shards().place == 0:
        try:
            made = make()
        except (OSError, ValueError) as caught:  # each pickles as a plain one
            fault = (OSError if isinstance(caught, OSError) else ValueError)(str(caught))
    return find_shards().gather((made, fault))[0]


def read_shards(cluster: "Cluster", sources: Sequence["ShardSource"]) -> list[Any]:
    """Read every source where its shard is; return what was read, in their order, in every process."""
    shares = has_processes(cluster)
    results = cluster.run(partial(read_shard, shares), sources, None, ignore_turn)
    return results[0] if shares else results


def read_shard(shares: bool, source: "ShardSource", state: object) -> Any:
    """Read a source; return what was read, or what all shards have read."""
    from refrank.cluster.communicator import find_shards

    read = source.read()
    return find_shards().gather(read) if shares else read


def ignore_turn(*_: object) -> bool:
    """Go on."""
    return False


def cut_files(
    cluster: "Cluster", files: Sequence[str], read: Callable[[Sequence[str]], Any], absent: float | None = None
) -> list["ShardSource"]:
    """Cut the files into as many runs as there are processes, or one a file; each is a shard that `read` reads."""
    from refrank.estimators.sharded import ShardSource

    n = cluster.n_workers if has_processes(cluster) else min(cluster.n_workers, len(files))
    if n > len(files):
        raise ValueError(f"{len(files)} files are too few for {n} processes: there must be one for each")
    runs = [files[len(files) * i // n : len(files) * (i + 1) // n] for i in range(n)]
    return [ShardSource(name_run(run), partial(read, run), absent) for run in runs]


def name_run(files: Sequence[str]) -> str:
    """Name a shard after its files.

    >>> name_run(["a.txt"]), name_run(["a.txt", "b.txt", "c.txt"])
    ('a.txt', 'a.txt to c.txt')
    """
    return files[0] if len(files) == 1 else f"{files[0]} to {files[-1]}"
