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

from matplotlib.figure import Figure

from refrank.reproduce.added import AddedRanker
from refrank.reproduce.cocr import tables as cocr
from refrank.reproduce.cocr.rankers import CocrSetting
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.mcrank import labels, studies, table_1
from refrank.reproduce.mcrank.rankers import Parameters
from refrank.reproduce.mcrank.study_models import StudySetting
from refrank.reproduce.run import Reproduction
from tests.reproduce.small_files import write_collection

FILE = Path(__file__).with_name("texts.txt")
PARTS = [f"S{part}.txt" for part in range(1, 6)]
SETS = [f"set{k}.{split}.txt" for k in (1, 2) for split in ("train", "valid", "test")]

NETS = Parameters(n_rounds=8, n_leaves=3, n_epochs=3, hidden=(2, 4), n_classes=5)
TABLE_1 = table_1.TableSetting("tiny", (8, 4, 6), (0, 1), NETS)
STUDIES = StudySetting("tiny", (8, 4, 6), 8, seeds=(0, 1), stages=4, exponents=(3, 5, 9), leaves=(3, 10), rates=(0.5,))
IGBRT = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5), n_queries=(8, 4, 9))
COCR = CocrSetting("tiny", n_rounds=4, steps=(0.5, 0.25), min_instances=(4, 8), n_bags=3, n_queries=(12, 6, 15))


def mcrank(run: Reproduction) -> str:
    return table_1.reproduce(TABLE_1, run)


def mcrank_added(run: Reproduction) -> str:
    """Scores of a ranker from elsewhere stand beside ours."""
    folder = run.folder / "scores"
    folder.mkdir()
    for seed in TABLE_1.seeds:
        rows = 50 * TABLE_1.n_queries[2]
        text = "".join(f"{row * 37 % 101}\n" for row in range(rows))
        (folder / f"artificial-{seed}.txt").write_text(text, encoding="utf-8")
    return table_1.reproduce(TABLE_1, replace(run, added=(AddedRanker("other", folder),)))


def mcrank_folds(run: Reproduction) -> str:
    parameters = replace(NETS, n_classes=None)
    return table_1.reproduce_folds(parameters, replace(run, data=write_collection(run.folder / "web", PARTS)))


def mcrank_sets(run: Reproduction) -> str:
    """The sets of Yahoo! are two collections."""
    parameters = replace(NETS, n_classes=None)
    data = write_collection(run.folder / "yahoo", SETS, unlabelled=True)
    return table_1.reproduce_folds(parameters, replace(run, data=data, unlabelled="drop"))


def mcrank_studies(run: Reproduction) -> str:
    return studies.reproduce_studies(STUDIES, run)


def mcrank_studies_folds(run: Reproduction) -> str:
    return studies.reproduce_studies(STUDIES, replace(run, data=write_collection(run.folder / "web", PARTS)))


def igbrt_artificial(run: Reproduction) -> str:
    return igbrt.reproduce(IGBRT, run)


def igbrt_sets(run: Reproduction) -> str:
    sizes = replace(IGBRT, convention="yahoo", n_bins=8, max_depth=2)
    return igbrt.reproduce(sizes, replace(run, data=write_collection(run.folder / "yahoo", SETS)))


def igbrt_folds(run: Reproduction) -> str:
    data = write_collection(run.folder / "web", PARTS)
    return igbrt.reproduce(IGBRT, replace(run, data=data), only=("table-2", "table-3"))


def cocr_artificial(run: Reproduction) -> str:
    return cocr.reproduce(COCR, run)


def cocr_folds(run: Reproduction) -> str:
    return cocr.reproduce(COCR, replace(run, data=write_collection(run.folder / "web", PARTS)))


RUNS: tuple[Callable[[Reproduction], str], ...] = (
    *(mcrank, mcrank_added, mcrank_folds, mcrank_sets, mcrank_studies, mcrank_studies_folds),
    *(igbrt_artificial, igbrt_sets, igbrt_folds, cocr_artificial, cocr_folds),
)


@contextmanager
def without_pictures_and_time() -> Iterator[None]:
    """Save no figure, and count looks at the clock."""
    clock = itertools.count().__next__
    with (
        patch.object(Figure, "savefig", lambda *_, **__: None),
        patch("refrank.reproduce.mcrank.rankers.perf_counter", clock),
        patch("refrank.reproduce.igbrt.runs.perf_counter", clock),
        patch.object(labels.simulate_deviation, "__defaults__", (40, 50, 0)),
    ):
        yield


def print_run(reproduce: Callable[[Reproduction], str]) -> list[str]:
    """Return the lines that a run prints, its folder written OUT, and the names of its files, without their keys."""
    with tempfile.TemporaryDirectory() as folder, without_pictures_and_time():
        text = reproduce(Reproduction(Path(folder), n_threads=1))
        names = sorted(re.sub(r"-[0-9a-f]{12}\.npz", "-KEY.npz", path.name) for path in Path(folder).iterdir())
    return [f"# {reproduce.__name__}", *text.replace(folder, "OUT").split("\n"), "", *names, "# end"]


if __name__ == "__main__":
    lines = [line for reproduce in RUNS for line in print_run(reproduce)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
