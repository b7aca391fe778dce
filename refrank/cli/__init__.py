"""The command line: `commands` (arguments, exit codes), `training`, `cocr`, `flags`, `evaluation`, `reproduction`."""

from refrank.cli.commands import main

__all__ = ["main"]
