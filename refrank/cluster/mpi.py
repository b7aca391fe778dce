"""Shards as the processes of `mpiexec`: every process calls `fit_shards`, and gets the model.

Collective operations are polled, so that no process waits for ever. A fault or an interrupt of one process is told in
the place of its next join: all processes leave the training at the same join, with the same finished turns, and raise
the same. A process that cannot join any more is waited for until the limit; then all end (refrank/cluster/mpi_end.py).
"""

import os
import pickle
import platform
import time
import warnings
from atexit import register
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from typing import Any
from zlib import crc32

import numpy as np
from mpi4py import MPI

from refrank.arrays import Ints
from refrank.cluster.communicator import Progress, join_shards
from refrank.cluster.driver import Lost, Watch, find_fault
from refrank.cluster.joins import ClusterError, JoinError, Message, Stopped, check_alike, describe, simplify
from refrank.cluster.member import Program
from refrank.cluster.mpi_end import End, NoticedSignals, end_on_exceptions

SPIN = 500e-6  # seconds in which a process with a core of its own looks for the others without a nap
THREADS = "REFRANK_NUM_THREADS"
LEAVING = "the end of its program"
PARTING = "fault", "watch", "interrupt"  # what one process joins in, and all leave the training


class MPIMember:
    """The communicator of a process; all processes make theirs at the same time."""

    def __init__(self, comm: Any, limit: float) -> None:
        self.comm, self.limit, self.spin = comm, limit, 0.0
        self.place, self.n_shards = comm.Get_rank(), comm.Get_size()
        self.end = End(comm, [f"process {place}" for place in range(self.n_shards)])
        self.signals = NoticedSignals(self.end)
        self.watch: Watch = lambda *_: False
        self.so_far: Callable[[], Any] = lambda: None
        self.ending: BaseException | None = None  # why all processes left the training
        self.is_over = False  # a process has ended, and joins no more
        own, request = comm.Idup()
        self.wait(request, "refrank.cluster.use")
        self.comm = self.end.comm = own
        cores = [*(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))]
        here = [each for node, each in self.gather((platform.node(), cores)) if node == platform.node()]
        n_cores = len({core for each in here for core in each})
        self.spin, self.n_threads = SPIN if len(here) <= n_cores else 0.0, max(1, n_cores // len(here))
        register(self.leave)

    def wait(self, request: Any, kind: str) -> None:
        """Wait for a collective operation; after the limit, end all processes."""
        began = time.monotonic()
        while not request.Test():
            waited = time.monotonic() - began
            if waited > self.limit or (waited > 0.2 and self.end.is_called()):
                self.end.call_all(kind, waited)
            if waited > self.spin:
                time.sleep(min(20e-6 + waited / 64, 0.05))

    def agree(self, message: Message, size: int = 0) -> Ints:
        """Check that all processes join in the same, or leave the training with all; return what each says of size."""
        if self.signals.number and message.kind not in ("fault", "watch", "end"):
            message = Message("interrupt")
        text = describe(message)
        heads = np.empty((self.n_shards, 2), np.int64)
        self.wait(self.comm.Iallgather(np.array([crc32(text.encode()), size], np.int64), heads), text)
        if message.kind in PARTING or (heads[:, 0] != heads[0, 0]).any():
            parting = self.share((text, to_picklable(message.value) if message.kind in ("fault", "watch") else None))
            self.ending, self.is_over = self.find_ending(parting), any(text == LEAVING for text, _ in parting)
            raise Stopped
        return heads[:, 1]

    def find_ending(self, parting: Sequence[tuple[str, Any]]) -> BaseException:
        """Find what all processes raise, given what each joins in, and its fault."""
        texts = [text for text, _ in parting]
        if texts[0] == "watch":
            return parting[0][1]
        if fault := find_fault(self.end.names, [fault for _, fault in parting]):
            return fault
        if "interrupt" in texts:
            return KeyboardInterrupt()
        try:
            check_alike(texts)
        except JoinError as fault:
            return fault
        raise AssertionError("processes part for a reason")

    def share(self, value: Any) -> list[Any]:
        """List the values of all processes."""
        data, sizes = pickle.dumps(value, protocol=5), np.empty(self.n_shards, np.int64)
        self.wait(self.comm.Iallgather(np.array([len(data)], np.int64), sizes), "gather")
        return self.collect(data, sizes)

    def collect(self, data: bytes, sizes: Ints) -> list[Any]:
        """List the values of all processes, given the bytes of this one, and how many each has."""
        received = np.empty(sizes.sum(), np.uint8)
        self.wait(self.comm.Iallgatherv(np.frombuffer(data, np.uint8), [received, sizes]), "gather")
        return from_bytes(received, sizes)

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
        """List the values of all shards in the order of their places."""
        data = pickle.dumps(value, protocol=5)
        return self.collect(data, self.agree(Message("gather"), len(data)))

    def exchange(self, values: Sequence[Any]) -> list[Any]:
        """Send values[p] to the process at place p; list what each process sent here."""
        sent = [pickle.dumps(value, protocol=5) for value in values]
        self.agree(Message("exchange"))
        sizes, arriving = np.array([*map(len, sent)], np.int64), np.empty(self.n_shards, np.int64)
        self.wait(self.comm.Ialltoall(sizes, arriving), "exchange")
        data, received = np.frombuffer(b"".join(sent), np.uint8), np.empty(arriving.sum(), np.uint8)
        self.wait(self.comm.Ialltoallv([data, sizes], [received, arriving]), "exchange")
        return from_bytes(received, arriving)

    def report(self, n_done: int, so_far: Callable[[], Any], progress: Progress) -> bool:
        """Report that turns are done to the watch of the first process; return whether the training ends."""
        ends, self.so_far = False, so_far
        if self.place == 0:
            try:
                ends = self.watch(n_done, so_far, progress)
            except Exception as fault:  # it is the watch's, and not the shard's
                self.agree(Message("watch", fault))
        return bool(self.maximum(np.array([ends], np.int64))[0])

    def leave(self) -> None:
        """End together with the other processes: a process that is waited for tells that it does not come."""
        self.limit = inf  # which MPI's own end does not have either
        if not self.is_over:
            with suppress(Stopped):
                self.agree(Message(LEAVING))


MEMBERS: list[MPIMember] = []  # one for each group of processes


class MPICluster:
    """All processes of a communicator, each a shard."""

    def __init__(self, comm: Any, limit: float) -> None:
        comm = MPI.COMM_WORLD if comm is None else comm
        if comm.Is_inter():
            raise ValueError("engine is an intercommunicator: it must be a communicator of one group")
        same = [member for member in MEMBERS if MPI.Comm.Compare(comm, member.comm) == MPI.CONGRUENT]
        self.member = same[0] if same else MPIMember(comm, limit)
        self.member.limit, self.n_workers = limit, self.member.n_shards
        if not same:
            MEMBERS.append(self.member)
        end_on_exceptions(self.member.end)

    def run(self, program: Program, sources: Sequence[Any], state: Any, watch: Watch) -> list[Any]:
        """Run a program on the source of this process; return its result. The state is that of the first process."""
        member = self.member
        member.ending, member.watch, member.so_far = None, watch, lambda: state
        try:
            with member.signals, keep_to_itself(member), join_shards(member):
                if len(sources) != self.n_workers:
                    rule = f"there must be one for each of the {self.n_workers} processes"
                    raise ValueError(f"shards has {len(sources)} entries: {rule}")
                source = sources[member.place]
                member.end.names = member.gather(f"shard {member.place} ({source})")
                state = member.gather(state if member.place == 0 else None)[0]
                result = program(source, state)
                if member.ending is None:  # else the program has seen to its end
                    member.agree(Message("end"))
        except Stopped:
            pass
        except BaseException as fault:
            kind = "interrupt" if isinstance(fault, KeyboardInterrupt) else "fault"
            with suppress(Stopped):
                member.agree(Message(kind, fault))
        if member.ending is None:
            return [result]
        raise self.describe_ending(member.ending)

    def describe_ending(self, ending: BaseException) -> BaseException:
        """Make what all processes raise; after a fault that is not of the input, with the finished turns."""
        if isinstance(ending, Lost | KeyboardInterrupt):
            fault = ClusterError(str(ending) or "interrupted", self.member.so_far())
            fault.__cause__ = ending if isinstance(ending, KeyboardInterrupt) else None
            ending = fault
        ending.is_agreed = True  # type: ignore[attr-defined]
        return ending


@contextmanager
def keep_to_itself(member: MPIMember) -> Iterator[None]:
    """Leave the warnings to the first process, and the cores of a machine to all of its processes."""
    sets = THREADS not in os.environ
    with warnings.catch_warnings():
        if member.place > 0:
            warnings.simplefilter("ignore")
        if sets:
            os.environ[THREADS] = str(member.n_threads)
        try:
            yield
        finally:
            if sets:
                del os.environ[THREADS]


def to_picklable(fault: BaseException) -> BaseException:
    """Return a fault, or if it cannot be sent one of its kind."""
    try:
        pickle.loads(pickle.dumps(fault))
    except Exception:
        return simplify(fault)
    return fault


def from_bytes(received: Any, sizes: Ints) -> list[Any]:
    """List the values whose bytes lie one after the other."""
    ends = sizes.cumsum()
    return [pickle.loads(received[end - size : end].data) for size, end in zip(sizes, ends, strict=True)]
