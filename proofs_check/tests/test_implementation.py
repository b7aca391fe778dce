"""Another implementation under the lemmas: the fault that each check catches, and a module as a whole."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proofs_check.__main__ import main
from proofs_check.engine import refrank_trees
from proofs_check.engine.implementation import NAMES, Implementation, load
from proofs_check.ports import PORT_CHECKS
from proofs_check.ports.run import run_port_check, run_port_checks

OWN = load(None)
ROOT = Path(__file__).parents[2]


def reciprocal_rank_dcg(y, score):
    order = np.argsort(-np.asarray(score), kind="stable")
    return float(((2.0 ** np.asarray(y)[order] - 1) / 16 / np.arange(1, len(y) + 1)).sum())


def simultaneous(x, y, n_classes, n_rounds, n_leaves, nu):
    grow = refrank_trees.Grower(refrank_trees.binned(x), n_leaves=n_leaves)
    rounds = refrank_trees.softmax.softmax_boosting_simultaneous(np.asarray(y), n_classes, grow, n_rounds, nu)
    return np.array([turn.scores.copy() for turn in rounds])


# the fault, the function that has it, and the check that notices
FAULTS = {
    "dcg ranks by ascending score": ("dcg",
        lambda y, score: OWN.dcg(y, -np.asarray(score)), "mcrank.lemma1.step2"),
    "dcg ranks by ascending score, seen by the thresholds": ("dcg",
        lambda y, score: OWN.dcg(y, -np.asarray(score)), "new.dcg_threshold"),
    "dcg of gains 100^y": ("dcg",
        lambda y, score: OWN.dcg(y * 6, score), "mcrank.lemma1.variant-log"),
    "dcg of gains 64^y, seen by the pairing": ("dcg",
        lambda y, score: OWN.dcg(y * 6, score), "new.min_pairing"),
    "err ranks by ascending score": ("err",
        lambda y, score: OWN.err(y, -np.asarray(score)), "igbrt.perfect_ranker"),
    "err ranks by ascending score, seen by RR-DCG": ("err",
        lambda y, score: OWN.err(y, -np.asarray(score)), "new.err_below_rr_dcg"),
    "err is four times too large": ("err",
        lambda y, score: 4 * OWN.err(y, score), "new.err_oerr"),
    "err is four times too large, seen by Theorem 2": ("err",
        lambda y, score: 4 * OWN.err(y, score), "cocr.theorem2.variant-intended"),
    "expected relevance counts from 1": ("expected_relevance",
        lambda p: OWN.expected_relevance(p) + 1, "mcrank.eq8.variant-abel"),
    "class probabilities are clipped at 0": ("class_proba",
        lambda q: np.maximum(OWN.class_proba(q), 0), "mcrank.eq8.variant-sum"),
    "the absolute cost falls again": ("absolute",
        lambda y, k: np.minimum(OWN.absolute(y, k), 6 - 2 * OWN.absolute(y, k)),
        "cocr.oerr.variant-v-shaped, absolute"),
    "the absolute cost has one label too many": ("absolute",
        lambda y, k: OWN.absolute(y, k + 1), "lin_li.reduction.variant-absolute"),
    "the squared cost falls again": ("squared",
        lambda y, k: OWN.squared(y, k) % 5, "cocr.oerr.variant-v-shaped, squared"),
    "the squared cost is that of 4 - y": ("squared",
        lambda y, k: OWN.squared(4 - y, k), "lin_li.reduction.variant-squared"),
    "the oERR cost is halved": ("oerr", lambda y, k: OWN.oerr(y, k) / 2, "cocr.oerr.variant-ndcg"),
    "the oERR cost is not 0 at the label": ("oerr",
        lambda y, k: OWN.oerr(y, k) + 1, "cocr.oerr.variant-v-shaped, oerr"),
    "the oERR cost is that of 4 - y": ("oerr",
        lambda y, k: OWN.oerr(4 - y, k), "lin_li.reduction.variant-rank-monotone"),
    "leaves hold sums": ("tree",
        lambda x, y, w, j: OWN.tree(x, y, w, j) * len(y), "trees.predictions_in_range"),
    "a tree predicts one too many": ("tree",
        lambda x, y, w, j: OWN.tree(x, y, w, j) + 1, "trees.predictions_in_range"),
    "a tree predicts one too few": ("tree",
        lambda x, y, w, j: OWN.tree(x, y, w, j) - 1, "trees.predictions_in_range"),
    "leaves of weighted rows are divided by their number": ("tree",
        lambda x, y, w, j: OWN.tree(x, y if w is None else np.multiply(y, w), None, j),
        "trees.predictions_in_range.variant-weights"),
    "a tree counts a weight in the sum only": ("tree",
        lambda x, y, w, j: OWN.tree(x, y if w is None else np.multiply(y, w), None, j), "trees.duplicated_rows"),
    "a tree divides by a row too many": ("tree",
        lambda x, y, w, j: OWN.tree(x, y, w, j) * len(y) / (len(y) + 1), "trees.duplicated_rows.variant-twice"),
    "a tree predicts the last row by its label": ("tree",
        lambda x, y, w, j: np.r_[OWN.tree(x, y, w, j)[:-1], y[-1]], "trees.permuted_rows"),
    "a forest is a sum of trees": ("random_forest",
        lambda x, y, n, seed: n * OWN.random_forest(x, y, n, seed), "trees.predictions_in_range.variant-forest"),
    "boosting adds instead of subtracting": ("ls_boosting",
        lambda x, y, m, j, nu: OWN.ls_boosting(x, y, m, j, -nu), "trees.ls_training_error"),
    "a forest is a constant": ("random_forest",
        lambda x, y, n, seed: np.full(len(y), np.mean(y)), "trees.predictions_in_range.variant-forest, copies"),
    "a forest ignores its seed": ("random_forest",
        lambda x, y, n, seed: OWN.random_forest(x, y, n, 0), "trees.permuted_rows.variant-forest, draws"),
    "a forest draws more rows": ("random_forest",
        lambda x, y, n, seed: OWN.random_forest(np.tile(x, (2, 1)), np.tile(y, 2), n, seed)[: len(y)],
        "trees.permuted_rows.variant-forest, n of n"),
    "a forest sees its first feature": ("random_forest",
        lambda x, y, n, seed: OWN.random_forest(np.asarray(x)[:, :1], y, n, seed), "trees.permuted_features, forest"),
    "a tree ignores weights": ("tree",
        lambda x, y, w, j: OWN.tree(x, y, None, j), "trees.histogram_is_exact_split, weights"),
    "new rows get what the training rows got": ("tree_at",
        lambda x, y, w, j, new: OWN.tree_at(x, y, w, j, x), "trees.histogram_is_exact_split, new rows"),
    "gbrt starts at the mean": ("gbrt",
        lambda x, y, m, d, a: OWN.igbrt(x, y, np.full(len(y), np.mean(y)), m, d, a), "losses.ls_boosting, gbrt"),
    "igbrt starts at 0": ("igbrt",
        lambda x, y, f, m, d, a: OWN.gbrt(x, y, m, d, a), "losses.ls_boosting, igbrt"),
    "cocr clips": ("cocr",
        lambda x, y, k, new: np.clip(OWN.cocr(x, y, k, new), 0, k), "cocr.costs, whole"),
    "lambdas have the other sign": ("lambdas",
        lambda s, y, k: -OWN.lambdas(s, y, k), "losses.lambdarank"),
    "ties come as they like": ("dcg_tied",
        lambda y, s, k, ties: OWN.dcg_tied(y, s, k, "stable"), "mcrank.dcg, ties"),
    "the mean is taken for the median": ("fill_values",
        lambda x, how: OWN.fill_values(x, how.replace("median", "mean")), "trees.monotone_transforms, substitutes"),
    "NaN is always 0": ("tree_missing",
        lambda x, y, how, j: OWN.tree_missing(x, y, "zero", j), "trees.monotone_transforms, missing values"),
    # of the values
    "dcg at k counts one document more": ("dcg_at",
        lambda y, score, k: OWN.dcg_at(y, score, k + 1), "mcrank.dcg.variant-cut-off"),
    "ndcg divides by the DCG of all documents": ("ndcg_at",
        lambda y, score, k: OWN.dcg_at(y, score, k) / max(OWN.dcg(y, y), 1e-9), "ndcg.by_ideal"),
    "dcg is off in the last digits": ("dcg",
        lambda y, score: OWN.dcg(y, score) * (1 + 1e-12 * len(y)), "mcrank.dcg"),
    "dcg has every gain of 4 at 14": ("dcg",
        lambda y, score: OWN.dcg(y, score) - OWN.dcg((np.asarray(y) == 4).astype(int), score),
        "mcrank.dcg.variant-exchange"),
    "dcg is truncated at 1": ("dcg",
        lambda y, score: OWN.dcg_at(y, score, 1), "mcrank.lemma1.variant-sharp-attained"),
    "err is that of five grades at any highest grade": ("err_at",
        lambda y, score, k, g: OWN.err_at(y, score, k, 5), "igbrt.theorem1.variant-sharp"),
    "err at k is that of all": ("err_at",
        lambda y, score, k, g: OWN.err_at(y, score, 12, g), "igbrt.err.variant-cut-off"),
    "err counts each stop twice": ("err",
        lambda y, score: 2 * OWN.err(y, score), "igbrt.err"),
    "err forgets what was seen": ("err",
        lambda y, score: reciprocal_rank_dcg(y, score), "new.err_below_rr_dcg.step1"),
    "the absolute cost is times 7": ("absolute",
        lambda y, k: 7 * OWN.absolute(y, k), "cocr.costs.variant-absolute"),
    "the squared cost is absolute": ("squared",
        lambda y, k: OWN.absolute(y, k), "cocr.costs.variant-squared"),
    "the oERR cost is of gains 3^y": ("oerr",
        lambda y, k: (3 ** np.asarray(y)[:, None] - 3 ** np.arange(k + 1)) ** 2, "cocr.costs.variant-oerr"),
    "weights have a sign": ("weights",
        lambda costs: np.diff(costs, axis=1), "cocr.costs"),
    "an answer of 1/2 is no": ("hard_rank",
        lambda answers: (np.asarray(answers) > 0.5).sum(axis=1), "lin_li.reduction"),
    "answers are clipped": ("soft_rank",
        lambda answers: np.clip(answers, 0, 1).sum(axis=1), "cocr.theorem1"),
    "a tree predicts the mean of all": ("tree",
        lambda x, y, w, j: np.full(len(y), np.mean(y)), "trees.histogram_is_exact_split"),
    "boosting starts at 0": ("ls_boosting",
        lambda x, y, m, j, nu: np.vstack([np.zeros(len(y)), OWN.ls_boosting(x, y, m, j, nu)[1:]]),
        "losses.ls_boosting"),
    "p is computed once per round": ("softmax_boosting",
        lambda x, y, k, m, j, nu: simultaneous(x, y, k, m, j, nu), "losses.softmax_boosting"),
    "P(y < k) is learned": ("ordinal_boosting",
        lambda x, y, k, m, j, nu: 1 - OWN.ordinal_boosting(x, [k - 1 - v for v in y], k, m, j, nu),
        "mcrank.eq8.variant-separate"),
}  # fmt: skip
CHECKS = {check.name: check for check in PORT_CHECKS}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(fault):
    name, broken, lemma = FAULTS[fault]
    assert run_port_check(CHECKS[lemma], replace(OWN, **{name: broken})).verdict == "fails"


# Ports that bounds from one side let pass, and statements that do not: every one that fails.
def ranked(y, score):
    return np.asarray(y)[np.argsort(-np.asarray(score), kind="stable")]


def dcg_of(gain, discount):
    return lambda y, score: float(sum(gain(int(v)) / discount(i) for i, v in enumerate(ranked(y, score), start=1)))


def err_of(y, score, looks=lambda reached, stop: reached * (1 - stop), k=None):
    total, reached = 0.0, 1.0
    for i, label in enumerate(ranked(y, score)[:k], start=1):
        stop = (2 ** int(label) - 1) / 16
        total += reached * stop / i
        reached = looks(reached, stop)
    return total


VALUES = {"mcrank.dcg", "mcrank.dcg.variant-exchange", "mcrank.lemma1.variant-sharp-attained"}
WRONG = {
    "gain y": ("dcg", dcg_of(lambda y: y, lambda i: np.log2(1 + i)), VALUES),
    "gain 1[y > 0]": ("dcg", dcg_of(lambda y: y > 0, lambda i: np.log2(1 + i)), VALUES),
    "no discount": ("dcg", dcg_of(lambda y: 2**y - 1, lambda i: 1), VALUES),
    "log2(2 + i)": ("dcg", dcg_of(lambda y: 2**y - 1, lambda i: np.log2(2 + i)), VALUES),
    "NDCG for DCG": ("dcg", lambda y, score: OWN.ndcg_at(y, score, 99), VALUES),
    "ERR = 0": ("err", lambda y, score: 0.0, {"igbrt.err", "new.err_below_rr_dcg.step1"}),
    "ERR@3": ("err", lambda y, score: err_of(y, score, k=3), {"igbrt.err", "new.err_below_rr_dcg.step1"}),
    "ERR with the product taken twice": ("err", lambda y, score: err_of(y, score, lambda p, s: p * (1 - s) ** 2),
        {"igbrt.err", "new.err_below_rr_dcg.step1"}),
    "|y - k| for the squared cost": ("squared", lambda y, k: OWN.absolute(y, k), {"cocr.costs.variant-squared"}),
    "|y - k|^3 for the squared cost": ("squared", lambda y, k: OWN.absolute(y, k) ** 3, {"cocr.costs.variant-squared"}),
    "absolute x 7": ("absolute", lambda y, k: 7 * OWN.absolute(y, k), {"cocr.costs.variant-absolute"}),
}  # fmt: skip


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_metric_fails_by_name(fault):
    name, broken, expected = WRONG[fault]
    port = Implementation("a wrong port", **{name: broken})
    outcomes = [*run_port_checks(port)]
    assert expected <= {outcome.name for outcome in outcomes if outcome.verdict == "fails"}
    assert {outcome.verdict for outcome in outcomes} <= {"fails", "holds", "not offered"}


def test_the_base_of_the_logarithm_is_free():
    natural = Implementation("natural logarithms", dcg=lambda y, score: OWN.dcg(y, score) / np.log(2))
    outcomes = [outcome for outcome in run_port_checks(natural) if outcome.verdict != "not offered"]
    assert {outcome.verdict for outcome in outcomes} == {"holds"}
    assert {outcome.name for outcome in outcomes} > VALUES


def test_a_port_is_held_to_the_statements_from_the_command_line(tmp_path, monkeypatch, capsys):
    lines = "from refrank.metrics import dcg as own\n\ndef dcg(y, score):\n    return {} * own(y, score, k=None)\n"
    for name, factor in (("right_port", "3"), ("wrong_port", "len(y)")):
        (tmp_path / f"{name}.py").write_text(lines.format(factor), encoding="utf-8")
    (tmp_path / "empty_port.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["--implementation", "right_port"]) == 0
    printed = capsys.readouterr().out
    assert "mcrank.dcg.variant-exchange holds\n" in printed
    assert "igbrt.err not offered: right_port has no err\n" in printed
    assert main(["--implementation", "wrong_port"]) == 1
    printed = capsys.readouterr().out
    assert "mcrank.dcg.variant-exchange fails: DCG and what the exchange of two documents adds: " in printed
    assert f"wrong_port: 1 holds, 6 fails, 0 raised, {len(PORT_CHECKS) - 7} not offered\n" in printed
    for module, rule in (
        ("empty_port", "it must have one of dcg, err"),
        ("not_there", "No module named 'not_there'"),
    ):
        assert main(["--implementation", module]) == 2
        assert rule in capsys.readouterr().err


def test_every_check_catches_a_fault():
    assert {lemma for _, _, lemma in FAULTS.values()} == set(CHECKS)


def test_every_function_is_broken():
    assert {name for name, _, _ in FAULTS.values()} == set(NAMES)


def test_a_module_of_functions_is_held_to_the_lemmas(tmp_path):
    """REFRANK_IMPLEMENTATION=port pytest, as documented; the tests of what the port lacks are skipped."""
    (tmp_path / "port.py").write_text(
        "from proofs_check.engine.refrank_trees import tree\n"
        "def random_forest(X, y, n_trees, seed):\n"
        "    return [5 * max(y) + 1 for _ in y]\n"
    )
    tests = ROOT / "proofs_check" / "tests" / "test_ports.py"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests), "-k", "another_implementation"],
        env=os.environ | {"REFRANK_IMPLEMENTATION": "port", "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    n_of_tree, n_of_forest = (
        sum(check.needs == (name,) for check in PORT_CHECKS) for name in ("tree", "random_forest")
    )
    n_skipped = len(PORT_CHECKS) - n_of_tree - n_of_forest
    assert f"{n_of_forest} failed, {n_of_tree} passed, {n_skipped} skipped" in run.stdout
    assert "test_another_implementation[trees.predictions_in_range.variant-forest]" in run.stdout
    assert "port has no ls_boosting" in run.stdout
