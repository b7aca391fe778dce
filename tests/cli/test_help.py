"""`--help` says what help.txt has: a change of a flag or a word is a change of that file."""

from tests.cli.help import FILE, describe


def test_the_help_says_what_it_did():
    """If it is meant to change: `python -m tests.cli.help`, and read what is different."""
    assert [*describe()] == FILE.read_text(encoding="utf-8").splitlines()
