"""Every golden file is in the table of tests/regenerate.py, and a test that finds it changed says how to renew it."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.regenerate import GOLDENS, LEFT_OUT, ROOT, Golden, choose, main, renew, renew_with, report

BY_HAND = {  # inputs of tests, which no module writes
    "proofs_check/tests/planted_ports.txt",
    "tests/browser/package.json",
    "tests/cluster/reductions.txt",
    "tests/meta/names.txt",
    "tests/mutants/survivors.txt",
    "tests/pages/planted.txt",
    *(f"tests/yardstick/planted_in_{what}.txt" for what in ("port", "training")),
    *(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "meta" / "breaks").glob("*.txt")),
}
TESTS = {path: path.read_text() for room in ("tests", "proofs_check") for path in (ROOT / room).rglob("test_*.py")}


def test_every_golden_file_is_in_the_table():
    files = {
        str(path.relative_to(ROOT))
        for room in ("tests", "proofs_check")
        for path in (ROOT / room).rglob("*.*")
        if path.suffix in (".txt", ".json") and "corpus" not in path.parts
    }
    listed = {golden.file for golden in GOLDENS} | {*LEFT_OUT} | BY_HAND
    assert files - listed == set()
    assert len(GOLDENS) == len({golden.file for golden in GOLDENS})
    assert not {golden.file for golden in GOLDENS} & {*LEFT_OUT}


def test_every_module_that_writes_files_is_in_the_table():
    writes = re.compile(r'^if __name__ == "__main__":\n(?: {4}.*\n)*?.*(?:write_|mkdir|"--json")', re.MULTILINE)
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for room in ("tests", "proofs_check/tests", "generators")
        for path in (ROOT / room).rglob("*.py")
        if writes.search(path.read_text()) and path.name != "test_regenerate.py"
    }
    in_commands = {command.split()[2] for command, _ in LEFT_OUT.values() if " -m " in command}
    assert modules <= {golden.module for golden in GOLDENS} | in_commands
    assert len(modules) >= len(GOLDENS)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.file)
def test_the_file_and_its_module_exist_and_a_test_names_the_command(golden):
    assert (ROOT / golden.file).exists()
    assert find_spec(golden.module) is not None
    assert [path.name for path, text in TESTS.items() if f'renew_with("{golden.file}")' in text]


@pytest.mark.parametrize("file", LEFT_OUT)
def test_what_is_left_out_exists(file):
    assert (ROOT / file).exists()
    [script] = re.findall(r"-m ([\w.]+)|(?:python )?(\w+/[\w/.]+)", LEFT_OUT[file][0])
    assert find_spec(script[0]) is not None if script[0] else (ROOT / script[1]).exists()
    assert renew_with(file).startswith(f"renew with: {LEFT_OUT[file][0]} (")


CHANGED = {  # test module -> test, name of its file, room
    "tests.cli.test_help": ("test_the_help_says_what_it_did", "FILE", "cli"),
    "tests.meta.test_defaults": ("test_every_default_is_the_one_that_is_written_down", "FILE", "meta"),
    "tests.yardstick.test_trace_files": ("test_the_schema_is_the_one_that_is_written_down", "FILE", "yardstick"),
}


@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_golden_file_prints_the_command(name, monkeypatch, tmp_path):
    test, file, room = CHANGED[name]
    module = import_module(name)
    changed = tmp_path / "changed"
    changed.write_text(f"{getattr(module, file).read_text(encoding='utf-8')}more\n", encoding="utf-8")
    monkeypatch.setattr(module, file, changed)
    with pytest.raises(AssertionError, match=f"renew with: python -m tests.regenerate {room}"):
        getattr(module, test)()


def test_names_choose():
    assert choose([]) == [*GOLDENS]
    assert [golden.file for golden in choose(["cli"])] == [
        "refrank/cli/algorithm_table.json",
        "tests/cli/help.txt",
        "tests/cli/outputs.txt",
    ]
    assert [golden.file for golden in choose(["papers_map", "help"])] == [
        "tests/cli/help.txt",
        "docs/reference/papers.md",
    ]
    with pytest.raises(ValueError, match="name is 'attic': it must be one of cli, algorithm_table, help"):
        choose(["attic"])


def test_a_wrong_name_is_an_error_of_the_command(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["attic"])
    assert "name is 'attic': it must be one of cli" in capsys.readouterr().err


def write(root: Path, body: str) -> None:
    (root / "writer.py").write_text(f"from pathlib import Path\nprint('unseen')\n{body}\n")


def test_the_files_that_changed_are_reported(tmp_path):
    text, folder = Golden("a", "a.txt", "writer"), Golden("b", "new", "writer")
    write(tmp_path, "Path('a.txt').write_text('a')")
    assert [*report([text], tmp_path)] == ["writer: changed", "    a.txt"]
    assert [*report([text], tmp_path)] == ["writer: no change"]
    (tmp_path / "new").mkdir()
    for name in ("same", "changed", "gone"):
        (tmp_path / "new" / name).write_text(name)
    write(tmp_path, "Path('new/changed').write_text('')\nPath('new/gone').unlink()\nPath('new/more').touch()")
    assert renew(folder, tmp_path) == ["new/changed", "new/gone", "new/more"]


def test_a_module_that_fails_stops_the_command(tmp_path):
    write(tmp_path, "raise SystemExit(3)")
    with pytest.raises(subprocess.CalledProcessError, match="3"):
        renew(Golden("a", "a.txt", "writer"), tmp_path)


def test_the_command_runs():
    command = [sys.executable, "-m", "tests.regenerate", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("usage: python -m tests.regenerate")
