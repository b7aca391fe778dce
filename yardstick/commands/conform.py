"""`refrank conform`: where a port departs from refrank. What is compared is a subcommand, and a module, of its own."""

import argparse
from collections.abc import Callable
from importlib import import_module

PARTS = {
    "run": (
        "yardstick.commands.conform_run",
        "ask a port for trainings, functions and lemmas, and write its scorecard",
    ),
    "diff": ("yardstick.commands.conform_diff", "compare two traces, and name the first number that differs"),
    "kernel": (
        "yardstick.commands.conform_kernel",
        "compare a library of the splitter's functions with the specification",
    ),
}
DIFFERS = 3  # the exit code where a port departs from refrank


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the subcommands, each with its flags."""
    parts = command.add_subparsers(required=True, metavar="what")
    for name, (module, summary) in PARTS.items():
        part = parts.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        imported = import_module(module)
        imported.add_flags(part)
        part.set_defaults(part=imported.run)


def run(part: Callable[..., int], **flags: object) -> int:
    """Run the subcommand."""
    return part(**flags)
