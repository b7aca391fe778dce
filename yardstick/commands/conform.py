"""`refrank conform`: find where a port departs from refrank. Each comparison is a subcommand in its own module."""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yardstick.divergence.comparison import Mode, TraceComparison

PARTS = {
    "run": (
        "yardstick.commands.conform_run",
        "ask a port for trainings, functions and lemmas, and write its scorecard",
    ),
    "diff": ("yardstick.commands.conform_diff", "compare two traces, and name the first number that differs"),
    "judge": ("yardstick.commands.conform_judge", "judge the trace of a port by itself, from its own records"),
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
    modes = "bitwise: the same bits (default); ulp: floats up to --ulps apart; tie: besides, other lawful choices; "
    modes += "float64, float32: besides, what an honest arithmetic in this format may differ by"
    command.add_argument(
        "--mode",
        choices=["bitwise", "ulp", "tie", "float64", "float32", "statistical"],
        default="bitwise",
        help=f"{modes}; statistical: rankings that differ by chance",
    )
    command.add_argument("--ulps", type=int, metavar="N", help="units in the last place, in modes ulp (1) and tie (0)")


def add_report_flags(command: argparse.ArgumentParser) -> None:
    """Add the flags that choose the form of a report on traces."""
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    command.add_argument("--junit", metavar="FILE", help="write a report in the XML of JUnit, too")


def report(comparison: "TraceComparison", as_json: bool, junit: str | None) -> None:
    """Print a comparison, and write it in the XML of JUnit if asked."""
    from refrank.datasets.whole_file import replace_file
    from yardstick.divergence.reporting import write_json, write_junit, write_text

    print(write_json(comparison) if as_json else write_text(comparison))
    if junit is not None:
        with replace_file(junit) as file:
            file.write(write_junit(comparison).encode())


def choose_mode(name: str, ulps: int | None) -> "Mode":
    """Return the mode that the flags select."""
    from yardstick.divergence.comparison import Mode

    if ulps is not None and name not in ("ulp", "tie"):
        raise ValueError(f"--ulps does not work with --mode {name}")
    return Mode(name, int(name == "ulp") if ulps is None else ulps)
