"""`refrank export`: a model in the format of another program, and the proof that the program scores it alike."""

import argparse
from typing import TYPE_CHECKING

from refrank.cli.commands import say
from refrank.cli.inputs import CACHE, FILE, check_not_read, open_input
from refrank.cli.prediction import choose_absent_value
from refrank.datasets import load_letor

if TYPE_CHECKING:
    from refrank.models.exchange.verification import Difference, Verification

TOLD = (
    "lightgbm",
    "treelite",
    "onnx",
    "xgboost",
)  # refrank.models.exchange.formats.FORMATS, which takes time to import
DIFFERS = 3  # exit code


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank export`."""
    command.add_argument("model", metavar="MODEL", help="model file")
    command.add_argument("--to", required=True, choices=TOLD, help="format to write")
    command.add_argument("--out", required=True, metavar="FILE", help="where to write it")
    command.add_argument(
        "--verify",
        metavar="DATA",
        help=f"score these rows by both programs and compare; {FILE}. Exit code 3: they differ",
    )
    command.add_argument("--cache", action="store_true", help=CACHE)


def run(model: str, to: str, out: str, verify: str | None, cache: bool) -> int:
    """Write a model in another format; with rows to verify it on, read it back and compare."""
    from refrank.datasets.whole_file import check_target, replace_file
    from refrank.models import load_model
    from refrank.models.exchange.formats import FORMATS
    from refrank.models.exchange.packing import make_portable
    from refrank.models.exchange.runtimes import load_runtime
    from refrank.models.exchange.verification import verify as compare
    from refrank.models.foreign_bytes import read_file

    ranker = load_model(model)
    portable = make_portable(ranker)
    check_target(out)
    check_not_read("--out", out, model, verify)
    if verify is not None:
        load_runtime(FORMATS[to].RUNTIME, "--verify")
    content = FORMATS[to].write(portable)
    data = None
    if verify is not None:
        absent = choose_absent_value(ranker)
        data = load_letor(open_input(verify), ranker.n_features_in_, absent=absent, cache=cache)
    n_outputs = len(portable.sums.initial)
    with replace_file(out) as file:
        file.write(content)
    print(f"{out}: {len(content):,} bytes, {to}, {n_outputs} output{'s' * (n_outputs > 1)}")
    if data is None:
        return 0
    found = compare(read_file(out), to, portable, data.X, data.qid)
    print("\n".join(describe(found)))
    if found.within:
        return 0
    return say(f"error: {out}: {found.runtime} differs from refrank by more than the bound", DIFFERS)


def describe(found: "Verification") -> list[str]:
    """Write a verification as lines of text."""
    largest = max(found.outputs, key=lambda one: (not one.within, one.largest))
    lines = [("runtime", found.runtime), ("rows", f"{found.n_rows:,}")]
    if found.reads:
        changed = f"{found.n_read:,} of {found.n_entries:,} entries change, and {found.n_moved:,} scores in refrank"
        lines.append(("features", f"{found.reads}: {changed}"))
    lines.append((f"outputs, {len(found.outputs)}", describe_difference(largest)))
    if found.own_score:
        lines.append(("score", describe_difference(found.score)))
    elif found.score not in found.outputs:
        lines.append(("score of them", describe_difference(found.score)))
    pairs = found.pairs
    lines.append(
        ("pairs", f"{pairs.n_pairs:,}: {pairs.reversed:,} reversed, {pairs.tied_in_one:,} tied in one of the two")
    )
    lines.append(("verdict", "within the bound" if found.within else "above the bound"))
    return [f"{name:<16}{value}" for name, value in lines]


def describe_difference(one: "Difference") -> str:
    """Write a difference on one line."""
    if one.largest == 0:
        return f"equal, bound {one.bound:.3g}"
    ulps = "" if one.ulps is None else f", {one.ulps:,} ulps"
    return f"largest difference {one.largest:.3g} at row {one.row}{ulps}, bound {one.bound:.3g}"
