"""Shards as the processes of `mpiexec`: every process calls `fit_shards`, and gets the model.

Collective operations are polled, so that a process that died does not hold the others for ever: after `limit` seconds
one line says which join was waited for, and the abort ends all processes. A fault of one shard is told to all in the
place of its next join. The finished turns are kept by checkpoints, which the first process writes.
"""

import pickle
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

from refrank.arrays import Ints
from refrank.cluster.communicator import Progress, join_shards
from refrank.cluster.driver import Watch, find_fault
from refrank.cluster.joins import Message, check_alike, describe
from refrank.cluster.member import Program

NAP = 20e-6  # seconds between two looks at a collective operation; longer while it takes longer


class MPIMember:
    """The communicator of a process."""

    def __init__(self, comm: Any, limit: float, watch: Watch) -> None:
        self.comm, self.limit, self.watch = comm, limit, watch
        self.place, self.n_shards = comm.Get_rank(), comm.Get_size()

    def wait(self, request: Any, kind: str) -> None:
        """Wait for a collective operation; after the limit, end all processes."""
        began = time.monotonic()
        while not request.Test():
            waited = time.monotonic() - began
            if waited > self.limit:
                self.abort(f"process {self.place} waited {self.limit:g} s for the others to join in {kind}")
            time.sleep(min(NAP + waited / 64, 0.05))

    def abort(self, sentence: str) -> None:
        """End all processes with a line."""
        print(f"refrank: {sentence}", file=sys.stderr, flush=True)
        self.comm.Abort(1)

    def share(self, value: Any, kind: str) -> list[Any]:
        """List the values of all processes."""
        data = np.frombuffer(pickle.dumps(value, protocol=5), np.uint8)
        sizes = np.empty(self.n_shards, np.int64)
        self.wait(self.comm.Iallgather(np.array([len(data)], np.int64), sizes), kind)
        received = np.empty(sizes.sum(), np.uint8)
        self.wait(self.comm.Iallgatherv(data, [received, sizes]), kind)
        ends = sizes.cumsum()
        return [pickle.loads(received[end - size : end].data) for size, end in zip(sizes, ends, strict=True)]

    def agree(self, message: Message) -> list[Any]:
        """Check that all processes join in the same; raise a fault that one of them tells; return what they tell."""
        heads = self.share((describe(message), message.value if message.kind == "fault" else None), message.kind)
        if fault := find_fault([f"shard {place}" for place in range(self.n_shards)], [fault for _, fault in heads]):
            raise fault
        check_alike([kind for kind, _ in heads])
        return heads

    def reduce(self, kind: str, values: Ints, operation: Any) -> Ints:
        """Reduce arrays of one shape, entry by entry."""
        self.agree(Message(kind, values))
        joined = np.empty_like(values, order="C")
        self.wait(self.comm.Iallreduce(np.ascontiguousarray(values), joined, operation), kind)
        return joined

    def sum(self, values: Ints) -> Ints:
        """Add arrays of one shape, entry by entry."""
        return self.reduce("sum", values, MPI.SUM)

    def maximum(self, values: Ints) -> Ints:
        """Find the largest of arrays of one shape, entry by entry."""
        return self.reduce("maximum", values, MPI.MAX)

    def gather(self, value: Any) -> list[Any]:
        """List the values of all processes."""
        self.agree(Message("gather", value))
        return self.share(value, "gather")

    def exchange(self, values: Sequence[Any]) -> list[Any]:
        """Send values[p] to the process at place p; list what each process sent here."""
        return [sent[self.place] for sent in self.gather(values)]

    def report(self, n_done: int, so_far: Callable[[], Any], progress: Progress) -> bool:
        """Report that turns are done to the watch of the first process; return whether the training ends."""
        return bool(self.gather(self.watch(n_done, so_far, progress) if self.place == 0 else False)[0])


class MPICluster:
    """All processes of a communicator, each a shard."""

    def __init__(self, comm: Any, limit: float) -> None:
        self.comm, self.limit = MPI.COMM_WORLD if comm is None else comm, limit
        self.n_workers = self.comm.Get_size()

    def run(self, program: Program, sources: Sequence[Any], state: Any, watch: Watch) -> list[Any]:
        """Run a program on the source of this process; return its result."""
        member = MPIMember(self.comm, self.limit, watch)
        if len(sources) != self.n_workers:
            raise ValueError(
                f"{len(sources)} shards for {self.n_workers} processes: there must be one for each process"
            )
        try:
            with join_shards(member):
                result = program(sources[member.place], state)
        except Exception as fault:
            member.agree(Message("fault", fault))  # raises it on all processes
            raise
        member.agree(Message("end"))
        return [result]
