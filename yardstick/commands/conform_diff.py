"""`refrank conform diff`: compare a port's trace with refrank's, and report the first number that differs."""

import argparse
import sys

from yardstick.commands.conform import DIFFERS, add_mode_flags, choose_mode


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank conform diff`."""
    command.add_argument("golden", metavar="GOLDEN", help="folder of refrank's trace, written by refrank trace")
    command.add_argument("theirs", metavar="THEIRS", help="folder of the port's trace")
    add_mode_flags(command)
    command.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    command.add_argument("--junit", metavar="FILE", help="write a report in the XML of JUnit, too")


def run(golden: str, theirs: str, mode: str, ulps: int | None, as_json: bool, junit: str | None) -> int:
    """Print a comparison of two traces; the exit code tells whether they agree under the mode."""
    from refrank.datasets.whole_file import replace_file
    from yardstick.divergence.comparing import compare_traces
    from yardstick.divergence.reporting import write_json, write_junit, write_text
    from yardstick.traces.reader import open_trace

    comparison = compare_traces(open_trace(golden), open_trace(theirs), choose_mode(mode, ulps))
    print(write_json(comparison) if as_json else write_text(comparison))
    if junit is not None:
        with replace_file(junit) as file:
            file.write(write_junit(comparison).encode())
    if comparison.p_value is None and mode == "statistical":
        print("refrank: neither trace tells NDCG of the same queries", file=sys.stderr)
    return 0 if comparison.passes else DIFFERS
