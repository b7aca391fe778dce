"""The programs that models are exported to, which the extra `exchange` installs; each is imported when it is needed."""

from importlib import import_module
from typing import Any

INSTALL = "install it with: pip install 'refrank[exchange]'"


def load_runtime(name: str, task: str) -> Any:
    """Import a program; if it is missing, raise a ValueError that says how to install it and which task needs it.

    >>> load_runtime("no_such_program", "--verify")
    Traceback (most recent call last):
    ValueError: --verify needs no_such_program, which is not installed; install it with: pip install 'refrank[exchange]'
    """
    try:
        return import_module(name)
    except (ImportError, OSError) as fault:  # OSError: a library that it needs is missing
        state = "is not installed" if isinstance(fault, ModuleNotFoundError) else f"does not load ({fault})"
        raise ValueError(f"{task} needs {name.partition('.')[0]}, which {state}; {INSTALL}") from None


def name_runtime(name: str) -> str:
    """Name a program with the version of its module: several packages install it, such as xgboost and xgboost-cpu."""
    return f"{name} {load_runtime(name, '--verify').__version__}"
