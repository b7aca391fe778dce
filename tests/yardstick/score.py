"""The mutation score of the vectors, or of the trainings.

    python -m tests.yardstick.score [--trainings] [-n N] [--seed S]

A mutant is the specification with one operator, constant or statement changed (tests/mutants/mutations.py). It is asked
every case as a port is, and, if it passes all of them, a sixteenth of each stream; or it writes the traces of the
trainings, up to the first that differs from refrank's. It is found if a case fails or a trace differs, and named if the
first case that fails is of a family, or the first difference, as refrank judges it, of a stage that `STAGES` gives for
the changed code; an error in a training, or a trace that is refused, names the place by itself.

Not drawn is what no port has: input checks, defaults of arguments, decorators, what `LAYOUT` names and what
tests/yardstick/branches.py excuses; for trainings, neither what none of them calls nor the metrics. Mutants that
survivors.txt has as equal, or as a matter of time or words, are left out, and so are those that cannot be imported, and
those that pass all cases by another choice among cuts or nodes that gain equally, which is lawful.
"""

import argparse
import ast
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy  # noqa: F401  imported once, before the forks
import scipy.special  # noqa: F401

from tests.mutants.mutations import Mutant, draw
from tests.yardstick.branches import FILES, ROOT, find_excused
from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.trainings import TRAININGS, train_golden
from yardstick.traces.reader import RECORDS, Trace, open_trace
from yardstick.traces.records import index_records

SECONDS = 20  # of all cases, or of a training, by the clock of the process
TREES, LOSSES = "numbers binning splits leaves trees", "numbers rounds regression probabilities boosting"
GROWN = "bins grid histogram cut partition leaf_sums leaf_values tree draws residual prediction"
SUMMED = "start residual grid histogram cut partition leaf_sums leaf_values tree"
FITTED = "start proba residual leaf_sums leaf_values step scores prediction"
STAGES = {  # beginning of a file, or of a file and a function -> families of cases, stages of trainings
    "refrank/trees/splitting.py::bin_starts": (TREES, "bins"),
    "refrank/trees/splitting.py::quantize": (TREES, "bins"),
    "refrank/trees/splitting.py::root_sums": (TREES, "histogram bins"),
    "refrank/trees/splitting.py::histogram": (TREES, "histogram tree"),
    "refrank/trees/splitting.py::partition": (TREES, "partition"),
    "refrank/trees/splitting.py::leaf_sums": (TREES, "leaf_sums"),
    "refrank/trees/splitting.py::add_to_leaves": (TREES, "scores"),
    "refrank/trees/splitting.py::add_trees": (TREES, "leaves scores answers prediction residual"),
    "refrank/trees/splitting.py::grow_deep": (TREES, "tree"),
    "refrank/trees/splitting.py": (TREES, "cut partition tree"),
    "refrank/trees/numbers/draws": ("draws", "draws tree"),
    "refrank/trees/numbers/exponential": ("numbers", "proba prediction"),
    "refrank/trees/numbers/exact_gain": (TREES, "cut tree"),
    "refrank/trees/numbers": (TREES, SUMMED),
    "refrank/trees/bins": (TREES, "bins"),
    "refrank/trees/growth/forest_growth": ("trees igbrt", GROWN),
    "refrank/trees/growth": (TREES, GROWN),
    "refrank/mcrank/expected_relevance": ("probabilities", "residual prediction"),
    "refrank/mcrank/order_statistics": ("regression", "start leaf_values residual"),
    "refrank/mcrank/pairwise_gradients": ("lambdas", FITTED),
    "refrank/mcrank/swap_change": ("lambdas", FITTED),
    "refrank/mcrank": (LOSSES, FITTED),
    "refrank/igbrt/missing_values": ("draws igbrt", "bins"),
    "refrank/igbrt": ("draws igbrt", "start draws residual leaf_values step scores tree prediction"),
    "refrank/cocr": ("cocr", "start residual answers prediction"),
    "refrank/metrics": ("metrics conventions", ""),
}
UNPORTED = ("bins/coarse.py", "metrics/presets.py")  # what says where no cut is; rules, which stand in the inputs
LAYOUT = (  # functions and classes on whose choices no number depends: where rows lie, how queries are grouped
    *("lay_out_blocks", "rank_blocks", "sort_columns", "copy_columns", "group_rows", "QueryRows", "Documents"),
    *("BinnedFeatures", "CoarseRoot", "check_", "Grower.__post_init__"),
    *("MetricSpec.", "Ensemble", "Leaves", "best_split_inside"),
)
UNSEEN = (  # pieces of lines on which no number depends: events, a lock, digits that nothing asks for, margins, sizes
    *("engine.watch", "engine.tell(", "flags.writeable", "2 * bits", "slack", "TINY = ", "strict=True"),
    *("MOST_HELD", "n_held", "BLOCK_ENTRIES", "MOST_PAIRS", "SHORTEST_TABLE"),
)


class Verdict(NamedTuple):
    """Outcome of a mutant."""

    mutant: Mutant
    first: str  # family or stage, slash, the case or the training; "" if none differs, "-" if there is nothing to find
    said: str
    is_trained: bool

    @property
    def is_named(self) -> bool:
        """Whether the first difference is of the families, or stages, of the changed code."""
        code = f"{self.mutant.file}::{self.mutant.name}"
        families, stages = next(held for start, held in STAGES.items() if code.startswith(start))
        return self.first.partition("/")[0] in (f"{stages} error" if self.is_trained else families).split()


class Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from another text."""

    def __init__(self, mutant: Mutant) -> None:
        self.name, self.text = mutant.file.removesuffix(".py").replace("/", "."), mutant.text

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        """Find the module."""
        return importlib.util.spec_from_loader(name, self) if name == self.name else None

    def exec_module(self, module: Any) -> None:
        """Run the text."""
        exec(compile(self.text, self.name, "exec"), module.__dict__)


def plant(mutant: Mutant) -> None:
    """Have the modules of refrank imported once more, one of them changed."""
    for name in [*sys.modules]:
        # the digests of a port are right, and its numbers are written as they are
        if name.split(".")[0] in ("refrank", "yardstick", "generators") and not name.startswith("yardstick.numbers"):
            del sys.modules[name]
    sys.meta_path.insert(0, Planted(mutant))
    warnings.simplefilter("ignore")


def run_alone(mutant: Mutant, module: str, find: Callable[[], tuple[str, str]]) -> tuple[str, str]:
    """Find the first difference in a process of its own, with a mutant planted that lets a module be imported."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.environ["REFRANK_NO_EXTENSION"] = "1"
            os.write(writer, json.dumps([text[:400] for text in find_planted(mutant, module, find)]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        content = pipe.read()
    os.waitpid(child, 0)
    first, said = json.loads(content) if content else ("?/ended", "the process ended")
    return first, said


def find_planted(mutant: Mutant, module: str, find: Callable[[], tuple[str, str]]) -> tuple[str, str]:
    """Plant a mutant in this process, and find the first difference."""
    plant(mutant)
    try:
        importlib.import_module(module)
    except Exception as fault:
        return "-", repr(fault)
    limit_time()
    return find()


def limit_time() -> None:
    """Have what this process does from now on end in time, by an error."""
    signal.signal(signal.SIGPROF, raise_timeout)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)


def raise_timeout(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError


def judge_cases(mutant: Mutant) -> Verdict:
    """Ask a mutant the cases and streams."""
    return Verdict(mutant, *run_alone(mutant, "generators.streams", ask_cases), is_trained=False)


def ask_cases() -> tuple[str, str]:
    """Return the first case or stream that fails in this process, and what is said of it."""
    from generators.streams import COMPUTE, TABLE, compute_digest
    from yardstick.vectors.reading import load_own
    from yardstick.vectors.running import run_vectors
    from yardstick.vectors.streams import load_streams

    cases, choices = load_own().cases, set[str]()
    for outcome in run_vectors(COMPUTE, cases):
        if outcome.verdict not in ("passed", "acceptable"):
            return outcome.case, str(outcome)
        choices.add(outcome.flag)
    families = {case.function: case.id.partition("/")[0] for case in cases}
    signal.setitimer(signal.ITIMER_PROF, 0)
    for number, stream in enumerate(load_streams().values()):
        block = 0 if stream.call == "first" else number % 16
        try:
            told = compute_digest(stream.name, block)
        except Exception as fault:
            told = repr(fault)
        if told != stream.digests[block]:
            return f"{families[TABLE[stream.name].function]}/{stream.name}, a stream", told
    return ("-", f"it is lawful: {choices}") if choices - {""} else ("", "")


def judge_training(mutant: Mutant, golden: Mapping[str, Trace]) -> Verdict:
    """Train as a mutant, and judge the first trace that differs from the golden one."""
    with tempfile.TemporaryDirectory() as folder:
        find = partial(train_until, golden, Path(folder))
        name, said = run_alone(mutant, "yardstick.scorecard.trainings", find)
        if name not in golden:
            return Verdict(mutant, name, said, is_trained=True)
        stage = "error"
        try:
            first = None if said else compare_traces(golden[name], open_trace(Path(folder, name))).first
            if first is not None:
                stage, said = first.stage, str(first)
        except ValueError as fault:  # the trace is refused
            said = str(fault)
    return Verdict(mutant, f"{stage}/{name}", said, is_trained=True)


def train_until(golden: Mapping[str, Trace], folder: Path) -> tuple[str, str]:
    """Train until a trace differs in a compared field; return the training, and the error that ended it."""
    from yardstick.scorecard.trainings import TRAININGS, train_golden

    for name, trace in golden.items():
        limit_time()
        try:
            theirs = train_golden(TRAININGS[name], folder / name)
        except Exception as fault:
            return name, f"{type(fault).__name__}: {fault}"
        if (trace.folder / RECORDS).read_bytes() == (theirs.folder / RECORDS).read_bytes():
            continue
        own, other = index_records(trace), index_records(theirs)
        if [*own] != [*other] or not all(own[key].has_same_numbers(other[key]) for key in own):
            return name, ""
    return "", ""


def train_all(folder: Path) -> tuple[dict[str, Trace], set[tuple[str, str]]]:
    """Write refrank's own traces; return them by the names of the trainings, and the functions that were called.

    A function is given by its file, and its name without the functions around it.
    """
    called = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)):
            called.add((str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname.replace("<locals>.", "")))

    sys.setprofile(note)
    try:
        golden = {name: train_golden(training, folder / name) for name, training in TRAININGS.items()}
    finally:
        sys.setprofile(None)
    return golden, called


def draw_mutants(
    n: int, seed: int, files: Iterable[str] = FILES, called: Collection[tuple[str, str]] = ()
) -> Iterator[Mutant]:
    """Draw mutants of the specification that are not known to be equal, of these functions and constants if any are."""
    from tests.mutants.__main__ import LIST, read_verdicts

    verdicts = read_verdicts(LIST.read_text(encoding="utf-8"))
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in files if not file.endswith(UNPORTED)}
    excused = {file: find_excused(text) | find_unported(text) for file, text in texts.items()}
    kept = (
        mutant
        for mutant in draw(ROOT, [*texts], 12 * n, seed)
        if mutant.line not in excused[mutant.file]
        and not any(piece in mutant.old for piece in UNSEEN)
        and not mutant.name.startswith(LAYOUT)
        and verdicts.get(mutant.identity, "open") == "open"
        and (not called or mutant.name == "-" or (mutant.file, mutant.name) in called)
    )
    yield from islice(kept, n)


def find_unported(text: str) -> set[int]:
    """Find the lines of decorators, of defaults of arguments and fields, of checks of an argument, and of warnings.

    >>> sorted(find_unported("@a\\ndef f(b=1):\\n    check_c(b)\\n    return b\\n"))
    [1, 2, 3]
    """
    lines: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            lines |= {*range(min([node.lineno, *(of.lineno for of in node.decorator_list)]), node.body[0].lineno)}
        if isinstance(node, ast.ClassDef):
            lines |= {of.lineno for of in node.body if isinstance(of, ast.AnnAssign)}
        warns = isinstance(node, ast.If) and ast.unparse(node.body[-1]).startswith("warnings.warn")
        if warns or (isinstance(node, ast.Expr) and ast.unparse(node).startswith("check_")):
            lines |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    return lines


def report_score(verdicts: Iterable[Verdict]) -> None:
    """Print the mutants that are not named, and the score; those with nothing to find are left out."""
    counts: Counter[str] = Counter()
    for verdict in verdicts:
        if verdict.first == "-":
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
    parser.add_argument("--trainings", action="store_true", help="score the trainings (default: the vectors)")
    parser.add_argument("-n", type=int, default=400, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="draw others (default: %(default)s)")
    given = parser.parse_args()
    judge: Callable[[Mutant], Verdict] = judge_cases
    mutants = draw_mutants(given.n, given.seed)
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        if given.trainings:
            golden, called = train_all(Path(folder))
            judge = partial(judge_training, golden=golden)
            files = [file for file in FILES if not file.startswith("refrank/metrics") and file in dict(called)]
            mutants = draw_mutants(given.n, given.seed, files, called)
        report_score(pool.map(judge, mutants))


if __name__ == "__main__":
    main()
