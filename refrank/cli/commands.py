"""The command line: the list of commands, their flags, and their exit codes.

A command is a module with `add_flags(parser)` and `run(**flags)`. It is imported only when it is used, so
`refrank --help` loads none of them.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module, metadata
from typing import Any

from refrank.cli import INTERRUPTED
from refrank.cli.parser import OneLineParser, name_flags, say, write_warnings

OWN_COMMANDS = {
    "train": ("refrank.cli.training", "train a ranker on a LETOR file"),
    "predict": ("refrank.cli.prediction", "print one score per row"),
    "evaluate": ("refrank.cli.evaluation", "print NDCG@1..10, ERR and RMSE of a ranking, with their convention"),
    "whose-ndcg": (
        "refrank.cli.whose_ndcg",
        "print a ranking's figures as every tool does, and the rules between them",
    ),
    "compare": ("refrank.cli.comparison", "test the difference between two rankings of one file"),
    "bench": ("refrank.cli.bench", "compare rankers and other tools on all folds, each tuned with the same budget"),
    "bounds": ("refrank.cli.bounds", "print a ranking's DCG and ERR errors and every bound on them"),
    "show": ("refrank.cli.showing", "describe a model file"),
    "export": (
        "refrank.cli.exporting",
        "write a model for LightGBM, treelite, ONNX, XGBoost or RankLib",
    ),
    "import": ("refrank.cli.importing", "read a model of LightGBM, XGBoost or RankLib, which then predicts"),
    "reproduce": ("refrank.cli.reproduction", "reproduce a paper's tables and figures"),
    "verify-shards": ("refrank.cli.verifying_shards", "derive a round of a model from the shards it was trained on"),
    "data": ("refrank.cli.data", "check files: what they hold, and what leaks from one into another"),
    "completion": ("refrank.cli.completion", "print a script by which bash, zsh or fish completes commands and flags"),
    "config": ("refrank.cli.configuration", "print which splitter runs, on how many threads, and versions"),
}
EXIT_CODES = (
    "Exit codes: 0 done; 1 a file could not be read or written, or a cluster was lost; 2 bad input or usage; 3 what "
    "was checked is wrong: a port (conform), an answer (check), a model by more than its bound (export, import), files "
    "(data check), a bench (--config); 130 interrupted (143 by SIGTERM, 129 by SIGHUP)."
)


@cache
def list_commands() -> dict[str, tuple[str, str]]:
    """List the commands of refrank, and those of other packages: tables under the entry point `refrank.commands`."""
    added = sorted(metadata.entry_points(group="refrank.commands"), key=lambda entry: entry.name)
    return OWN_COMMANDS | {name: command for entry in added for name, command in entry.load().items()}


class Interrupted(Exception):
    """A command was interrupted; the message says what it wrote."""

    def __init__(self, message: str, exit_code: int = INTERRUPTED) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def run_command(words: Sequence[str]) -> int:
    """Run the command that the words name, with its arguments; return its exit code."""
    flags: dict[str, Any] = {}
    prog = " ".join(["refrank", *words[:1]])  # until the words are read
    try:
        with write_warnings():
            flags = vars(make_parser(words).parse_args(words))
            run, prog = flags.pop("run"), flags.pop("prog")
            code = int(run(**flags))
        sys.stdout.flush()  # so that a reader that has left is noticed here
        return code
    except Interrupted as end:
        return say(f"interrupted; {end}", end.exit_code)
    except BrokenPipeError:  # the reader closed the output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the remaining output is discarded silently
        return 1
    except OSError as fault:
        return say(f"error: {fault}", 1)
    except (ValueError, MemoryError) as fault:
        message = fault.suggest(words) if hasattr(fault, "suggest") else name_flags(str(fault), flags)
        return say(f"error: {message}" + f" ({prog} --help)" * message.startswith("--"), 2)


def make_parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """Describe the commands, and the flags of the one that these words name."""
    description = "McRank, iGBRT and COCR: train, rank, evaluate, and reproduce the papers."
    parser = OneLineParser(prog="refrank", description=description, epilog=EXIT_CODES)
    release = f"refrank {metadata.version('refrank')}"
    parser.add_argument("--version", action="version", version=release, help="print the release, and exit")
    commands = parser.add_subparsers(required=True, metavar="command", prog="refrank")
    asked = next((word for word in words if not word.startswith("-")), None)
    for name, (module, summary) in list_commands().items():
        command = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if name == asked:
            imported = import_module(module)
            imported.add_flags(command)
            command.set_defaults(run=imported.run)
    return parser
