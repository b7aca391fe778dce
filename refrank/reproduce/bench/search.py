"""Random search: the configurations of a system, each a function of the seed, the system's name, and its number alone.

So a system that is added later, or a greater budget, changes no configuration of the others. Number 1 is the system's
defaults. Number n draws u of each parameter from the SHA-256 digest of "SEED SYSTEM n PARAMETER": its first 53 bits,
over 2^53, whatever the version of NumPy.

symbol    in code
u         a number from 0 to below 1, by `draw_unit`
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

Space = Mapping[str, Union["Span", "Options"]]  # parameter -> its values
DIGITS = 3  # of a drawn fraction: enough for a search, and the same on every machine


@dataclass(frozen=True)
class Span:
    """Numbers from `low` to `high`, both above 0, whose logarithm is uniform; integers if the default is one."""

    default: float
    low: float
    high: float

    def draw(self, u: float) -> float:
        """Draw a number.

        >>> Span(0.1, 0.01, 1.0).draw(0.5), Span(31, 4, 256).draw(0.5)
        (0.1, 32)
        """
        value = self.low * (self.high / self.low) ** u
        return round(value) if isinstance(self.default, int) else float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class Options:
    """Words, all equally likely, each with the parameters that it needs."""

    default: str
    spaces: Mapping[str, Space]

    def draw(self, u: float) -> str:
        """Draw a word.

        >>> Options("a", {"a": {}, "b": {}}).draw(0.5)
        'b'
        """
        return [*self.spaces][int(u * len(self.spaces))]


def draw_configuration(system: str, space: Space, seed: int, number: int) -> dict[str, Any]:
    """Draw the values of all parameters; `number` counts from 1.

    >>> space = {"rate": Span(0.1, 0.01, 1.0), "base": Options("ls", {"ls": {}, "m5p": {"rows": Span(4, 2, 9)}})}
    >>> [draw_configuration("cocr", space, 0, number) for number in (1, 2)]
    [{'rate': 0.1, 'base': 'ls'}, {'rate': 0.0774, 'base': 'm5p', 'rows': 6}]
    """
    configuration: dict[str, Any] = {}
    for name, values in space.items():
        value = values.default if number == 1 else values.draw(draw_unit(f"{seed} {system} {number} {name}"))
        configuration[name] = value
        if isinstance(values, Options):
            configuration |= draw_configuration(system, values.spaces[str(value)], seed, number)
    return configuration


def draw_unit(text: str) -> float:
    """Draw a number from 0 to below 1, which the text determines.

    >>> round(draw_unit("0 gbrt 2 max_depth"), 3)
    0.81
    """
    return (int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 11) / 2**53
