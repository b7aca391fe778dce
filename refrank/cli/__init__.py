"""The command line: `commands` finds the command, and each other module is one."""

from refrank.cli.commands import main

__all__ = ["main"]
