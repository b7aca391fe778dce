"""The programs that models go to, which the extra `exchange` installs; each is imported when it is asked for."""

from importlib import import_module
from typing import Any

INSTALL = "install it with: pip install 'refrank[exchange]'"


def load_runtime(name: str, task: str) -> Any:
    """Import a program; a ValueError says how to install one that is not there, and which task needs it.

    >>> load_runtime("no_such_program", "--verify")
    Traceback (most recent call last):
    ValueError: --verify needs no_such_program, which is not installed; install it with: pip install 'refrank[exchange]'
    """
    try:
        return import_module(name)
    except (ImportError, OSError) as fault:  # OSError: a library under it is not there
        state = "is not installed" if isinstance(fault, ModuleNotFoundError) else f"does not load ({fault})"
        raise ValueError(f"{task} needs {name.partition('.')[0]}, which {state}; {INSTALL}") from None
