"""The lemmas of `proofs_check`, checked on the functions that a page of Python offers as LEMMAS.

No other module of refrank uses `proofs_check`. It is imported only if a port offers LEMMAS, because Hypothesis, which
draws the instances, is in the extra "test".
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from refrank.checks import print_text

if TYPE_CHECKING:
    from proofs_check.ports.check import PortOutcome

Functions = Mapping[str, Callable[..., Any]]


def check_lemmas(source: str, functions: Any) -> Functions:
    """Check the LEMMAS of a page before any training.

    Parameters
    ----------
    source : str
        The page, named in errors.
    functions : mapping of str to function
        By the names in `proofs_check.engine.implementation`.

    Returns
    -------
    mapping of str to function

    Raises
    ------
    ValueError
        If `functions` has another form, a name is unknown, or Hypothesis is not installed.
    """
    from proofs_check.engine.implementation import NAMES

    if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
        raise ValueError(f"LEMMAS of {source} is {type(functions).__name__}: it must map names to functions")
    for name in functions:
        if name not in NAMES:
            unknown = print_text(str(name), 40)
            raise ValueError(f"LEMMAS of {source} has {unknown!r}: each name must be one of {', '.join(NAMES)}")
    try:
        import hypothesis  # noqa: F401
    except ModuleNotFoundError:
        reason = "it needs Hypothesis, which is not installed (pip install 'refrank[test]')"
        raise ValueError(f"{source} offers LEMMAS: {reason}") from None
    return functions


def run_lemmas(name: str, functions: Functions) -> Iterator["PortOutcome"]:
    """Check the functions of a port by each statement; yield one outcome per statement."""
    from proofs_check.engine.implementation import Implementation
    from proofs_check.ports.run import run_port_checks

    yield from run_port_checks(Implementation(name, **functions))
