"""Properties of every command: help and version, at once; and `refrank config`."""

import subprocess
import sys

import refrank
from tests.cli.command_line import COMMAND, ENVIRONMENT, run


def test_help_and_version_load_no_ranker():
    """The first import, and a word on the command line, are answered at once: NumPy is the slowest that is loaded."""
    code = "import sys; from refrank.cli import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
    code += "print([m for m in ('sklearn', 'scipy', 'matplotlib', 'refrank.estimators') if m in sys.modules])"
    for word in ("--help", "--version"):
        done = subprocess.run([sys.executable, "-c", code, word], capture_output=True, text=True, env=ENVIRONMENT)
        assert done.stdout.splitlines()[-1] == "[]", done


def test_the_version_is_that_of_the_package(capsys):
    assert run(capsys, "--version") == (0, [f"refrank {refrank.__version__}"], [])


def test_help_lists_every_command(capsys):
    code, out, errors = run(capsys, "--help")
    assert (code, errors) == (0, [])
    for command in ("train", "predict", "evaluate", "compare", "bounds", "show", "reproduce", "config"):
        assert any(line.split()[:1] == [command] for line in out)


def test_config_prints_what_runs(capsys):
    code, out, errors = run(capsys, "config")
    assert (code, errors) == (0, [])
    assert out[0].split() in (["splitter", "kernel"], ["splitter", "specification"])


def test_a_warning_of_the_library_is_one_line(tmp_path):
    """In a process of its own: pytest keeps warnings to itself."""
    (tmp_path / "rows").write_text("1 qid:1 1:3\n0 qid:1 1:1\n")
    words = ["train", "ls", "rows", "--missing", "mean", "--missing-value", "-999", "--verbose", "0", "--model", "m"]
    done = subprocess.run([*COMMAND, *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    expected = "refrank: warning: missing_value is -999: no training row has it, so nothing is missing\n"
    assert done.stderr == expected
