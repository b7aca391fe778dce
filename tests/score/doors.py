"""The doors of the yardstick by which a mutant is judged: the vectors, the trainings, and the cases of the kernel."""

import signal
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from refrank.trees.splitter import FUNCTIONS
from tests.mutants.mutations import Mutant
from tests.score.branches import FILES
from tests.score.drawn import LAYOUT, UNASKED, UNSEEN, UNTRAINED, Functions, note_calls
from tests.score.planted import NOTHING, NOWHERE, Find, Place, limit_time, plant
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.judging import AGREES, DIFFERS, LAWFUL
from yardstick.kernel.case import KernelCase, Outputs
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import run_trial, specify
from yardstick.scorecard.trainings import TRAININGS
from yardstick.traces.reader import RECORDS, Trace, index_records, open_trace

Specified = tuple[KernelCase, Outputs]
UNCHANGED = Mutant("", "-", 0, "", "", "")


class Door(NamedTuple):
    """A way to judge mutants."""

    find: Find
    files: Iterable[str] = FILES
    called: Functions = ()
    layout: tuple[str, ...] = LAYOUT
    unseen: tuple[str, ...] = UNSEEN


def ask_cases(mutant: Mutant) -> Place:
    """Find the first case or stream that fails."""
    with plant(mutant, "generators.streams") as streams:
        from yardstick.vectors.files import load_vectors
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
                    if (trace.folder / RECORDS).read_bytes() == (theirs.folder / RECORDS).read_bytes():
                        continue
                    own, other = index_records(trace), index_records(theirs)
                except Exception as fault:  # of the training, or of a trace that is refused
                    return f"error/{name}", repr(fault)
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
    return Door(partial(train, golden=golden, called=called), files, every, LAYOUT, (*UNSEEN, *UNTRAINED))


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
    return Door(partial(ask_kernel, specified=specified, called=called), files, every, (), (*UNSEEN, *UNASKED))
