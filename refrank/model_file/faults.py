"""What is wrong with a file or a model: a ValueError that names the place, which is names joined by dots."""

from collections.abc import Iterator
from contextlib import contextmanager
from reprlib import repr as short
from typing import NoReturn


def require(holds: object, fault: str) -> None:
    """Raise a ValueError unless something holds."""
    if not holds:
        raise ValueError(fault)


def refuse(where: str, value: object, rule: str) -> NoReturn:
    """Raise the ValueError of a value that breaks its rule."""
    told = " ".join(short(value).split())
    raise ValueError(f"{where} is {told if len(told) < 80 else told[:76] + ' ...'}: it must be {rule}")


@contextmanager
def inside(where: str) -> Iterator[None]:
    """Put a place, which ends in a dot, before the names in faults."""
    try:
        yield
    except ValueError as fault:
        raise ValueError(f"{where}{fault}") from None
