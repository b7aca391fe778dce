"""Change the code in one place at a time, and see a test fail: `python -m tests.mutants [ROOM ...]`.

Without rooms, all of them. A mutant is one change by an operator of Cosmic Ray (mutations.py), drawn by a seed; it is
found if a test of its room fails (run.py). One that no test finds belongs into survivors.txt with a verdict, and is not
run again:

    refrank/trees/bins/coarse.py::coarsen: equal
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
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from tests.mutants.mutations import Mutant, draw
from tests.mutants.run import ROOMS, ROOT, find_files, room_of, run_mutants

LIST = Path(__file__).with_name("survivors.txt")
VERDICTS = ("equal", "time", "words", "open")
ENOUGH, WANTED = 40, 0.95

Identity = tuple[str, str, str, str]


def read_verdicts(text: str) -> dict[Identity, str]:
    """Read a list of survivors: blocks parted by empty lines."""
    verdicts = {}
    for block in filter(None, re.split(r"\n\s*\n", text.strip())):
        head, old, new, *why = block.split("\n")
        found = re.fullmatch(rf"(\S+)::(\S+): ({'|'.join(VERDICTS)})", head)
        if not (found and old.startswith("-") and new.startswith("+") and why):
            raise ValueError(f"survivors.txt: not FILE::NAME: VERDICT, a line before and after, and why: {block!r}")
        verdicts[found[1], found[2], old[2:], new[2:]] = found[3]
    return verdicts


def show(mutant: Mutant) -> str:
    """Show a mutant as a list of survivors has it."""
    return f"{mutant.file}::{mutant.name}: open\n- {mutant.old}\n+ {mutant.new}\n"


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
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in drawn:
        if mutant.identity in verdicts:
            told[room_of(mutant.file)][verdicts[mutant.identity]] += 1
    to_run = [mutant for mutant in drawn if mutant.identity not in verdicts]
    random.Random(given.seed).shuffle(to_run)  # so that those left over are of no room in particular
    started, unlisted = time.monotonic(), 0
    for result in run_mutants(to_run, given.jobs, given.seconds):
        told[room_of(result.mutant.file)].update(["run", "found" if result.found_by else "not listed"])
        unlisted += not result.found_by
        if given.found or not result.found_by:
            print(f"{show(result.mutant)}{result.found_by or 'no test finds it'}\n", flush=True)

    low = False
    for room, of in told.items():
        n = of["run"] + of["words"] + of["open"]
        low |= n >= ENOUGH and of["found"] < WANTED * n
        rest = ", ".join(f"{of[verdict]} {verdict}" for verdict in ("not listed", *VERDICTS) if of[verdict])
        print(f"{room:12} {of['found']:4} of {n} found, {of['found'] / max(n, 1):.1%}{'; ' * bool(rest)}{rest}")
    n_run = sum(of["run"] for of in told.values())
    ran = f"{len(drawn)} mutants, {n_run} of them run, {unlisted} survivors that are not listed"
    print(f"{ran}, {time.monotonic() - started:.0f} s")
    return int(unlisted > 0 or low)


if __name__ == "__main__":
    sys.exit(main())
