"""What README.md shows is what the commands print. Its Python examples run as doctests elsewhere."""

import os
import re
import shlex
from pathlib import Path

import pytest

from refrank.cli import main
from refrank.cli.commands import parser
from refrank.metrics import PRESETS
from refrank.reproduce import mcrank
from refrank.reproduce.mcrank_printed import TABLE_1

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
COMMANDS = re.findall(r"^    \$ (refrank .*)$", README, re.MULTILINE)


def indented_block(start):
    """The indented lines from the one that begins with `start` to the next that is not indented."""
    lines = README[README.index(f"    {start}") :].split("\n")
    end = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return [line.removeprefix("    ") for line in lines[:end]]


def test_every_command_shown_is_one_that_parses():
    assert len(COMMANDS) == 3
    for command in COMMANDS:
        parser().parse_args(shlex.split(command.split(" > ")[0])[1:])


def test_the_reproduced_table_has_the_form_of_the_command(tmp_path):
    """Lines that hold no figure of ours are equal, the others differ in figures only; the convention is said."""
    setting = mcrank.Setting("small", 3, 3, 3, (0, 1, 2), n_rounds=1)
    shown = "\n".join(indented_block("McRank Table 1")).strip().split("\n")
    printed = mcrank.reproduce(setting, tmp_path, n_threads=1).split("\n")
    form = re.compile(r"[0-9.,]+(e-?\d+)?")
    assert [form.sub("#", line).split() for line in shown[:-1]] == [
        form.sub("#", line).split() for line in printed[:-1]
    ]
    assert shown[1] == f"convention {PRESETS['paper']}"
    small = mcrank.SMALL
    assert f"seeds {', '.join(map(str, small.seeds))}" in shown[2]
    assert shown[3] == f"boosters: {small.describe()}"
    assert shown[4] == f"LambdaRank: {small.describe_net()};"
    assert shown[2].startswith(f"small: {small.n_train:,} training, {small.n_valid:,} validation and {small.n_test:,}")
    assert f"{TABLE_1[0].ordinal.mean} ({TABLE_1[0].ordinal.sd})" in next(x for x in shown if x.startswith("paper"))


@pytest.mark.skipif("REFRANK_DATA" not in os.environ, reason="REFRANK_DATA names no folder of real data")
def test_the_shell_example_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """MQ2008, fold 1: train on S1, S2 and S3, test on S5."""
    parts = {n: (Path(os.environ["REFRANK_DATA"]) / "mq2008" / f"S{n}.txt").read_text() for n in (1, 2, 3, 5)}
    monkeypatch.chdir(tmp_path)
    Path("train.txt").write_text(parts[1] + parts[2] + parts[3])
    Path("test.txt").write_text(parts[5])
    for command in COMMANDS:
        command, _, file = command.partition(" > ")
        assert main(shlex.split(command)[1:]) == 0
        printed = capsys.readouterr().out
        if file:
            Path(file).write_text(printed)
    shown = [line for line in indented_block("$ refrank train") if not line.startswith("$")]
    assert "\n".join(shown).rstrip() == printed.rstrip()


def test_every_link_and_module_named_is_there():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    modules = re.findall(r"`(refrank/[\w/.]+)`", README)
    assert len(links) > 5
    assert len(modules) > 10
    missing = [place for place in [*links, *modules] if not (ROOT / place).exists()]
    assert missing == []
