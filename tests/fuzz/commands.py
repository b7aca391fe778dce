"""The command line: any words, in any order, on files that are there or not."""

import inspect
import io
import json
import shutil
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

import numpy as np

from refrank.cli import main
from refrank.cli.algorithm_table import list_parameters
from refrank.cli.commands import list_commands
from refrank.cli.completion import SHELLS
from refrank.cli.exporting import FORMAT_NAMES as EXPORTS
from refrank.cli.importing import FORMAT_NAMES as IMPORTS
from refrank.cli.parameters import list_words
from refrank.estimators.registry import ALGORITHMS, COCR_BASES, RANKERS
from refrank.metrics import PRESETS
from refrank.models import load_model
from refrank.models.exchange import lightgbm, xgboost
from refrank.models.exchange.packing import make_portable
from tests.fuzz.target import CORPUS, LONGEST, Target, flip, pick
from tests.fuzz.traces import write_golden
from yardstick.commands.conform import DIFFERS
from yardstick.traces.writer import MANIFEST, RECORDS

# they take minutes, write much, or execute programs
NOT_RUN = ("reproduce", "vectors", "check", "grade", "exercise", "run", "kernel")
TRIED = [name for name in list_commands() if name not in NOT_RUN]
SIZES = {"n_rounds": "2", "n_trees": "2", "n_epochs": "2"}  # written after the others, so that no training is long
FILES = [
    *("train", "train.gz", "scores", "model", "none", "ranked", "qrels", "folder", "empty", "torn", "none/x"),
    *("a\nb\x1b[2J", "", "\udcff", "n" * 300, "-", "."),
]
TRACES = ["golden", "theirs", "short", "folder", "none", "train"]
WORDS = [
    *("--help", "--version", "-h", "--", "-", "--x", "--n-", "0", "-1", "1e400", "nan"),
    *("é", "a" * 2000, "%s%n", "{}", "\x1b]0;", "\0"),
]
VALUES = [
    *("0", "1", "2", "3", "0.5", "-1", "1e9", "99999999999999999999", "nan", "inf"),
    *("", "x", "mean", "app-i", "exact", "linear", "m5p"),
]
NOT_TRIED = {*SIZES, "n_threads", "n_jobs"}  # threads and processes by the thousand are the machine's to refuse
USERS = {name: users for name, users in list_parameters().items() if name not in NOT_TRIED}
FLAGS = sorted(f"--{name.replace('_', '-')}" for name in USERS)
ALONE = (
    *("--json", "--compare", "--cache", "--oob-score", "--no-oob-score"),
    *("--clip", "--no-clip", "--clip-each-round", "--help"),
)
OTHERS = [
    *("--cost", "--base", "--min-instances", "--n-estimators"),
    *("--cache", "--no-oob-score", "--clip-each-round", "--n-features"),
    *("--label", "--qid", "--ignore", "--delimiter", "--absent"),
]
OF_FILES = (  # beginnings of flags
    *("--model", "--scores", "--valid", "--verify", "--out", "--junit", "--run", "--html", "--per", "--joins"),
    *("--write", "--certify"),
)
CLUSTER = ["--cluster", "--cluster-limit"]
MORE = {
    "train": [*FLAGS, *OTHERS, "--valid", "--model", "--algorithm", "--config", *CLUSTER],
    "predict": ["--model", "--cache", *CLUSTER, "--run", "--qrels", "--per-query", "--label", "--absent"],
    "whose-ndcg": ["--spec", "--max-grade", "--json", "--html", "--per-query", "--measures", "--relevant"],
    "evaluate": [
        *("--run", "--qrels", "--per-query", "--model", "--scores"),
        *("--spec", "--max-grade", "--compare", "--json", "--n-features", "--cache", *CLUSTER),
    ],
    "compare": ["--model", "--scores", "--spec", "--k", "--max-grade", "--json", "--n-features", "--cache"],
    "bounds": ["--scores", "--max-grade", "--json", "--n-features", "--cache", "--certify"],
    "verify-shards": ["--round", "--joins", "--write", "--cache"],
    "export": ["--to", "--out", "--verify", "--cache"],
    "import": ["--from", "--model"],
    "trace": [*FLAGS, "--values", "--n-features", "--out"],
    "step": [*FLAGS, *OTHERS, "--query", "--algorithm"],
    "conform": ["--mode", "--ulps", "--json", "--junit"],
    "data": ["--json", "--n-features", "--cache"],
    "bench": [  # of files that are no collection: it trains nothing
        *("--rankers", "--peers", "--budget", "--measures", "--spec", "--seed", "--output", "--config"),
        *("--early-stopping-rounds", "--absent", "--cache"),
    ],
    "show": [],
    "config": [],
    "completion": [],
}
CHOICES = {  # values of flags that are not parameters of a ranker
    "--absent": ["zero", "nan"],
    "--cluster": ["threads:1", "threads:2"],  # processes take a second each to start
    "--spec": PRESETS,
    "--base": COCR_BASES,
    "--mode": ["bitwise", "ulp", "tie", "statistical"],
    "--values": ["digests", "json", "safetensors"],
    "--to": EXPORTS,
    "--from": IMPORTS,
}


class Commands(Target):
    """`refrank.cli.main`, in this process: an exit code that is documented, and one line that says what is wrong."""

    name = "commands"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.place = folder / "files"
        self.place.mkdir(exist_ok=True)
        self.golden = write_golden(folder / "golden-ls", "ls")

    def make(self, rng: np.random.Generator) -> bytes:
        """Write a command, by the grammar of the commands, as a list in JSON."""
        if rng.integers(0, 8) == 0:
            content = flip(pick(rng, self.seeds), rng)
            with suppress(ValueError):
                words = json.loads(content)
                if (
                    isinstance(words, list)
                    and not {*words} & {*NOT_RUN}
                    and all(isinstance(word, str) for word in words)
                ):
                    return json.dumps([*words, *sizes_of(words)]).encode()
        name = pick(rng, TRIED)
        lawful = rng.integers(0, 4) > 0  # so that most commands reach what they run
        words, files, flags = [name], FILES[:4] if lawful else FILES, MORE[name]
        if name == "train":
            algorithm = pick(rng, [*ALGORITHMS])
            words += ["--algorithm", algorithm, "--model", "new" if lawful else pick(rng, FILES)]
            own = [f"--{name.replace('_', '-')}" for name, users in USERS.items() if algorithm in users]
            flags = own + OTHERS * (algorithm == "cocr") if lawful else flags
        elif name == "export":
            words += ["model", "--to", pick(rng, EXPORTS), "--out", "new" if lawful else pick(rng, FILES)]
        elif name == "trace":
            words += [pick(rng, [*ALGORITHMS]), "--out", "new" if lawful else pick(rng, FILES)]
        elif name == "step":
            words += ["--out", "new" if lawful else pick(rng, FILES)]
        elif name in ("data", "completion"):
            words += ["check", pick(rng, files)] if name == "data" else [pick(rng, SHELLS)]
        elif name == "conform":
            words += ["diff", pick(rng, TRACES[: 3 if lawful else None]), pick(rng, TRACES)]
        elif name == "import":
            source = pick(rng, IMPORTS)
            words += [source if lawful else pick(rng, FILES), "--from", source, "--model", "new"]
        elif name in ("predict", "show", "verify-shards"):
            words += ["--model"] * (name == "predict") + ["model" if lawful else pick(rng, FILES)]
        elif name == "compare":
            for _ in "ab":
                words += [pick(rng, ["--model", "--scores"]), pick(rng, files)]
        elif name == "whose-ndcg":
            words += ["ranked", "qrels"] if lawful else [pick(rng, FILES), pick(rng, FILES)]
        elif name not in ("bench", "config"):
            kind = pick(rng, ["model", "scores"]) if name == "evaluate" else "scores"
            words += [f"--{kind}", kind if lawful else pick(rng, FILES)]
        if name not in ("config", "completion", "data", "show", "export", "import", "conform", "whose-ndcg"):
            words.insert(1 + (name in ("trace", "verify-shards")), pick(rng, files[:2] if lawful else files))
        for _ in range(rng.integers(0, 4)):
            words.append(flag := pick(rng, flags if flags and rng.integers(0, 12) else WORDS))
            if flag not in ALONE or not rng.integers(0, 12):
                words.append(choose_value(flag, rng))
        if not rng.integers(0, 40):
            words[0] = pick(rng, WORDS)
        return json.dumps([*words, *sizes_of(words)]).encode()

    def check(self, content: bytes) -> None:
        """Run it."""
        words = json.loads(content)
        self.lay_out()
        errors = io.StringIO()
        with (
            chdir(self.place),
            patch("sys.stdin", io.TextIOWrapper(io.BytesIO(b""))),
            redirect_stdout(io.StringIO()),
            redirect_stderr(errors),
            warnings.catch_warnings(record=True) as warned,
        ):
            warnings.simplefilter("always")
            try:
                code = main(words)
            except SystemExit as end:
                code = end.code
        expected = [warning.message for warning in warned if not isinstance(warning.message, UserWarning)]
        assert not expected, f"warning: {expected[0]}"
        lines = errors.getvalue().splitlines()
        assert code in (0, 1, 2, 3), f"exit code {code}"
        refused = [line for line in lines if line.startswith("refrank: error: ")]
        if code == DIFFERS and words[0] in ("conform", "data", "verify-shards"):
            assert not refused
            return
        assert (code == 0) == (not refused), (code, lines[-1:])
        if code:
            assert len(lines[-1]) < LONGEST, f"a line of {len(lines[-1])} characters: {lines[-1][:300]}"
            assert lines[-1].isprintable(), repr(lines[-1])

    def lay_out(self) -> None:
        """Write the files that commands find: each command may change them."""
        shutil.rmtree(self.place)
        for name in ("golden", "theirs", "short"):
            shutil.copytree(self.golden, self.place / name)
        lines = (self.golden / RECORDS).read_bytes().splitlines(keepends=True)
        (self.place / "theirs" / RECORDS).write_bytes(b"".join(lines[::2]))
        (self.place / "short" / RECORDS).write_bytes(b"".join(lines)[:-100])
        (self.place / "theirs" / MANIFEST).write_text('{"format": "refrank-trace", "version": 1, "algorithm": "ls"}')
        (self.place / "folder").mkdir()
        model = (CORPUS / "models" / "softmax").read_bytes()
        letor = (CORPUS / "letor" / "rows").read_bytes()
        files = {"model": model, "torn": model[:-100], "empty": b"", "train": letor, "a\nb\x1b[2J": b"x"}
        files["train.gz"] = (CORPUS / "letor" / "rows.gz").read_bytes()
        files["scores"] = (CORPUS / "scores" / "numbers").read_bytes()
        files["ranked"], files["qrels"] = ((CORPUS / "trec" / f"lines-{n}").read_bytes() for n in (0, 1))
        portable = make_portable(load_model(CORPUS / "models" / "softmax"))
        files |= {"lightgbm": lightgbm.write(portable), "xgboost": xgboost.write(portable)}
        for name, content in files.items():
            (self.place / name).write_bytes(content)


def sizes_of(words: list[str]) -> list[str]:
    """The flags that keep a training short, as far as its algorithm has them."""
    if words[:1] == ["train"]:
        named = [words[at + 1] for at, word in enumerate(words[:-1]) if word.startswith("--a")]
    elif words[:1] == ["trace"]:
        named = [word for word in words if word in ALGORITHMS][:1]
    else:
        return []
    ranker = ALGORITHMS[named[-1]].ranker if named and named[-1] in ALGORITHMS else RANKERS["softmax"]
    names = set(inspect.signature(ranker).parameters) if ranker is not RANKERS["cocr"] else set()
    names |= {"n_rounds"} if ranker is RANKERS["cocr"] and "gbrt" in words else set()
    return [text for name, size in SIZES.items() if name in names for text in (f"--{name.replace('_', '-')}", size)]


def choose_value(flag: str, rng: np.random.Generator) -> str:
    """A value for a flag: a lawful one, often."""
    if flag.startswith(OF_FILES):
        return str(pick(rng, FILES))
    if flag in CHOICES:
        return str(pick(rng, [*CHOICES[flag], "x"]))
    words = list_words(USERS.get(flag[2:].replace("-", "_"), {}).values())
    return str(pick(rng, words or VALUES[:5])) if rng.integers(0, 4) else str(pick(rng, VALUES))
