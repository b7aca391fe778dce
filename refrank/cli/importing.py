"""`refrank import`: a model of LightGBM, XGBoost or RankLib as a model of refrank, for prediction and evaluation."""

import argparse
from typing import TYPE_CHECKING, Any

from refrank.cli.exporting import DIFFERS, describe
from refrank.cli.inputs import FILE, check_not_read, open_input
from refrank.cli.parser import say
from refrank.cli.reading import add_reading, take_reading

if TYPE_CHECKING:
    from refrank.models.exchange.xgboost_rounds import Rounds

FORMAT_NAMES = ("lightgbm", "xgboost", "ranklib")  # those of READERS in models/exchange/importing.py, slow to import
N_FEATURES = "of RankLib's file, which does not say how many features there are; default the highest that it cuts"
ROUNDS = "after early stopping of XGBoost: the rounds up to the best, as XGBRanker predicts, or all, as Booster does"


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank import`."""
    command.add_argument("file", metavar="FILE", help="LightGBM's text, XGBoost's JSON or UBJSON, or RankLib's XML")
    command.add_argument("--from", required=True, choices=FORMAT_NAMES, dest="source", help="format of the file")
    command.add_argument("--model", required=True, metavar="MODEL", help="where to write the model")
    command.add_argument("--rounds", choices=("best", "all"), help=ROUNDS)
    command.add_argument("--n-features", type=int, help=N_FEATURES)
    help_verify = f"score these rows by both programs and compare; {FILE}. Exit code 3: they differ; nothing is written"
    command.add_argument("--verify", metavar="DATA", help=help_verify)
    add_reading(command)


def run(file: str, source: str, model: str, rounds: "Rounds | None", **flags: Any) -> int:
    """Read a model of another program, compare its scores if rows are given, and write it as a model of refrank."""
    from refrank.datasets.whole_file import check_target
    from refrank.models import save_model
    from refrank.models.exchange.import_verification import verify_import
    from refrank.models.exchange.importing import read_import
    from refrank.models.exchange.runtimes import load_runtime

    verify, n_features = flags.pop("verify"), flags.pop("n_features")
    check_target(model)
    check_not_read("--model", model, file, verify)
    if verify is not None and source == "ranklib":
        raise ValueError(
            "--verify does not work with --from ranklib: RankLib is a Java program, which refrank does not run"
        )
    ranker, content = read_import(file, source, rounds, n_features)
    lines = [f"not verified: --verify DATA compares these scores with those of {source}"]
    if source == "ranklib":
        lines = ["not verified: RankLib is a Java program, which refrank does not run"]
    if verify is not None:
        reading = take_reading(flags)
        data = reading.load(open_input(verify), ranker.n_features_in_, reading.choose_absent(ranker))
        try:
            load_runtime(source, "--verify")
        except ValueError as absent:
            lines = [f"not verified: {absent}"]
        else:
            result = verify_import(content, ranker, data.X, data.qid, best=rounds == "best")
            lines = describe(result)
            if not result.within:
                print("\n".join(lines))
                fault = f"{result.runtime} differs from refrank by more than the bound, {model} is not written"
                return say(f"error: {file}: {fault}", DIFFERS)
    save_model(ranker, model)
    n_outputs = len(ranker.model_.initial)
    by = "the output" if n_outputs == 1 else f"expected relevance, sum_k p_k k, of a softmax of {n_outputs} outputs"
    print(f"{model}: {ranker.n_rounds_:,} rounds, {ranker.n_features_in_:,} features, ranked by {by}")
    print("\n".join(lines))
    return 0
