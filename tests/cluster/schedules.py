"""Faults at random moments of a training on threads, and trainings on rows that are dealt at random."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refrank import COCRRanker, GBRTRanker, IGBRTRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.cluster.driver import Lost
from refrank.cluster.joins import Message
from refrank.cluster.threads import ThreadLine
from tests.cluster.threads import deal

FAULTS = ["start", "receive", "after receive", "send", "after send", "raise"]
SMALL: dict[str, Any] = {"n_rounds": 4, "n_bins": 8, "n_threads": 1}
LEAVES = {**SMALL, "n_leaves": 3}
DEEP = {**SMALL, "max_depth": 2}
RANKERS: dict[str, Callable[[], Any]] = {
    "softmax": lambda: SoftmaxBoostRanker(**LEAVES),
    "softmax simultaneous": lambda: SoftmaxBoostRanker(**LEAVES, update="simultaneous"),
    "ordinal": lambda: OrdinalBoostRanker(**LEAVES),
    "ordinal simultaneous": lambda: OrdinalBoostRanker(**LEAVES, update="simultaneous"),
    "ls": lambda: LSBoostRanker(**LEAVES),
    "gbrt": lambda: GBRTRanker(**DEEP, initial="mean"),
    "gbrt classification": lambda: GBRTRanker(**DEEP, setting="classification", n_classes=3),
    "igbrt": lambda: IGBRTRanker(**{**DEEP, "n_rounds": 1}, n_trees=2),  # its forest is grown on one machine
    "cocr": lambda: COCRRanker(GBRTRanker(**DEEP), n_classes=3),
}


@dataclass(frozen=True)
class Schedule:
    """Faults: (attempt, place, number of the message) -> one of FAULTS."""

    faults: dict[tuple[int, int, int], str]
    happened: list[str] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)  # as long as there were attempts

    def start(self, place: int, *given: Any) -> "FaultyLine":
        """Start a shard, as the driver does."""
        if place == 0:
            self.attempts.append(0)
        faults = {number: kind for (attempt, p, number), kind in self.faults.items() if (attempt, p) == self.now(place)}
        if faults.get(0) == "start":
            self.happened.append("start")
            raise Lost(f"shard {place} does not start")
        return FaultyLine(faults, self.happened, place, *given)

    def now(self, place: int) -> tuple[int, int]:
        """Return the attempt, from 0, and the place."""
        return len(self.attempts) - 1, place


class FaultyLine(ThreadLine):
    """The line to a thread that is lost, or that raises, at one of its messages."""

    def __init__(self, faults: dict[int, str], happened: list[str], *given: Any) -> None:
        self.faults, self.happened = faults, happened
        self.n_sent, self.n_received, self.n_talked, self.is_lost = 0, 0, 0, False
        super().__init__(*given)

    def lose(self, number: int, kind: str) -> None:
        """Be lost if it is time, and from then on."""
        if not self.is_lost and self.faults.get(number) == kind:
            self.happened.append(kind)
            self.is_lost = True
        if self.is_lost:
            raise Lost(f"{self.name} is lost")

    def talk(self, message: Message) -> Any:
        self.n_talked += 1
        if self.faults.get(self.n_talked - 1) == "raise" and message.kind != "fault":
            self.happened.append("raise")
            raise MemoryError("no room")
        return super().talk(message)

    def send(self, answer: Any) -> None:
        self.n_sent += 1
        self.lose(self.n_sent - 1, "send")
        super().send(answer)
        self.lose(self.n_sent - 1, "after send")

    def receive(self, limit: float) -> Message:
        self.n_received += 1
        self.lose(self.n_received - 1, "receive")
        message = super().receive(limit)
        self.lose(self.n_received - 1, "after receive")
        return message

    def end(self) -> None:
        super().send("stop")


@dataclass(frozen=True, eq=False)
class Case:
    """A training, drawn at random."""

    rng: np.random.Generator
    name: str
    arrays: tuple[Any, ...]  # X, y, qid, sample_weight
    options: dict[str, Any]  # of fit
    end_at: int | None  # the turn after which the monitor ends the training

    def make(self) -> Any:
        """Make the ranker, with its forest if it has one."""
        ranker = RANKERS[self.name]()
        if self.name != "igbrt":
            return ranker
        X, y, qid, weight = self.arrays
        return ranker.fit(X, y, qid, weight).set_params(n_rounds=4, warm_start=True)

    def fit(self, ranker: Any, on: int) -> Any:
        """Train on one machine (0), or on so many shards."""
        monitor = None if self.end_at is None else self.watch
        if on == 0:
            X, y, qid, weight = self.arrays
            return ranker.fit(X, y, qid, weight, **self.options, monitor=monitor)
        return ranker.fit_shards(self.deal(on), **self.options, monitor=monitor)

    def watch(self, n_done: int, so_far: Callable[[], Any]) -> bool:
        """Ask for the ranker now and then, and end the training when it is time."""
        if n_done % 2:
            so_far()
        return n_done == self.end_at

    def deal(self, n_shards: int) -> list[Any]:
        """Deal the rows; a forest drew them in their order, so those of iGBRT are cut, not shuffled."""
        places = self.rng.integers(0, n_shards, len(self.arrays[0]))
        return deal(self.arrays, np.sort(places) if self.name == "igbrt" else places, n_shards)


def draw_case(rng: np.random.Generator) -> Case:
    """Draw a training."""
    X, y = rng.integers(0, 9, (40, 3)) / 4.0, rng.integers(0, 3, 40)
    qid = rng.integers(0, 5, 40) if rng.random() < 0.5 else None
    weight = rng.integers(1, 4, 40) / 2.0 if rng.random() < 0.3 else None
    options: dict[str, Any] = {}
    if rng.random() < 0.5:
        options = {"X_val": X[::2] + 0.1, "y_val": rng.integers(0, 3, 20), "qid_val": np.repeat(np.arange(4), 5)}
        if rng.random() < 0.6:
            options["early_stopping_rounds"] = int(rng.integers(1, 3))
    name = str(rng.choice([*RANKERS]))
    end_at = int(rng.integers(1, 5)) if rng.random() < 0.4 and name != "cocr" else None
    return Case(rng, name, (X, y, qid, weight), options, end_at)


def draw_schedule(rng: np.random.Generator, n_shards: int) -> Schedule:
    """Draw one to four faults, most of them in the first attempt; some all at once."""
    faults = {}
    at = int(rng.integers(0, 90))
    for _ in range(rng.integers(1, 5)):
        attempt, place = int(rng.choice([0, 0, 1, 2])), int(rng.integers(0, n_shards))
        kind = str(rng.choice(["start", *5 * FAULTS[1:]]))
        number = at if rng.random() < 0.3 else int(rng.choice([rng.integers(0, 6), rng.integers(0, 90)]))
        faults[attempt, place, 0 if kind == "start" else number] = kind
    return Schedule(faults)
