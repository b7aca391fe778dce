"""docs/learn/by_hand.md: its picture shows its trees, and the literal transcription has its numbers."""

import math
import re
import runpy

import pytest

from tests.meta.papers_map import ROOT
from tests.oracles import mcrank as naive

CHAPTER = (ROOT / "docs" / "learn" / "by_hand.md").read_text(encoding="utf-8")
BETAS = re.compile(r"^    class (\d)   cut .*  beta (\S+) (\S+)$", re.MULTILINE)
TABLES = [BETAS.findall(part) for part in CHAPTER.split(">>> leaf_table(")[1:]]  # round 1, round 2, round 1 as printed


def test_the_picture_shows_the_trees_of_the_chapter():
    picture = runpy.run_path(str(ROOT / "docs" / "images" / "by_hand.py"))
    for title, table in ((picture["ONE_P"], TABLES[0]), (picture["AS_PRINTED"], TABLES[2])):
        drawn = [[picture["format_number"](leaf.beta) for leaf in leaves] for leaves in picture["list_leaves"](title)]
        assert drawn == [betas for _, *betas in table[:3]]
        for leaf in (leaf for leaves in picture["list_leaves"](title) for leaf in leaves):
            assert leaf.beta == pytest.approx(2 / 3 * leaf.residual / leaf.curvature, rel=1e-12)


@pytest.mark.parametrize(("sequential", "n_rounds", "scores"), [
    (False, 2, [0.1828, 1.4115, 1.4115, 1.7914]),
    (True, 1, [0.5100, 1.2080, 1.2080, 1.5747]),
])  # fmt: skip
def test_the_literal_transcription_scores_the_documents_as_the_chapter_does(sequential, n_rounds, scores):
    tree = naive.regions([[0, 1, 1, 2]], n_leaves=2)
    F = naive.algorithm_1([0, 1, 2, 2], 3, n_rounds, math.log(2), tree, math.exp, sequential=sequential)
    found = [naive.equation_5(naive.softmax(row, math.exp), [0, 1, 2]) for row in F]
    assert [round(S, 4) for S in found] == scores
    assert " ".join(f"{S:.4f}" for S in scores) in CHAPTER
