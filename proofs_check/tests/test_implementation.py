"""Another implementation under the lemmas: the fault that each check catches, and a module as a whole."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proofs_check.engine.implementation import NAMES, load
from proofs_check.ports import PORT_CHECKS
from proofs_check.ports.run import run_port_check

OWN = load(None)
ROOT = Path(__file__).parents[2]


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
}  # fmt: skip
CHECKS = {check.name: check for check in PORT_CHECKS}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(fault):
    name, broken, lemma = FAULTS[fault]
    assert run_port_check(CHECKS[lemma], OWN).verdict == "holds"
    assert run_port_check(CHECKS[lemma], replace(OWN, **{name: broken})).verdict == "fails"


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
    n_of_tree = sum(check.needs == ("tree",) for check in PORT_CHECKS)
    assert f"1 failed, {n_of_tree} passed, {len(PORT_CHECKS) - n_of_tree - 1} skipped" in run.stdout
    assert "test_another_implementation[trees.predictions_in_range.variant-forest]" in run.stdout
    assert "port has no ls_boosting" in run.stdout
