"""`refrank.trees.growth.mean_leaves`: rows that miss what no training row of a node missed get the node's mean."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.mean_leaves import THREE_WAY
from refrank.trees.model.tree import check_trees
from refrank.trees.numbers.draws import FEATURES, tree_key
from refrank.trees.splitting import NEEDS_CUT
from tests.oracles import igbrt as naive_igbrt
from tests.strategies import SEEDS, columns_of, rng_of
from tests.strategies.igbrt import deep_cases
from tests.trees.compare import predict

pytestmark = pytest.mark.kernel
RT_RANK = THREE_WAY["rt-rank"]


def walk(case, oracle, more_holes):
    """Answers of the oracle for the rows of a case, with more holes."""
    columns = columns_of(case.binned())
    rows = np.where(case.holes | more_holes, None, np.array(columns, object).T)
    return [naive_igbrt.value_or_mean(oracle, columns, case.missed_bins, row) for row in rows.tolist()]


@given(deep_cases(), SEEDS, st.sampled_from([0.0, 0.3, 1.0]))
def test_every_row_gets_what_the_oracle_gives_it(case, seed, share):
    """Training rows as they are, and with holes where no training row has any; GBRT's trees, and a forest's."""
    case = replace(case, flags=NEEDS_CUT)
    binned, small = case.binned(), case.small
    more_holes = rng_of(seed).random(case.X.shape) < share
    X = np.where(more_holes, np.inf, case.X)
    limits = {"max_depth": case.max_depth, "min_samples_leaf": small.min_samples_leaf}

    tree, leaves = RT_RANK.make_grower(binned, **limits)(small.residual, small.weight)
    oracle = case.all_features(small.residual.tolist(), case.max_depth)
    check_trees([tree], case.X.shape[1])
    assert predict(tree, X) == walk(case, oracle, more_holes)
    # the leaves that training rows reach are those of the plain tree, under other numbers
    plain, of_plain = Grower(binned, **limits)(small.residual, small.weight)
    assert predict(plain, case.X) == predict(tree, case.X)
    columns = columns_of(binned)
    in_two = [
        node
        for node in oracle.nodes
        if node.feature != -1 and not any(columns[node.feature][i] == case.missed_bins[node.feature] for i in node.rows)
    ]
    in_three = sum(node.feature != -1 for node in oracle.nodes) - len(in_two)  # each is two cuts, the second in two
    assert len(tree.feature) == len(plain.feature) + 2 * (len(in_two) - in_three)
    assert tree.value[leaves.nodes].tolist() == plain.value[of_plain.nodes].tolist()
    assert tree.n_node_samples[leaves.nodes].tolist() == plain.n_node_samples[of_plain.nodes].tolist()

    counts, key = bootstrap_counts(case.seed, case.tree, len(X)), tree_key(case.seed, case.tree, FEATURES)
    deep = RT_RANK.grow_forest_tree(
        binned, small.residual, small.weight, counts, n_candidates=case.n_candidates, key=key, **limits
    )
    assert predict(deep, X) == walk(case, case.drawn(case.tree, case.max_depth), more_holes)


@given(deep_cases())
def test_bins_and_cuts_send_the_training_rows_the_same_way(case):
    case = replace(case, flags=NEEDS_CUT)
    binned, small = case.binned(), case.small
    tree, _ = RT_RANK.make_grower(binned, max_depth=3)(small.residual, small.weight)
    columns, leaf = np.array(columns_of(binned)), tree.feature < 0
    for name in ("bin", "cut", "left", "right", "split_gain"):
        assert not getattr(tree, name)[leaf].any()
    assert not tree.value[~leaf].any()
    for node in np.flatnonzero(~leaf):
        f = tree.feature[node]
        assert ((columns[f] <= tree.bin[node]) == (case.X[:, f] < tree.cut[node])).all()
        assert tree.n_node_samples[node] == tree.n_node_samples[[tree.left[node], tree.right[node]]].sum()
        if tree.n_node_samples[tree.right[node]] == 0:
            assert (tree.cut[node], tree.split_gain[node]) == (np.inf, 0.0)
