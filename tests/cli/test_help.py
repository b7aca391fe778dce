"""`--help` says what help.txt has: a change of a flag or a word is a change of that file."""

from tests.cli.help import FILE, describe
from tests.regenerate import renew_with


def test_the_help_says_what_it_did():
    assert [*describe()] == FILE.read_text(encoding="utf-8").splitlines(), renew_with("tests/cli/help.txt")
