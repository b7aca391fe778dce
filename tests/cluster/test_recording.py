"""Joins are recorded as they are, and a round of a model is derived from shards to the bit."""

import json
from dataclasses import replace

import numpy as np
import pytest

from refrank import GBRTRanker, LADBoostRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.cluster.recording import record_joins
from refrank.estimators.derived_round import derive_round, find_tree_difference
from refrank.models import load_model, save_model
from refrank.trees import splitting
from refrank.trees.numbers.grid import to_grid

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 30, (90, 4)).astype(np.float32), RNG.integers(0, 3, 90)
PARTS = np.split(np.arange(90), [20, 24, 65])
SHARDS = [(X[part], Y[part]) for part in PARTS]


@pytest.fixture
def files(tmp_path):
    """A model, and the files of its shards."""
    for place, part in enumerate(PARTS):
        lines = (f"{Y[i]} qid:{i} " + " ".join(f"{f + 1}:{x:g}" for f, x in enumerate(X[i])) for i in part)
        (tmp_path / f"{place}.txt").write_text("".join(f"{line}\n" for line in lines))
    save_model(SoftmaxBoostRanker(n_rounds=3, n_leaves=5).fit(X, Y), tmp_path / "model")
    return [str(tmp_path / name) for name in ("model", "0.txt", "1.txt", "2.txt", "3.txt")]


def test_joins_are_what_shards_sent_and_what_came_of_it():
    with record_joins(4) as recording:
        SoftmaxBoostRanker(n_rounds=1, n_leaves=3).fit_shards(SHARDS)
    joins = recording.list_joins()
    tree = ["grid", "root", "histogram", "grid", "leaves"]
    assert [join.kind for join in joins] == 3 * tree
    for join in joins:
        assert (join.joined == (join.own.max(axis=0) if join.kind == "grid" else join.own.sum(axis=0)))[1:].all()
    assert joins[0].joined[0] == 90
    # the sums of the root are those of all rows on their grid
    residual = to_grid((Y == 0) - np.full(90, 1 / 3)).integers
    assert joins[1].joined.sum() == 4 * residual.sum()
    assert splitting.leaf_sums(np.ones(90), 0, np.arange(90, dtype=np.int32), np.array([0, 90]), 1) == [90]


@pytest.mark.parametrize("ranker", [SoftmaxBoostRanker(n_rounds=3, n_leaves=4), GBRTRanker(n_rounds=3, max_depth=2)])
@pytest.mark.parametrize("number", [1, 3])
def test_a_round_is_derived_from_shards(ranker, number):
    ranker.fit(X, Y)
    trees = ranker.model_.rounds[number - 1]
    assert find_tree_difference(trees, derive_round(ranker, SHARDS, number).trees) is None


@pytest.mark.parametrize("field", ["n_node_samples", "split_gain", "feature", "bin", "cut", "left", "right", "value"])
def test_a_changed_number_is_named(field):
    ranker = SoftmaxBoostRanker(n_rounds=2, n_leaves=4).fit(X, Y)
    derived = derive_round(ranker, SHARDS, 2).trees
    changed = getattr(derived[1], field).copy()
    changed[2] += 1
    found = find_tree_difference([derived[0], replace(derived[1], **{field: changed}), derived[2]], derived)
    assert found.startswith(f"tree 1, node 2: {field} is ")


def test_the_command_says_that_a_round_is_equal(files, capsys):
    assert main(["verify-shards", *files]) == 0
    assert capsys.readouterr().out.endswith(", 3 trees\nequal\n")
    assert main(["verify-shards", files[0], *files[:0:-1], "--round", "1"]) == 0  # in any order


def test_the_command_names_a_tree_that_differs(files, capsys):
    ranker = load_model(files[0])
    last = ranker.model_.rounds[-1]
    counts = last[1].n_node_samples.copy()
    counts[2] += 1
    trees = last[0], replace(last[1], n_node_samples=counts), last[2]
    ranker.model_ = replace(ranker.model_, rounds=(*ranker.model_.rounds[:-1], trees))
    save_model(ranker, files[0])
    assert main(["verify-shards", *files]) == 3
    assert "tree 1, node 2: n_node_samples is " in capsys.readouterr().out


def test_the_command_compares_joins(files, tmp_path, capsys):
    joins = str(tmp_path / "joins")
    assert main(["verify-shards", *files, "--write", joins]) == 0
    assert main(["verify-shards", *files, "--joins", joins]) == 0
    lines = (tmp_path / "joins").read_text().splitlines()
    capsys.readouterr()
    for place, kind in enumerate(["grid", "root", "histogram"]):
        join = json.loads(lines[place])
        join["joined"][1] += 1
        (tmp_path / "joins").write_text("\n".join([*lines[:place], json.dumps(join), *lines[place + 1 :]]))
        assert main(["verify-shards", *files, "--joins", joins]) == 3
        assert f"join {place} ({kind}): integer 1 is " in capsys.readouterr().out
    (tmp_path / "joins").write_text("\n".join(lines[:-1]))
    assert main(["verify-shards", *files, "--joins", joins]) == 3
    assert f"join {len(lines) - 1} (leaves) is missing" in capsys.readouterr().out


NO_JOINS = ['{"kind": "grid"}', '{"joined": [1]}', "[]", '{"kind": "grid", "joined": [1e999]}', "x"]


@pytest.mark.parametrize("line", NO_JOINS)
def test_a_file_of_other_things_is_refused(files, tmp_path, capsys, line):
    (tmp_path / "joins").write_text(line)
    assert main(["verify-shards", *files, "--joins", str(tmp_path / "joins")]) == 2
    assert f"{tmp_path / 'joins'}, line 1" in capsys.readouterr().err


def test_what_has_no_rounds_of_trees_is_refused(files, capsys):
    with pytest.raises(ValueError, match="number is 4: it must be an integer from 1 to 3"):
        derive_round(load_model(files[0]), SHARDS, 4)
    assert main(["verify-shards", files[0], *files[1:3]]) == 2
    assert "X is not what the model was trained on" in capsys.readouterr().err


def test_other_rankers_are_refused_by_name():
    with pytest.raises(ValueError, match="LADBoostRanker has no rounds of trees"):
        derive_round(LADBoostRanker(), SHARDS, 1)
