"""`refrank export`: a model in the format of another program, and a check that the program gives equal scores."""

import argparse
from typing import TYPE_CHECKING, Any

from refrank.cli.inputs import FILE, check_not_read, open_input
from refrank.cli.parser import say
from refrank.cli.prediction import read_rows
from refrank.cli.reading import add_reading, take_reading

if TYPE_CHECKING:
    from refrank.models.exchange.verification import Discrepancy, Verification

FORMAT_NAMES = ("lightgbm", "treelite", "onnx", "xgboost", "ranklib")  # of `FORMATS`, which is slow to import
DIFFERS = 3  # exit code


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank export`."""
    command.add_argument("model", metavar="MODEL", help="model file")
    command.add_argument("--to", required=True, choices=FORMAT_NAMES, help="format to write")
    command.add_argument("--out", required=True, metavar="FILE", help="where to write it")
    command.add_argument(
        "--verify",
        metavar="DATA",
        help=f"score these rows by both programs and compare; {FILE}. Exit code 3: they differ",
    )
    add_reading(command)


def run(model: str, to: str, out: str, verify: str | None, **flags: Any) -> int:
    """Write a model in another format; with rows for verification, read it back and compare scores."""
    from refrank.datasets.foreign_file import read_file
    from refrank.datasets.whole_file import check_target, replace_file
    from refrank.models import load_model
    from refrank.models.exchange.formats import FORMATS
    from refrank.models.exchange.packing import make_portable
    from refrank.models.exchange.runtimes import load_runtime
    from refrank.models.exchange.verification import verify as compare

    ranker = load_model(model)
    portable = make_portable(ranker)
    check_target(out)
    check_not_read("--out", out, model, verify)
    if verify is not None:
        if not FORMATS[to].RUNTIME:
            raise ValueError(f"--verify does not work with --to {to}: refrank runs no program that reads this format")
        load_runtime(FORMATS[to].RUNTIME, "--verify")
    content = FORMATS[to].write(portable)
    data = None
    if verify is not None:
        data = read_rows(ranker, open_input(verify), take_reading(flags))
    n_outputs = len(portable.sums.initial)
    with replace_file(out) as file:
        file.write(content)
    print(f"{out}: {len(content):,} bytes, {to}, {n_outputs} output{'s' * (n_outputs > 1)}")
    if data is None:
        return 0
    result = compare(read_file(out, "export"), to, portable, data.X, data.qid)
    print("\n".join(describe(result)))
    if result.within:
        return 0
    return say(f"error: {out}: {result.runtime} differs from refrank by more than the bound", DIFFERS)


def describe(result: "Verification") -> list[str]:
    """Write a verification as lines of text."""
    largest = max(result.outputs, key=lambda output: (not output.within, output.largest))
    lines = [("runtime", result.runtime), ("rows", f"{result.n_rows:,}")]
    if result.reads:
        changed = f"{result.n_read:,} of {result.n_entries:,} entries change, and {result.n_moved:,} scores in refrank"
        lines.append(("features", f"{result.reads}: {changed}"))
    lines.append((f"outputs, {len(result.outputs)}", describe_discrepancy(largest)))
    if result.own_score or result.score not in result.outputs:
        lines.append(("score" if result.own_score else "score of them", describe_discrepancy(result.score)))
    pairs = result.pairs
    order = f"{pairs.n_pairs:,}: {pairs.reversed:,} reversed, {pairs.tied_in_one:,} tied in one of the two"
    lines.append(("pairs", order))
    lines.append(("verdict", "within the bound" if result.within else "above the bound"))
    return [f"{name:<16}{value}" for name, value in lines]


def describe_discrepancy(discrepancy: "Discrepancy") -> str:
    """Write a discrepancy on one line."""
    if discrepancy.largest == 0:
        return f"equal, bound {discrepancy.bound:.3g}"
    ulps = "" if discrepancy.ulps is None else f", {discrepancy.ulps:,} ulps"
    return f"largest difference {discrepancy.largest:.3g} at row {discrepancy.row}{ulps}, bound {discrepancy.bound:.3g}"
