"""One shard among others that a driver joins (refrank/cluster/driver.py): every join is a message and its answer."""

from collections.abc import Callable, Sequence
from typing import Any

from refrank.arrays import Ints
from refrank.cluster.communicator import join_shards
from refrank.cluster.joins import Message, Stopped

Talk = Callable[[Message], Any]  # sends a message, and waits for the answer
Program = Callable[[Any, Any], Any]  # (what the shard reads, the model so far or None) -> result
STOP = "stop"


class Member:
    """The communicator of such a shard."""

    def __init__(self, place: int, n_shards: int, talk: Talk) -> None:
        self.place, self.n_shards, self.talk = place, n_shards, talk

    def join(self, kind: str, value: Any) -> Any:
        """Join all shards; a training that must end ends here."""
        answer = self.talk(Message(kind, value))
        if isinstance(answer, str) and answer == STOP:
            raise Stopped
        return answer

    def sum(self, values: Ints) -> Ints:
        """Add arrays of one shape, entry by entry."""
        return self.join("sum", values)

    def maximum(self, values: Ints) -> Ints:
        """Find the largest of arrays of one shape, entry by entry."""
        return self.join("maximum", values)

    def gather(self, value: Any) -> list[Any]:
        """List the values of all shards in the order of their places."""
        return self.join("gather", value)

    def exchange(self, values: Sequence[Any]) -> list[Any]:
        """Send values[p] to the shard at place p; list what each shard sent here."""
        return self.join("exchange", values)

    def report(self, n_done: int, so_far: Callable[[], Any]) -> bool:
        """Report that turns are done; return whether the training ends. `so_far` makes the model if it is asked for."""
        answer = self.join("turn", n_done)
        if answer == "show":
            answer = self.join("state", so_far())
        return bool(answer == "end")


def run_member(program: Program, place: int, n_shards: int, source: Any, state: Any, talk: Talk) -> Message:
    """Run a program as a shard; return its last message."""
    member = Member(place, n_shards, talk)
    try:
        with join_shards(member):
            return Message("end", program(source, state))
    except Exception as fault:
        return Message("fault", fault)
