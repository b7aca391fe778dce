"""The driver of shards that run step by step: it joins what they send, and makes lost ones again.

A shard runs until its next join, sends what is to be joined, and waits. So at any moment all shards wait at the same
join, or are on their way to it. If one does not arrive within `limit` seconds, or its process has ended, it is lost:
the others are stopped where they wait, and one of them sends the model of the finished turns. Then all shards start
once more from these turns, as after an interrupt, the lost one on another worker. A model is the same to the bit
whether or not its training was interrupted, so no bit depends on what was lost.

    what            what the driver does
    line            carries the messages of one shard; one class per engine
    start           makes the line of a shard, and starts the shard
    watch           is told of every turn, may ask for the model so far, and may end the training

What is lost is the turn that was under way, as long as one shard lives. If all are lost at once, the training goes on
from the model that the driver saw last: that of a checkpoint, or its own, which it fetches every `RARELY` seconds, or
more rarely if fetching takes more than a hundredth of the time.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import Any, Protocol, cast

from refrank.cluster.communicator import Progress
from refrank.cluster.joins import ClusterError, JoinError, Message, join, simplify
from refrank.cluster.joins import Lost as Lost
from refrank.cluster.member import STOP, Program, Saved

# (turns done, function that fetches the model, progress) -> whether to end; a shard that starts again with finished
# turns reports them, too
Watch = Callable[[int, Callable[[], Any], Progress], bool]
ENDING = 30.0  # seconds in which a shard that was stopped has to send its model
MOMENT = 1.0  # seconds in which a message arrives that was sent before
RARELY = 10.0  # seconds between two fetches of the driver's own
SHARE = 0.01  # of the time, which fetching may take


class ShardLine(Protocol):
    """The messages between the driver and a shard."""

    name: str  # of the shard, in sentences

    def send(self, answer: Any) -> None:
        """Answer the message received last; raise `Lost` if the shard is lost."""

    def receive(self, limit: float) -> Message:
        """Wait for a message, so many seconds; raise `Lost` if none comes."""

    def end(self) -> None:
        """End the shard, wherever it is, and wait for nothing."""


Start = Callable[[int, int, Program, Any, Saved], ShardLine]  # (place, number of shards, program, source, saved turns)


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

    `state` is the model of the turns that are done, or None. Raises what a shard raised, with its name before it; and a
    `ClusterError`, with the finished turns, where shards were lost more than `most_losses` times, a shard cannot be
    made again, or the user interrupted.
    """
    driver = Driver(watch, limit, state)
    for n_losses in count(1):
        try:
            return driver.run(start, program, sources)
        except Lost as lost:
            if n_losses > most_losses:
                sentence = f"{lost}; shards were lost {n_losses} times"
                raise ClusterError(sentence, driver.saved[1]) from None
        except KeyboardInterrupt as interrupt:
            raise ClusterError("interrupted", driver.saved[1]) from interrupt
        except (OSError, ValueError, JoinError, ClusterError) as fault:
            if n_losses == 1 and not isinstance(fault, ClusterError):
                raise
            raise ClusterError(str(fault), driver.saved[1]) from None
    raise AssertionError("a loss too many ends the loop")


class Driver:
    """The conversation with all shards, and the newest model that was seen."""

    def __init__(self, watch: Watch, limit: float, state: Any) -> None:
        self.watch, self.limit, self.saved = watch, limit, (0, state)
        self.lines: list[ShardLine] = []
        self.living: list[ShardLine] = []
        self.waiting: list[ShardLine] = []  # for an answer
        self.n_reported = 0  # turns that a shard has reported
        self.fetch_at = monotonic() + RARELY

    def run(self, start: Start, program: Program, sources: Sequence[Any]) -> list[Any]:
        """Run the program from the saved turns; return the results of all shards."""
        self.lines, self.living, self.waiting, self.n_reported = [], [], [], self.saved[0]
        try:
            for place, source in enumerate(sources):
                self.lines.append(start(place, len(sources), program, source, self.saved))
            self.living = [*self.lines]
            return self.converse()
        except (Lost, KeyboardInterrupt):
            self.rescue()
            raise
        finally:
            for line in self.lines:
                line.end()

    def converse(self) -> list[Any]:
        """Join until all shards are done; return their results."""
        while True:
            messages = self.receive_all()
            kinds = {message.kind for message in messages}
            if kinds == {"end"}:
                return [message.value for message in messages]
            for line, answer in zip(
                self.lines, self.join_turn(*messages[0].value) if kinds == {"turn"} else join(messages), strict=True
            ):
                self.answer(line, answer)

    def receive(self, line: ShardLine, limit: float) -> Message:
        """Receive a message of a shard, which lives no more if there is none."""
        try:
            message = line.receive(limit)
        except Lost:
            self.living.remove(line)
            raise
        self.waiting.append(line)
        if message.kind == "turn":
            self.n_reported = message.value[0]
        return message

    def answer(self, line: ShardLine, answer: Any) -> None:
        """Answer the message of a shard that waits."""
        self.waiting.remove(line)
        line.send(answer)

    def receive_all(self) -> list[Message]:
        """Receive a message of each shard; raise the first fault, or else the first loss."""
        until, messages, losses = monotonic() + self.limit, [], []
        for line in self.lines:
            try:
                messages.append(self.receive(line, max(min(MOMENT, self.limit), until - monotonic())))
            except Lost as loss:  # the others arrive meanwhile
                late = Lost(f"{line.name} has not answered for {self.limit:g} s")
                losses.append(loss if monotonic() < until else late)
                messages.append(Message("lost"))
        faults = [message.value if message.kind == "fault" else None for message in messages]
        if fault := find_fault([line.name for line in self.lines], faults):
            raise fault
        if losses:
            raise losses[0]
        return messages

    def join_turn(self, n_done: int, progress: Progress) -> list[str]:
        """Report a turn to the watch; all shards get the same answer."""
        first, is_over = self.lines[0], False
        faults: list[BaseException] = []

        def fetch() -> Any:
            if self.saved[0] >= n_done or faults or is_over:
                return self.saved[1]
            began = monotonic()
            try:
                self.answer(first, "show")
                message = self.receive(first, self.limit)
                if message.kind == "fault":
                    raise place_fault(first.name, message.value)
            except Exception as fault:
                faults.append(fault)  # the watch may not mind
                raise
            self.saved = message.value
            self.fetch_at = monotonic() + max(RARELY, (monotonic() - began) / SHARE)
            return self.saved[1]

        ends = self.watch(n_done, fetch, progress)
        if monotonic() > self.fetch_at:
            fetch()
        is_over = True
        if faults:
            raise faults[0]
        return ["end" if ends else "go"] * len(self.lines)

    def rescue(self) -> None:
        """Save the model of the finished turns that one of the living shards sends, if it is newer than the last."""
        if self.n_reported <= self.saved[0]:
            return
        late = [line for line in self.living if line not in self.waiting]
        for patience, lines in (MOMENT, [*self.waiting]), (MOMENT, late), (max(self.limit, ENDING), late):
            until = monotonic() + patience
            for line in lines:
                with suppress(Lost):
                    saved = self.end(line, max(MOMENT, until - monotonic()))
                    if saved[0] >= self.saved[0]:
                        self.saved = saved
                        return

    def end(self, line: ShardLine, patience: float) -> Saved:
        """Stop a shard at its next join; return its finished turns."""
        message = Message("") if line in self.waiting else line.receive(patience)
        if message.kind != "state":
            line.send(STOP)
            message = line.receive(ENDING)
        return cast(Saved, message.value)


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
    fault = simplify(fault)
    return Lost(f"{name} raised {fault}") if isinstance(fault, Lost) else type(fault)(f"{name}: {fault}")
