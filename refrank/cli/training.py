"""`refrank train`: the training of a ranker, saved at checkpoints, after an interrupt, and at the end."""

import argparse
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from refrank.checks import check_integer
from refrank.cli.algorithm_table import ALGORITHMS
from refrank.cli.algorithms import RESUME, choose_part, take_value
from refrank.cli.clusters import add_cluster, is_first, make_once, open_cluster
from refrank.cli.command_file import describe_training, find_command_file, read_command, set_command, write_command
from refrank.cli.commands import Interrupted
from refrank.cli.inputs import N_FEATURES, check_inputs, check_names, check_not_read, open_input
from refrank.cli.other_tools import find_foreign
from refrank.cli.parameters import add_base_parameters, add_parameters, check_known, make_ranker
from refrank.cli.parser import OneLineParser, say
from refrank.cli.reading import add_reading, take_reading
from refrank.cli.shard_files import cut_training
from refrank.cli.signals import Signals
from refrank.datasets.reading import Reading
from refrank.datasets.whole_file import check_target
from refrank.metrics import parse_measure

if TYPE_CHECKING:
    from refrank.cluster.engines import Cluster
    from refrank.estimators.base import Ranker

NAMES = (
    "An algorithm can also be named by its class (GBRTRanker), or as McRank's tables do (classification, regression), "
    "and anywhere on the line by --algorithm. `refrank train ALGORITHM --help` lists its flags."
)
EARLY = "with --valid: end after N rounds without a new best, and keep those up to the best"
TRAIN = "file of lines `label qid:id index:value ...`, .gz of one, or -; several with --cluster"
METRIC = "with --valid: what is measured, such as ndcg@10 (the default) or 'err@20 yahoo', a convention"
UNITS = {"n_trees": 100, "n_rounds": 100, "n_epochs": 20}  # of an example, as far as an algorithm has them
Prepared = tuple["Ranker", Callable[..., object], Sequence[str]]  # function that trains it; names of features
RESUMABLE = ("verbose", "n_threads", "n_jobs", *UNITS)


def add_flags(command: OneLineParser) -> None:
    """Add one part per algorithm, with its own flags, and one that resumes a training."""
    command.usage, command.epilog = "refrank train ALGORITHM TRAIN --model MODEL [flags]", NAMES
    parts = command.add_subparsers(required=True, dest="algorithm", metavar="ALGORITHM", prog="refrank train")
    for name, algorithm in ALGORITHMS.items():
        part = parts.add_parser(name, help=algorithm.summary, description=algorithm.summary)
        own = algorithm.parameters
        units = "".join(f" --{unit.replace('_', '-')} {UNITS[unit]}" for unit in UNITS if unit in own)
        part.epilog = f"Example: refrank train {name} train.txt --model model.refrank{units or ' --base m5p'}"
        part.usage = f"refrank train {name} TRAIN --model MODEL [flags]"
        add_shared(part)
        add_parameters(part.add_argument_group(f"parameters of {algorithm.ranker}"), [name])
        if name == "cocr":
            add_base_parameters(part.add_argument_group("parameters of --base gbrt"))
        add_rows(part)
    resume = parts.add_parser(RESUME, help="continue a training that was stopped: --resume MODEL")
    resume.usage = "refrank train TRAIN --resume MODEL --model MODEL [flags]"
    resume.description = "Continue training a model on the same rows, to the same bits."
    resume.argument_default = argparse.SUPPRESS
    resume.add_argument("--resume", required=True, metavar="MODEL", help="the model that was written so far")
    add_shared(resume)
    add_parameters(resume.add_argument_group("parameters, as far as the model has them"), only=RESUMABLE)
    add_rows(resume)
    for name, part in parts.choices.items():
        users = list_users(parts.choices)
        part.elsewhere = {flag: explain(users[flag], name) for flag in users if name not in users[flag]}
    command.arrange = partial(order_words, command, parts.choices)


def add_shared(part: OneLineParser) -> None:
    """Add the arguments that every training has."""
    part.argument_default = argparse.SUPPRESS
    part.add_argument("files", nargs="+", metavar="TRAIN", help=TRAIN)
    part.add_argument("--model", required=True, metavar="MODEL", help="where to write the model")
    help = "take the flags that the line does not give from a file, such as the one beside a model"
    part.add_argument("--config", metavar="TOML", help=help)
    part.add_argument(
        "--checkpoint-every", type=int, metavar="N", help="write the model so far after every N rounds, trees or epochs"
    )
    add_cluster(part)
    part.add_argument("--valid", metavar="FILE", help="validation set, or -, which is measured after each round")
    part.add_argument("--early-stopping-rounds", type=int, metavar="N", help=EARLY)
    part.add_argument("--eval-metric", metavar="NAME", help=METRIC)


def add_rows(part: OneLineParser) -> None:
    """Add the flags that say how rows are read."""
    reading = part.add_argument_group("how rows are read")
    reading.add_argument("--n-features", type=int, metavar="N", help=N_FEATURES)
    add_reading(reading)


def list_users(parts: Mapping[str, argparse.ArgumentParser]) -> dict[str, list[str]]:
    """List the flags of all parts, each with the parts that have it."""
    users: dict[str, list[str]] = {}
    for name, part in parts.items():
        for flag in part._option_string_actions:
            users.setdefault(flag, []).append(name)
    return users


def explain(users: Collection[str], name: str) -> str:
    """Explain why a flag that other parts have is none of this one."""
    if name == RESUME:
        return "does not work with --resume: the model has its own"
    return f"is a flag of {', '.join(users)}, not of {name}"


def order_words(command: OneLineParser, parts: Mapping[str, OneLineParser], words: list[str]) -> list[str]:
    """Put the algorithm first, wherever the words name it; explain a line that names none."""
    if not words or words[0] in ("-h", "--help"):
        return words
    config = take_value(words, "--config")[0]
    of_file = {} if config is None else read_command(config)
    try:
        name, rest = choose_part(words, of_file)
    except ValueError as fault:
        flags = (word.partition("=")[0] for word in words)
        foreign = next(filter(find_foreign, flags), None)
        command.error(command.explain_flag(foreign) if foreign else str(fault))
    if config is not None:
        of_file.pop("algorithm", None)
        set_command(parts[name], config, of_file)
    return [name, *rest]


def run(**flags: Any) -> int:
    """Train a ranker and write its model, and the file of the command beside it."""
    train(describe_training(flags), **flags)
    return 0


def train(
    command: Mapping[str, Any],
    files: Sequence[str],
    model: str,
    algorithm: str,
    resume: str | None = None,
    checkpoint_every: int | None = None,
    valid: str | None = None,
    **parameters: Any,
) -> None:
    """Train a ranker and write its model; predictable faults are found before the training."""
    from refrank.estimators.base import LAST

    with open_cluster(parameters, files) as cluster:
        reading, n_features = take_reading(parameters), parameters.pop("n_features", None)
        parameters.pop("config", None)  # its keys are among the flags
        choice = take_choice(parameters, valid)

        def prepare() -> Prepared:
            ranker = make_ranker(algorithm, parameters) if resume is None else take_up(resume, parameters)
            check_training(ranker, model, checkpoint_every, files, valid)
            if cluster is not None:
                return ranker, cut_training(cluster, ranker, files, reading, n_features, valid, choice), ()
            return load_training(ranker, files[0], reading, n_features, valid, choice)

        ranker, fit, names = make_once(cluster, prepare)
        try:
            SavedTraining(ranker, model, checkpoint_every or LAST, command, names, cluster).run(fit, valid is not None)
        except ValueError as fault:
            raise ValueError(place_fault(str(fault), files[0] if cluster is None else None, valid)) from fault


def check_training(
    ranker: "Ranker", model: str, checkpoint_every: int | None, files: Sequence[str], valid: str | None
) -> None:
    """Refuse what is known to fail before hours of training."""
    from refrank.models import check_savable

    if checkpoint_every is not None:
        check_integer("--checkpoint-every", checkpoint_every, at_least=1)
    check_savable(ranker)
    for target in (model, find_command_file(model)):
        check_target(target)
        check_not_read("--model", target, *files, valid)
    check_inputs(*files, valid)


def load_training(
    ranker: "Ranker", file: str, reading: Reading, n_features: int | None, valid: str | None, choice: Mapping[str, Any]
) -> Prepared:
    """Load the rows of a training, and of its validation set."""
    absent = reading.choose_absent(ranker)
    data = reading.load(open_input(file), n_features, absent)
    check_names(file, data.names, getattr(ranker, "feature_names_in_", ()))
    held_out: dict[str, Any] = {}
    if valid is not None:
        of_valid = reading.load(open_input(valid), data.X.shape[1], absent)
        check_names(valid, of_valid.names, data.names)
        held_out = {"X_val": of_valid.X, "y_val": of_valid.y, "qid_val": of_valid.qid, **choice}
    return ranker, partial(ranker.fit, data.X, data.y, data.qid, **held_out), data.names


def take_choice(flags: dict[str, Any], valid: str | None) -> dict[str, Any]:
    """Take the flags that say how a validation set chooses the round out of those of a command."""
    choice: dict[str, Any] = {
        name: flags.pop(name) for name in ("early_stopping_rounds", "eval_metric") if name in flags
    }
    for name in choice:
        if valid is None:
            raise ValueError(f"--{name.replace('_', '-')} works with --valid only: it says how the set is used")
    if "eval_metric" in choice:
        parse_measure(choice["eval_metric"])
    return choice


def take_up(resume: str, parameters: dict[str, Any]) -> "Ranker":
    """Read the ranker whose training continues, and set the parameters that may change."""
    from refrank.estimators.base import Ranker
    from refrank.models import load_model

    ranker = load_model(resume)
    if not isinstance(ranker, Ranker):
        raise ValueError(f"--resume {resume}: it holds a {type(ranker).__name__}, which is not a ranker")
    allowed = {*RESUMABLE} & ranker.get_params(deep=False).keys()
    check_known(parameters, allowed, f"--resume {resume}, a model of {ranker.algorithm}")
    return ranker.set_params(**{"verbose": 1, **parameters, "warm_start": True})


def place_fault(fault: str, file: str | None, valid: str | None) -> str:
    """Name the file whose rows, labels or queries a fault of `fit` is about.

    >>> place_fault("y is 1 in every row", "train.txt", None), place_fault("max_features is 9", "train.txt", None)
    ('train.txt: y is 1 in every row', 'max_features is 9')
    """
    word = fault.partition(" ")[0]
    place = {**dict.fromkeys(("X", "y", "qid"), file), **dict.fromkeys(("X_val", "y_val", "qid_val"), valid)}
    return f"{place[word]}: {fault}" if place.get(word) else fault


class SavedTraining:
    """A training whose model is written to a file at checkpoints, after an interrupt, and at the end."""

    def __init__(
        self,
        ranker: "Ranker",
        model: str,
        checkpoint_every: int,
        command: Mapping[str, Any],
        names: Sequence[str],  # of the features, if the file has them
        cluster: "Cluster | None",
    ) -> None:
        self.ranker, self.model, self.checkpoint_every, self.command = ranker, model, checkpoint_every, command
        self.names, self.cluster = names, cluster
        self.written: str | None = None  # the saved state; None while the file is older or does not exist

    def run(self, fit: Callable[..., object], is_validated: bool) -> None:
        """Train, and write the model; after a signal or a lost cluster, write the trained part, and raise."""
        from refrank.cluster import ClusterError

        failure = None
        with Signals() as signals:
            try:
                fit(monitor=self.check_in)
                signals.hold()  # a finished model is not lost while it is written
                if is_validated and self.ranker.verbose:
                    say(describe_choice(self.ranker), 0)
            except KeyboardInterrupt:
                signals.interrupt()
            except ClusterError as fault:
                signals.hold()
                failure = fault
            if hasattr(self.ranker, "n_queries_") and is_first(self.cluster):
                self.write(self.ranker)
        if failure is not None:
            raise ClusterError(f"{failure}; {self.describe_end()}") from failure
        if signals.exit_code:
            raise Interrupted(self.describe_end(), signals.exit_code)

    def describe_end(self) -> str:
        """Describe what is left of a training that did not end."""
        older = "; the file of that name is an older one" if os.path.exists(self.model) else ""
        lost = f"{self.model} was not written: nothing was finished yet{older}"
        return f"{self.model} holds {self.written}" if self.written else lost

    def check_in(self, n_done: int, so_far: Callable[[], Any]) -> None:
        """Write a checkpoint if it is due; if that fails, as on a full disk, warn, and leave it to the next one."""
        if n_done % self.checkpoint_every == 0:
            try:
                self.write(so_far())
            except OSError as fault:
                say(f"warning: no checkpoint: {fault}; the training goes on, and writes the next one", 0)

    def write(self, ranker: Any) -> None:
        """Write the current model, and the command that makes the finished one."""
        from refrank.models import save_model

        if self.names:
            ranker.feature_names_in_ = np.array(self.names, dtype=object)
        save_model(ranker, self.model)
        self.written = describe_part(ranker)
        write_command(self.command, self.model)


def describe_choice(ranker: "Ranker") -> str:
    """Report which round the validation set chose."""
    history = ranker.history_
    return f"round {ranker.best_round_} of {len(history)} is the best of --valid: {history.max():.4f}"


def describe_part(ranker: Any) -> str:
    """Report the progress of a training."""
    from refrank.estimators import COCRRanker, LambdaRanker

    if isinstance(ranker, LambdaRanker):
        return f"the best of {len(ranker.costs_)} epochs; --resume continues"
    if isinstance(ranker, COCRRanker):
        model = getattr(ranker, "unfinished_", None)
        if model is None:
            return "the answers to all problems: it is finished"
        n_answers = len(model.soft_classifiers)
        return f"the answers to {n_answers} of {ranker.n_classes_ - 1} problems, no model yet; --resume continues"
    parts = [f"{getattr(ranker, f'n_{unit}_')} {unit}" for unit in ("trees", "rounds") if hasattr(ranker, f"n_{unit}_")]
    return f"the {' and '.join(parts)} that are done; --resume continues"
