"""The tables of COCR Sec. 5 as text, and what these runs say of its claims.

The bodies of the paper's tables are not in the text at hand, so ours stand alone, beside the claims of Sec. 5.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.metrics import paired_test, summarize
from refrank.reproduce.cells import Arrays
from refrank.reproduce.cocr.printed import CLAIMS
from refrank.reproduce.cocr.rankers import CONVENTION, WAYS, Setting, Way
from refrank.reproduce.tables import Row, write_table

MEASURES = {"err": "ERR", "ndcg": "NDCG@10"}
LEVEL = 0.05  # of the two-tailed tests
PAIRS: dict[str, tuple[str, list[tuple[Way, Way]]]] = {  # claim -> measure, and who is said to be above whom
    "direct": ("err", [("absolute", "direct"), ("squared", "direct"), ("oerr", "direct")]),
    "oerr": ("err", [("oerr", "direct"), ("oerr", "absolute"), ("oerr", "squared")]),
    "squared": ("ndcg", [("squared", "absolute"), ("squared", "oerr")]),
}

Column = dict[Way, NDArray[np.float64]]  # (n_queries,) per way
Cells = dict[tuple[str, Way], list[Arrays]]  # by base and way, one entry per fold


@dataclass(frozen=True, eq=False)
class Results:
    """The cells of all folds.

    Parameters
    ----------
    setting : Setting
    cells : dict from (base, way) to a list of arrays, one entry per fold
    """

    setting: Setting
    cells: Cells

    def join(self, base: str, measure: str) -> Column:
        """Join the queries of all folds."""
        return {way: np.concatenate([arrays[measure] for arrays in self.cells[base, way]]) for way in WAYS}

    def join_chosen(self, measure: str) -> Column:
        """Join the queries of all folds, each ranked by M5P with the M chosen there."""
        return {
            way: np.concatenate(
                [self.cells[f"m5p-{m}", way][fold][measure] for fold, m in enumerate(self.choose_m(way))]
            )
            for way in WAYS
        }

    def list_common_m(self) -> list[int]:
        """List the M that every fold has rows enough for."""
        n_folds = len(self.cells["linear", "direct"])
        return [m for m in self.setting.min_instances if len(self.cells.get((f"m5p-{m}", "direct"), [])) == n_folds]

    def choose_m(self, way: Way) -> list[int]:
        """Choose M for each fold: the highest validation ERR; among equals the lowest M."""
        # COCR Sec. 5.4: "pick the model that comes with the highest validation ERR"
        validation = {m: self.cells[f"m5p-{m}", way] for m in self.list_common_m()}
        n_folds = len(self.cells["linear", way])
        return [
            max(validation, key=lambda m: summarize(validation[m][fold]["valid_err"]).mean) for fold in range(n_folds)
        ]


def write_heading(setting: Setting, folds: list[str]) -> list[str]:
    """Write what was run, and how it is measured."""
    return [
        f"COCR Sec. 5 on {', '.join(folds)}, setting {setting.name}",
        f"convention {CONVENTION!r}; ERR has the highest grade of the data for K (Eq. 8)",
        "means over the test queries of all folds; in parentheses p of two-tailed paired t-tests against direct",
        f"* significantly above it at the {1 - LEVEL:.0%} level, - significantly below",
    ]


def lay_out(rows: Iterable[Row], columns: Iterable[str] = WAYS) -> list[str]:
    """Write rows below the names of the columns, if there are any."""
    heading: list[Row] = [("", list(columns))] if columns else []
    return write_table([*heading, *((f"  {name}", cells) for name, cells in rows)], 16, 20)


def write_tables(results: Results) -> list[str]:
    """Write Tables 1 to 8, and Sec. 5's claims beside each base."""
    linear = {measure: results.join("linear", f"test_{measure}") for measure in MEASURES}
    m5p = {measure: results.join_chosen(f"test_{measure}") for measure in MEASURES}
    lines = ["Table 1 and 2, linear", *lay_out(compare_ways(linear))]
    lines += ["", "Table 5 and 6, M5P, M by validation", *lay_out(compare_ways(m5p))]
    lines += ["", "Table 3, p-values (two-tailed) of the oERR cost against the others, ERR"]
    for name, column in (("(a) linear", linear["err"]), ("(b) M5P", m5p["err"])):
        tests = [f"{way} {compute_p_value(column['oerr'], column[way]):.2g}" for way in ("absolute", "squared")]
        lines.append(f"  {name:12}{', '.join(tests)}")
    validation = {f"M = {m}": results.join(f"m5p-{m}", "valid_err") for m in results.list_common_m()}
    # COCR Sec. 5.4: "the last row shows the test result when using the best model in validation"
    validation["test, M chosen"] = m5p["err"]
    means = [(name, [f"{summarize(column[way]).mean:.4f}" for way in WAYS]) for name, column in validation.items()]
    lines += ["", "Table 4, M5P, validation ERR over M", *lay_out(means)]
    lines += ["", "Table 7 and 8, GBRT", *lay_out([]), "  (two-tailed tests as above)"]
    boosted = {}
    for step in results.setting.steps:
        boosted[f"GBRT {step}"] = {m: results.join(f"gbrt-{step}", f"test_{m}") for m in MEASURES}
        lines += [f"  step {step}", *lay_out(compare_ways(boosted[f"GBRT {step}"]), columns=())]
    return [*lines, "", *write_claims({"linear": linear, "M5P": m5p} | boosted)]


def compare_ways(table: dict[str, Column]) -> list[Row]:
    """Make the rows of ERR and NDCG@10: means, with marks and p-values against direct regression."""
    rows: list[Row] = []
    for measure, column in table.items():
        direct = summarize(column["direct"]).mean
        cells = [f"{direct:.4f}"]
        for way in WAYS[1:]:
            mean, p_value = summarize(column[way]).mean, compute_p_value(column[way], column["direct"])
            mark = "" if p_value >= LEVEL else "*" if mean > direct else "-"
            cells.append(f"{mean:.4f}{mark} ({p_value:.2g})")
        rows.append((MEASURES[measure], cells))
    return rows


def compute_p_value(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Test two-tailed, paired by query; equal rankings have p = 1."""
    # Paper is silent: paired or not. Both rankers rank the same queries.
    return 1.0 if np.array_equal(a, b, equal_nan=True) else paired_test(a, b).p_value


def write_claims(tables: dict[str, dict[str, Column]]) -> list[str]:
    """Write what these runs say of each claim of Sec. 5."""
    lines = ["Sec. 5's claims, in our runs (by the means; * where a two-tailed test at the 95% level agrees):"]
    for claim, (measure, pairs) in PAIRS.items():
        lines.append(CLAIMS[claim])
        for name, table in tables.items():
            column = table[measure]
            told = [f"{high} > {low}: {judge(column[high], column[low])}" for high, low in pairs]
            lines.append(f"  {name:12}{'; '.join(told)}")
    return lines


def judge(high: NDArray[np.float64], low: NDArray[np.float64]) -> str:
    """Say whether the mean of one is above the other's, and whether the test tells them apart."""
    difference = summarize(high).mean - summarize(low).mean
    mark = "*" if compute_p_value(high, low) < LEVEL else ""
    return ("equal" if difference == 0 else "yes" if difference > 0 else "no") + mark
