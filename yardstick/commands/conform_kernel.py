"""`refrank conform kernel`: compare a library of the splitter's functions with the specification."""

import argparse
import json

from refrank.checks import check_number
from yardstick.commands.conform import DIFFERS


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank conform kernel`."""
    command.add_argument(
        "library", metavar="LIB", help="shared library that implements refrank/kernel/refrank_splitter.h"
    )
    command.add_argument("--only", nargs="+", metavar="F", help="functions, such as best_split; default all")
    modes = "bitwise: the same bits (default); tie: besides, other lawful choices"
    command.add_argument("--mode", choices=["bitwise", "tie"], default="bitwise", help=modes)
    command.add_argument("--time-limit", type=float, default=60.0, metavar="S", help="seconds per case; default 60")
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")


def run(library: str, only: list[str] | None, mode: str, time_limit: float, as_json: bool) -> int:
    """Print whether each function of a library agrees; the exit code tells whether all do under the mode."""
    from refrank.checks import check_choice
    from refrank.trees.splitter import FUNCTIONS
    from yardstick.kernel.child import judge_library
    from yardstick.kernel.report import as_lines, suffices

    check_number("time_limit", time_limit, above=0)
    functions = [check_choice("only", name, FUNCTIONS) for name in only or FUNCTIONS]
    verdicts = list(judge_library(library, functions, time_limit))
    if as_json:
        print(json.dumps({"library": library, "functions": verdicts}, allow_nan=False))
    else:
        print("\n".join(as_lines(verdicts)))
    return 0 if all(suffices(verdict, mode) for verdict in verdicts) else DIFFERS
