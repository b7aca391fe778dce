"""Shards as actors on the workers of a Dask cluster: no port and no long task of our own; its TLS and firewalls hold.

An actor runs its shard in a thread, and hands messages over when it is asked. Its functions are coroutines, which run
on the worker's event loop: they wait for the shard without holding a thread, so that several shards of one worker do
not wait for each other, and return after `PATIENCE` seconds at the latest, so that no call is long.

Dask does not make an actor again that was lost with its worker, and does not spread actors evenly. The driver and
`Workers` do.
"""

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import Future as Slot
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any
from weakref import finalize

from distributed import Client, Future, get_worker
from distributed.comm import get_address_host
from distributed.security import Security

from refrank.cluster.driver import Lost, Start
from refrank.cluster.joins import ClusterError, Message
from refrank.cluster.member import STOP, Program, run_member

PATIENCE = 5.0  # seconds


class Mailbox:
    """The message and the answers of a shard, between its thread and the event loop of its worker."""

    def __init__(self) -> None:
        self.message: Slot[Message] = Slot()
        self.answers: SimpleQueue[Any] = SimpleQueue()

    def run(self, program: Program, place: int, n_shards: int, source: Any, state: Any) -> None:
        """Run the shard, in its thread."""
        last = run_member(program, place, n_shards, source, state, self.talk)
        if not self.message.done():  # or nobody is there to look
            self.message.set_result(last)

    def talk(self, message: Message) -> Any:
        """Hand over a message, and wait for the answer; copies, since workers may be threads of one process."""
        self.message.set_result(deepcopy(message))
        return deepcopy(self.answers.get())


class ShardActor:
    """A shard on a worker; `rows` are those that Dask made for it, if it did.

    The worker alone holds the actor, whose thread ends with it: when the driver drops it, or is gone.
    """

    def __init__(self, rows: Any = None) -> None:
        self.rows, self.mailbox = rows, Mailbox()
        finalize(self, self.mailbox.answers.put, STOP)
        worker = get_worker()
        if worker.nanny is not None:  # the process is the worker's own
            os.environ.setdefault("REFRANK_NUM_THREADS", str(worker.state.nthreads))

    async def start(self, program: Program, place: int, n_shards: int, source: Any, state: Any) -> Message | None:
        """Start the shard; return its first message if it comes soon."""
        if self.rows is not None:
            rows = self.rows  # the thread must not hold the actor, whose end ends it
            source = replace(source, read=lambda: rows)
        Thread(target=self.mailbox.run, args=(program, place, n_shards, source, state), daemon=True).start()
        return await self.look()

    async def answer(self, answer: Any) -> Message | None:
        """Take the answer to the last message; return the next one if it comes soon."""
        self.mailbox.message = Slot()
        self.mailbox.answers.put(answer)
        return await self.look()

    async def look(self) -> Message | None:
        """Return the next message if it comes soon."""
        message = self.mailbox.message
        done, _ = await asyncio.wait([asyncio.wrap_future(message)], timeout=PATIENCE)
        return message.result() if done else None


class Workers:
    """The workers of a cluster; those that lost a shard get another one only if there are no others."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.lost: set[str] = set()

    def choose(self, place: int, rows: Future | None) -> list[str]:
        """Choose the worker of a shard: one that has its rows, or else the next in turn; [] lets the scheduler wait."""
        try:
            alive = sorted(self.client.nthreads())
            is_gone = rows is not None and rows.cancelled()
            holders = [] if rows is None or is_gone else self.client.who_has([rows]).get(rows.key, [])
        except Exception:
            raise ClusterError(f"the Dask scheduler {self.client.scheduler.address} does not answer") from None
        if is_gone:
            raise ClusterError(f"the rows of shard {place} are lost, and Dask does not know how to make them again")
        alive = [address for address in alive if address not in self.lost] or alive
        return [*filter(alive.__contains__, holders)][:1] or alive[place % len(alive) :][:1] if alive else []


class ActorLine:
    """The line to an actor."""

    def __init__(self, workers: Workers, place: int, n_shards: int, program: Program, source: Any, state: Any) -> None:
        self.name, self.workers = f"shard {place} ({source})", workers
        rows = getattr(source, "read", None)
        if not isinstance(rows, Future):
            rows = None
        else:
            source = replace(source, read=None)
        self.address = workers.choose(place, rows)
        self.arguments: tuple[Any, ...] = program, place, n_shards, source, state
        where = {"workers": self.address} if self.address else {}
        self.made: Any = workers.client.submit(ShardActor, rows, actor=True, pure=False, **where)
        self.actor: Any = None
        self.call: Any = None

    def send(self, answer: Any) -> None:
        """Answer the message received last."""
        try:
            self.call = self.actor.answer(answer)
        except Exception as fault:
            raise self.describe_loss(fault) from None

    def receive(self, limit: float) -> Message:
        """Wait for a message."""
        until = monotonic() + limit
        try:
            if self.actor is None:
                self.actor = self.made.result(timeout=limit)
                self.call, self.arguments = self.actor.start(*self.arguments), ()
            while True:
                message = self.call.result(timeout=max(0.0, until - monotonic()))
                if message is not None:
                    return Message(*message)
                self.call = self.actor.look()
        except Exception as fault:
            raise self.describe_loss(f"has not answered for {limit:g} s" if monotonic() >= until else fault) from None

    def describe_loss(self, reason: Any) -> Lost:
        """Note the worker; describe what happened."""
        self.workers.lost.update(self.address)
        text = reason if isinstance(reason, str) else str(reason) or type(reason).__name__
        return Lost(f"{' on '.join([self.name, *self.address])}: {text}")

    def end(self) -> None:
        """Drop the actor, which ends its thread at the next join."""
        with suppress(Exception):
            self.workers.client.cancel([self.made])


def make_client(address: str) -> Client:
    """Connect to a scheduler; what a `Client` does not refuse with an OSError would hold Python up when it ends."""
    try:
        get_address_host(address)
        if address.startswith("tls:") and Security().get_connection_args("client")["ssl_context"] is None:
            raise ValueError("its configuration has no certificates of TLS; a client may have them")
        return Client(address, set_as_default=False)
    except (OSError, ValueError) as fault:
        raise ValueError(f"engine is {address!r}: Dask cannot connect to it: {fault}") from None


@contextmanager
def connect(engine: Any) -> Iterator[tuple[Start, int]]:
    """Connect to a scheduler, if the engine is an address; return what starts a shard, and the number of workers."""
    client = make_client(engine) if isinstance(engine, str) else engine
    if client.asynchronous:
        raise ValueError(
            "engine is an asynchronous Dask client: it must be one that is not, or the scheduler's address"
        )
    try:
        with client.as_current():  # actors belong to the current client
            yield partial(ActorLine, Workers(client)), len(client.nthreads())
    finally:
        if client is not engine:
            with suppress(Exception):
                client.close()
