"""Mutants for the mutation score: those of what a port has.

Not drawn are input checks, defaults of arguments, decorators, what tests.score.branches.py excuses, mutants that
survivors.txt has as equal, or as a matter of time or words, and what the tables below name.
"""

import ast
import sys
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

from tests.mutants.__main__ import LIST, read_verdicts
from tests.mutants.mutations import Mutant, draw
from tests.score.branches import FILES, ROOT, find_excused

UNPORTED = ("bins/coarse.py", "metrics/presets.py")  # what says where no cut is; rules, which stand in the inputs
LAYOUT = (  # functions and classes on whose choices no number depends: where rows lie, how queries are grouped
    *("lay_out_blocks", "rank_blocks", "list_ascending", "copy_columns", "group_rows", "QueryRows", "Documents"),
    *("BinnedFeatures", "CoarseRoot", "check_", "Grower.__post_init__"),
    *("MetricSpec.", "Ensemble", "Leaves", "best_split_inside"),
)
UNSEEN = (  # pieces of lines on which no number depends: events, a lock, digits that nothing asks for, margins, sizes
    *("engine.watch", "engine.tell(", "CutMade(", "flags.writeable", "2 * bits", "strict=True", "check_"),
    *("slack", "bound_rounding", ">= low", "TINY", "n_groups = ", "is_coarse"),
    *("MOST_HELD", "n_held", "BLOCK_ENTRIES", "MOST_PAIRS", "SHORTEST_TABLE", "two_ways = np.zeros"),
    "is not self.residual",  # what is held is computed again
)
UNTRAINED = (  # pieces of lines on which no record of a training depends
    *("n_node_samples = np.array([node.", "average_nodes", "sums[:, 0]"),  # of boosted trees, whose nodes none has
    *("0xFFFFFFFF", "low >> 32", "np.clip(x,"),  # what decides one draw of 2^26; exp of numbers below -745
    *("float(lower) + float(upper)", "-np.frexp(weight"),  # numbers beyond 2^1023
    "if len(ascending)",  # rows without weight alone
    *("is_v_shaped", "is_convex", "dtype.kind", "LARGEST_MAX_GRADE", "SLOWEST_GROWTH", "MOST_BINS ="),  # limits, checks
    *("% every", "BinaryProblem, range(", "n_threads=", "binned.missing is None"),  # what no ranker asks for
    *("== max_depth or", "(number, depth + 1"),  # the same
    "PARTED, NEEDS_CUT =",  # names
)
UNASKED = ("BOOTSTRAP", "-total * total")  # of the kernel: draws of rows; what all gains of a node share
Functions = Collection[tuple[str, str]]  # file, and name without the functions around it


def draw_mutants(
    n: int,
    seed: int,
    files: Iterable[str] = FILES,
    called: Functions = (),
    layout: tuple[str, ...] = LAYOUT,
    unseen: tuple[str, ...] = UNSEEN,
) -> Iterator[Mutant]:
    """Draw mutants of these files; of these functions, and of constants, if functions are given."""
    verdicts = read_verdicts(LIST.read_text(encoding="utf-8"))
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in files if not file.endswith(UNPORTED)}
    excused = {file: find_excused(text) | find_unported(text) for file, text in texts.items()}
    kept = (
        mutant
        for mutant in draw(ROOT, [*texts], 12 * n, seed)
        if mutant.old  # else a decorator is removed
        and mutant.line not in excused[mutant.file]
        and not any(piece in f"{mutant.name}: {mutant.old}" for piece in unseen)
        and not mutant.name.startswith(layout)
        and verdicts.get(mutant.identity, "open") == "open"
        and (not called or mutant.name == "-" or (mutant.file, mutant.name) in called)
    )
    yield from islice(kept, n)


def find_unported(text: str) -> set[int]:
    """Find the lines of decorators, of defaults of arguments and fields, of warnings and of input checks.

    >>> sorted(find_unported("@a\\ndef f(b=1):\\n    return b\\n"))
    [1, 2]
    """
    lines: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            lines |= {*range(min([node.lineno, *(of.lineno for of in node.decorator_list)]), node.body[0].lineno)}
        if isinstance(node, ast.ClassDef):
            lines |= {of.lineno for of in node.body if isinstance(of, ast.AnnAssign)}
        guards = isinstance(node, ast.If) and ast.unparse(node.body[-1]).startswith(("warnings.warn", "check_"))
        if guards or (isinstance(node, ast.Expr) and ast.unparse(node).startswith("check_")):
            lines |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
    return lines


@contextmanager
def note_calls(called: set[tuple[str, str]]) -> Iterator[None]:
    """Note the functions of refrank that are called."""

    def note(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)):
            called.add((str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname.replace("<locals>.", "")))

    for module in (sys, threading):
        module.setprofile(note)
    try:
        yield
    finally:
        for module in (sys, threading):
            module.setprofile(None)
