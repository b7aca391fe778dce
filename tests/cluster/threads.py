"""An engine for tests: shards are threads of this process, and every message is pickled, as on its way to another."""

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from refrank.cluster import engines
from refrank.cluster.driver import Lost
from refrank.cluster.engines import SteppedCluster
from refrank.cluster.joins import Message
from refrank.cluster.member import STOP, Program, run_member


class ThreadLine:
    """The line to a thread; `messages` counts what the driver received."""

    def __init__(self, place: int, n_shards: int, program: Program, source: Any, state: Any) -> None:
        self.name, self.received = f"shard {place} ({source})", 0
        self.messages: SimpleQueue[bytes] = SimpleQueue()
        self.answers: SimpleQueue[bytes] = SimpleQueue()
        given = pickle.loads(pickle.dumps((program, place, n_shards, source, state)))

        def run() -> None:
            self.messages.put(pickle.dumps(run_member(*given, self.talk)))

        Thread(target=run, daemon=True).start()

    def talk(self, message: Message) -> Any:
        self.messages.put(pickle.dumps(message))
        return pickle.loads(self.answers.get())

    def send(self, answer: Any) -> None:
        self.answers.put(pickle.dumps(answer))

    def receive(self, limit: float) -> Message:
        try:
            message = pickle.loads(self.messages.get(timeout=limit))
        except Empty:
            raise Lost(f"{self.name} has not answered for {limit:g} s") from None
        self.received += 1
        return message

    def end(self) -> None:
        self.send(STOP)


@contextmanager
def use_threads(
    start: Any = ThreadLine, n_workers: int = 16, limit: float = 60.0, most_losses: int = 3
) -> Iterator[None]:
    """Train on threads within a `with` block; `start` may be another class of lines."""
    token = engines.ACTIVE.set(SteppedCluster(start, n_workers, limit, most_losses))
    try:
        yield
    finally:
        engines.ACTIVE.reset(token)


def deal(arrays: Sequence[Any], places: Sequence[int], n_shards: int) -> list[tuple[Any, ...]]:
    """Deal rows to shards: row i to shard places[i]; `arrays` are X, y and so on, None for one that is not given."""
    return [
        tuple(None if values is None else values[places == place] for values in arrays) for place in range(n_shards)
    ]
