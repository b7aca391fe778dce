"""The mutation score of the vectors, of the trainings, or of the kernel's cases.

    python -m tests.yardstick.score [--trainings | --kernel] [-n N] [--seed S] [-j JOBS]

A mutant is the specification with one operator, constant or statement changed (tests/mutants/mutations.py), of what a
port has (tests/yardstick/drawn.py). It is judged as a port is:

vectors      it answers every case, and, if it passes all of them, a sixteenth of each stream
trainings    it writes the traces of the trainings, up to the first that differs from refrank's
kernel       its splitter is asked every case of the functions that reach the changed code

It is found if a case fails or a trace differs, and named if the first case that fails is of a family, or of a function,
or the first difference, as refrank judges it, of a stage that `STAGES` gives for the changed code; an error in a
training, a trace that is refused, and one that ends early name the place by themselves. Mutants that cannot be imported
are left out, and so are those that differ only by another choice among cuts or nodes that gain equally, which is
lawful. The trainings are asked for neither what none of them calls nor the metrics.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import warnings
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy  # noqa: F401  imported once, before the forks
import scipy.special  # noqa: F401

from refrank.trees.splitter import FUNCTIONS
from tests.mutants.mutations import Mutant
from tests.yardstick.branches import FILES
from tests.yardstick.drawn import LAYOUT, UNASKED, UNSEEN, UNTRAINED, Functions, draw_mutants, note_calls
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.judging import AGREES, DIFFERS, LAWFUL
from yardstick.kernel.case import KernelCase, Outputs
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import run_trial, specify
from yardstick.scorecard.trainings import TRAININGS
from yardstick.traces.reader import RECORDS, Trace, open_trace
from yardstick.traces.records import index_records

SECONDS = 20  # of all cases, of a training, or of a function, by the clock of the process
TREES, LOSSES = "numbers binning splits leaves trees", "numbers rounds regression probabilities boosting"
GROWN = "bins grid histogram cut partition leaf_sums leaf_values tree draws residual prediction"
SUMMED = "start residual grid histogram cut partition leaf_sums leaf_values tree"
FITTED = "start proba residual leaf_sums leaf_values step scores prediction"
STAGES = {  # beginning of a file, or of a file and a function -> families of cases, stages of trainings, and
    # functions of the splitter, where they are not the function itself
    "refrank/trees/splitting.py::bin_starts": (TREES, "bins", ""),
    "refrank/trees/splitting.py::quantize": (TREES, "bins", ""),
    "refrank/trees/splitting.py::root_sums": (TREES, "histogram bins", ""),
    "refrank/trees/splitting.py::histogram": (TREES, "histogram tree", ""),
    "refrank/trees/splitting.py::partition": (TREES, "partition", ""),
    "refrank/trees/splitting.py::leaf_sums": (TREES, "leaf_sums", ""),
    "refrank/trees/splitting.py::add_to_leaves": (TREES, "scores", ""),
    "refrank/trees/splitting.py::add_trees": (TREES, "leaves scores answers prediction residual", ""),
    "refrank/trees/splitting.py::grow_deep": (TREES, "tree", ""),
    "refrank/trees/splitting.py::take_apart": (TREES, "cut partition leaf_sums tree", "grow_deep"),
    "refrank/trees/splitting.py::part_missing": (TREES, "cut partition leaf_sums tree", "best_split"),
    "refrank/trees/splitting.py::-": (TREES, "bins histogram cut partition tree", "quantize histogram best_split"),
    "refrank/trees/splitting.py": (TREES, "cut partition tree", "best_split"),
    "refrank/trees/numbers/draws": ("draws", "draws tree", "grow_deep"),
    "refrank/trees/numbers/exponential": ("numbers", "proba prediction", "exp softmax"),
    "refrank/trees/numbers/exact_gain": (TREES, "cut tree", "best_split"),
    "refrank/trees/numbers": (TREES, SUMMED, "largest_magnitude round_to_grid"),
    "refrank/trees/bins": (TREES, "bins", ""),
    "refrank/trees/growth/forest_growth": ("trees igbrt", GROWN, ""),
    "refrank/trees/growth": (TREES, GROWN, ""),
    "refrank/mcrank/expected_relevance": ("probabilities", "residual prediction", ""),
    "refrank/mcrank/order_statistics": ("regression", "start leaf_values residual", ""),
    "refrank/mcrank/pairwise_gradients": ("lambdas", FITTED, ""),
    "refrank/mcrank/swap_change": ("lambdas", FITTED, ""),
    "refrank/mcrank": (LOSSES, FITTED, ""),
    "refrank/igbrt/missing_values": ("draws igbrt", "bins", ""),
    "refrank/igbrt": ("draws igbrt", "start draws residual leaf_values step scores tree prediction", ""),
    "refrank/cocr": ("cocr", "start residual answers prediction", ""),
    "refrank/metrics": ("metrics conventions", "", ""),
}
Place = tuple[str, str]  # family, stage or function, slash, the case or the training; and what is said of it
Specified = tuple[KernelCase, Outputs]
UNCHANGED = Mutant("", "-", 0, "", "", "")
NOWHERE, NOTHING = "", "-"  # first differences: there is none; there is none to find


class Door(NamedTuple):
    """A way to judge mutants."""

    column: int  # of `STAGES`
    find: Callable[[Mutant], Place]  # the first difference
    files: Iterable[str] = FILES
    called: Functions = ()
    layout: tuple[str, ...] = LAYOUT
    unseen: tuple[str, ...] = UNSEEN


class Verdict(NamedTuple):
    """Outcome of a mutant."""

    mutant: Mutant
    column: int
    first: str
    said: str

    @property
    def is_named(self) -> bool:
        """Whether the first difference is where the changed code belongs."""
        mutant = self.mutant
        shown = next(held for start, held in STAGES.items() if f"{mutant.file}::{mutant.name}".startswith(start))
        name = mutant.name.partition(".")[0]
        own = name if self.column == 2 and name in FUNCTIONS else shown[self.column]
        return self.first.partition("/")[0] in (f"{own} error" if self.column == 1 else own).split()


def take_modules() -> dict[str, ModuleType]:
    """Have all modules imported once more; return those that were imported."""
    rooms = "refrank", "yardstick", "generators"
    # the digests of a port are right, and its numbers are written as they are
    own = [name for name in sys.modules if name.split(".")[0] in rooms and not name.startswith("yardstick.numbers")]
    return {name: sys.modules.pop(name) for name in own}


@contextmanager
def plant(mutant: Mutant, module: str) -> Iterator[ModuleType]:
    """Import a module, and others from here on, with a mutant planted; it has its time.

    An ImportError says that it cannot be imported.
    """
    os.environ["REFRANK_NO_EXTENSION"] = "1"
    warnings.simplefilter("ignore")
    name, get_own = mutant.file.removesuffix(".py").replace("/", "."), SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, imported: str) -> CodeType | None:
        return compile(mutant.text, imported, "exec") if imported == name else get_own(loader, imported)

    modules = take_modules()
    try:
        with patch.object(SourceFileLoader, "get_code", get_code):
            try:
                imported = import_module(module)
            except Exception as fault:
                raise ImportError(repr(fault)) from fault
            limit_time()
            yield imported
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        take_modules()
        sys.modules.update(modules)


def limit_time() -> None:
    """Have what this process does from now on end in time, by an error."""
    signal.signal(signal.SIGPROF, raise_timeout)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)


def raise_timeout(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError


def judge_all(mutants: Iterable[Mutant], door: Door, jobs: int = 1) -> Iterator[Verdict]:
    """Judge each mutant in a process of its own, some of them at once."""
    running = deque[Callable[[], Verdict]]()
    for mutant in mutants:
        running.append(start(mutant, door))
        if len(running) >= jobs:
            yield running.popleft()()
    yield from (wait() for wait in running)


def start(mutant: Mutant, door: Door) -> Callable[[], Verdict]:
    """Begin to judge a mutant; return a function that waits for the verdict."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            try:
                place = door.find(mutant)
            except ImportError as fault:
                place = NOTHING, str(fault)
            os.write(writer, json.dumps([text[:400] for text in place]).encode())
        finally:
            os._exit(0)
    os.close(writer)

    def wait() -> Verdict:
        with open(reader, "rb") as pipe:
            content = pipe.read()
        os.waitpid(child, 0)
        return Verdict(mutant, door.column, *(json.loads(content) if content else ("?/ended", "the process ended")))

    return wait


def ask_cases(mutant: Mutant) -> Place:
    """Find the first case or stream that fails."""
    with plant(mutant, "generators.streams") as streams:
        from yardstick.vectors.reading import load_vectors
        from yardstick.vectors.running import run_vectors
        from yardstick.vectors.streams import load_streams

        cases, choices = load_vectors().cases, set[str]()
        for outcome in run_vectors(streams.COMPUTE, cases):
            if outcome.verdict not in ("passed", "acceptable"):
                return outcome.case, str(outcome)
            choices.add(outcome.flag)
        families = {case.function: case.id.partition("/")[0] for case in cases}
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, stream in enumerate(load_streams().values()):
            block = 0 if stream.call == "first" else number % 16
            try:
                told = streams.compute_digest(stream.name, block)
            except Exception as fault:
                told = repr(fault)
            if told != stream.digests[block]:
                return f"{families[streams.TABLE[stream.name].function]}/{stream.name}, a stream", told
        return (NOTHING if choices - {""} else NOWHERE), f"choices: {choices}"


def train(mutant: Mutant, golden: Mapping[str, Trace], called: Mapping[str, Functions]) -> Place:
    """Train up to the first trace that differs in a compared field; find the first difference."""
    with tempfile.TemporaryDirectory() as folder:
        with plant(mutant, "yardstick.scorecard.trainings") as trainings:
            for name, trace in golden.items():
                if not reaches(called[name], mutant):
                    continue
                limit_time()
                try:
                    theirs = trainings.train_golden(trainings.TRAININGS[name], Path(folder, name))
                except Exception as fault:
                    return f"error/{name}", repr(fault)
                if (trace.folder / RECORDS).read_bytes() == (theirs.folder / RECORDS).read_bytes():
                    continue
                own, other = index_records(trace), index_records(theirs)
                if [*own] != [*other] or not all(own[key].has_same_numbers(other[key]) for key in own):
                    break
            else:
                return NOWHERE, ""
        try:
            compared = compare_traces(trace, open_trace(Path(folder, name)), has_hints=False)
        except ValueError as fault:  # the trace is refused
            return f"error/{name}", str(fault)
    first = compared.first
    if first is None and compared.besides:  # it ends early, or records are missing
        return f"error/{name}", str(compared.besides)
    if first is None or first.verdict != DIFFERS:
        return NOTHING if first and first.verdict == LAWFUL else f"unclear/{name}", str(first)
    return f"{first.stage}/{name}", str(first)


def ask_kernel(mutant: Mutant, specified: Mapping[str, Sequence[Specified]], called: Mapping[str, Functions]) -> Place:
    """Find the first function that differs in a case; of those that reach the changed code."""
    with plant(mutant, "refrank.trees.splitting") as port:
        verdicts = {AGREES}
        for function, cases in specified.items():
            if not reaches(called[function], mutant):
                continue
            limit_time()
            for case, ours in cases:
                try:
                    trial = run_trial(port, case, ours)
                except Exception as fault:
                    return f"{function}/{case.name}", repr(fault)
                if trial.verdict not in (AGREES, LAWFUL):
                    return f"{function}/{case.name}", trial.wrong
                verdicts.add(trial.verdict)
        return (NOTHING if LAWFUL in verdicts else NOWHERE), ""


def reaches(called: Functions, mutant: Mutant) -> bool:
    """Return whether the changed code is among functions that were called, or is none."""
    return mutant.name == "-" or (mutant.file, mutant.name) in called


def open_trainings(folder: Path, names: Iterable[str] = TRAININGS) -> Door:
    """Write refrank's own traces to a folder, to which those of mutants are compared."""
    golden, called = dict[str, Trace](), dict[str, set[tuple[str, str]]]()
    with plant(UNCHANGED, "yardstick.scorecard.trainings") as trainings:
        for name in names:
            with note_calls(called.setdefault(name, set())):
                trainings.train_golden(trainings.TRAININGS[name], folder / name)
            golden[name] = open_trace(folder / name)
            limit_time()
    every = set[tuple[str, str]]().union(*called.values())
    files = [file for file in FILES if not file.startswith("refrank/metrics") and file in dict(every)]
    return Door(1, partial(train, golden=golden, called=called), files, every, LAYOUT, (*UNSEEN, *UNTRAINED))


def open_kernel(functions: Collection[str] = FUNCTIONS) -> Door:
    """Ask the specification; note the functions that each function of the splitter calls."""
    called = dict[str, set[tuple[str, str]]]()
    specified = {name: [(case, specify(case)) for case in cases] for name, cases in list_cases(functions).items()}
    for function, cases in specified.items():
        for case, _ in cases[::10]:
            made = replace(case, make=partial(tuple, case.make()))
            with note_calls(called.setdefault(function, set())):
                specify(made)
    every = set[tuple[str, str]]().union(*called.values())
    files = [file for file in FILES if file in dict(every)]
    return Door(2, partial(ask_kernel, specified=specified, called=called), files, every, (), (*UNSEEN, *UNASKED))


def report_score(verdicts: Iterable[Verdict]) -> None:
    """Print the mutants that are not named, and the score; those with nothing to find are left out."""
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        if verdict.first == NOTHING:
            continue
        state = "named" if verdict.is_named else "found elsewhere" if verdict.first else "not found"
        counts.update([state, "all"])
        if state != "named":
            mutant = verdict.mutant
            place = f"{state} at {mutant.file}::{mutant.name}"
            print(f"{place}\n- {mutant.old}\n+ {mutant.new}\n{verdict.first} {verdict.said}\n", flush=True)
    shares = ", ".join(f"{counts[state]} {state}" for state in ("named", "found elsewhere", "not found"))
    print(f"{counts['all']} mutants: {shares}; score {counts['named'] / counts['all']:.1%}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.yardstick.score")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--trainings", action="store_true", help="score the trainings (default: the vectors)")
    choice.add_argument("--kernel", action="store_true", help="score the cases of the kernel")
    parser.add_argument("-n", type=int, default=400, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="draw others (default: %(default)s)")
    parser.add_argument("-j", type=int, default=2, help="processes at once (default: %(default)s)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        door = (
            open_trainings(Path(folder)) if given.trainings else open_kernel() if given.kernel else Door(0, ask_cases)
        )
        report_score(judge_all(draw_mutants(given.n, given.seed, *door[2:]), door, given.j))


if __name__ == "__main__":
    main()
