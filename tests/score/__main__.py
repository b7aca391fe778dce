"""The mutation score of the vectors, of the trainings, or of the kernel's cases.

    python -m tests.score [vectors | trainings | kernel] [-n N] [--seed S] [-j JOBS]

A mutant is the specification with one operator, constant or statement changed (tests/mutants/mutations.py), of what a
port has (drawn.py). It is judged as a port is:

vectors      it answers every case, and, if it passes all of them, a sixteenth of each stream
trainings    it writes the traces of the trainings, up to the first that differs from refrank's
kernel       its splitter is asked every case of the functions that reach the changed code

It is found if a case fails or a trace differs, and named if the first case that fails is of a family, or of a function,
or the first difference, as refrank judges it, of a stage that stages.py gives for the changed code; an error in a
training, a trace that is refused, and one that ends early name the place by themselves. Mutants that cannot be imported
are left out, and so are those that differ only by another choice among cuts or nodes that gain equally, which is
lawful. The trainings are asked for neither what none of them calls nor the metrics.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from tests.score.doors import Door, ask_cases, open_kernel, open_trainings
from tests.score.drawn import draw_mutants
from tests.score.planted import NOTHING, Verdict, judge_all
from tests.score.stages import DOORS, is_named


def report_score(verdicts: Iterable[Verdict], door: str) -> None:
    """Print the mutants that are not named, and the score; those with nothing to find are left out."""
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        if verdict.first == NOTHING:
            continue
        elsewhere = "found elsewhere" if verdict.first else "not found"
        state = "named" if is_named(verdict.mutant, door, verdict.first) else elsewhere
        counts.update([state, "all"])
        if state != "named":
            mutant = verdict.mutant
            place = f"{state} at {mutant.file}::{mutant.name}"
            print(f"{place}\n- {mutant.old}\n+ {mutant.new}\n{verdict.first} {verdict.said}\n", flush=True)
    shares = ", ".join(f"{counts[state]} {state}" for state in ("named", "found elsewhere", "not found"))
    print(f"{counts['all']} mutants: {shares}; score {counts['named'] / counts['all']:.1%}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.score")
    parser.add_argument("door", nargs="?", choices=DOORS, default=DOORS[0], help="default: %(default)s")
    parser.add_argument("-n", type=int, default=400, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="draw others (default: %(default)s)")
    parser.add_argument("-j", type=int, default=2, help="processes at once (default: %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        openers = {"trainings": partial(open_trainings, Path(folder)), "kernel": open_kernel}
        find, *kinds = openers.get(given.door, partial(Door, ask_cases))()
        report_score(judge_all(draw_mutants(given.n, given.seed, *kinds), find, given.j), given.door)


if __name__ == "__main__":
    main()
