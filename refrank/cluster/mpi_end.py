"""The end of all processes of `mpiexec` for the fault of one: one line, printed by one process.

A process that raises what nobody catches, or that has waited for longer than the limit, calls the others. Who waits for
a join answers, by a call of its own, so each that called has a list of those that answered, and the others are those
that it waits for. The first process that raised prints the line; if none did, the first that waited.
"""

import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import current_thread, main_thread
from traceback import extract_tb
from types import FrameType, TracebackType
from typing import Any, NoReturn

from mpi4py import MPI

TAG = 36  # of a call
PATIENCE = 2.0  # seconds in which the others answer
WAITS, RAISED = b"\0", b"\1"


class End:
    """The end of all processes of a communicator."""

    def __init__(self, comm: Any, names: Sequence[str]) -> None:
        self.comm, self.names = comm, names

    def is_called(self) -> bool:
        """Return whether another process calls."""
        return bool(self.comm.Iprobe(MPI.ANY_SOURCE, TAG))

    def call(self, reason: bytes) -> dict[int, bytes]:
        """Call the others; return the reasons of those that call, too, by their places."""
        place, n_shards = self.comm.Get_rank(), self.comm.Get_size()
        sent = [self.comm.Isend(reason, other, TAG) for other in range(n_shards) if other != place]
        reasons, until, status = {place: reason}, time.monotonic() + PATIENCE, MPI.Status()
        while time.monotonic() < until and len(reasons) < n_shards:
            if self.comm.Iprobe(MPI.ANY_SOURCE, TAG, status):
                received = bytearray(1)
                self.comm.Recv(received, status.source, TAG)
                reasons[status.source] = bytes(received)
            else:
                time.sleep(0.005)
        MPI.Request.Testall(sent)
        return reasons

    def call_all(self, kind: str, waited: float) -> NoReturn:
        """End all since a join did not come about."""
        reasons = self.call(WAITS)
        missing = [name for place, name in enumerate(self.names) if place not in reasons]
        has = "has" if len(missing) == 1 else "have"
        self.finish(reasons, f"{', '.join(missing)} {has} not arrived for {waited:.3g} s, where others join in {kind}")

    def end_all(self, sentence: str) -> NoReturn:
        """End all since this process raised an exception."""
        self.finish(self.call(RAISED), sentence)

    def finish(self, reasons: dict[int, bytes], sentence: str) -> NoReturn:
        """Print the line, if it is this process's to print, and end all."""
        place = self.comm.Get_rank()
        if place == min(place for place, reason in reasons.items() if reason == max(reasons.values())):
            print(f"refrank: {sentence}", file=sys.__stderr__, flush=True)  # a command leaves sys.stderr to the first
        else:
            time.sleep(PATIENCE)  # the process that prints ends this one
        self.comm.Abort(1)
        raise AssertionError("MPI has ended the process")


class NoticedSignals:
    """The first signal that would end a training is told in the next join; the second one ends all processes."""

    def __init__(self, end: End) -> None:
        self.end, self.number = end, 0
        self.before: dict[int, Any] = {}

    def __enter__(self) -> None:
        """Take over the signals if possible: in the main thread of a program."""
        self.number, self.before = 0, {}
        if current_thread() is main_thread():
            self.before = {each: signal.signal(each, self.notice) for each in (signal.SIGINT, signal.SIGTERM)}

    def __exit__(self, *_: object) -> None:
        """Restore the earlier handlers, and leave the signal to them, but raise nothing."""
        for number, handler in self.before.items():
            signal.signal(number, handler)
        if callable(handler := self.before.get(self.number)):
            with suppress(KeyboardInterrupt):
                handler(self.number, None)

    def notice(self, number: int, frame: FrameType | None) -> None:
        """Note a signal."""
        if self.number:
            self.end.end_all("interrupted")
        self.number = number


def end_on_exceptions(end: End) -> None:
    """From now on, end all processes on an exception that this one does not catch."""

    def end_or_print(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        if not getattr(fault, "is_agreed", False):
            name = f"process {end.comm.Get_rank()}"
            interrupted = isinstance(fault, KeyboardInterrupt)
            end.end_all("interrupted" if interrupted else describe_exception(name, fault, trace))
        if end.comm.Get_rank() == 0:  # the others raise the same
            print(f"refrank: {fault}", file=sys.stderr, flush=True)

    if end.comm.Get_size() > 1:
        sys.excepthook = end_or_print


def describe_exception(name: str, fault: BaseException, trace: TracebackType | None) -> str:
    """Describe an exception in a line.

    >>> describe_exception("process 1", ValueError("n is 0"), None)
    'process 1: ValueError: n is 0'
    """
    frames, main = extract_tb(trace), getattr(sys.modules["__main__"], "__file__", "")
    of_main = [frame for frame in frames if frame.filename == main]  # where a user looks first
    where = [f", {frame.filename}:{frame.lineno}" for frame in (of_main or frames)[-1:]]
    text = " ".join(str(fault).split())
    return f"{name}{''.join(where)}: {type(fault).__name__}{': ' if text else ''}{text}"
