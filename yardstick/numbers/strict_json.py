"""JSON from strangers: each field of an object once, finite numbers, and faults in one sentence.

A float overflows in no reader: what is above the largest float64 is refused. Python's own limit on the digits of an
integer holds, and so does its limit on nesting.
"""

import json
import math
from typing import Any, NoReturn

from refrank.checks import print_text


def parse_json(text: bytes, name: str) -> Any:
    """Parse a JSON document.

    Parameters
    ----------
    text : bytes
        UTF-8.
    name : str
        What errors call it.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If it is not JSON, or has a field twice, or a number that is not finite.

    Examples
    --------
    >>> parse_json(b'{"round": 1, "round": 2}', "line 3")
    Traceback (most recent call last):
    ValueError: line 3 has a field twice: round
    """

    def hold(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held: dict[str, Any] = {}
        for key, value in pairs:
            if key in held:
                raise ValueError(f"{name} has a field twice: {print_text(key, 40)}")
            held[key] = value
        return held

    def read_float(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) else refuse(digits)

    def refuse(digits: str) -> NoReturn:
        raise ValueError(f"{name} holds {print_text(digits, 40)}: numbers must be finite, and of at most 4300 digits")

    def read_integer(digits: str) -> int:
        return int(digits) if len(digits) <= 4300 else refuse(digits)

    try:
        return json.loads(
            str(text, "utf-8"),
            object_pairs_hook=hold,
            parse_float=read_float,
            parse_int=read_integer,
            parse_constant=refuse,
        )
    except json.JSONDecodeError as fault:
        raise ValueError(f"{name} is not JSON: {fault}") from None
    except UnicodeDecodeError as fault:
        raise ValueError(f"{name} is not UTF-8: {fault.reason} at byte {fault.start}") from None
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply") from None
