"""`refrank trace`: record a training, or a model on rows, stage by stage, to compare a port with it."""

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from refrank.cli.algorithm_table import ALGORITHMS
from refrank.cli.commands import Interrupted
from refrank.cli.inputs import FILE, N_FEATURES, open_input
from refrank.cli.parameters import add_parameters, check_known, make_ranker
from refrank.cli.reading import add_reading, take_reading
from refrank.cli.signals import Signals
from refrank.datasets import cubic_polynomial
from yardstick.traces.stages import LabelledRows
from yardstick.traces.writer import TraceWriter, Values

if TYPE_CHECKING:
    from refrank.estimators.base import Ranker

N_QUERIES = 4  # of the artificial data: a trace of a few megabytes
FIT_IN_JSON = 2**24  # bytes: a trace up to this size is written wholly in JSON, unless the user chooses otherwise


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank trace`."""
    command.argument_default = argparse.SUPPRESS
    choices = f"one of {', '.join(ALGORITHMS)}, to train; or the file of a model, to follow its trees on DATA"
    command.add_argument("algorithm", metavar="ALGORITHM", help=choices)
    data = f"{FILE}; by default {N_QUERIES} artificial queries to train on"
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
    add_reading(command)
    add_parameters(command)


def run(
    algorithm: str, file: str | None, out: str, values: str | None, n_features: int | None, **parameters: Any
) -> int:
    """Train, or read a model, and write the trace; first print its size."""
    from yardstick.traces.models import describe_model, predict_model_sizes, record_model
    from yardstick.traces.tracing import describe_training, predict_sizes, record_training

    reading = take_reading(parameters)
    steps: Any = describe_training, predict_sizes, record_training
    if algorithm in ALGORITHMS:
        ranker = make_ranker(algorithm, parameters)
    else:
        ranker = read_model(algorithm, file, n_features, parameters)
        steps, n_features = (describe_model, predict_model_sizes, record_model), ranker.n_features_in_
    describe, predict, record = steps
    absent = reading.choose_absent(ranker)
    data = cubic_polynomial(N_QUERIES) if file is None else reading.load(open_input(file), n_features, absent)
    rows = LabelledRows(data.X, data.y, data.qid)
    sizes = predict(ranker, rows)
    kept = cast(Values, values or ("json" if sizes["json"][1] <= FIT_IN_JSON else "digests"))
    n_records, n_bytes = sizes[kept]
    amount = f"{n_bytes / 2**20:.3g} MiB in {n_records} records"
    free = shutil.disk_usage(Path(out).absolute().parent).free
    if n_bytes > free:
        raise ValueError(f"--out {out}: the trace may take {amount}, and {free / 2**20:.3g} MiB of the disk are free")
    trace = TraceWriter(out, kept, describe(ranker, rows))  # which refuses a folder that it cannot replace
    print(f"{out}: about {amount} ({kept})", file=sys.stderr)
    with Signals() as signals, trace as writer:
        try:
            record(ranker, rows, writer.keep, writer.write)
            signals.hold()
        except KeyboardInterrupt:
            signals.interrupt()
    if signals.exit_code:
        raise Interrupted(f"{out} holds the {writer.n_records} records that were done", signals.exit_code)
    return 0


def read_model(name: str, file: str | None, n_features: int | None, parameters: dict[str, Any]) -> "Ranker":
    """Read the file of a model, which is recorded on rows and with no other flags."""
    from refrank.estimators.base import Ranker
    from refrank.models import load_model

    if not os.path.exists(name):
        raise ValueError(f"ALGORITHM is {name}: it must be one of {', '.join(ALGORITHMS)}, or the file of a model")
    if file is None:
        raise ValueError(f"{name} is a model: DATA must name the rows that it is to score")
    given = parameters if n_features is None else {**parameters, "n_features": n_features}
    check_known(given, set(), "a model: it is trained already")
    ranker = load_model(name)
    if not isinstance(ranker, Ranker):
        raise ValueError(f"{name} holds a {type(ranker).__name__}, which is not a ranker")
    return ranker
