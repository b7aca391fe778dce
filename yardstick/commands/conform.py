"""`refrank conform`: find where a port departs from refrank. Each comparison is a subcommand in its own module."""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yardstick.divergence.comparison import Mode

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
    "client": ("yardstick.commands.conform_client", "print the beginning of a port in C, Go, JavaScript or Rust"),
}
DIFFERS = 3  # the exit code when a port departs from refrank


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


def add_mode_flags(command: argparse.ArgumentParser) -> None:
    """Add the flags that define equality."""
    modes = "bitwise: the same bits (default); ulp: floats up to --ulps apart; tie: besides, other lawful choices"
    command.add_argument(
        "--mode",
        choices=["bitwise", "ulp", "tie", "statistical"],
        default="bitwise",
        help=f"{modes}; statistical: rankings that differ by chance",
    )
    command.add_argument("--ulps", type=int, metavar="N", help="units in the last place, in modes ulp (1) and tie (0)")


def choose_mode(name: str, ulps: int | None) -> "Mode":
    """Return the mode that the flags select."""
    from yardstick.divergence.comparison import Mode

    if ulps is not None and name not in ("ulp", "tie"):
        raise ValueError(f"--ulps does not work with --mode {name}")
    return Mode(name, int(name == "ulp") if ulps is None else ulps)
