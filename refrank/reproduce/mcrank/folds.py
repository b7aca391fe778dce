"""McRank Table 1 and Figure 1 on real data: the rankers on folds of LETOR, MSLR, Yahoo!, or one's own.

The paper's Web-1, Web-2 and Web-3 are not public. Their parameters (Sec. 6.2) are; a run takes those of one of the
three. Web-3 was cross-validated: each query is tested in one fold, and mean, deviation and p-values are those over all
its queries. The unlabelled URLs of Web-2, label -1 in a file, "were assigned the level 0" (Sec. 6.1): `zero`.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from refrank.datasets.folds import Fold, Places, find_folds, load_fold
from refrank.metrics import summarize
from refrank.reproduce.cells import Arrays, kept_cell
from refrank.reproduce.mcrank import columns, p_values
from refrank.reproduce.mcrank_figures import draw_figure_1
from refrank.reproduce.mcrank_rankers import BESIDE, CONVENTION, RANKERS, Parameters, ndcg_at_each

# McRank Sec. 6.2
PAPER = {
    "web-1": Parameters(n_rounds=1000, n_leaves=10, learning_rate=0.05),
    "web-2": Parameters(n_rounds=2000, n_leaves=40, learning_rate=0.02),
    "web-3": Parameters(n_rounds=1500, n_leaves=20, learning_rate=0.02),
}
# A fifth of the rounds and epochs: minutes on MQ2008
SMALL = {like: replace(of, n_rounds=of.n_rounds // 5, n_epochs=of.n_epochs // 5) for like, of in PAPER.items()}

# fold -> ranker -> NDCG of its test queries at L = 1..10, (n_queries, 10)
Tested = dict[str, dict[str, NDArray[np.float64]]]


@dataclass(frozen=True)
class FoldSetting:
    """What a run on a collection depends on."""

    directory: Path
    parameters: Parameters
    unlabelled: str = "error"  # what `load_letor` does with rows of label -1

    @property
    def stem(self) -> str:
        """What files of this run are called: one with other parameters keeps its own."""
        of = self.parameters
        beside = "" if self.unlabelled == "error" else f"-{self.unlabelled}"
        return f"{self.directory.name}-J{of.n_leaves}-nu{of.learning_rate}-M{of.n_rounds}{beside}"


def reproduce_folds(setting: FoldSetting, folder: Path, n_threads: int | None = None) -> str:
    """Run the cells that are not done yet, write table and Figure 1 into the folder, and return the table.

    Raises
    ------
    ValueError, OSError
        Where the collection is in no layout that is known, or a file of it is bad (`refrank.datasets.load_folds`).
    """
    setting = replace(setting, directory=setting.directory.resolve())  # "." has no name
    folds = find_folds(setting.directory)
    folder.mkdir(parents=True, exist_ok=True)
    rankers = (*RANKERS, *BESIDE)
    found: Tested = {fold: {} for fold in folds}
    with tqdm(total=len(folds) * len(rankers), desc="cells", unit="cell", disable=None) as bar:
        for fold, places in folds.items():
            load = cache(partial(load_fold, fold, places, unlabelled=setting.unlabelled))  # read when first needed
            for ranker in rankers:
                path = folder / f"{setting.stem}-{fold}-{ranker}.npz"
                arrays = kept_cell(path, way_of(setting, places), partial(run_cell, load, setting, ranker, n_threads))
                found[fold][ranker] = arrays["test"]
                bar.update()
    tested, lines = collections(found), []
    for name, test in tested.items():
        figure = folder / f"figure1-{setting.stem}-{name.replace(' ', '-')}.png"
        draw_figure_1(test, f"{setting.directory.name}, {name}", setting.parameters, figure)
        lines.append(f"Figure 1, {name}: {figure}")
    text = "\n".join([*table(setting, found, tested), "", *lines])
    (folder / f"{setting.stem}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def way_of(setting: FoldSetting, places: Places) -> dict[str, object]:
    """Say what a fold's cells depend on; the data are known by the names and sizes of the files."""
    files = [[(str(path), path.stat().st_size) for path in paths] for paths in places]
    return {
        "parameters": asdict(setting.parameters),
        "unlabelled": setting.unlabelled,
        "files": files,
        "convention": str(CONVENTION),
    }


def run_cell(load: Callable[[], Fold], setting: FoldSetting, ranker: str, n_threads: int | None) -> Arrays:
    """Train one ranker on one fold, and return the NDCG of its test queries at L = 1..10."""
    fold = load()
    trained = (RANKERS | BESIDE)[ranker](setting.parameters, fold.train, fold.valid, 0, n_threads)
    return {"test": ndcg_at_each(fold.test, trained.predict(fold.test.X))}


def collections(found: Tested) -> Tested:
    """Join the folds of one collection, in which each query is tested once; Yahoo!'s two sets are two collections."""
    if len(found) == 1 or not next(iter(found)).startswith("Fold"):
        return found
    rankers = next(iter(found.values()))
    return {"all folds": {ranker: np.vstack([of[ranker] for of in found.values()]) for ranker in rankers}}


def table(setting: FoldSetting, found: Tested, tested: Tested) -> list[str]:
    """Write one line a fold and, where they are folds of one collection, one of all; then the p-values."""
    at_10 = {
        name: {ranker: 100 * values[:, -1] for ranker, values in of.items()} for name, of in (found | tested).items()
    }
    lines = [
        f"McRank Table 1 on {setting.directory.name}: NDCG at L = 10 of the test queries in percent, "
        "mean (standard deviation over queries)",
        f"convention {CONVENTION}",
        f"boosters: {setting.parameters.describe()}; rows of label -1: {setting.unlabelled}",
        f"LambdaRank: {setting.parameters.describe_net()}",
        "",
        *columns(
            [*RANKERS, *BESIDE], [(name, [summarize(of) for of in values.values()]) for name, values in at_10.items()]
        ),
    ]
    for name in tested:
        lines += ["", f"{name}, {len(at_10[name]['ordinal']):,} queries:", *p_values(at_10[name])]
    return lines
