"""The commands print what outputs.txt has: a change of a word or a number is a change of that file."""

from tests.cli.outputs import FILE, run_commands
from tests.regenerate import renew_with


def test_the_commands_print_what_they_did():
    assert [*run_commands()] == FILE.read_text(encoding="utf-8").splitlines(), renew_with("tests/cli/outputs.txt")
