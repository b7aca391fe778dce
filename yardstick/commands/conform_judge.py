"""`refrank conform judge`: judge a port's trace by itself, and report the first number that does not follow."""

import argparse

from yardstick.commands.conform import DIFFERS, add_mode_flags, add_report_flags, choose_mode, report


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank conform judge`."""
    command.add_argument("theirs", metavar="THEIRS", help="folder of the port's trace, with its rows and parameters")
    add_mode_flags(command)
    add_report_flags(command)


def run(theirs: str, mode: str, ulps: int | None, as_json: bool, junit: str | None) -> int:
    """Print the verdicts on a trace; the exit code tells whether all of it follows under the mode."""
    from yardstick.divergence.comparing import judge_trace
    from yardstick.traces.reader import open_trace

    comparison = judge_trace(open_trace(theirs), choose_mode(mode, ulps))
    report(comparison, as_json, junit)
    return 0 if comparison.passes else DIFFERS
