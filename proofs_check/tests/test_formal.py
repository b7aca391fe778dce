"""Theorems that Coq checks: rows, names and statements hold together, and `check` refuses what is not proved."""

from proofs_check import list_rows
from proofs_check.engine.records import HOLDS, IDENTITY, VACUOUS
from proofs_check.formal.theorems import name_theorems, read_statements, read_theorems
from proofs_check.tests.test_verdicts import PINNED
from tests.regenerate import renew_with

THEOREMS = read_theorems()


def test_a_theorem_names_rows_that_are_true():
    for theorem in THEOREMS:
        for row in theorem.rows:
            assert row in PINNED, f"{theorem.file} {theorem.name}: the table has no row {row}"
            assert PINNED[row]["verdict"] in (HOLDS, IDENTITY, VACUOUS), (
                f"{theorem.file} {theorem.name}: {row} is false"
            )


def test_the_table_names_the_theorems():
    assert {row.id: row.formal for row in list_rows() if row.formal} == name_theorems()
    assert {row: record["formal"] for row, record in PINNED.items() if record["formal"]} == name_theorems()


def test_each_theorem_has_its_printed_statement():
    assert list(read_statements()) == [theorem.name for theorem in THEOREMS], renew_with(
        "proofs_check/formal/statements.txt"
    )
