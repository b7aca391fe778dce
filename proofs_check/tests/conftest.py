"""Fixtures of the lemma tests: the effort, the finding of every row, and the implementation under test."""

import os
from collections.abc import Callable
from functools import cache

import pytest

from proofs_check import list_rows
from proofs_check.engine.implementation import Implementation, load
from proofs_check.engine.records import CI, DEEP, Effort, Finding


@pytest.fixture(scope="session")
def effort(deep: bool) -> Effort:
    return DEEP if deep else CI


@pytest.fixture(scope="session")
def finding(effort: Effort) -> Callable[[str], Finding]:
    """Map a row id to its finding, settled once per session."""
    rows = {row.id: row for row in list_rows()}
    return cache(lambda id: rows[id].find(effort))


@pytest.fixture(scope="session")
def implementation() -> Implementation:
    """Load the functions held to the lemmas: those of $REFRANK_IMPLEMENTATION, or refrank's own."""
    return load(os.environ.get("REFRANK_IMPLEMENTATION"))


@pytest.fixture(scope="session")
def needs(implementation: Implementation) -> Callable[[str], Callable]:
    """Look up a function of the implementation, such as "dcg"; skip the test if it is missing."""

    def get(name: str) -> Callable:
        function = getattr(implementation, name)
        if function is None:
            pytest.skip(f"{implementation.source} has no {name}")
        return function

    return get
