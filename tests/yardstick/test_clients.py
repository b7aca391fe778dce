"""The clients of other languages, by the commands of docs/port/another_language.md, where there is a compiler."""

import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from refrank.cli import main
from yardstick.commands.conform import CLIENTS
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.card import make_scorecard

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "port" / "another_language.md").read_text()
COMMANDS = dict(re.findall(r"`refrank conform client (\w+) > port\.\1(?: && (.*?))?`", PAGE))  # that compile
LINTERS = {
    "c": "cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -fsyntax-only port.c",
    "go": "gofmt -d port.go",
    "js": "node --check port.js",
    "rs": "rustc -D warnings --edition 2021 --emit metadata port.rs",
}
MISTAKES = {  # of each language: what is changed, in the function quantize and in the training ls
    "c": (("cuts[code] <= x", "cuts[code] < x"), ("exp2(y[i]) - 1.0", "exp2(y[i])")),
    "go": (("cuts[i] > x", "cuts[i] >= x"), ("math.Exp2(label) - 1", "math.Exp2(label)")),
    "js": (("cut <= value", "cut < value"), ("2 ** label - 1", "label")),
    "rs": (("*cut <= x", "*cut < x"), ("label.exp2() - 1.0", "label.exp2()")),
}


def need(language):
    compiler = {"c": "cc", "go": "go", "js": "node", "rs": "rustc"}[language]
    if shutil.which(compiler) is None:
        pytest.skip(f"no compiler of this language: {compiler} is not on the path")


def build(language, folder, change=("", "")):
    """Build a client by its command, with one change, and return the command that asks it."""
    (folder / f"port.{language}").write_text(CLIENTS[language].read_text().replace(*change))
    assert change[1] in (folder / f"port.{language}").read_text()
    if language == "js":
        return f"node {folder / 'port.js'}"
    subprocess.run(COMMANDS[language].split(), check=True, cwd=folder)
    return str(folder / "port")


def judge(command, **parts):
    """The lines of the scorecard that are offered, and their states; of trainings, one."""
    card = make_scorecard(replace(load_adapter(command), **parts), names=["ls"])
    return {f"{line.kind} {line.name}": line.state for line in card.lines if line.state != "not offered"}


@pytest.mark.parametrize("language", CLIENTS)
def test_a_client_is_printed_and_has_at_most_sixty_lines(language, capsys):
    assert main(["conform", "client", language]) == 0
    text = capsys.readouterr().out
    assert text == CLIENTS[language].read_text()
    assert len(text.splitlines()) <= 60


@pytest.mark.parametrize("language", CLIENTS)
def test_a_client_agrees_and_a_mistake_in_it_is_named(tmp_path, language):
    need(language)
    states = judge(build(language, tmp_path))
    assert states.keys() >= {"function quantize", "training ls"}
    assert {*states.values()} == {"agrees"}
    ran = subprocess.run(LINTERS[language].split(), cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    for change, line in zip(MISTAKES[language], ("function quantize", "training ls"), strict=True):
        states = judge(build(language, tmp_path, change), lemmas={})
        assert [name for name, state in states.items() if state != "agrees"] == [line]


def test_the_page_shows_what_is_printed(tmp_path, monkeypatch, capsys):
    """Each session with its own change; [...] stands for what is left out."""
    need("js")
    monkeypatch.chdir(tmp_path)
    sessions = re.findall(r"^    \$ refrank conform run (.*?)(?: \| .*)?\n((?:    .+\n)+)", PAGE, re.MULTILINE)
    changes = [("", ""), *((old, new) for new, old in re.findall(r"`([^`]+)` in place\s+of\s+`([^`]+)`", PAGE))]
    for (words, shown), change in zip(sessions, changes, strict=True):
        build("js", tmp_path, change)
        assert main(["conform", "run", *shlex.split(words)]) == (3 if change[0] else 0)
        said = capsys.readouterr().out
        for line in shown.splitlines():
            assert re.search(".*".join(map(re.escape, line.strip().split("[...]"))), said), line
