"""`refrank import`: a model of LightGBM or XGBoost as a model file of refrank, for prediction and evaluation."""

import argparse

from refrank.cli.inputs import check_not_read

FORMAT_NAMES = ("lightgbm", "xgboost")  # refrank.models.exchange.importing.READERS, which takes time to import


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank import`."""
    command.add_argument("file", metavar="FILE", help="LightGBM's text, or XGBoost's JSON or UBJSON")
    command.add_argument("--from", required=True, choices=FORMAT_NAMES, dest="source", help="format of the file")
    command.add_argument("--model", required=True, metavar="MODEL", help="where to write the model")


def run(file: str, source: str, model: str) -> int:
    """Read a model of another program and write it as one of refrank."""
    from refrank.datasets.whole_file import check_target
    from refrank.models import save_model
    from refrank.models.exchange.importing import import_model

    check_target(model)
    check_not_read("--model", model, file)
    ranker = import_model(file, source)
    save_model(ranker, model)
    n_outputs = len(ranker.model_.initial)
    by = "the output" if n_outputs == 1 else f"expected relevance, sum_k p_k k, of a softmax of {n_outputs} outputs"
    print(f"{model}: {ranker.n_rounds_:,} rounds, {ranker.n_features_in_:,} features, ranked by {by}")
    return 0
