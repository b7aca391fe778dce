"""The statements, held against the functions of refrank, or of $REFRANK_IMPLEMENTATION; and how an outcome is found."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from proofs_check import list_rows
from proofs_check.engine.implementation import NAMES, Implementation
from proofs_check.ports import PORT_CHECKS
from proofs_check.ports.check import Claim, PortCheck
from proofs_check.ports.run import run_port_check, run_port_checks


@pytest.mark.parametrize("check", PORT_CHECKS, ids=lambda check: check.name)
def test_another_implementation(check, implementation):
    outcome = run_port_check(check, implementation, settings().max_examples)
    if outcome.verdict == "not offered":
        pytest.skip(outcome.why)
    assert outcome.verdict == "holds", outcome


def test_each_check_has_a_name_and_follows_from_a_row():
    names = [check.name for check in PORT_CHECKS]
    assert len(names) == len(set(names))
    assert {name.split(",")[0] for name in names} <= {row.id for row in list_rows()}


def test_every_function_is_checked():
    assert {name for check in PORT_CHECKS for name in check.needs} == set(NAMES)


# ---- outcomes, on a statement that is false for large numbers ----


def doubled(tree, n):
    yield Claim(tree(n), "==", 2 * n, what="twice the number")


def settle(tree, first=(), n_instances=60):
    check = PortCheck("twice", "twice the number", ("tree",), {"n": st.integers(0, 1000)}, doubled, first)
    return run_port_check(check, Implementation("a port", tree=tree), n_instances)


def test_the_smallest_instance_is_found():
    outcome = settle(lambda n: 2 * n + (n > 17))
    assert (outcome.verdict, outcome.instance) == ("fails", "n=18")
    assert outcome.why == "twice the number: 37 == 36 is false"


def test_the_smallest_instance_of_an_error_is_found():
    outcome = settle(lambda n: [0, 2, 4][n])
    assert str(outcome) == "twice raised: IndexError: list index out of range, at n=3"


def test_a_function_that_ends_the_program_is_an_error():
    outcome = settle(lambda n: exit(3))
    assert (outcome.verdict, outcome.why) == ("raised", "SystemExit: 3")


def test_a_first_instance_is_tried_before_any_is_drawn():
    asked = []
    outcome = settle(lambda n: asked.append(n) or 2 * n, first=({"n": 5000},), n_instances=5)
    assert outcome.verdict == "holds"
    assert asked[0] == 5000
    assert len(asked) == 1 + 5


def test_what_is_not_implemented_is_not_asked():
    def small(n):
        if n > 100:
            raise NotImplementedError
        return 2 * n

    def never(n):
        raise NotImplementedError

    assert settle(small).verdict == "holds"
    assert str(settle(never)) == "twice not offered: a port implements it for no instance"
    assert str(settle(None)) == "twice not offered: a port has no tree"


def test_a_port_of_two_minds_fails():
    turns = iter(range(10**6))
    outcome = settle(lambda n: 2 * n + (next(turns) == 7))
    assert (outcome.verdict, outcome.why) == ("fails", "the port answers otherwise when it is asked the same again")


def test_instances_are_the_same_in_every_run():
    runs = []
    for _ in range(2):
        runs.append([])
        settle(lambda n: runs[-1].append(n) or 2 * n)
    assert runs[0] == runs[1]
    assert len(set(runs[0])) > 30


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (Claim(3, "<=", 3), "3 <= 3 is true"),
        (Claim(3, "<=", 2, 1.0), "3 <= 2 + 1 is true"),
        (Claim(float("nan"), "<=", 2), "nan <= 2 is false"),
        (Claim([1, 2], "==", [1, 3], what="the costs"), "the costs: [1, 2] == [1, 3] is false"),
    ],
)
def test_a_claim_tells_both_sides(claim, text):
    assert str(claim) == text


def test_a_claim_has_one_of_two_relations():
    with pytest.raises(ValueError, match="relation is '<': it must be '<=' or '=='"):
        _ = Claim(1, "<", 2).holds


def test_a_port_that_offers_nothing_is_asked_nothing():
    assert {outcome.verdict for outcome in run_port_checks(Implementation("an empty port"))} == {"not offered"}
