"""The mutation score of the vectors: `python -m tests.yardstick.score [-n N] [--seed S]`.

A mutant is the specification with one operator, constant or statement changed (tests/mutants/mutations.py). It is asked
every case as a port is, and, if it passes all of them, a sixteenth of each stream. It is found if one of them fails,
and named if the first that fails is of a family that `STAGES` gives for the changed file. Not drawn is what no port
has: input checks, defaults of arguments, decorators, what `LAYOUT` names and what tests/yardstick/branches.py excuses.
Mutants that survivors.txt has as equal, or as a matter of time or words, are left out, and so are those that cannot be
imported, and those that choose otherwise among cuts or nodes that gain equally, which is lawful.
"""

import argparse
import ast
import importlib.abc
import importlib.util
import json
import os
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy  # noqa: F401  imported once, before the forks
import scipy.special  # noqa: F401

from tests.mutants.mutations import Mutant, draw
from tests.yardstick.branches import FILES, ROOT, find_excused

SECONDS = 20  # of all cases, by the clock of the process
STAGES = {  # beginning of a file -> the families that hold it
    "refrank/trees/numbers/draws": "draws",
    "refrank/trees/numbers/exponential": "numbers",
    "refrank/trees/growth/forest_growth": "trees igbrt",
    "refrank/trees": "numbers binning splits leaves trees",
    "refrank/mcrank/expected_relevance": "probabilities",
    "refrank/mcrank/order_statistics": "regression",
    "refrank/mcrank/pairwise_gradients": "lambdas",
    "refrank/mcrank/swap_change": "lambdas",
    "refrank/mcrank": "numbers rounds regression probabilities boosting",
    "refrank/igbrt": "draws igbrt",
    "refrank/cocr": "cocr",
    "refrank/metrics": "metrics conventions",
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
    first: str  # the id of the first case that fails; "" if none does, "-" if there is nothing to find
    said: str = ""

    @property
    def is_named(self) -> bool:
        """Whether the first case that fails is of the file's families."""
        families = next(of for start, of in STAGES.items() if self.mutant.file.startswith(start))
        return self.first.partition("/")[0] in families.split()


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


def find_first(mutant: Mutant) -> tuple[str, str]:
    """Run the cases on a mutant in this process; return the first that fails, and what is said of it."""
    sys.meta_path.insert(0, Planted(mutant))
    warnings.simplefilter("ignore")
    try:
        from generators.streams import COMPUTE, TABLE, compute_digest
        from yardstick.vectors.reading import load_own
        from yardstick.vectors.running import run_vectors
        from yardstick.vectors.streams import load_streams
    except Exception as fault:
        return "-", repr(fault)
    cases = load_own().cases
    signal.signal(signal.SIGPROF, raise_timeout)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)
    choices = set()
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


def raise_timeout(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError


def judge(mutant: Mutant) -> Verdict:
    """Run the cases on a mutant in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.environ["REFRANK_NO_EXTENSION"] = "1"
            for name in [name for name in sys.modules if name.split(".")[0] in ("refrank", "yardstick", "generators")]:
                del sys.modules[name]
            os.write(writer, json.dumps([text[:400] for text in find_first(mutant)]).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return Verdict(mutant, *(json.loads(said) if said else ("?/ended", "the process ended")))


def draw_mutants(n: int, seed: int) -> Iterator[Mutant]:
    """Draw mutants of the specification that are not known to be equal."""
    from tests.mutants.__main__ import LIST, read_verdicts

    verdicts = read_verdicts(LIST.read_text(encoding="utf-8"))
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in FILES if not file.endswith(UNPORTED)}
    excused = {file: find_excused(text) | find_unported(text) for file, text in texts.items()}
    drawn = draw(ROOT, [*texts], 3 * n, seed)
    kept = (
        mutant
        for mutant in drawn
        if mutant.line not in excused[mutant.file]
        and not any(piece in mutant.old for piece in UNSEEN)
        and not mutant.name.startswith(LAYOUT)
        and verdicts.get(mutant.identity, "open") == "open"
    )
    for _, mutant in zip(range(n), kept, strict=False):
        yield mutant


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


def run_score(n: int, seed: int, jobs: int = 2) -> Iterator[Verdict]:
    """Yield the outcome of each of n mutants; leave out those that cannot be imported."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        yield from (verdict for verdict in pool.map(judge, draw_mutants(n, seed)) if verdict.first != "-")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.yardstick.score", description=__doc__.split("\n")[0])
    parser.add_argument("-n", type=int, default=400, help="mutants (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="draw others (default: %(default)s)")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    for verdict in run_score(given.n, given.seed):
        state = "named" if verdict.is_named else "found elsewhere" if verdict.first else "not found"
        counts.update([state, "all"])
        if state != "named":
            mutant = verdict.mutant
            place = f"{state} at {mutant.file}::{mutant.name}"
            print(f"{place}\n- {mutant.old}\n+ {mutant.new}\n{verdict.first} {verdict.said}\n", flush=True)
    shares = ", ".join(f"{counts[state]} {state}" for state in ("named", "found elsewhere", "not found"))
    print(f"{counts['all']} mutants: {shares}; score {counts['named'] / counts['all']:.1%}")


if __name__ == "__main__":
    main()
