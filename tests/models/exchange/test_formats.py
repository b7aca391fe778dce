"""Parts of the files beside cuts and leaves: counts, means, gains, parents, objectives. Neither program is needed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from refrank.models.exchange import lightgbm, xgboost
from refrank.models.exchange.packing import make_portable
from refrank.trees.model.tree import LEAF
from tests.models.exchange.cases import with_cuts
from tests.models.kinds import train

TREE = """\
num_leaves=2 | num_cat=0 | split_feature=0 | split_gain=1.0 | threshold=1.9999999999999998 | decision_type=0 |
left_child=-1 | right_child=-2 | leaf_value=0.0 0.5 | leaf_weight=3 1 | leaf_count=3 1 |
internal_value=0.125 | internal_weight=4 | internal_count=4 | is_linear=0 | shrinkage=1"""


def test_the_text_holds_numbers_of_nodes_counts_means_and_gains():
    """One row of four has .5: the mean is .125."""
    text = lightgbm.write(make_portable(with_cuts((0.5, 2.0)))).decode()
    fields = text.split("Tree=1\n")[1].split("\n\n")[0].splitlines()
    assert sorted(fields) == sorted(field.strip() for field in TREE.split("|"))


def test_features_are_named_up_to_a_bound():
    """A small file of a model may state any number of them."""
    portable = make_portable(with_cuts((0.5, 2.0)))
    most = replace(portable, n_features=2**20)
    assert b"max_feature_idx=1048575\n" in lightgbm.write(most)
    with pytest.raises(ValueError, match=r"^the model has 1048577 features: .* at most 1048576 are written$"):
        lightgbm.write(replace(most, n_features=2**20 + 1))


@pytest.mark.parametrize("name", ["gbrt", "rf", "softmax"])
def test_means_of_nodes_are_those_of_the_rows_below(name):
    for tree in train(name).model_.rounds[0]:
        mean = lightgbm.average_leaves(tree)
        for node in range(len(mean)):
            below, leaves = [node], []
            for lower in below:  # which grows meanwhile
                inner = tree.feature[lower] != LEAF
                (below.extend if inner else leaves.extend)([tree.left[lower], tree.right[lower]] if inner else [lower])
            weight = tree.n_node_samples[leaves]
            assert mean[node] == pytest.approx(np.average(tree.value[leaves], weights=weight), rel=1e-12, abs=1e-15)


def test_the_text_gives_the_size_of_each_tree_in_bytes():
    text = lightgbm.write(make_portable(train("softmax"))).decode()
    head, *blocks = text.removesuffix(text[text.index("end of trees") :]).split("Tree=")
    sizes = next(line for line in head.splitlines() if line.startswith("tree_sizes=")).removeprefix("tree_sizes=")
    assert [int(size) for size in sizes.split()] == [len("Tree=" + block) for block in blocks]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("softmax", ["num_class=6", "num_tree_per_iteration=6", "objective=multiclass num_class:6"]),
        ("ls", ["num_class=1", "num_tree_per_iteration=1", "objective=regression"]),
        ("rf", ["num_class=1", "num_tree_per_iteration=1", "objective=regression", "average_output"]),
        ("ordinal", ["num_class=4", "num_tree_per_iteration=4"]),
        ("forest of classes", ["num_class=3", "num_tree_per_iteration=3", "average_output"]),
    ],
)
def test_the_head_says_classes_objective_and_mean(name, lines):
    head = lightgbm.write(make_portable(train(name))).decode().split("\n\n")[0].splitlines()
    said = [line for line in head if line.startswith(("num_", "objective", "average"))]
    assert said == lines
    assert head[:2] == ["tree", "version=v4"]
    assert "max_feature_idx=4" in head
    assert "feature_names=Column_0 Column_1 Column_2 Column_3 Column_4" in head


def test_the_json_holds_parents_counts_and_gains():
    portable = make_portable(train("gbrt"))
    learner = json.loads(xgboost.write(portable))["learner"]
    held = learner["gradient_booster"]["model"]
    assert held["tree_info"] == [0] * 4  # the start of the sum, and three rounds
    assert held["iteration_indptr"] == [0, 1, 2, 3, 4]
    assert held["gbtree_model_param"]["num_trees"] == "4"
    for number, (written, directed) in enumerate(zip(held["trees"], portable.rounds, strict=True)):
        tree = directed.tree
        assert (written["id"], written["tree_param"]["num_nodes"]) == (number, str(len(tree.feature)))
        assert written["sum_hessian"] == tree.n_node_samples.tolist()
        assert written["loss_changes"] == tree.split_gain.astype(np.float32).tolist()
        assert written["parents"][0] == 2**31 - 1
        for node, parent in enumerate(written["parents"][1:], start=1):
            assert node in (written["left_children"][parent], written["right_children"][parent])


@pytest.mark.parametrize(
    ("name", "objective", "sizes"),
    [
        ("softmax", "multi:softprob", ("6", "1")),
        ("ls", "reg:squarederror", ("0", "1")),
        ("ordinal", "reg:squarederror", ("0", "4")),
    ],
)
def test_the_json_says_classes_or_targets(name, objective, sizes):
    learner = json.loads(xgboost.write(make_portable(train(name))))["learner"]
    of_model = learner["learner_model_param"]
    assert learner["objective"]["name"] == objective
    assert (of_model["num_class"], of_model["num_target"], of_model["num_feature"]) == (*sizes, "5")
    assert float(of_model["base_score"]) == 0
