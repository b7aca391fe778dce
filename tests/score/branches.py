"""Branches of the specification that no case reaches: `python -m tests.score.branches [ID ...]` lists them.

The cases are computed in this process, on the specification, under coverage.py. Cases whose id begins with one of the
arguments are left out. Not counted, since no port has them, are

- input checks: blocks that end in `raise`;
- the text of an object: `__repr__`;
- the end of a loop that yields, which comes only where one more record is asked for;
- what EXCUSED names.
"""

import ast
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import coverage

ROOT = Path(__file__).parents[2]
CARRYING = "contest engine events splitter library header contiguous ensemble sharing tree ulps"  # the specification
KERNELS = "lists packed whole_trees"  # what the kernel does in place of the specification, to the same bits
NETS = "lambdarank two_layer_net"  # sums of floats by BLAS: the contract leaves nets out
PRINTING = "conventions explanation measures one_query paired_comparison significance"
RECORDING = "reranking"  # rankings of a trace, by the functions that the cases compute
SHARDS = "joint_statistics labels"  # medians on shards, which one machine's tests hold; labels of bins in files
# files without a number of the contract
UNMEASURED = frozenset(f"{CARRYING} {KERNELS} {NETS} {PRINTING} {RECORDING} {SHARDS} __init__".split())
FILES = [
    str(path.relative_to(ROOT))
    for room in ("trees", "metrics", "mcrank", "igbrt", "cocr")
    for path in sorted((ROOT / "refrank" / room).rglob("*.py"))
    if path.stem not in UNMEASURED and path.parent.name != "m5p"  # M5P: least squares
]
EXCUSED = {  # line -> why no port has it
    'vars(moved).pop("lists", None)': "lists of the kernel, which change no sum",
    "return sum_lists(binned.lists, binned.offsets, rows, integers, weights, n_threads)": "the same",
    "return [sum_listed_root(binned, gridded[0], weights[0])]": "the same",
    "root = Root(binned, residual, weights, np.empty((0, 2), np.int64))": "the same",
    "return replace(root, sums=root.histogram(np.arange(binned.n_rows, dtype=np.int32)))": "the same",
    "limits = self.n_leaves, self.max_depth, self.min_samples_leaf, MOST_HELD // max(1, roots[0].sums.nbytes)": (
        "whole trees of the kernel, equal to those that grow in steps"
    ),
    "whole = grow_at_once(self.binned, roots, *limits)": "the same",
    "yield from (self.finish(root, *grown) for root, grown in zip(roots, whole, strict=True))": "the same",
    "return cast(Any, KERNEL).compute_residual(y, k, proba, engine.n_threads)": "the kernel, to the same bits",
    "return cast(Any, KERNEL).compute_curvature(proba, engine.n_threads)": "the same",
    "except TypeError:  # not hashable": "an input check, of objects of Python",
    "lawful = False": "the same",
    "if first > 0:": "pairs of more than 1,024 documents are listed in blocks, on which no slope depends",
    "better += first": "the same",
    "queries, numbers = group_rows(qid, n_samples), np.empty(n_samples, np.int64)": "queries of records alone",
    "numbers[queries.rows] = np.repeat(np.arange(len(queries.starts)), queries.lengths)": "the same",
    "return numbers": "the same",
    "return float(compute_medians([(values, weight)])[0])": "medians on shards, equal to those of one machine",
    "lower, upper = find_ranked(groups, lambda whole: [whole - whole // 2, whole // 2 + 1])": "the same",
    "return np.array([mean_of_two(*pair) for pair in zip(lower, upper, strict=True)])": "the same",
    "return float(find_ranked([(values, weight)], lambda whole: [np.ceil(share * whole)])[0, 0]) + 0.0": "the same",
}


def measure(left_out: Sequence[str]) -> dict[str, dict]:
    """Compute the cases under coverage; return the report of each file."""
    os.environ["REFRANK_NO_EXTENSION"] = "1"
    warnings.simplefilter("ignore")
    include = [str(ROOT / file) for file in FILES]
    tracing = coverage.Coverage(data_file=None, config_file=False, branch=True, include=include)
    with tracing.collect():
        compute(tuple(left_out))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        tracing.json_report(outfile=str(path))
        report = json.loads(path.read_text())
    return {str(Path(name).resolve().relative_to(ROOT)): lines for name, lines in report["files"].items()}


def compute(left_out: tuple[str, ...]) -> None:
    """Compute refrank's own answers: nothing of the cases left out, and no mutant, which may take a way of its own."""
    from generators.cases import FAMILIES
    from generators.cases.making import Function, freeze
    from yardstick.vectors.case import thaw

    make = Function.make

    def make_kept(function, result, id, input, *rest, **more):
        if not function.place(id).startswith(left_out):
            if more.get("ulps"):  # the answer is not computed by refrank's own function
                function.compute(**thaw({name: freeze(value) for name, value in input.items()}))
            yield from make(function, result, id, input, *rest, **{**more, "faults": None, "mutants": ""})

    Function.make, Function.list_others = make_kept, lambda *_: iter(())
    for family in FAMILIES:
        for _ in family.list_cases():
            pass


def list_unreached(reports: dict[str, dict]) -> Iterator[str]:
    """List the lines and branches of all files that were not reached, and that are counted."""
    for file in FILES:
        source, report = (ROOT / file).read_text(), reports.get(file)
        excused, loops, lines = find_excused(source), find_yielding_loops(source), source.splitlines()
        if report is None:
            if "import Loss" not in source:  # a loss need not have cases
                yield f"{file}: not imported"
            continue
        missing = [line for line in report["missing_lines"] if line not in excused]
        yield from (f"{file}:{line}: {lines[line - 1].strip()}" for line in missing)
        for start, end in report["missing_branches"]:
            if {start, end} & {*excused, *missing} or (end < 0 and start in loops):
                continue
            yield f"{file}:{start}: {lines[start - 1].strip()} -> {lines[end - 1].strip() if end > 0 else 'its end'}"


def find_excused(source: str) -> set[int]:
    """Find the lines that are not counted.

    >>> sorted(find_excused("if a:\\n    b = 1\\n    raise c\\nelse:\\n    d\\n"))
    [2, 3]
    """
    lines = {number for number, line in enumerate(source.splitlines(), start=1) if line.strip() in EXCUSED}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == "__repr__":
            lines |= {*range(node.lineno, (node.end_lineno or 0) + 1)}
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[-1], ast.Raise):
                first = node if isinstance(node, ast.ExceptHandler) else block[0]
                lines |= {*range(first.lineno, (block[-1].end_lineno or 0) + 1)}
    return lines


def find_yielding_loops(source: str) -> set[int]:
    """Find the lines of loops that yield.

    >>> find_yielding_loops("for a in b:\\n    yield a\\nfor c in d:\\n    e\\n")
    {1}
    """
    loops = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.For))
    return {loop.lineno for loop in loops if any(isinstance(node, ast.Yield) for node in ast.walk(loop))}


if __name__ == "__main__":
    for place in list_unreached(measure(sys.argv[1:])):
        print(place)
