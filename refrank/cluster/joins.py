"""The joins themselves: one function per kind, from what each shard sent to what each shard gets.

A shard sends messages, and waits for an answer to each:

    kind        value                  answer
    sum         int64 array            the sums, entry by entry
    maximum     int64 array            the largest, entry by entry
    gather      anything               the list of all values
    exchange    one value per shard    the list of what was sent to this shard
    turn        turns, their progress  "go", "end", or "show", on which the shard sends `state`
    state       turns, their model     "go" or "end"
    end         a result               none: the program is over
    fault       an exception           none: the program is over

"stop" is an answer, too: the shard leaves its program, sends the state of the finished turns, and is over.

All shards join in the same kind at the same time, with arrays of one shape; whatever differs is a mistake of refrank's,
or of what the shards run, and ends the training with a sentence.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np


class Message(NamedTuple):
    """A message of a shard."""

    kind: str
    value: Any = None


class JoinError(RuntimeError):
    """The shards do not run the same program on the same kind of data."""


class ClusterError(RuntimeError):
    """The training could not go on; `state` is the model of the finished turns, or None."""

    def __init__(self, sentence: str, state: Any = None) -> None:
        super().__init__(sentence)
        self.state = state


class Lost(Exception):
    """A shard does not answer, or raised something that is not a fault of its input."""


class Stopped(KeyboardInterrupt):
    """The training of this shard ends here: another shard was lost, or the user interrupted."""


JOINS: Mapping[str, Callable[[Sequence[Any]], Sequence[Any]]] = {
    "sum": lambda arrays: [reduce(np.add, arrays)] * len(arrays),
    "maximum": lambda arrays: [reduce(np.maximum, arrays)] * len(arrays),
    "gather": lambda values: [[*values]] * len(values),
    "exchange": lambda sent: [[*received] for received in zip(*sent, strict=True)],
}


def join(messages: Sequence[Message]) -> Sequence[Any]:
    """Join what the shards sent; return the answer to each.

    >>> join([Message("gather", 1), Message("gather", 2)])
    [[1, 2], [1, 2]]
    >>> join([Message("sum", np.zeros(2, np.int64)), Message("sum", np.zeros(3, np.int64))])
    Traceback (most recent call last):
    refrank.cluster.joins.JoinError: shard 1 joins in sum of int64 (3,), and shard 0 in sum of int64 (2,)
    """
    check_alike([describe(message) for message in messages])
    return JOINS[messages[0].kind]([message.value for message in messages])


def describe(message: Message) -> str:
    """Describe a join: its kind, and of arrays that are reduced the type and the shape."""
    if message.kind not in ("sum", "maximum"):
        return message.kind
    return f"{message.kind} of {message.value.dtype} {message.value.shape}"


def check_alike(described: Sequence[str]) -> None:
    """Refuse joins that differ."""
    for place, text in enumerate(described):
        if text != described[0]:
            raise JoinError(f"shard {place} joins in {text}, and shard 0 in {described[0]}")


def simplify(fault: BaseException) -> BaseException:
    """Return a fault that any process can unpickle, of a kind that the driver tells apart."""
    kind = next((kind for kind in (Lost, JoinError, OSError, ValueError) if isinstance(fault, kind)), None)
    return Lost(f"{type(fault).__name__}: {fault}") if kind is None else kind(str(fault))
