"""Shards as threads of this process, `threads:4`: to look at what travels, and to test what runs on other engines.

Every message is pickled, as on its way to another process, so that no two shards share an array.
"""

import pickle
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from refrank.cluster.driver import Lost
from refrank.cluster.joins import Message
from refrank.cluster.member import STOP, Program, run_member


class ThreadLine:
    """The line to a thread."""

    def __init__(self, place: int, n_shards: int, program: Program, source: Any, state: Any) -> None:
        self.name = f"shard {place} ({source})"
        self.messages: SimpleQueue[bytes] = SimpleQueue()
        self.answers: SimpleQueue[bytes] = SimpleQueue()
        program, source, state = pickle.loads(pickle.dumps((program, source, state)))

        def run() -> None:
            self.messages.put(pickle.dumps(run_member(program, place, n_shards, source, state, self.talk)))

        Thread(target=run, daemon=True).start()

    def talk(self, message: Message) -> Any:
        """Hand over a message of the shard, and wait for the answer."""
        self.messages.put(pickle.dumps(message))
        return pickle.loads(self.answers.get())

    def send(self, answer: Any) -> None:
        """Answer the message received last."""
        self.answers.put(pickle.dumps(answer))

    def receive(self, limit: float) -> Message:
        """Wait for a message."""
        try:
            return Message(*pickle.loads(self.messages.get(timeout=limit)))
        except Empty:
            raise Lost(f"{self.name} has not answered for {limit:g} s") from None

    def end(self) -> None:
        """Stop the shard at its next join."""
        self.send(STOP)
