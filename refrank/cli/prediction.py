"""`refrank predict`: one score per row. Other commands share its reading of rows for a model."""

import argparse
from typing import Any

from refrank.arrays import Floats
from refrank.cli.inputs import FILE, open_input
from refrank.cli.outputs import add_outputs, take_outputs
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets import LetorData
from refrank.datasets.reading import Reading
from refrank.datasets.source import Input, Source
from refrank.metrics import PRESETS


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank predict`."""
    command.add_argument("file", metavar="FILE", help=FILE)
    command.add_argument("--model", required=True, metavar="MODEL", help="model file")
    add_outputs(command, "NDCG@1..10 and ERR, by the labels of the file and the papers' convention,")
    add_reading(command)


def run(file: str, model: str, **flags: Any) -> int:
    """Print the score of each row, in the fewest digits that identify the float64."""
    from refrank.cli.evaluation import LEVELS, measure

    outputs = take_outputs(flags, file, model)
    data, scores = rank_file(open_input(file), model, take_reading(flags))
    outputs.write(data, scores, lambda: measure(data, scores, PRESETS["paper"], LEVELS))
    for score in scores.tolist():
        print(repr(score))
    return 0


def rank_file(file: Input | Source, model: str, reading: Reading) -> tuple[LetorData, Floats]:
    """Read the rows of a file and score them by a model, (n_samples,)."""
    from refrank.models import load_model

    ranker = load_model(model)
    data = reading.load(file, ranker.n_features_in_, reading.choose_absent(ranker))
    return data, ranker.predict(data.X)
