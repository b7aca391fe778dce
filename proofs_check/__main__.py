"""Print the table of verdicts: `python -m proofs_check [--module NAME] [--statement ID] [--json FILE] [--deep]`.

`--smt` asks a solver about all real numbers instead, `--formal` lets Coq check the theorems. `--implementation NAME`
checks the functions of a module against the statements, and exits with 1 if one fails.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence

from proofs_check import group_statements, list_rows, read_rows
from proofs_check.engine.implementation import NAMES, load
from proofs_check.engine.records import CI, DEEP, Effort, Finding, Row, count_kinds
from proofs_check.formal.theorems import FOLDER


def main(argv: Sequence[str] | None = None) -> int:
    arguments = make_parser().parse_args(argv)
    if arguments.implementation:
        return check_port(arguments.implementation, arguments.seed, arguments.dtype)
    if arguments.smt:
        return ask_solver(arguments.statement, arguments.seconds)
    if arguments.formal:
        return subprocess.call(["bash", FOLDER / "check"])
    try:
        listed = group_statements([*read_rows(arguments.module)] if arguments.module else list_rows())
    except ModuleNotFoundError as error:
        print(f"--module is {arguments.module!r}: it must be a module that Python finds; {error}", file=sys.stderr)
        return 2
    if not listed:
        print(f"--module is {arguments.module!r}: it must have ROWS, a list that is not empty", file=sys.stderr)
        return 2
    if arguments.statement and arguments.statement not in listed:
        print(f"--statement is {arguments.statement!r}: it must be one of {', '.join(listed)}", file=sys.stderr)
        return 2
    chosen = {arguments.statement: listed[arguments.statement]} if arguments.statement else listed
    rows = [row for group in chosen.values() for row in group]
    records = []
    for row, finding in walk(rows, DEEP if arguments.deep else CI):
        records.append(row.as_record(finding))
        print(describe(row, finding), flush=True)
    print(", ".join(f"{kind} {n}" for kind, n in count_kinds(records).items()))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(records, file, indent=1)
            file.write("\n")
    return 0


def check_port(module: str, seed: int | None = None, dtype: str = "float64") -> int:
    """Check the functions of a module against the statements, and print a line for each; return 1 if one fails."""
    # Hypothesis, which the table does not need
    try:
        from proofs_check.ports.check import FAILS, NOT_OFFERED, RAISED, VERDICTS
        from proofs_check.ports.run import run_port_checks
    except ModuleNotFoundError:
        reason = "it needs Hypothesis, which is not installed (pip install 'refrank[test]')"
        print(f"--implementation is {module!r}: {reason}", file=sys.stderr)
        return 2

    try:
        port = load(module)
    except ModuleNotFoundError as error:
        print(f"--implementation is {module!r}: it must be a module that Python finds; {error}", file=sys.stderr)
        return 2
    verdicts = []
    for outcome in run_port_checks(port, seed=seed, dtype=dtype):
        print(outcome, flush=True)
        verdicts.append(outcome.verdict)
    print(f"{module}: {', '.join(f'{verdicts.count(verdict)} {verdict}' for verdict in VERDICTS)}")
    if verdicts.count(NOT_OFFERED) == len(verdicts):
        print(f"--implementation is {module!r}: it must have one of {', '.join(NAMES)}", file=sys.stderr)
        return 2
    return int(FAILS in verdicts or RAISED in verdicts)


def ask_solver(statement: str | None, seconds: float) -> int:
    """Ask z3 about all goals, or those of one statement, and print a line for each size; return 1 if one is refuted."""
    try:
        from proofs_check.smt.goals import GOALS
        from proofs_check.smt.solve import REFUTED
        from proofs_check.smt.solve import walk as walk_goals
    except ModuleNotFoundError:
        print("--smt needs z3, which is not installed (pip install 'refrank[smt]')", file=sys.stderr)
        return 2
    goals = [goal for goal in GOALS if not statement or ".".join(goal.row.split(".")[:2]) == statement]
    if not goals:
        listed = sorted({".".join(goal.row.split(".")[:2]) for goal in GOALS})
        print(f"--statement is {statement!r}: with --smt it must be one of {', '.join(listed)}", file=sys.stderr)
        return 2
    verdicts = []
    for outcome in walk_goals(goals, seconds):
        print(outcome, flush=True)
        verdicts.append(outcome.verdict)
    return int(REFUTED in verdicts)


def walk(rows: Iterable[Row], effort: Effort) -> Iterable[tuple[Row, Finding]]:
    """Settle the rows one by one, and report on stderr how long each took."""
    for row in rows:
        start = time.perf_counter()
        finding = row.find(effort)
        print(f"  {row.id}: {time.perf_counter() - start:.1f} s", file=sys.stderr)
        yield row, finding


def describe(row: Row, finding: Finding) -> str:
    """Format one row of the table, with its counterexample or the place of its largest ratio below."""
    ratio = "" if finding.max_ratio is None else f"left/right {finding.max_ratio:.4f}"
    far = f"n <= {finding.exhaustive_n}" if finding.exhaustive_n else ""
    head = f"{row.paper:13} {row.id:40} {finding.verdict:14} {far:7} {ratio:18} {row.step}"
    lines = [head.rstrip(), *textwrap.wrap(row.statement, 96, initial_indent=" " * 9, subsequent_indent=" " * 9)]
    if finding.counterexample:
        lines += wrap("counterexample: ", finding.counterexample)
    elif finding.ratio_at:
        lines += wrap("largest at: ", finding.ratio_at)
    if finding.may_shrink is not None:
        share = finding.may_shrink
        lines += wrap("right side: ", share if isinstance(share, str) else f"may shrink by {share:.2%}")
    for max_grade, other in finding.grades.items():
        if other.verdict != finding.verdict:
            lines += wrap(f"with grades 0 to {max_grade}: ", other.counterexample or other.verdict)
    lines += wrap(f"{row.source}: ", row.where) if row.where else wrap("", row.source)
    formal = f"; formal: {row.formal}" if row.formal else ""
    lines += wrap("proof: ", f"{row.proof} ({row.kind}{formal})")
    return "\n".join(lines)


def wrap(label: str, text: str) -> list[str]:
    return textwrap.wrap(label + text, 96, initial_indent=" " * 9, subsequent_indent=" " * 11)


def make_parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(prog="python -m proofs_check", description="Print the table of verdicts.")
    parse.add_argument(
        "--statement", metavar="ID", help="settle one statement with its steps, for example mcrank.lemma1"
    )
    parse.add_argument("--module", metavar="NAME", help="settle the ROWS of a module of yours, for example my.rows")
    parse.add_argument(
        "--implementation", metavar="NAME", help="hold the functions of a module of yours to the statements"
    )
    parse.add_argument("--seed", type=int, help="draw other instances for --implementation")
    parse.add_argument(
        "--dtype",
        choices=("float64", "float32"),
        default="float64",
        help="what the module computes in; float32 allows each number 2^-12 times 1 + its size (default: float64)",
    )
    parse.add_argument("--smt", action="store_true", help="ask an SMT solver, for all real numbers, instead")
    parse.add_argument("--formal", action="store_true", help="let Coq check the theorems for every n, instead")
    parse.add_argument("--seconds", type=float, default=20.0, help="the time limit of --smt per case (default: 20)")
    parse.add_argument("--json", metavar="FILE", help="write the table as a JSON list of objects, too")
    parse.add_argument("--deep", action="store_true", help="enumerate one size further and climb longer")
    return parse


if __name__ == "__main__":
    raise SystemExit(main())
