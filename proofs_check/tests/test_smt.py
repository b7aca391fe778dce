"""Goals for all reals: proved as the rows say, refuted where a mistake is planted, open where the time is up."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest

from proofs_check import list_rows
from proofs_check.__main__ import main
from proofs_check.engine.records import HOLDS, IDENTITY, VACUOUS
from proofs_check.smt import KINDS
from proofs_check.tests.test_verdicts import VERDICTS

z3 = pytest.importorskip("z3", reason="z3 is not installed: pip install 'refrank[smt]'")

from proofs_check.smt import answers, dcg, err  # noqa: E402
from proofs_check.smt.goals import GOALS  # noqa: E402
from proofs_check.smt.solve import PROVED, REFUTED, UNKNOWN, Goal, Obligation, ask, settle  # noqa: E402

SIZES = [(goal, size) for goal in GOALS for size in goal.sizes]
BY_ROW = {goal.row: goal for goal in GOALS}


@pytest.mark.parametrize(("goal", "size"), SIZES, ids=lambda part: part.row if isinstance(part, Goal) else f"{part}")
def test_a_goal_is_proved(goal, size):
    assert settle(goal, size).verdict == PROVED


def test_rows_say_what_is_proved():
    rows = {row.id: row for row in list_rows()}
    pinned = {record["id"]: record for record in json.loads(VERDICTS.read_text(encoding="utf-8"))}
    assert {goal.row: goal.kind for goal in GOALS if goal.fails_at is None} == KINDS
    assert {row.id: row.kind for row in rows.values() if row.kind != "prose"} == KINDS
    for goal in GOALS:
        answer = pinned[goal.row]
        if goal.fails_at is None:
            assert answer["verdict"] in (HOLDS, IDENTITY, VACUOUS)
        else:
            # the enumeration finds its first counterexample where z3 has none below
            assert answer["verdict"] not in (HOLDS, IDENTITY, VACUOUS)
            assert answer["exhaustive_n"] == goal.fails_at > max(goal.sizes)


# ---- planted mistakes: z3 finds numbers that are against the claim, and they are ----

ATTAINED = (
    *("new.err_below_rr_dcg.variant-any-relevance", "losses.lambdarank.variant-err", "losses.lambdarank"),
    *("losses.lambdarank.variant-reverse", "new.one_sided.variant-real", "cossock_zhang.thm2.variant-sharp"),
    *("ndcg.lambda_loss", "regret.pairwise.variant-places"),
    *("losses.class_proba", "losses.class_proba.variant-expected-relevance", "cocr.theorem1", "regret.lin_li"),
    *("new.err_oerr.variant-real-valued", "mcrank.eq6.variant-expected-gain"),
    *("lin_li.reduction.variant-oerr-constant", "lin_li.reduction.variant-soft-oerr-constant"),
    *("lin_li.reduction.variant-any-cost", "lin_li.reduction.variant-convex", "lin_li.reduction.variant-soft-absolute"),
)


@pytest.mark.parametrize("row", ATTAINED)
def test_a_smaller_right_side_is_refuted(row):
    # some constants are those of K = 4
    size = max(BY_ROW[row].sizes) if "oerr-constant" in row else sorted({1, 2} & {*BY_ROW[row].sizes})[-1]
    outcome = settle(BY_ROW[row], size, share=(99, 100))
    assert outcome.verdict == REFUTED
    assert " = " in outcome.detail


def test_a_constant_that_is_too_small_is_refuted_by_numbers():
    # 31 in place of 32, and the numbers that z3 finds: expected relevances and what is left over
    obligation = next(c for c in answers.class_proba(31, (0, 1, 2, 3, 4), 2) if c.what == "y = (3, 4), c = [i <= 1]")
    answer, detail = ask(obligation, 20, (1, 1))
    assert answer == z3.sat
    value = {name: Fraction(number) for name, number in re.findall(r"(p\d_\d) = ([-\d/]+)", detail)}
    p, q = ([value.get(f"p{i}_{k}", Fraction(0)) for k in range(1, 6)] for i in (1, 2))
    assert sum(p) == sum(q) == 1
    assert sum(k * v for k, v in enumerate(p)) >= sum(k * v for k, v in enumerate(q))
    assert 31 * (1 - p[3] + 1 - q[4]) < 8


def test_the_64_29_of_eq_13_is_the_least():
    # 63/29 in place of 64/29, K = 4: y = 4, g = (0, 1, 1, 1)
    c = [int(v) for v in answers.oerr([4], 4)[0]]
    g = [z3.RealVal(v) for v in (0, 1, 1, 1)]
    obligation = Obligation("y = 4", [], z3.RealVal(29 * c[3]), 64 * answers.weighted_errors(c, 4, g))
    assert ask(obligation, 20, (1, 1))[0] == z3.unsat
    assert ask(obligation, 20, (63, 64))[0] == z3.sat


@pytest.mark.parametrize(
    ("row", "at"), [("new.err_below_rr_dcg.variant-any-pair", 3), ("regret.lin_li.variant-any", 3)]
)
def test_a_claim_that_fails_is_refuted_where_it_fails(row, at):
    assert BY_ROW[row].fails_at == at
    assert settle(BY_ROW[row], at).verdict == REFUTED


def test_a_goal_with_the_wrong_sign_is_refuted():
    def reversed_sides(n):
        for obligation in err.below_rr(n):
            yield Obligation(obligation.what, obligation.premises, obligation.right, obligation.left)

    def without_a_premise(n):
        for obligation in dcg.swaps(n):
            yield replace(obligation, premises=obligation.premises[n - 1 :])  # c may increase

    for cases in (reversed_sides, without_a_premise):
        assert settle(Goal("planted", (3,), cases), 3).verdict == REFUTED


def test_what_the_time_does_not_settle_is_unknown():
    def hard(n):
        x, y, z = z3.Ints("x y z")
        yield Obligation("a cube is not a sum of two", [x > 0, y > 0, z > 0], x * x * x + y * y * y, z * z * z + 1)
        yield Obligation("Fermat", [x > 0, y > 0, z > 0, x**3 + y**3 == z**3], z, z - 1)

    outcome = settle(Goal("planted", (1,), lambda n: list(hard(n))[1:]), 1, seconds=0.2)
    assert (outcome.verdict, outcome.detail) == (UNKNOWN, "Fermat")


def test_from_the_command_line(capsys):
    assert main(["--smt", "--statement", "cocr.theorem1"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[:5] for line in printed][-1] == ["cocr.theorem1", "n", "=", "4", "proved"]
    assert main(["--smt", "--statement", "trees.permuted_rows"]) == 2
    assert "with --smt it must be one of cocr.theorem1, " in capsys.readouterr().err
