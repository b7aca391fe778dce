"""One shard among others that a driver joins (refrank/cluster/driver.py): every join is a message and its answer."""

from collections.abc import Callable, Sequence
from typing import Any

from refrank.arrays import Ints
from refrank.cluster.communicator import Progress, join_shards
from refrank.cluster.joins import Message, Stopped, simplify

Talk = Callable[[Message], Any]  # sends a message, and waits for the answer
Program = Callable[[Any, Any], Any]  # (what the shard reads, the model so far or None) -> result
Saved = tuple[int, Any]  # turns done, and the model that they make, or None
STOP = "stop"
NOTHING: Saved = (-1, None)


class Member:
    """The communicator of such a shard."""

    def __init__(self, place: int, n_shards: int, talk: Talk, saved: Saved) -> None:
        self.place, self.n_shards, self.talk = place, n_shards, talk
        self.n_done, state = saved
        self.so_far: Callable[[], Any] = lambda: state
        self.is_stopped = False

    def join(self, kind: str, value: Any) -> Any:
        """Join all shards; a training that must end ends here."""
        answer = STOP if self.is_stopped else self.talk(Message(kind, value))
        if isinstance(answer, str) and answer == STOP:
            self.is_stopped = True
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

    def report(self, n_done: int, so_far: Callable[[], Any], progress: Progress) -> bool:
        """Report that turns are done; return whether the training ends. `so_far` makes the model if it is asked for."""
        self.n_done, self.so_far = n_done, so_far
        answer = self.join("turn", (n_done, progress))
        if answer == "show":
            answer = self.join("state", self.save())
        return bool(answer == "end")

    def save(self) -> Saved:
        """Return the finished turns: those reported last, or those that the shard started with."""
        return self.n_done, self.so_far()


def run_member(program: Program, place: int, n_shards: int, source: Any, state: Saved, talk: Talk) -> Message:
    """Run a program as a shard; when the driver stops it, during the program or after it, return the last message."""
    member = Member(place, n_shards, talk, state)
    try:
        with join_shards(member):
            try:
                member.join("end", program(source, state[1]))
            except Exception as fault:
                member.join("fault", simplify(fault))
    except Stopped:
        pass
    try:
        return Message("state", member.save())
    except Exception:  # as where memory is out
        return Message("state", NOTHING)
