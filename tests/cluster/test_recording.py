"""Joins are recorded as they are, and a round of a model is derived from shards to the bit."""

import json
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from refrank import GBRTRanker, LADBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.cluster import ClusterError
from refrank.cluster.recording import Join, record_joins
from refrank.estimators.derived_round import FIELDS, derive_round, find_join_difference, find_tree_difference
from refrank.models import load_model, save_model
from refrank.trees import splitting
from refrank.trees.model.tree import LEAF
from refrank.trees.numbers.grid import to_grid
from tests.cluster.test_watching import Terminal

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


def test_the_grids_of_weights_are_recorded_and_what_places_cuts_is_not():
    weighted = [(*shard, None, np.full(len(shard[0]), 0.5)) for shard in SHARDS]
    with record_joins(4) as recording:
        GBRTRanker(n_rounds=1, max_depth=2, cut_at="midpoint").fit_shards(weighted)
    assert [join.kind for join in recording.list_joins()] == ["grid", "grid", "root", "histogram"]


def raise_memory_error():
    raise MemoryError("no room")


def test_a_recording_that_ends_with_a_fault_leaves_no_thread():
    before = {*threading.enumerate()}
    with record_joins(2), pytest.raises(ClusterError, match=r"no room; shards were lost 1 times$"):
        SoftmaxBoostRanker().fit_shards([SHARDS[0], raise_memory_error])
    until = time.monotonic() + 20
    while {*threading.enumerate()} - before:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("ranker", [SoftmaxBoostRanker(n_rounds=3, n_leaves=4), GBRTRanker(n_rounds=3, max_depth=2)])
@pytest.mark.parametrize("number", [1, 3])
def test_a_round_is_derived_from_shards_without_a_bar(ranker, number, monkeypatch):
    ranker.fit(X, Y)
    trees, screen = ranker.set_params(verbose=1).model_.rounds[number - 1], Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert find_tree_difference(trees, derive_round(ranker, SHARDS, number).trees) is None
    assert screen.getvalue() == ""


@pytest.mark.parametrize("field", ["n_node_samples", "split_gain", "feature", "bin", "cut", "left", "right", "value"])
def test_a_changed_number_is_named_with_the_join_it_follows_from(field):
    ranker = SoftmaxBoostRanker(n_rounds=2, n_leaves=4).fit(X, Y)
    derived = derive_round(ranker, SHARDS, 2).trees
    left, right, is_leaf = derived[1].left.tolist(), derived[1].right.tolist(), derived[1].feature == LEAF
    for node in range(len(left)):
        changed = getattr(derived[1], field).copy()
        changed[node] += 1
        found = find_tree_difference([derived[0], replace(derived[1], **{field: changed}), derived[2]], derived)
        join = "the sums of the root"
        if field == "value" and is_leaf[node]:
            join = "the sums of the leaves"
        elif node:
            join = f"the histogram joined after node {(left if node in left else right).index(node)} was cut"
        assert found.startswith(f"tree 1, node {node}: {field} is ")
        assert found.endswith(f"; it follows from {join}")


def test_a_node_too_many_is_named():
    ranker = SoftmaxBoostRanker(n_rounds=1, n_leaves=2).fit(X, Y)
    [*others, last] = derive_round(ranker, SHARDS, 1).trees
    more = replace(last, **{name: np.append(getattr(last, name), getattr(last, name)[-1]) for name in FIELDS})
    assert find_tree_difference([*others, more], [*others, last]) == "tree 2 has 4 nodes, and the shards give 3"


@pytest.mark.parametrize(
    ("others", "difference"),
    [
        ([("grid", [9, 5]), ("root", [1, 2])], None),
        ([("grid", [9, 5]), ("leaves", [1, 2])], "join 1 (root): it is 'leaves'"),
        ([("grid", [9]), ("root", [1, 2])], "join 0 (grid): it has 1 integers, and the shards give 2"),
        ([("grid", [9, 5]), ("root", [1, 3])], "join 1 (root): integer 1 is 3, and the shards give 2"),
        ([("grid", [9, 5])], "join 1 (root) is missing"),
        ([("grid", [9, 5]), ("root", [1, 2]), ("root", [])], "join 2 (root): the shards give no more than 2"),
    ],
)
def test_the_first_join_that_differs_is_named(others, difference):
    joins = [Join(kind, np.array([joined]), np.array(joined)) for kind, joined in (("grid", [9, 5]), ("root", [1, 2]))]
    assert find_join_difference(joins, ((kind, np.array(joined)) for kind, joined in others)) == difference


def test_the_command_says_that_a_round_is_equal(files, capsys):
    assert main(["verify-shards", *files]) == 0
    assert capsys.readouterr().out.endswith(", 3 trees\nequal\n")
    assert main(["verify-shards", files[0], *files[:0:-1], "--round", "1"]) == 0  # in any order
    with open(files[1], "a") as file:
        file.write("-1 qid:0 1:2\n")
    assert main(["verify-shards", *files, "--unlabelled", "drop"]) == 0


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
    n_bytes = 8 * sum(len(json.loads(line)["joined"]) for line in lines)
    assert f"round 3: {len(lines)} joins of {n_bytes:,} bytes, 3 trees\nequal\n" in capsys.readouterr().out
    for place, kind in enumerate(["grid", "root", "histogram"]):
        join = json.loads(lines[place])
        join["joined"][1] += 1
        (tmp_path / "joins").write_text("\n".join([*lines[:place], json.dumps(join), *lines[place + 1 :]]))
        assert main(["verify-shards", *files, "--joins", joins]) == 3
        assert f"join {place} ({kind}): integer 1 is " in capsys.readouterr().out
    (tmp_path / "joins").write_text("\n".join(lines[:-1]))
    assert main(["verify-shards", *files, "--joins", joins]) == 3
    assert f"join {len(lines) - 1} (leaves) is missing" in capsys.readouterr().out


def test_files_that_cannot_be_read_or_written_are_refused_before_a_shard_is_read(files, tmp_path, capsys):
    joins, absent = tmp_path / "joins", str(tmp_path / "absent")
    joins.write_text("")
    for written in (*files, str(joins)):
        assert main(["verify-shards", *files, absent, "--joins", str(joins), "--write", written]) == 2
        assert f"--write {written}: it is {written}, which is read" in capsys.readouterr().err
    assert main(["verify-shards", *files, absent, "--write", str(tmp_path)]) == 1
    assert f"{tmp_path}: it is the name of a folder" in capsys.readouterr().err
    assert main(["verify-shards", files[0], "-", "-"]) == 2
    assert "- is given twice" in capsys.readouterr().err


NO_JOINS = ['{"kind": "grid"}', '{"joined": [1]}', "[]", '{"kind": "grid", "joined": [1e999]}', "x"]
NO_JOINS += [
    '{"kind": "grid", "joined": 90}',
    '{"kind": "grid", "joined": [90.5]}',
    '{"kind": "grid", "joined": ["90"]}',
]


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
    for ranker in LADBoostRanker(), RandomForestRanker(n_trees=1).fit(X, Y):  # not trained; trees that are no rounds
        with pytest.raises(ValueError, match=f"{type(ranker).__name__} has no rounds of trees"):
            derive_round(ranker, SHARDS, 1)
