"""The command line: `commands` (arguments, exit codes), `training`, `evaluation`, `reproduction`."""

from refrank.cli.commands import main

__all__ = ["main"]
