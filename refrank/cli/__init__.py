"""The command line: `commands` finds and runs the command; most other modules are one command each.

Imports take most of the time of a short command, so `main` imports them where an interrupt is caught.
"""

import sys
from collections.abc import Sequence

INTERRUPTED = 130  # exit code, as of a program that SIGINT ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    >>> main(["config"])  # doctest: +ELLIPSIS
    splitter ...
    0
    """
    try:
        from refrank.cli.commands import run_command

        return run_command(sys.argv[1:] if arguments is None else list(arguments))
    except (KeyboardInterrupt, ImportError) as end:  # an extension turns an interrupt of its import into an ImportError
        if not is_interrupt(end):
            raise
        print("refrank: interrupted", file=sys.stderr)
        return INTERRUPTED


def is_interrupt(error: BaseException | None) -> bool:
    """Return whether an interrupt is an error or caused it.

    >>> is_interrupt(ImportError()), is_interrupt(KeyboardInterrupt())
    (False, True)
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
