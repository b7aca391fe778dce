"""Write what the reproductions print, and the names of their files: `python -m tests.reproduce.texts` writes texts.txt.

Small runs on artificial data and on small folds, by a clock that goes on by one second at each look. A word or number
that changes is a change of that file, in plain sight; the tests beside this one say which numbers are right.
"""

import itertools
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from refrank.datasets.reading import Reading
from refrank.reproduce.added import AddedRanker
from refrank.reproduce.cocr import tables as cocr
from refrank.reproduce.cocr.rankers import CocrSetting
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.mcrank import labels, studies, table_1
from refrank.reproduce.mcrank.rankers import Parameters
from refrank.reproduce.mcrank.study_models import StudySetting
from refrank.reproduce.run import Reproduction
from tests.reproduce.small_files import PARTS, write_collection

FILE = Path(__file__).with_name("texts.txt")
SETS = [f"set{k}.{split}.txt" for k in (1, 2) for split in ("train", "valid", "test")]

NETS = Parameters(n_rounds=8, n_leaves=3, n_epochs=3, hidden=(2, 4), n_classes=5)
TABLE_1 = table_1.TableSetting("tiny", (8, 4, 6), (0, 1), NETS)
STUDIES = StudySetting("tiny", (8, 4, 6), 8, seeds=(0, 1), stages=4, exponents=(3, 5, 9), leaves=(3, 10), rates=(0.5,))
IGBRT = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5), n_queries=(8, 4, 9))
COCR = CocrSetting("tiny", n_rounds=4, steps=(0.5, 0.25), min_instances=(4, 8), n_bags=3, n_queries=(12, 6, 15))


def use_parts(run: Reproduction) -> Reproduction:
    """Run on the folds of five files."""
    return replace(run, data=write_collection(run.folder / "web", PARTS))


def use_sets(run: Reproduction, unlabelled: bool = False) -> Reproduction:
    """Run on the sets of Yahoo!, which are two collections; drop the rows without a label, if there are any."""
    data = write_collection(run.folder / "yahoo", SETS, unlabelled)
    return replace(run, data=data, reading=Reading(unlabelled="drop" if unlabelled else "error"))


def add_scores(run: Reproduction) -> Reproduction:
    """Set the scores of a ranker from elsewhere beside ours."""
    folder = run.folder / "scores"
    folder.mkdir()
    rows = 50 * TABLE_1.n_queries[2]
    for seed in TABLE_1.seeds:
        text = "".join(f"{row * 37 % 101}\n" for row in range(rows))
        (folder / f"artificial-{seed}.txt").write_text(text, encoding="utf-8")
    return replace(run, added=(AddedRanker("other", folder),))


RUNS: dict[str, Callable[[Reproduction], str]] = {
    "mcrank": lambda run: table_1.reproduce(TABLE_1, run),
    "mcrank_added": lambda run: table_1.reproduce(TABLE_1, add_scores(run)),
    "mcrank_folds": lambda run: table_1.reproduce_folds(replace(NETS, n_classes=None), use_parts(run)),
    "mcrank_sets": lambda run: table_1.reproduce_folds(replace(NETS, n_classes=None), use_sets(run, unlabelled=True)),
    "mcrank_studies": lambda run: studies.reproduce_studies(STUDIES, run),
    "mcrank_studies_folds": lambda run: studies.reproduce_studies(STUDIES, use_parts(run)),
    "igbrt_artificial": lambda run: igbrt.reproduce(IGBRT, run),
    "igbrt_sets": lambda run: igbrt.reproduce(replace(IGBRT, convention="yahoo", n_bins=8, max_depth=2), use_sets(run)),
    "igbrt_folds": lambda run: igbrt.reproduce(IGBRT, use_parts(run), only=("table-2", "table-3")),
    "cocr_artificial": lambda run: cocr.reproduce(COCR, run),
    "cocr_folds": lambda run: cocr.reproduce(COCR, use_parts(run)),
}


@contextmanager
def without_pictures_and_time() -> Iterator[None]:
    """Save no figure, and count looks at the clock."""
    clock = itertools.count().__next__
    with (
        patch("refrank.reproduce.figures.save_picture"),
        patch("refrank.reproduce.mcrank.rankers.perf_counter", clock),
        patch("refrank.reproduce.igbrt.runs.perf_counter", clock),
        patch.object(labels.simulate_deviation, "__defaults__", (40, 50, 0)),
    ):
        yield


def print_run(name: str) -> list[str]:
    """Return the lines that a run prints, its folder written OUT, and the names of its files, without their keys."""
    with tempfile.TemporaryDirectory() as folder, without_pictures_and_time():
        text = RUNS[name](Reproduction(Path(folder), n_threads=1))
        names = sorted(re.sub(r"-[0-9a-f]{12}\.npz", "-KEY.npz", path.name) for path in Path(folder).iterdir())
    return [f"# {name}", *text.replace(folder, "OUT").split("\n"), "", *names, "# end"]


if __name__ == "__main__":
    lines = [line for name in RUNS for line in print_run(name)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
