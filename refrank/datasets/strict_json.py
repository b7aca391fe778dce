"""JSON from any source: one strict reader, which reports each fault in one sentence."""

import json
import math
from typing import Any, NoReturn

from refrank.checks import print_text

MOST_DIGITS = 1000  # of an integer: reading them takes quadratic time


def parse_json(content: bytes, name: str, finite: bool = True) -> Any:
    """Parse a JSON document in which each object has each field once.

    `content` is UTF-8, and `name` is that of the document in errors. Numbers must be finite unless `finite` is False:
    then NaN, Infinity and -Infinity are numbers, and floats may overflow.

    Raises a ValueError if the content is not such a document, or has an integer of more than 1000 digits.

    Examples
    --------
    >>> parse_json(b'{"round": 1, "round": 2}', "line 3")
    Traceback (most recent call last):
    ValueError: line 3 has a field twice: round
    """

    def hold(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for key, value in pairs:
            if key in fields:
                raise ValueError(f"{name} has a field twice: {print_text(key, 40)}")
            fields[key] = value
        return fields

    def read_float(digits: str) -> float:
        number = float(digits)
        return number if math.isfinite(number) or not finite else refuse(digits, "finite")

    def read_integer(digits: str) -> int:
        fits = len(digits.lstrip("-")) <= MOST_DIGITS
        return int(digits) if fits else refuse(digits, f"of at most {MOST_DIGITS} digits")

    def refuse(digits: str, rule: str) -> NoReturn:
        raise ValueError(f"{name} holds {print_text(digits, 40)}: numbers must be {rule}")

    try:
        return json.loads(
            str(content, "utf-8"),
            object_pairs_hook=hold,
            parse_float=read_float,
            parse_int=read_integer,
            parse_constant=read_float,
        )
    except json.JSONDecodeError as fault:
        raise ValueError(f"{name} is not JSON: {fault}") from None
    except UnicodeDecodeError as fault:
        raise ValueError(f"{name} is not UTF-8: {fault.reason} at byte {fault.start}") from None
    except RecursionError:
        raise ValueError(f"{name} is nested too deeply") from None
