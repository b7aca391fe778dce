"""A fuzzer of what refrank reads: model files, LETOR files, scores, traces, the words of a command.

    python -m tests.fuzz --seconds 120                     every target in turn, an equal share of the time each
    python -m tests.fuzz --inputs 1000 --seed 7            so many inputs per target; equal seeds, equal inputs
    python -m tests.fuzz --targets models FILE             the files that an earlier run has kept, or any others
    python -m tests.fuzz --write-corpus                    write tests/fuzz/corpus anew

The inputs that fail are kept in a folder, each with its fault beside it; the exit code is then 1. If the process dies,
the input that it died of is in that folder, under the name of its target.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.corpus import write_corpus
from tests.fuzz.run import TARGETS, Run, bound_memory


def choose(names: str) -> list[str]:
    """Read the names of targets, between commas."""
    if unknown := {*names.split(",")} - {*TARGETS}:
        raise argparse.ArgumentTypeError(f"{min(unknown)!r} is not one of {', '.join(TARGETS)}")
    return names.split(",")


def main() -> int:
    """Run the fuzzer; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="inputs to try, instead of making any")
    parser.add_argument("--seconds", type=float, help="for all targets together")
    parser.add_argument("--inputs", type=int, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--targets", type=choose, default=[*TARGETS], metavar=",".join(TARGETS), help="default all")
    parser.add_argument("--folder", type=Path, help="where inputs that fail are kept; default a new one")
    parser.add_argument("--write-corpus", action="store_true")
    given = parser.parse_args()
    if given.write_corpus:
        write_corpus()
        return 0
    folder = given.folder or Path(tempfile.mkdtemp(prefix="refrank-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"seed {given.seed}; what fails is kept in {folder}", flush=True)
    bound_memory()
    n_failures = 0
    for name in given.targets:
        run = Run(TARGETS[name](folder), folder, given.seed)
        if given.files:
            for file in given.files:
                run.try_one(file.name, file.read_bytes())
        else:
            seconds = None if given.seconds is None else given.seconds / len(given.targets)
            run.repeat(given.inputs if seconds is not None or given.inputs is not None else 1000, seconds)
        print(run.describe(), flush=True)
        n_failures += len(run.failures)
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
