"""`refrank trace`: a training, recorded stage by stage, for comparing a port with it."""

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any, cast

from refrank.cli.commands import Interrupted
from refrank.cli.inputs import FILE, N_FEATURES, open_input
from refrank.cli.parameters import add_parameters, make_ranker
from refrank.cli.prediction import choose_absent_value
from refrank.cli.signals import Signals
from refrank.conformance.traces.sizes import choose_values, predict_size
from refrank.conformance.traces.tracing import describe_training, record_training
from refrank.conformance.traces.writer import TraceWriter, Values
from refrank.datasets import cubic_polynomial, load_letor
from refrank.registry import ALGORITHMS

N_QUERIES = 4  # of the artificial data: a trace of a few megabytes


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank trace`."""
    command.argument_default = argparse.SUPPRESS
    command.add_argument(
        "algorithm", metavar="ALGORITHM", choices=[*ALGORITHMS], help=f"one of {', '.join(ALGORITHMS)}"
    )
    data = f"{FILE}; by default {N_QUERIES} artificial queries"
    command.add_argument("file", metavar="DATA", nargs="?", default=None, help=data)
    command.add_argument("--out", required=True, metavar="DIR", help="folder to write; new, or empty")
    command.add_argument(
        "--values",
        choices=["digests", "json", "safetensors"],
        default=None,
        help="which arrays are kept whole: small ones alone, all in JSON, or all in safetensors; by default all in "
        "JSON, if that takes at most 16 MB, else small ones alone",
    )
    command.add_argument("--n-features", type=int, default=None, help=N_FEATURES)
    add_parameters(command)


def run(
    algorithm: str, file: str | None, out: str, values: str | None, n_features: int | None, **parameters: Any
) -> int:
    """Train, and write the trace; its size is said before."""
    ranker = make_ranker(algorithm, parameters)
    if file is None:
        data = cubic_polynomial(N_QUERIES)
    else:
        data = load_letor(open_input(file), n_features, absent=choose_absent_value(ranker))
    kept = cast(Values, values or choose_values(ranker, data.X, data.y))
    size = predict_size(ranker, data.X, data.y, kept)
    told = f"{size.n_bytes / 2**20:.3g} MiB in {size.n_records} records"
    free = shutil.disk_usage(Path(out).absolute().parent).free
    if size.n_bytes > free:
        raise ValueError(f"--out {out}: the trace may take {told}, and {free / 2**20:.3g} MiB of the disk are free")
    print(f"{out}: at most about {told} ({kept})", file=sys.stderr)
    with Signals() as signals, TraceWriter(out, kept, describe_training(ranker, data.X, data.qid)) as writer:
        try:
            record_training(ranker, data.X, data.y, data.qid, writer.keep, writer.write)
            signals.hold()
        except KeyboardInterrupt:
            signals.interrupt()
    if signals.exit_code:
        raise Interrupted(f"{out} holds the {writer.n_records} records that were done", signals.exit_code)
    return 0
