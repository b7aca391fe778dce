"""What the tests of the command line share."""

import pytest

from tests.cli.command_line import trained_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A file of 8 queries, a ranker trained on it, and its scores; no test writes here."""
    return trained_folder(tmp_path_factory.mktemp("cli"))
