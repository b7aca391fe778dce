"""COCR Sec. 5: its tables and figures, on a collection in folds, or on McRank's artificial data.

The bodies of the paper's tables are not in the text at hand, so ours stand alone, beside what Sec. 5 says of its own.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from refrank.datasets import Fold, load_folds
from refrank.metrics import paired_test, summarize
from refrank.reproduce.artificial import artificial_fold
from refrank.reproduce.cocr_cells import CONVENTION, DIRECT, WAYS, Cells, Setting, run_fold
from refrank.reproduce.cocr_figures import draw_bagging, draw_min_instances
from refrank.reproduce.cocr_printed import CLAIMS
from refrank.reproduce.cocr_proxies import MEASURES, proxies

FULL = Setting("folds")
SMALL = Setting("small", n_rounds=100, n_bags=5)
SMALL_QUERIES = (100, 50, 200)  # of 50 documents each
Column = dict[str, NDArray[np.float64]]  # by way, (n_queries,)
LEVEL = 0.05  # of the two-tailed tests


def reproduce(data: Path | None, folder: Path, n_threads: int | None = None, unlabelled: str = "error") -> str:
    """Run the cells that are not done yet, write tables and figures into the folder, and return the text.

    Parameters
    ----------
    data : Path or None
        A collection in folds, as `load_folds` takes it; None: the artificial data, small.
    folder : Path
        Finished cells in it are kept.
    n_threads : int, optional
        Of the GBRTs; as `resolve_threads` has it.
    unlabelled : "error" (default), "zero" or "drop"
        What `load_folds` does with rows of label -1.
    """
    setting = SMALL if data is None else FULL
    folds: Iterable[Fold] = (
        [artificial_fold("artificial", SMALL_QUERIES, seed=0)]
        if data is None
        else load_folds(data, unlabelled=unlabelled)
    )
    folder.mkdir(parents=True, exist_ok=True)
    cells: Cells = defaultdict(list)
    names = []
    for fold in folds:
        names.append(fold.name)
        for name, way, arrays in tqdm(run_fold(setting, fold, folder, n_threads), fold.name, unit="cell", disable=None):
            cells[name, way].append(arrays)
    figures = {
        "Figure 1": (draw_min_instances, folder / f"figure1-{setting.name}.png"),
        "Figure 2": (draw_bagging, folder / f"figure2-{setting.name}.png"),
    }
    for draw, path in figures.values():
        draw(cells, setting, path)
    text = "\n".join(
        [
            heading(setting, names),
            *tables(cells, setting),
            *proxies(cells, folder / f"proxies-{setting.name}.png"),
            "",
            *(f"{name}: {path}" for name, (_, path) in figures.items()),
        ]
    )
    (folder / f"tables-{setting.name}.txt").write_text(text + "\n", encoding="utf-8")
    return text


def heading(setting: Setting, folds: list[str]) -> str:
    """Say what was run, and how it is measured."""
    return "\n".join(
        [
            f"COCR Sec. 5 on {', '.join(folds)}, setting {setting.name}",
            f"convention {CONVENTION!r}; ERR has the highest grade of the data for K (Eq. 8)",
            "means over the test queries of all folds; in brackets p of two-tailed paired t-tests against direct",
            f"* significantly above it at the {1 - LEVEL:.0%} level, - significantly below",
        ]
    )


def tables(cells: Cells, setting: Setting) -> list[str]:
    """Write Tables 1 to 8, and Sec. 5's claims beside each base."""
    linear = {measure: pooled(cells, "linear", f"test_{measure}") for measure in MEASURES}
    chosen = {way: choose(cells, setting, way) for way in WAYS}
    m5p = {measure: {way: picked(cells, chosen[way], way, f"test_{measure}") for way in WAYS} for measure in MEASURES}
    lines = ["", header("Table 1 and 2, linear"), *rows(linear), "", header("Table 5 and 6, M5P, M by validation")]
    lines += [*rows(m5p), "", "Table 3, p-values (two-tailed) of the oERR cost against the others, ERR"]
    for name, columns in (("(a) linear", linear["err"]), ("(b) M5P", m5p["err"])):
        tests = [f"{way} {p_value(columns['oerr'], columns[way]):.2g}" for way in ("absolute", "squared")]
        lines.append(f"  {name:12}{', '.join(tests)}")
    lines += ["", header("Table 4, M5P, validation ERR over M")]
    for m in grid(cells, setting):
        means = [summarize(pooled(cells, f"m5p-{m}", "valid_err")[way]).mean for way in WAYS]
        lines.append(f"  M = {m:<10}" + "".join(f"{mean:>20.4f}" for mean in means))
    # COCR Sec. 5.4: "the last row shows the test result when using the best model in validation"
    lines.append(f"  {'test, M chosen':14}" + "".join(f"{summarize(m5p['err'][way]).mean:>20.4f}" for way in WAYS))
    lines += ["", header("Table 7 and 8, GBRT"), "  (two-tailed tests as above)"]
    boosted = {}
    for step in setting.steps:
        boosted[f"GBRT {step}"] = {m: pooled(cells, f"gbrt-{step}", f"test_{m}") for m in MEASURES}
        lines += [f"  step {step}", *rows(boosted[f"GBRT {step}"])]
    return [*lines, "", *claims({"linear": linear, "M5P": m5p} | boosted)]


def header(title: str) -> str:
    """Name a table's columns."""
    return f"{title}\n{'':16}" + "".join(f"{way:>20}" for way in WAYS)


def rows(table: dict[str, Column]) -> list[str]:
    """Write ERR and NDCG@10, a row each."""
    lines = []
    for measure, columns in table.items():
        texts = []
        for way in WAYS:
            mean = summarize(columns[way]).mean
            p = 1.0 if way == DIRECT else p_value(columns[way], columns[DIRECT])
            above = mean > summarize(columns[DIRECT]).mean
            mark = "" if p >= LEVEL else "*" if above else "-"
            texts.append(f"{mean:.4f}" + ("" if way == DIRECT else f"{mark} ({p:.2g})"))
        lines.append(f"  {MEASURES[measure]:14}" + "".join(f"{text:>20}" for text in texts))
    return lines


def p_value(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Test two-tailed, paired by query; equal rankings have p = 1."""
    # Paper is silent: paired or not. Both rankers rank the same queries.
    return 1.0 if np.array_equal(a, b, equal_nan=True) else paired_test(a, b).p_value


def claims(tables_of: dict[str, dict[str, Column]]) -> list[str]:
    """State for each claim of Sec. 5 what these runs say."""
    lines = ["Sec. 5's claims, in our runs (by the means; * where a two-tailed test at the 95% level agrees):"]
    settings: list[tuple[str, str, Callable[[Column], list[tuple[str, str]]]]] = [
        ("direct", "err", lambda c: [(way, DIRECT) for way in WAYS[1:]]),
        ("oerr", "err", lambda c: [("oerr", way) for way in WAYS if way != "oerr"]),
        ("squared", "ndcg", lambda c: [("squared", way) for way in ("absolute", "oerr")]),
    ]
    for claim, measure, pairs in settings:
        lines.append(CLAIMS[claim])
        for name, table in tables_of.items():
            columns = table[measure]
            said = [f"{high} > {low}: {verdict(columns[high], columns[low])}" for high, low in pairs(columns)]
            lines.append(f"  {name:12}{'; '.join(said)}")
    return lines


def verdict(high: NDArray[np.float64], low: NDArray[np.float64]) -> str:
    """Say whether the mean of one is above the other's, and whether the test tells them apart."""
    difference = summarize(high).mean - summarize(low).mean
    mark = "*" if p_value(high, low) < LEVEL else ""
    return ("equal" if difference == 0 else "yes" if difference > 0 else "no") + mark


def pooled(cells: Cells, name: str, measure: str) -> Column:
    """Join the queries of all folds, (n_queries,) a way."""
    return {way: np.concatenate([arrays[measure] for arrays in cells[name, way]]) for way in WAYS}


def grid(cells: Cells, setting: Setting) -> list[int]:
    """List the M that every fold has rows enough for."""
    n_folds = len(cells["linear", DIRECT])
    return [m for m in setting.min_instances if len(cells.get((f"m5p-{m}", DIRECT), [])) == n_folds]


def choose(cells: Cells, setting: Setting, way: str) -> list[int]:
    """Pick M for each fold: the highest validation ERR; among equals the lowest M."""
    # COCR Sec. 5.4: "pick the model that comes with the highest validation ERR, and report its corresponding test ERR"
    candidates = grid(cells, setting)
    n_folds = len(cells["linear", way])
    return [
        max(candidates, key=lambda m: summarize(cells[f"m5p-{m}", way][fold]["valid_err"]).mean)
        for fold in range(n_folds)
    ]


def picked(cells: Cells, chosen: list[int], way: str, measure: str) -> NDArray[np.float64]:
    """Join the queries of all folds, each ranked with the M chosen there."""
    return np.concatenate([cells[f"m5p-{m}", way][fold][measure] for fold, m in enumerate(chosen)])
