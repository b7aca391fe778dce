"""`refrank bench`: rankers and other tools over the folds of a collection, and the table that compares them."""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from refrank.cli import INTERRUPTED
from refrank.cli.algorithms import find_algorithm, list_names, take_value
from refrank.cli.command_file import name_keys, read_command, set_command, write_file
from refrank.cli.commands import Interrupted
from refrank.cli.parser import OneLineParser, find_near, say
from refrank.cli.reading import add_reading, take_reading
from refrank.cli.signals import Signals
from refrank.datasets.whole_file import check_target
from refrank.kernel import resolve_threads
from refrank.metrics import PRESETS
from refrank.reproduce.bench.plan import BenchPlan

if TYPE_CHECKING:
    from refrank.reproduce.bench.record import Record
    from refrank.reproduce.bench.run import BenchRun

FILE = "bench.toml"
OPEN = {"folds", "rankers", "peers", "output"}  # keys that change no value of a system, if the rows are the same
HELP = {
    "rankers": f"algorithms of `refrank train`, or their classes; default {','.join(BenchPlan.rankers)}",
    "peers": "other tools that are installed: lightgbm, xgboost, hgb (of scikit-learn), catboost; default none",
    "budget": "configurations of each system on each fold, among which the validation queries choose; default "
    f"{BenchPlan.budget}",
    "measures": "metrics, as in whose-ndcg, of which the first chooses; default ndcg@10, and err if --spec has it",
    "n-rounds": f"rounds, trees or epochs of a training, at most; default {BenchPlan.n_rounds}",
    "spec": f"convention of all metrics; default {BenchPlan.spec}",
    "seed": f"of configurations and trainings; default {BenchPlan.seed}",
    "stopping": "end a training after N rounds without a new best on the validation queries; default "
    f"{BenchPlan.early_stopping_rounds}",
    "output": "folder of the tables, of bench.toml and of the finished trainings; default refrank-out/bench",
    "config": "take the flags that the line does not give from bench.toml, and say whether the values are the same",
    "n-threads": "threads of a training, by default all cores; changes no figure",
}


def add_flags(command: OneLineParser) -> None:
    """Add the arguments of `refrank bench`."""
    command.epilog = (
        "Names are divided by commas or spaces. Example: refrank bench MQ2008 --rankers softmax,gbrt --peers lightgbm"
    )
    folds = "folder of a collection in folds, such as LETOR's or MSLR's"
    command.add_argument("folds", default=argparse.SUPPRESS, metavar="FOLDS", help=folds)
    command.add_argument("--rankers", nargs="+", default=[*BenchPlan.rankers], metavar="NAME", help=HELP["rankers"])
    command.add_argument("--peers", nargs="+", default=[], metavar="NAME", help=HELP["peers"])
    command.add_argument("--budget", type=int, default=BenchPlan.budget, metavar="N", help=HELP["budget"])
    command.add_argument("--measures", nargs="+", metavar="M", help=HELP["measures"])
    command.add_argument("--spec", default=BenchPlan.spec, choices=[*PRESETS], help=HELP["spec"])
    command.add_argument("--seed", type=int, default=BenchPlan.seed, metavar="S", help=HELP["seed"])
    command.add_argument("--n-rounds", type=int, default=BenchPlan.n_rounds, metavar="M", help=HELP["n-rounds"])
    command.add_argument(
        "--early-stopping-rounds", type=int, default=BenchPlan.early_stopping_rounds, metavar="N", help=HELP["stopping"]
    )
    command.add_argument("--output", default="refrank-out/bench", metavar="DIR", help=HELP["output"])
    command.add_argument("--config", metavar="TOML", help=HELP["config"])
    command.add_argument("--n-threads", type=int, metavar="N", help=HELP["n-threads"])
    add_reading(command, folds="FOLDS")
    command.arrange = partial(take_config, command)


def take_config(command: OneLineParser, words: list[str]) -> list[str]:
    """Take the keys of the file that --config names as defaults."""
    path = take_value(words, "--config")[0]
    if path is not None:
        from refrank.reproduce.bench.record import TABLES

        keys = read_command(path)
        set_command(command, path, {key: value for key, value in keys.items() if key not in TABLES})
    return words


def run(**flags: Any) -> int:
    """Train what is not yet trained, write the tables, and print one; 3 if values depart from those of --config."""
    config, n_threads = flags.pop("config"), flags.pop("n_threads")
    resolve_threads(n_threads)
    if flags["measures"] is None:
        flags["measures"] = ["ndcg@10"] + ["err"] * (PRESETS[flags["spec"]].max_grade is not None)
    choose: dict[str, Callable[[str], str]] = {"rankers": choose_ranker, "peers": choose_peer, "measures": str}
    flags |= {flag: tuple(map(choose[flag], split_names(flags[flag]))) for flag in choose}
    command = name_keys(flags | {flag: ",".join(flags[flag]) for flag in choose})
    folder = Path(flags.pop("output"))
    from refrank.reproduce.bench.record import compare_versions, describe_run, find_departures, list_versions
    from refrank.reproduce.bench.report import write_report

    plan = BenchPlan(reading=take_reading(flags), **flags)
    versions, record = list_versions(plan), {} if config is None else take_record(config, command)
    say_all(f"warning: {note}" for note in compare_versions(record, versions))
    plan.reading.list_folds(plan.folds)  # refuses a folder without folds before another is made
    folder.mkdir(parents=True, exist_ok=True)
    check_target(folder / FILE)
    done = train(plan, folder, n_threads)
    made = describe_run(done, versions)
    departures = [*find_departures(record, made)]
    target = folder / "departed" if departures else folder  # what they depart from stays as it is
    target.mkdir(exist_ok=True)
    command["output"] = str(target)
    print(write_report(done.result, target, {"How it was made": plan.describe(versions)}), end="")
    write_file("bench", str(target / FILE), command, made)
    say_all([*departures, *describe_end(done, record, target, bool(departures))])
    return 3 if departures else 0


def split_names(words: Iterable[str]) -> list[str]:
    """Split words at commas and spaces.

    >>> split_names(["softmax,gbrt", "ls"])
    ['softmax', 'gbrt', 'ls']
    """
    return [name for name in re.split(r"[,\s]+", ",".join(words)) if name]


def choose_ranker(word: str) -> str:
    """Choose the algorithm of a name.

    >>> choose_ranker("GBRTRanker")
    'gbrt'
    """
    from refrank.reproduce.bench.peers import PEERS

    if word.lower() in PEERS:
        raise ValueError(f"--rankers {word}: it is one of --peers")
    try:
        return find_algorithm(word)
    except ValueError as fault:
        raise ValueError(f"--rankers: {fault}") from None


def choose_peer(word: str) -> str:
    """Choose another tool, by its name in letters of any case.

    >>> choose_peer("lightgmb")
    Traceback (most recent call last):
    ValueError: --peers: there is no tool 'lightgmb': did you mean lightgbm? There are lightgbm, xgboost, hgb, catboost
    """
    from refrank.reproduce.bench.peers import PEERS

    if word.lower() in PEERS:
        return word.lower()
    if word.lower() in list_names():
        raise ValueError(f"--peers {word}: it is one of --rankers")
    near = find_near(word, PEERS)
    meant = f" did you mean {near}? There are" if near else " there are"
    raise ValueError(f"--peers: there is no tool {word!r}:{meant} {', '.join(PEERS)}")


def take_record(config: str, command: Mapping[str, Any]) -> "Record":
    """Take what the file of --config says of its run; nothing if the keys that change values are not the same."""
    from refrank.reproduce.bench.record import TABLES, check_record

    keys = read_command(config)
    record = check_record(keys, config)
    changed = sorted(key for key in {*keys, *command} - {*TABLES, *OPEN} if keys.get(key) != command.get(key))
    if changed and record["values"]:
        say(f"{changed[0]} is not that of {config}: the values are not compared", 0)
    return {} if changed else record


def train(plan: BenchPlan, folder: Path, n_threads: int | None) -> "BenchRun":
    """Train what is not yet trained; after a signal, say how to go on."""
    from refrank.reproduce.bench.run import run_bench

    with Signals() as signals:
        try:
            return run_bench(plan, folder, n_threads, verbose=1)
        except KeyboardInterrupt:
            kept = f"finished trainings are kept in {folder / 'cells'}; the same command goes on"
            raise Interrupted(kept, signals.exit_code or INTERRUPTED) from None


def describe_end(done: "BenchRun", record: "Record", target: Path, departs: bool) -> Iterator[str]:
    """Report where the tables are, and whether the values are those of the file, if it has some."""
    compared = [
        name for name in done.result.systems if any(key.startswith(f"{name} ") for key in record.get("values", {}))
    ]
    if compared and not departs:
        yield f"the values of {', '.join(compared)} are those of {FILE}, to the bit"
    if compared and done.n_kept:
        yield f"{done.n_kept} of {done.n_kept + done.n_trained} trainings were kept; another --output trains all anew"
    yield f"{target} holds the tables and {FILE}, which makes them again: refrank bench --config {target / FILE}"


def say_all(notes: Iterable[str]) -> None:
    """Write notes to standard error, a line each."""
    for note in notes:
        say(note, 0)
