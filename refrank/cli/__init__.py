"""The command line: `commands` (arguments, exit codes, what each does), then `evaluation` (what is printed)."""

from refrank.cli.commands import main

__all__ = ["main"]
