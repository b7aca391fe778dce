"""Shards as actors on the workers of a Dask cluster: no port and no long task of our own; its TLS and firewalls hold.

An actor runs its shard in a thread, and hands messages over when it is asked. A call returns after `PATIENCE` seconds
at the latest, so a worker always answers its scheduler.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from distributed import Client

from refrank.cluster.driver import Lost, Start
from refrank.cluster.joins import Message
from refrank.cluster.member import STOP, Program, run_member

PATIENCE = 5.0  # seconds


class ShardActor:
    """A shard on a worker."""

    def __init__(self, program: Program, place: int, n_shards: int, source: Any, state: Any) -> None:
        self.messages: SimpleQueue[Message] = SimpleQueue()
        self.answers: SimpleQueue[Any] = SimpleQueue()

        def run() -> None:
            self.messages.put(run_member(program, place, n_shards, source, state, self.talk))

        Thread(target=run, daemon=True).start()

    def talk(self, message: Message) -> Any:
        """Hand over a message, and wait for the answer."""
        self.messages.put(message)
        return self.answers.get()

    def answer(self, answer: Any) -> Message | None:
        """Take the answer to the last message; return the next one if it comes soon."""
        self.answers.put(answer)
        return self.look()

    def look(self) -> Message | None:
        """Return the next message if it comes soon."""
        with suppress(Empty):
            return self.messages.get(timeout=PATIENCE)
        return None


class ActorLine:
    """The line to an actor."""

    def __init__(self, client: Client, place: int, n_shards: int, program: Program, source: Any, state: Any) -> None:
        self.name = f"shard {place} ({source})"
        self.actor: Any = client.submit(ShardActor, program, place, n_shards, source, state, actor=True, pure=False)
        self.future: Any = None

    def send(self, answer: Any) -> None:
        """Answer the message received last."""
        self.future = self.actor.answer(answer)

    def receive(self, limit: float) -> Message:
        """Wait for a message."""
        until = monotonic() + limit
        while monotonic() < until:
            try:
                if self.future is None:
                    self.actor = self.actor.result(timeout=limit)
                message = (self.future or self.actor.look()).result(timeout=until - monotonic())
            except Exception as fault:
                raise Lost(f"{self.name}: {fault}") from None
            if message is not None:
                return Message(*message)
            self.future = self.actor.look()
        raise Lost(f"{self.name} has not answered for {limit:g} s")

    def end(self) -> None:
        """End the shard."""
        with suppress(Exception):
            self.actor.answer(STOP)


@contextmanager
def connect(engine: Any) -> Iterator[tuple[Start, int]]:
    """Connect to a scheduler, if the engine is an address; return what starts a shard, and the number of workers."""
    client = Client(engine, set_as_default=False) if isinstance(engine, str) else engine
    try:
        n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
        yield lambda *arguments: ActorLine(client, *arguments), n_workers
    finally:
        if client is not engine:
            client.close()
