"""Another implementation under the lemmas: two tests that belong to no statement, and the faults that lemmas catch."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.implementation import NAMES, load
from proofs_check.tests import (
    test_cocr_oerr,
    test_igbrt_perfect_ranker,
    test_mcrank_scores,
    test_trees_boosting,
    test_trees_data,
)

OWN = load(None)
ROOT = Path(__file__).parents[2]
labels = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@given(y=labels, order=st.randoms(use_true_random=False))
def test_another_implementation_of_dcg_is_largest_by_label(y, order, needs):
    dcg, label = needs("dcg"), np.array(y)
    # at most 12 products of numbers up to 15, each off by a few roundings
    assert dcg(label, np.array(order.sample(range(len(y)), len(y)))) <= dcg(label, label) + 12 * 15 * 10 * 2.0**-53


@given(y=labels)
def test_another_implementation_of_the_costs_is_v_shaped(y, needs):
    """V-shaped, as `cocr.oerr` settles for the three: 0 at the label, never falling with the distance from it."""
    for name in ("absolute", "squared", "oerr"):
        for label, costs in zip(y, np.asarray(needs(name)(np.array(y), 4)).tolist(), strict=True):
            rise = np.diff(costs)
            assert costs[label] == 0 and (rise[:label] <= 0).all() and (rise[label:] >= 0).all()  # noqa: PT018


# the fault, the function that has it, and the test that notices
FAULTS = {
    "dcg ranks by ascending score": ("dcg",
        lambda y, score: OWN.dcg(y, -np.asarray(score)), test_another_implementation_of_dcg_is_largest_by_label),
    "err ranks by ascending score": ("err",
        lambda y, score: OWN.err(y, -np.asarray(score)), test_igbrt_perfect_ranker.test_another_implementation),
    "expected relevance counts from 1": ("expected_relevance",
        lambda p: OWN.expected_relevance(p) + 1, test_mcrank_scores.test_another_implementation),
    "class probabilities are clipped at 0": ("class_proba",
        lambda q: np.maximum(OWN.class_proba(q), 0), test_mcrank_scores.test_another_implementation),
    "the absolute cost falls again": ("absolute",
        lambda y, k: np.minimum(OWN.absolute(y, k), 6 - 2 * OWN.absolute(y, k)),
        test_another_implementation_of_the_costs_is_v_shaped),
    "the squared cost falls again": ("squared",
        lambda y, k: OWN.squared(y, k) % 5, test_another_implementation_of_the_costs_is_v_shaped),
    "the oERR cost is halved": ("oerr", lambda y, k: OWN.oerr(y, k) / 2, test_cocr_oerr.test_another_implementation),
    "leaves hold sums": ("tree",
        lambda x, y, w, j: OWN.tree(x, y, w, j) * len(y),
        test_trees_boosting.test_another_implementation_of_a_tree_stays_in_range),
    "a tree counts a weight in the sum only": ("tree",
        lambda x, y, w, j: OWN.tree(x, y if w is None else np.multiply(y, w), None, j),
        test_trees_data.test_another_implementation_takes_a_weight_of_2_for_the_row_twice),
    "a tree predicts the last row by its label": ("tree",
        lambda x, y, w, j: np.r_[OWN.tree(x, y, w, j)[:-1], y[-1]],
        test_trees_data.test_another_implementation_sees_no_order_of_rows),
    "a forest is a sum of trees": ("random_forest",
        lambda x, y, n, seed: n * OWN.random_forest(x, y, n, seed),
        test_trees_boosting.test_another_implementation_of_a_forest_stays_in_range),
    "boosting adds instead of subtracting": ("ls_boosting",
        lambda x, y, m, j, nu: OWN.ls_boosting(x, y, m, j, -nu),
        test_trees_boosting.test_another_implementation_never_raises_the_training_error),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(fault):
    name, broken, lemma = FAULTS[fault]
    lemma(needs=lambda wanted: getattr(OWN, wanted))
    with pytest.raises(AssertionError):
        lemma(needs=lambda wanted: broken if wanted == name else getattr(OWN, wanted))


def test_every_function_is_broken():
    assert {name for name, _, _ in FAULTS.values()} == set(NAMES)


def test_a_module_of_functions_is_held_to_the_lemmas(tmp_path):
    """REFRANK_IMPLEMENTATION=port pytest, as documented; the tests of what the port lacks are skipped."""
    (tmp_path / "port.py").write_text(
        "from proofs_check.engine.refrank_trees import tree\n"
        "def random_forest(X, y, n_trees, seed):\n"
        "    return [5 * max(y) + 1 for _ in y]\n"
    )
    tests = ROOT / "proofs_check" / "tests" / "test_trees_boosting.py"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests), "-k", "another_implementation"],
        env=os.environ | {"REFRANK_IMPLEMENTATION": "port", "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 1, run.stdout + run.stderr
    assert "1 failed, 1 passed, 1 skipped" in run.stdout
    assert "of_a_forest_stays_in_range" in run.stdout
    assert "port has no ls_boosting" in run.stdout
