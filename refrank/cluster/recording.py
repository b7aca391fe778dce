"""A record of joins: what each shard sent, and what came of it, as lists of integers.

A port that trains on shards can compare its own joins with these, one by one:

    kind         what is joined                                     integers
    grid         number of rows and largest magnitude of a shard    both: the rows, and the bits of the float64
    root         sums of all rows in each bin, per quantity         n_quantities * n_slots
    histogram    sums of a node's rows in each bin                  n_slots * 2, or 3 with weights
    leaves       sums of a quantity over the rows of each leaf      n_leaves

Before the sums of a root or of leaves, their quantity is put on its grid: so the kind of a sum follows from what is
joined before it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from refrank.arrays import Ints
from refrank.cluster.driver import ShardLine
from refrank.cluster.engines import SteppedCluster, use_cluster
from refrank.cluster.joins import Message
from refrank.cluster.member import Program
from refrank.cluster.threads import ThreadLine


@dataclass(frozen=True, eq=False)
class Join:
    """A join of integers."""

    kind: str
    own: Ints  # (n_shards, n_integers): what each shard sent
    joined: Ints  # (n_integers,)


class RecordedLine:
    """A line that keeps the messages and their answers."""

    def __init__(self, line: ShardLine) -> None:
        self.line, self.name = line, line.name
        self.messages: list[Message] = []
        self.answers: list[Any] = []

    def send(self, answer: Any) -> None:
        """Answer the message received last."""
        self.answers.append(answer)
        self.line.send(answer)

    def receive(self, limit: float) -> Message:
        """Wait for a message."""
        self.messages.append(self.line.receive(limit))
        return self.messages[-1]

    def end(self) -> None:
        """End the shard."""
        self.line.end()


@dataclass(frozen=True)
class Recording:
    """The joins of a training on threads."""

    lines: list[RecordedLine] = field(default_factory=list)

    def start(self, place: int, n_shards: int, program: Program, source: Any, state: Any) -> RecordedLine:
        """Make the line of a shard, and start the shard."""
        self.lines.append(RecordedLine(ThreadLine(place, n_shards, program, source, state)))
        return self.lines[-1]

    def list_joins(self) -> list[Join]:
        """List the joins of trees: those of integers, from the grids of the first root on."""
        joins: list[Join | None] = []
        for *messages, answer in zip(*(line.messages for line in self.lines), self.lines[0].answers, strict=False):
            joins.append(make_join(messages, answer, after=joins[-1] if joins else None))
        first = next((place for place, join in enumerate(joins) if join and join.kind == "root"), len(joins))
        while first and (before := joins[first - 1]) is not None and before.kind == "grid":
            first -= 1
        return [join for join in joins[first:] if join]


def make_join(messages: Sequence[Message], answer: Any, after: Join | None) -> Join | None:
    """Make the record of a join, given the one before it; None where something else than integers is joined.

    >>> sizes = [(3, 0.5), (4, 1.0)]  # rows, and their largest magnitude, of two shards
    >>> make_join([Message("gather", size) for size in sizes], sizes, None).joined.tolist()
    [7, 4607182418800017408]
    """
    kind, value = messages[0]
    if kind == "gather" and isinstance(value, tuple) and isinstance(value[-1], float):
        rows, sizes = zip(*answer, strict=True)
        own = np.column_stack([rows, np.array(sizes).view(np.int64)])
        return Join("grid", own, np.array([own[:, 0].sum(), own[:, 1].max()]))
    if kind != "sum":
        return None
    of_grid = after is not None and after.kind == "grid"
    kind = ("leaves" if value.ndim == 1 else "root") if of_grid else "histogram"
    return Join(kind, np.array([message.value.ravel() for message in messages]), answer.ravel())


@contextmanager
def record_joins(n_shards: int) -> Iterator[Recording]:
    """Train on threads within a `with` block, and keep what they join.

    Examples
    --------
    >>> import refrank
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> with record_joins(2) as recording:
    ...     ranker = refrank.LSBoostRanker(n_rounds=1, n_leaves=2).fit_shards([(X[:1], y[:1]), (X[1:], y[1:])])
    >>> [(join.kind, join.joined.tolist()) for join in recording.list_joins()][1]
    ('root', [-1125899906842624, -1125899906842624, 1125899906842624, 1125899906842624])
    """
    recording = Recording()
    with use_cluster(SteppedCluster(recording.start, n_shards, limit=600.0, most_losses=0)):
        yield recording
