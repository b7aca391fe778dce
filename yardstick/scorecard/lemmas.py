"""The lemmas of `proofs_check`, checked on the functions that a page of Python offers as LEMMAS.

No other module of refrank uses `proofs_check`. It is imported only if a port offers LEMMAS, because Hypothesis, which
draws the instances, is in the extra "test".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from refrank.checks import print_text

if TYPE_CHECKING:
    from proofs_check.ports.check import PortOutcome


def name_arguments(source: str, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Name the arguments of the functions that a port offers for lemmas, by the names of their functions.

    A ValueError says that a name is unknown, or that Hypothesis is not installed.

    >>> name_arguments("port", ["dcg_at"])
    {'dcg_at': ['y', 'score', 'k']}
    """
    if not names:
        return {}
    from proofs_check.engine.implementation import NAMES, load

    for name in names:
        if name not in NAMES:
            unknown = print_text(name, 40)
            raise ValueError(f"LEMMAS of {source} has {unknown!r}: each name must be one of {', '.join(NAMES)}")
    try:
        import hypothesis  # noqa: F401
    except ModuleNotFoundError:
        reason = "it needs Hypothesis, which is not installed (pip install 'refrank[test]')"
        raise ValueError(f"{source} offers LEMMAS: {reason}") from None
    own = load(None)
    return {name: [*signature(getattr(own, name)).parameters] for name in names}


def run_lemmas(name: str, functions: Mapping[str, Callable[..., Any]]) -> "Iterator[PortOutcome]":
    """Check the functions of a port by each statement; yield one outcome per statement."""
    from proofs_check.engine.implementation import Implementation
    from proofs_check.ports.run import run_port_checks

    return run_port_checks(Implementation(name, **functions))
