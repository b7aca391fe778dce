"""The driver of shards that run step by step: it joins what they send, and makes lost ones again.

A shard runs until its next join, sends what is to be joined, and waits. So at any moment all shards wait at the same
join, or are on their way to it. If one does not arrive within `limit` seconds, or its process has ended, it is lost:
the others are stopped where they wait, which leaves them with the finished turns of the training. Then all shards start
once more from these turns, as after an interrupt, the lost one on another worker. A model is the same to the bit
whether or not its training was interrupted, so no bit depends on what was lost. What is lost is the turn that was under
way.

    what            what the driver does
    line            carries the messages of one shard; one class per engine
    start           makes the line of a shard, and starts the shard
    watch           is told of every turn, may ask for the model so far, and may end the training
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol, cast

from refrank.cluster.joins import ClusterError, JoinError, Message, join
from refrank.cluster.member import STOP, Program

Watch = Callable[[int, Callable[[], Any]], bool]  # (turns done, function that fetches the model) -> whether to end
ENDING = 30.0  # seconds in which a shard that was stopped has to send its model


class Lost(Exception):
    """A shard does not answer."""


class ShardLine(Protocol):
    """The messages between the driver and a shard."""

    name: str  # of the shard, in sentences

    def send(self, answer: Any) -> None:
        """Answer the message received last; raise `Lost` if the shard is lost."""

    def receive(self, limit: float) -> Message:
        """Wait for a message, so many seconds; raise `Lost` if none comes."""

    def end(self) -> None:
        """End the shard, wherever it is, and wait for nothing."""


Start = Callable[[int, int, Program, Any, Any], ShardLine]  # (place, number of shards, program, source, model so far)


def drive(
    start: Start,
    program: Program,
    sources: Sequence[Any],
    state: Any,
    watch: Watch,
    limit: float,
    most_losses: int,
) -> list[Any]:
    """Run a program on every source; return the result of each shard.

    `state` is the model of the turns that are done, or None. Raises what a shard raised, with its name before it, and a
    `ClusterError` where shards were lost more than `most_losses` times.
    """
    n_losses = 0
    while True:
        lines: list[ShardLine] = []
        waiting: set[int] = set()  # places of the shards that wait for an answer
        try:
            for place, source in enumerate(sources):
                lines.append(start(place, len(sources), program, source, state))
            return converse(lines, waiting, watch, limit)
        except Lost as lost:
            n_losses, state = n_losses + 1, rescue(lines, waiting, limit) or state
            if n_losses > most_losses:
                raise ClusterError(f"{lost}; shards were lost {n_losses} times", state) from None
        except KeyboardInterrupt as interrupt:
            raise ClusterError("interrupted", rescue(lines, waiting, limit) or state) from interrupt
        finally:
            for line in lines:
                line.end()


def converse(lines: Sequence[ShardLine], waiting: set[int], watch: Watch, limit: float) -> list[Any]:
    """Join until all shards are done; return their results."""
    while True:
        messages, lost = [], []
        for place, line in enumerate(lines):
            try:
                messages.append(line.receive(limit))
                waiting.add(place)
            except Lost as loss:  # the others arrive meanwhile
                lost.append(loss)
        if lost:
            raise lost[0]
        faults = [message.value if message.kind == "fault" else None for message in messages]
        if fault := find_fault([line.name for line in lines], faults):
            raise fault
        kinds = {message.kind for message in messages}
        if kinds == {"end"}:
            return [message.value for message in messages]
        answers = join_turn(lines[0], messages, watch, limit) if kinds == {"turn"} else join(messages)
        for place, answer in enumerate(answers):
            lines[place].send(answer)
            waiting.discard(place)


def join_turn(first: ShardLine, messages: Sequence[Message], watch: Watch, limit: float) -> list[str]:
    """Report a turn to the watch; all shards get the same answer."""

    def fetch() -> Any:
        first.send("show")
        return first.receive(limit).value

    ends = watch(messages[0].value, fetch)
    return ["end" if ends else "go"] * len(messages)


def rescue(lines: Sequence[ShardLine], waiting: set[int], limit: float) -> Any:
    """Stop shards, first those that wait; return the first model of the finished turns that comes, or None."""
    for place in [*sorted(waiting), *sorted({*range(len(lines))} - waiting)]:
        line = lines[place]
        with suppress(Lost):
            if place not in waiting:
                line.receive(limit)
            line.send(STOP)
            kind, result = line.receive(max(limit, ENDING))
            if kind == "end":
                return result
    return None


def find_fault(names: Sequence[str], faults: Sequence[BaseException | None]) -> BaseException | None:
    """Return the first fault of the shards, with the name of its shard; None where none of them has one.

    One that all shards raise in the same words is a fault of all rows, and keeps them.

    >>> find_fault(["shard 0", "shard 1"], [None, ValueError("y at row 3 is 2.5: labels must be integers")])
    ValueError('shard 1: y at row 3 is 2.5: labels must be integers')
    """
    first = next((place for place, fault in enumerate(faults) if fault is not None), None)
    if first is None:
        return None
    if isinstance(faults[0], ValueError) and len({str(fault) for fault in faults}) == 1:
        return faults[0]
    return place_fault(names[first], cast(BaseException, faults[first]))


def place_fault(name: str, fault: BaseException) -> BaseException:
    """Put the name of the shard before the sentence of a fault; a fault that is not of the input makes the shard lost.

    >>> place_fault("shard 1", ValueError("y at row 3 is 2.5: labels must be integers"))
    ValueError('shard 1: y at row 3 is 2.5: labels must be integers')
    """
    if isinstance(fault, OSError):
        return OSError(f"{name}: {fault}")
    if isinstance(fault, ValueError | JoinError):
        kind = JoinError if isinstance(fault, JoinError) else ValueError  # a UnicodeDecodeError takes no sentence
        return kind(f"{name}: {fault}")
    return Lost(f"{name} raised {type(fault).__name__}: {fault}")
