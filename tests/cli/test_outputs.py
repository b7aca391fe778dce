"""The commands print what outputs.txt has: a change of a word or a number is a change of that file."""

from tests.cli.outputs import FILE, run_commands


def test_the_commands_print_what_they_did():
    """If it is meant to change: `python -m tests.cli.outputs`, and read what is different."""
    assert [*run_commands()] == FILE.read_text(encoding="utf-8").splitlines()
