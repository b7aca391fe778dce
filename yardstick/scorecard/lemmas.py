"""The lemmas of `proofs_check`, checked on the functions that a port offers for them.

No other module of refrank uses `proofs_check`. It is imported only if a port offers lemmas, because Hypothesis, which
draws the instances, is in the extra "test".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any

from refrank.checks import check_choice


def name_arguments(source: str, names: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Name the arguments of the functions that a port offers for lemmas, by the names of their functions.

    A ValueError says that a name is unknown, or that Hypothesis is not installed.
    """
    if not names:
        return {}
    try:
        import hypothesis  # noqa: F401
    except ModuleNotFoundError:
        reason = "it needs Hypothesis, which is not installed (pip install 'refrank[test]')"
        raise ValueError(f"{source} offers lemmas: {reason}") from None
    from proofs_check.engine.implementation import NAMES, load

    own, names = load(None), [check_choice(f"a lemma of {source}", name, NAMES) for name in names]
    return {name: [*signature(getattr(own, name)).parameters] for name in names}


def run_lemmas(name: str, functions: Mapping[str, Callable[..., Any]]) -> Iterator[Any]:
    """Check the functions of a port by each statement; yield one `PortOutcome` per statement."""
    from proofs_check.engine.implementation import Implementation
    from proofs_check.ports.run import run_port_checks

    return run_port_checks(Implementation(name, **functions))
