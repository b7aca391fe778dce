"""`refrank train`: the training of a ranker, saved at checkpoints, after an interrupt, and at the end."""

import argparse
import os
from collections.abc import Callable
from typing import Any

from refrank.checks import check_integer
from refrank.cli.commands import Interrupted, say
from refrank.cli.inputs import N_FEATURES, check_inputs, check_not_read, open_input
from refrank.cli.parameters import add_parameters, check_known, make_ranker
from refrank.cli.reading import add_reading, take_reading
from refrank.cli.signals import Signals
from refrank.datasets import LetorData
from refrank.datasets.whole_file import check_target
from refrank.estimators import COCRRanker, LambdaRanker
from refrank.estimators.base import LAST, Ranker
from refrank.estimators.registry import ALGORITHMS
from refrank.models import check_savable, load_model, save_model


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank train`. Without a flag, the estimator's default applies."""
    command.argument_default = argparse.SUPPRESS
    command.add_argument("file", metavar="TRAIN", help="file of lines `label qid:id index:value ...`, .gz of one, or -")
    command.add_argument("--algorithm", choices=[*ALGORITHMS], help="what to train; not with --resume")
    command.add_argument("--model", required=True, metavar="MODEL", help="where to write the model")
    command.add_argument(
        "--resume", metavar="MODEL", help="continue training this model on the same rows, to the same bits"
    )
    command.add_argument(
        "--checkpoint-every", type=int, metavar="N", help="write the model so far after every N rounds, trees or epochs"
    )
    command.add_argument("--n-features", type=int, help=N_FEATURES)
    command.add_argument("--valid", metavar="FILE", help="validation set, or -, which chooses the epoch of a net")
    add_reading(command)
    add_parameters(command)


def run(
    file: str,
    model: str,
    algorithm: str | None = None,
    resume: str | None = None,
    checkpoint_every: int | None = None,
    n_features: int | None = None,
    valid: str | None = None,
    **parameters: Any,
) -> int:
    """Train a ranker and write its model; predictable faults are found before the training."""
    reading = take_reading(parameters)
    ranker = choose_ranker(algorithm, resume, parameters)
    if checkpoint_every is not None:
        check_integer("--checkpoint-every", checkpoint_every, at_least=1)
    if valid is not None and not isinstance(ranker, LambdaRanker):
        raise ValueError(f"--valid does not work with --algorithm {ranker.algorithm}")
    check_savable(ranker)  # hours of training should not fail here
    check_target(model)
    check_not_read("--model", model, file, valid)
    check_inputs(file, valid)
    absent = reading.choose_absent(ranker)
    data = reading.load(open_input(file), n_features, absent)
    held_out = {}
    if valid is not None:
        of_valid = reading.load(open_input(valid), data.X.shape[1], absent)
        held_out = {"X_val": of_valid.X, "y_val": of_valid.y, "qid_val": of_valid.qid}
    SavedTraining(ranker, model, checkpoint_every or LAST).run(data, held_out)
    return 0


def choose_ranker(algorithm: str | None, resume: str | None, parameters: dict[str, Any]) -> Ranker:
    """Make the ranker that the flags describe, or read one whose training continues."""
    if (algorithm is None) == (resume is None):
        raise ValueError("give either --algorithm, or --resume and a model")
    if algorithm is not None:
        return make_ranker(algorithm, parameters)
    ranker = load_model(str(resume))
    if not isinstance(ranker, Ranker):
        raise ValueError(f"--resume {resume}: it holds a {type(ranker).__name__}, which is not a ranker")
    allowed = {"verbose", "n_threads", "n_jobs", "n_rounds", "n_trees", "n_epochs"}
    check_known(parameters, allowed & ranker.get_params(deep=False).keys(), "--resume: the model has its own")
    return ranker.set_params(**{"verbose": 1, **parameters, "warm_start": True})


class SavedTraining:
    """A training whose model is written to a file at checkpoints, after an interrupt, and at the end."""

    def __init__(self, ranker: Ranker, model: str, checkpoint_every: int) -> None:
        self.ranker, self.model, self.checkpoint_every = ranker, model, checkpoint_every
        self.written: str | None = None  # the saved state; None while the file is older or does not exist

    def run(self, data: LetorData, held_out: dict[str, Any]) -> None:
        """Train, and write the model; after a signal, write the trained part and raise `Interrupted`."""
        with Signals() as signals:
            try:
                self.ranker.fit(data.X, data.y, data.qid, **held_out, monitor=self.check_in)
                signals.hold()  # a finished model is not lost while it is written
            except KeyboardInterrupt:
                signals.interrupt()
            if hasattr(self.ranker, "n_queries_"):
                self.write(self.ranker)
        if signals.exit_code:
            older = "; the file of that name is an older one" if os.path.exists(self.model) else ""
            lost = f"{self.model} was not written: nothing was finished yet{older}"
            raise Interrupted(f"{self.model} holds {self.written}" if self.written else lost, signals.exit_code)

    def check_in(self, n_done: int, so_far: Callable[[], Any]) -> None:
        """Write a checkpoint if it is due; if that fails, as on a full disk, warn, and leave it to the next one."""
        if n_done % self.checkpoint_every == 0:
            try:
                self.write(so_far())
            except OSError as fault:
                say(f"warning: no checkpoint: {fault}; the training goes on, and writes the next one", 0)

    def write(self, ranker: Any) -> None:
        """Write the current model."""
        save_model(ranker, self.model)
        self.written = describe_part(ranker)


def describe_part(ranker: Any) -> str:
    """Report the progress of a training."""
    if isinstance(ranker, LambdaRanker):
        return f"the best of {len(ranker.history_)} epochs; --resume continues"
    if isinstance(ranker, COCRRanker):
        model = getattr(ranker, "unfinished_", None)
        if model is None:
            return "the answers to all problems: it is finished"
        n_answers = len(model.soft_classifiers)
        return f"the answers to {n_answers} of {ranker.n_classes_ - 1} problems, no model yet; --resume continues"
    parts = [f"{getattr(ranker, f'n_{unit}_')} {unit}" for unit in ("trees", "rounds") if hasattr(ranker, f"n_{unit}_")]
    return f"the {' and '.join(parts)} that are done; --resume continues"
