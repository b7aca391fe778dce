"""README.md and some chapters show what the commands print. Python examples run as doctests elsewhere."""

import os
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from refrank.cli import main
from refrank.cli.commands import list_commands, make_parser
from refrank.metrics import PRESETS
from refrank.reproduce.artificial import describe_queries
from refrank.reproduce.mcrank.table_1 import FULL, TABLE_1, WIDE, reproduce
from refrank.reproduce.run import Reproduction

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
MCRANK = (ROOT / "docs" / "learn" / "mcrank.md").read_text()
COMMANDS = (ROOT / "docs" / "use" / "commands.md").read_text()
WHOSE = (ROOT / "docs" / "learn" / "whose_ndcg.md").read_text()
WHOSE_NUMBER = (ROOT / "docs" / "use" / "whose_ndcg.md").read_text()
COMPARE = (ROOT / "docs" / "use" / "compare.md").read_text()
BENCH = (ROOT / "docs" / "use" / "bench.md").read_text()
PART = re.compile(r"(.*) \| (head|tail) -(\d+)")


def indented_block(text, start):
    """The indented lines from the one that begins with `start` to the next that is not indented."""
    lines = text[text.index(f"    {start}") :].split("\n")
    end = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return "\n".join(line.removeprefix("    ") for line in lines[:end]).rstrip().split("\n")


def check_session(shown, capsys):
    """Run the commands of a session, in the current folder; the last one prints the lines shown."""
    for line in shown:
        if line.startswith("$ refrank "):
            command, _, file = line.removeprefix("$ refrank ").partition(" > ")
            command, end, n_lines = PART.fullmatch(command).groups() if " | " in command else (command, "tail", 0)
            assert main(shlex.split(command)) == 0
            printed = capsys.readouterr().out.splitlines()
            printed = printed[: int(n_lines)] if end == "head" else printed[-int(n_lines) :]
            if file:
                Path(file).write_text("\n".join(printed))
    assert printed == [line for line in shown if not line.startswith("$")]


@pytest.mark.parametrize(
    ("text", "n_commands"),
    [(README, 3), (WHOSE, 2), (MCRANK, 3), (COMPARE, 2), (WHOSE_NUMBER, 1), (BENCH, 1)],
    ids=["README.md", "whose_ndcg.md", "mcrank.md", "compare.md", "use/whose_ndcg.md", "bench.md"],
)
def test_every_command_shown_is_one_that_parses(text, n_commands):
    commands = re.findall(r"^    \$ refrank (.*)$", text, re.MULTILINE)
    assert len(commands) == n_commands
    for command in commands:
        words = shlex.split(re.split(r" [>|] ", command)[0])
        make_parser(words).parse_args(words)


def test_the_table_of_commands_names_every_command():
    assert re.findall(r"^\| `refrank ([\w-]+)` \|", COMMANDS, re.MULTILINE) == [*list_commands()]


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_bytes()) <= 5000


def test_the_readme_names_the_first_number_that_differs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    *commands, diff = [line for line in indented_block(README, "$ refrank trace") if line.startswith("$")]
    for command in commands:
        assert main(shlex.split(command.removeprefix("$ refrank "))) == 0
    capsys.readouterr()
    command, n_lines = re.fullmatch(r"\$ refrank (.*) \| head -(\d+)", diff).groups()
    assert main(shlex.split(command)) == 3
    printed = capsys.readouterr().out.splitlines()[: int(n_lines)]
    assert printed == indented_block(README, "$ refrank trace")[len(commands) + 1 :]


def test_the_readme_cuts_the_table_of_conventions():
    """Its six rows are rows of the chapter's session, without ERR and without what each rule does alone."""
    shown = indented_block(WHOSE, "$ refrank train")[3:]
    rows = {line[:15].strip(): (line[15:22].strip(), re.sub(r" \(alone [0-9.]+\)", "", line[42:])) for line in shown}
    rows = {name: (value, rules.strip()) for name, (value, rules) in rows.items()}
    cut = re.findall(r"^\| `(\w+)` \| ([0-9.]+) \| (.*?) ?\|$", README, re.MULTILINE)
    assert len(cut) == 6
    assert [rows[name] for name, _, _ in cut] == [(value, rules) for _, value, rules in cut]


def test_the_session_of_fifteen_conventions_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """The five lines of Python make the files; the figures are those of any machine."""
    monkeypatch.chdir(tmp_path)
    script = re.search(r"^```python\n(.*?)^```$", WHOSE, re.MULTILINE | re.DOTALL)[1]
    assert len([line for line in script.splitlines() if line]) == 5
    exec(compile(script, "whose_ndcg.md", "exec"), {})
    shown = indented_block(WHOSE, "$ refrank train")
    check_session(shown, capsys)
    assert len(shown) - 3 == len(set(PRESETS.values())) == 15


@pytest.mark.parametrize(
    ("text", "start"),
    [(COMPARE, "$ refrank train"), (WHOSE_NUMBER, "$ refrank whose-ndcg"), (BENCH, "$ refrank bench")],
)
def test_the_session_of_a_chapter_prints_what_it_shows(tmp_path, monkeypatch, capsys, text, start):
    monkeypatch.chdir(tmp_path)
    exec(compile(re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1], "chapter", "exec"), {})
    check_session(indented_block(text, start), capsys)


@pytest.mark.skipif("REFRANK_DATA" not in os.environ, reason="REFRANK_DATA names no folder of real data")
def test_the_session_on_real_data_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    """MQ2008, fold 1: train on S1, S2 and S3, test on S5."""
    parts = {n: (Path(os.environ["REFRANK_DATA"]) / "mq2008" / f"S{n}.txt").read_text() for n in (1, 2, 3, 5)}
    monkeypatch.chdir(tmp_path)
    Path("train.txt").write_text(parts[1] + parts[2] + parts[3])
    Path("test.txt").write_text(parts[5])
    check_session(indented_block(MCRANK, "$ refrank train"), capsys)


AT_FULL_SIZE, _, AT_WIDTH = MCRANK.partition("**The wide run**")


@pytest.mark.parametrize(("of_size", "text"), [(WIDE, AT_WIDTH), (FULL, AT_FULL_SIZE)], ids=["wide", "full"])
def test_the_reproduced_table_has_the_form_of_the_command(of_size, text, tmp_path):
    """Lines that hold no figure of ours are equal, the others differ in figures and verdicts only.

    The line that names levels at which regression leads is there only if there are some. [...] stands for the claims.
    """
    parameters = of_size.parameters
    setting = replace(of_size, n_queries=(3, 3, 3), parameters=replace(parameters, n_rounds=1, n_epochs=1))
    shown = indented_block(text, "McRank Table 1")
    printed = reproduce(setting, Reproduction(tmp_path, n_threads=1))
    if "[...]" in shown:
        printed = re.sub("\nthe paper's claims, .*?\n\n", "\n[...]\n\n", printed, flags=re.DOTALL)
    form = re.compile(r"[+-]?(nan|[0-9.,]+(e-?\d+)?)[*]?|holds|does not hold|not decided|none")
    ours, expected = (
        [form.sub("#", line).split() for line in lines[:-2] if "regression leads" not in line]
        for lines in (printed.split("\n"), shown)
    )
    assert ours == expected
    assert shown[1] == f"convention {PRESETS['paper']}"
    assert f"seeds {', '.join(map(str, of_size.seeds))}" in shown[2]
    assert shown[3] == f"boosters: {parameters.describe()}"
    assert shown[4] == f"LambdaRank: {parameters.describe_net()};"
    assert shown[2].startswith(f"{of_size.name}: {describe_queries(of_size.n_queries)}")
    row = next(line for line in shown if line.startswith("paper"))
    assert all(f"{cell.mean} ({cell.sd})" in row for cell in TABLE_1[0].summaries)


def test_the_chapter_sets_the_papers_figures_beside_ours():
    """Table 1 at the paper's size: the row "paper" is the printed one."""
    printed = [f"{cell.mean} ({cell.sd})" for cell in TABLE_1[0].summaries[:3]]  # without LambdaRank
    assert f"| paper | {' | '.join(printed)} |" in MCRANK
    row = next(line for line in indented_block(AT_FULL_SIZE, "McRank Table 1") if line.startswith("refrank, test"))
    ours = re.findall(r"[0-9.]+ \([0-9.]+\)", row)[:3]
    assert f"| refrank | {' | '.join(ours)} |" in MCRANK
