"""docs/use/compare.md lists the arrays of every cell, and their shapes are those that it says."""

import re
from pathlib import Path

import numpy as np
import pytest

from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cocr import rankers as cocr
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.mcrank import losses, study_models
from refrank.reproduce.mcrank.rankers import Parameters
from refrank.reproduce.run import Reproduction

CHAPTER = (Path(__file__).parents[2] / "docs" / "use" / "compare.md").read_text()
N_QUERIES = {"train": 4, "valid": 2, "test": 3}
FOLD = make_artificial_fold(tuple(N_QUERIES.values()))
STUDY = study_models.StudySetting(
    "tiny", (4, 2, 3), 4, seeds=(0,), stages=2, exponents=(3,), leaves=(3,), rates=(0.05,)
)
SIZES = Sizes("tiny", (2, 4), 4, 4, 2, (0.5,))
COCR = cocr.CocrSetting("tiny", n_rounds=2, max_depth=2, steps=(0.5,), min_instances=(4,), n_bags=2, bag_share=0.5)
RUNS = {
    "mcrank": lambda run: Parameters(n_rounds=2, n_leaves=3, n_epochs=2, hidden=(3, 2)).measure_rankers(FOLD, run),
    "studies": lambda run: study_models.run_models(STUDY, run),
    "losses": lambda run: losses.run_losses(STUDY, run),
    "igbrt": lambda run: igbrt.run_fold(FOLD, SIZES, run, shown=True),
    "cocr": lambda run: [*cocr.run_fold(COCR, FOLD, run)],
}


def read_rows(kind):
    """The rows of the chapter for the cells of one kind: whether they are of bagging, and array -> shape."""
    start = {"studies": "mcrank `--studies`:", "losses": "mcrank losses:"}.get(kind, f"{kind}:")
    cells, rows = "", {False: {}, True: {}}
    for first, arrays, shapes in re.findall(r"^\|(.*?)\| (`.*?) \| (\(.*?\)) \|", CHAPTER, re.MULTILINE):
        cells = first.strip() or cells
        names, each = re.findall(r"`(.*?)`", arrays), re.findall(r"\((.*?)\)", shapes)
        if cells.startswith(start):
            pairs = zip(names, each if len(each) > 1 else each * len(names), strict=True)
            rows["bagging" in cells] |= {name: re.findall(r"\w+", shape) for name, shape in pairs}
    return rows


@pytest.mark.parametrize("kind", RUNS)
def test_the_chapter_lists_every_array_and_its_shape(tmp_path, kind):
    RUNS[kind](Reproduction(tmp_path, n_threads=1))
    listed, written = read_rows(kind), {False: set(), True: set()}
    for path in tmp_path.glob("*.npz"):
        cell, bagging = dict(np.load(path)), "bagging" in path.name
        assert [len(cell.pop(f"qid_{split}")) for split in N_QUERIES] == [*N_QUERIES.values()]
        assert cell.pop("made_with").shape == ()
        written[bagging] |= {*cell}
        for name, array in cell.items():
            shape = listed[bagging][name]
            split = next((split for split in N_QUERIES if name.startswith(split)), "test")
            sizes = {"n_queries": N_QUERIES[split], **{str(n): n for n in (1, 2, 3, 5, 10)}}
            assert array.ndim == len(shape), name
            assert all(sizes.get(size, n) == n for size, n in zip(shape, array.shape, strict=True)), name
    assert written == {bagging: {*rows} for bagging, rows in listed.items()}
