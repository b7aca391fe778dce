"""COCR Sec. 5: its tables and figures, on a collection in folds, or on McRank's artificial data."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from tqdm.auto import tqdm

from refrank.datasets import Fold
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cocr.figures import draw_bagging, draw_min_instances
from refrank.reproduce.cocr.proxies import compare_proxies
from refrank.reproduce.cocr.rankers import Setting, run_fold
from refrank.reproduce.cocr.tables import Cells, Results, write_heading, write_tables
from refrank.reproduce.run import Run

FULL = Setting("folds")
SMALL = Setting("small", n_rounds=100, n_bags=5)


def reproduce(setting: Setting, run: Run) -> str:
    """Compute the cells that are not there yet, draw the figures, write the tables, and return them as text."""
    folds: Iterable[Fold] = (
        run.load() if run.data else [replace(make_artificial_fold(setting.n_queries), name="artificial")]
    )
    cells: Cells = defaultdict(list)
    names = []
    for fold in folds:
        names.append(fold.name)
        for base, way, arrays in tqdm(run_fold(setting, fold, run), fold.name, unit="cell", disable=None):
            cells[base, way].append(arrays)
    results = Results(setting, cells)
    figures = [run.place(f"figure{number}-{setting.name}.png") for number in (1, 2)]
    draw_min_instances(results, figures[0])
    draw_bagging(results, figures[1])
    lines = [
        *write_heading(setting, names),
        "",
        *write_tables(results),
        "",
        *compare_proxies(cells, run.place(f"proxies-{setting.name}.png")),
        "",
        *(f"Figure {number}: {figure}" for number, figure in enumerate(figures, start=1)),
    ]
    return run.write(f"tables-{setting.name}.txt", lines)
