"""`refrank predict`: one score per row. Other commands share its reading of rows for a model."""

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

from refrank.arrays import Floats
from refrank.cli.clusters import add_cluster, is_first, make_once, open_cluster
from refrank.cli.inputs import FILES, check_names, open_input
from refrank.cli.outputs import LEVELS, add_outputs, measure, take_outputs
from refrank.cli.reading import add_reading, take_reading
from refrank.cli.shard_scores import rank_files
from refrank.datasets import LetorData
from refrank.datasets.reading import Reading
from refrank.datasets.source import Input, Source, open_source
from refrank.metrics import PRESETS


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank predict`."""
    command.add_argument("files", nargs="+", metavar="FILE", help=FILES)
    command.add_argument("--model", required=True, metavar="MODEL", help="model file")
    add_outputs(command, "NDCG@1..10 and ERR, by the labels of the file and the papers' convention,")
    add_cluster(command)
    add_reading(command)


def run(files: Sequence[str], model: str, **flags: Any) -> int:
    """Print the score of each row, in the fewest digits that identify the float64."""
    outputs = take_outputs(flags)
    with open_cluster(flags, files) as cluster:
        make_once(cluster, partial(outputs.check, *files, model))
        reading, are_asked = take_reading(flags), outputs.are_asked
        if cluster is None:
            data, scores = rank_file(open_input(files[0]), model, reading, to_score=not are_asked)
        else:
            data, scores = rank_files(cluster, files, model, reading, are_measured=are_asked)
        if is_first(cluster):
            outputs.write(data, scores, lambda: measure(data, scores, PRESETS["paper"], LEVELS))
            for score in scores.tolist():
                print(repr(score))
    return 0


def rank_file(file: Input | Source, model: str, reading: Reading, to_score: bool = False) -> tuple[LetorData, Floats]:
    """Read the rows of a file and score them by a model, (n_samples,); a table may lack labels if they are not used."""
    from refrank.estimators.feature_tables import drop_names
    from refrank.models import load_model

    ranker = load_model(model)
    data = read_rows(ranker, file, reading, to_score)
    return data, drop_names(ranker).predict(data.X)


def read_rows(ranker: Any, file: Input | Source, reading: Reading, to_score: bool = False) -> LetorData:
    """Read the rows of a file for a model, whose features they must have."""
    with open_source(file) as source:
        data = reading.load(source, ranker.n_features_in_, reading.choose_absent(ranker), to_score)
        check_names(source.name, data.names, getattr(ranker, "feature_names_in_", ()))
    return data
