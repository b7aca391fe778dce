"""Renew golden files: `python -m tests.regenerate [NAME ...]` runs the modules that write them.

A golden file holds what the project printed, drew or computed; a test compares it with what it does now. NAME is a room
(`cli`) or a module (`help`); without a name, all of GOLDENS are renewed. Afterwards the command prints which files
changed. Read their diff before you commit it. The files of LEFT_OUT need a decision, or programs that are not
installed: they are never renewed here.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]


class Golden(NamedTuple):
    """A golden file, or a folder of them, and the module that writes it."""

    room: str
    file: str  # from the root of the project
    module: str

    @property
    def names(self) -> tuple[str, str]:
        """The names that ask for it."""
        return self.room, self.module.rpartition(".")[2]


GOLDENS = (
    Golden("cli", "refrank/cli/algorithm_table.json", "tests.cli.algorithm_table"),
    Golden("cli", "tests/cli/help.txt", "tests.cli.help"),
    Golden("cli", "tests/cli/outputs.txt", "tests.cli.outputs"),
    Golden("reproduce", "tests/reproduce/texts.txt", "tests.reproduce.texts"),
    Golden("reproduce", "tests/reproduce/looks.txt", "tests.reproduce.looks"),
    Golden("reproduce", "docs/learn/verdicts.md", "tests.reproduce.verdict_page"),
    Golden("meta", "tests/meta/defaults.txt", "tests.meta.defaults"),
    Golden("meta", "tests/meta/constants.txt", "tests.meta.constants"),
    Golden("meta", "docs/reference/papers.md", "tests.meta.papers_map"),
    Golden("yardstick", "tests/yardstick/kernel_cases.txt", "tests.yardstick.test_kernel_cases"),
    Golden("yardstick", "docs/port/trace.schema.json", "generators.trace_schema"),
    Golden("yardstick", "yardstick/vectors/data", "generators.vectors"),
    Golden("yardstick", "yardstick/vectors/data/streams.json", "generators.streams"),
    Golden("tutor", "docs/exercises", "tests.tutor.test_homework"),
    Golden("proofs_check", "proofs_check/tests/verdicts.json", "proofs_check.tests.test_verdicts"),
)
LEFT_OUT = {  # file -> the command that renews it, and why it is not run with the others
    "proofs_check/formal/statements.txt": (
        "proofs_check/formal/check --renew",
        "needs Coq and MathComp, Debian's packages",
    ),
    "tests/models/corpus": (
        "python -m tests.models.kept",
        "for a new kind of model, or a new version of the format: files that are there stay",
    ),
    "tests/bits/digests.json": (
        "python -m tests.bits --write",
        "only where a bit is meant to change: models that people have trained change with it",
    ),
    "docs/port/peers.md": ("python -m generators.peers", "slow, and needs the programs of the extra `bench`"),
    "docs/use/quality.json": (
        "python -m benchmarks.accuracy.quality --write",
        "slow, and needs the programs of the extra `bench` and MQ2008; --page renews docs/use/quality.md from it",
    ),
    "tests/metrics/metric_vectors.json": (
        "python -m benchmarks.accuracy.metric_vectors --write",
        "needs the programs of the extra `bench`",
    ),
}


def renew_with(file: str) -> str:
    """Return the message of a test that compares with a golden file: the command that renews it."""
    if file in LEFT_OUT:
        command, why = LEFT_OUT[file]
        return f"renew with: {command} ({why})"
    [golden] = (golden for golden in GOLDENS if golden.file == file)
    return f"{file} differs; if the change is meant, renew with: python -m tests.regenerate {golden.room}"


def choose(names: Sequence[str], goldens: Sequence[Golden] = GOLDENS) -> list[Golden]:
    """Choose the golden files of these names, all without a name; a ValueError lists the names there are."""
    allowed = list(dict.fromkeys(name for golden in goldens for name in golden.names))
    for name in names:
        if name not in allowed:
            raise ValueError(f"name is {name!r}: it must be one of {', '.join(allowed)}")
    return [golden for golden in goldens if not names or {*names} & {*golden.names}]


def read_files(golden: Golden, root: Path = ROOT) -> dict[str, bytes]:
    """Read a golden file, or all files of its folder."""
    path = root / golden.file
    paths = sorted(inner for inner in path.rglob("*") if inner.is_file()) if path.is_dir() else [path]
    return {str(inner.relative_to(root)): inner.read_bytes() for inner in paths if inner.exists()}


def renew(golden: Golden, root: Path = ROOT) -> list[str]:
    """Run the module that writes a golden file; return the files that changed, appeared or vanished."""
    before = read_files(golden, root)
    subprocess.run([sys.executable, "-m", golden.module], cwd=root, check=True, stdout=subprocess.DEVNULL)
    after = read_files(golden, root)
    return [file for file in sorted({*before, *after}) if before.get(file) != after.get(file)]


def report(goldens: Sequence[Golden], root: Path = ROOT) -> Iterator[str]:
    """Renew golden files; yield a line per module, and a line per file that changed."""
    for golden in goldens:
        changed = renew(golden, root)
        yield f"{golden.module}: {'changed' if changed else 'no change'}"
        yield from (f"    {file}" for file in changed)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.regenerate", description="Renew golden files.")
    parser.add_argument("name", nargs="*", help="a room (cli) or a module (help); all without a name")
    try:
        goldens = choose(parser.parse_args(arguments).name)
    except ValueError as error:
        parser.error(str(error))
    for line in report(goldens):
        print(line, flush=True)


if __name__ == "__main__":
    main()
