"""`refrank conform diff`: compare a port's trace with refrank's, and report the first number that differs."""

import argparse
import sys

from yardstick.commands.conform import DIFFERS, add_mode_flags, add_report_flags, choose_mode, report


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank conform diff`."""
    command.add_argument("golden", metavar="GOLDEN", help="folder of refrank's trace, written by refrank trace")
    command.add_argument("theirs", metavar="THEIRS", help="folder of the port's trace")
    add_mode_flags(command)
    add_report_flags(command)


def run(golden: str, theirs: str, mode: str, ulps: int | None, as_json: bool, junit: str | None) -> int:
    """Print a comparison of two traces; the exit code tells whether they agree under the mode."""
    from yardstick.divergence.comparing import compare_traces
    from yardstick.traces.reader import open_trace

    comparison = compare_traces(open_trace(golden), open_trace(theirs), choose_mode(mode, ulps))
    report(comparison, as_json, junit)
    if comparison.quality is None and mode == "statistical":
        print("refrank: neither trace tells NDCG of the same queries", file=sys.stderr)
    return 0 if comparison.passes else DIFFERS
