"""The command line: `commands` finds and runs the command; most other modules are one command each."""

from refrank.cli.commands import main

__all__ = ["main"]
