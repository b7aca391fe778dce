"""Change the code in one place at a time, and see a test fail: `python -m tests.mutants [ROOM ...]`.

Without rooms, all of them. A mutant is one change by an operator of Cosmic Ray (mutations.py), drawn by a seed; it is
found if a test of its room fails (run.py). One that no test finds belongs into survivors.txt with a verdict, and is not
run again (yardstick/planting.py has the format):

    equal at refrank/trees/bins/coarse.py::coarsen
    - the line
    + the line as it is changed
    why

"equal": both lines compute the same for every input that can come. "time": the results are the same, time or memory is
not. "words": a sentence or a picture is worded or drawn in another way. "open": a test should find it, and none does.
The score of a room is the share of the mutants found, of all drawn that are neither "equal" nor "time".

The exit code is 1 if a survivor is not listed, or if a room of which 40 or more were drawn has a score below 95%.
"""

import argparse
import math
import random
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from tests.mutants.mutations import Mutant, draw
from tests.mutants.run import ROOMS, ROOT, find_files, room_of, run_mutants
from yardstick.planting import read_mistakes

LIST = Path(__file__).with_name("survivors.txt")
VERDICTS = ("equal", "time", "words", "open")
ENOUGH, WANTED = 40, 0.95

Identity = tuple[str, str, str, str]


def read_verdicts(text: str) -> dict[Identity, str]:
    """Read a list of survivors."""
    verdicts = {}
    for survivor in read_mistakes(text):
        if survivor.words not in VERDICTS or not survivor.notes:
            raise ValueError(
                f"survivors.txt: each must have a verdict, {', '.join(VERDICTS)}, and a reason: {survivor}"
            )
        [(verdict, file, name)], [(old, new)] = survivor.places, survivor.changes
        verdicts[file, name, old, new] = verdict
    return verdicts


def show(mutant: Mutant) -> str:
    """Show a mutant as a list of survivors has it."""
    return f"open at {mutant.file}::{mutant.name}\n- {mutant.old}\n+ {mutant.new}\n"


def main(arguments: list[str] | None = None) -> int:
    """Run mutants, print those that no test finds and no list has, and each room's score."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.split("\n")[0])
    parser.add_argument("rooms", nargs="*", help=f"of {', '.join(ROOMS)}", metavar="ROOM")
    parser.add_argument("-n", type=int, default=60, help="mutants of each room (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="draw others (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="mutants that run side by side (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no mutant after so many")
    parser.add_argument("--found", action="store_true", help="print also what is found, and by which test")
    given = parser.parse_args(arguments)
    if wrong := set(given.rooms) - set(ROOMS):
        parser.error(f"no room {', '.join(wrong)}; the rooms are {', '.join(ROOMS)}")

    verdicts = read_verdicts(LIST.read_text(encoding="utf-8"))
    drawn = [mutant for room in given.rooms or ROOMS for mutant in draw(ROOT, find_files(room), given.n, given.seed)]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in drawn:
        if mutant.identity in verdicts:
            counts[room_of(mutant.file)][verdicts[mutant.identity]] += 1
    to_run = [mutant for mutant in drawn if mutant.identity not in verdicts]
    random.Random(given.seed).shuffle(to_run)  # so that those left over are of no room in particular
    started, unlisted = time.monotonic(), 0
    for result in run_mutants(to_run, given.jobs, given.seconds):
        counts[room_of(result.mutant.file)].update(["run", "found" if result.found_by else "not listed"])
        unlisted += not result.found_by
        if given.found or not result.found_by:
            print(f"{show(result.mutant)}{result.found_by or 'no test finds it'}\n", flush=True)

    low = False
    for room, of in counts.items():
        n = of["run"] + of["words"] + of["open"]
        low |= n >= ENOUGH and of["found"] < WANTED * n
        rest = ", ".join(f"{of[verdict]} {verdict}" for verdict in ("not listed", *VERDICTS) if of[verdict])
        print(f"{room:12} {of['found']:4} of {n} found, {of['found'] / max(n, 1):.1%}{'; ' * bool(rest)}{rest}")
    n_run = sum(of["run"] for of in counts.values())
    ran = f"{len(drawn)} mutants, {n_run} of them run, {unlisted} survivors that are not listed"
    print(f"{ran}, {time.monotonic() - started:.0f} s")
    return int(unlisted > 0 or low)


if __name__ == "__main__":
    sys.exit(main())
