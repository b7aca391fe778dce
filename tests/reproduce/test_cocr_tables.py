"""Tables, claims, figures and proxies of `refrank reproduce cocr`, from cells of random numbers."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from refrank.datasets import LetorData
from refrank.datasets.folds import Fold
from refrank.reproduce.cocr import tables
from refrank.reproduce.cocr.figures import draw_bagging, draw_min_instances
from refrank.reproduce.cocr.rankers import WAYS, Results, Setting
from refrank.reproduce.cocr.tables import compare_proxies, judge, write_tables
from refrank.reproduce.run import Run

SETTING = Setting("random", steps=(0.1, 0.05), min_instances=(4, 64, 256), n_bags=3)
N_QUERIES = (40, 30)  # of two folds
RANKERS = ["linear", "m5p-4", "m5p-64", "m5p-256", "gbrt-0.1", "gbrt-0.05"]


def random_cells():
    """Two folds; M = 256 in the first one only; every array is another one, some ways are clearly better."""
    rng = np.random.default_rng(6)
    cells = {}
    for name in RANKERS:
        for way in WAYS:
            cells[name, way] = []
            for n in N_QUERIES[: 1 if name == "m5p-256" else 2]:
                sizes = {"train": 2 * n, "valid": n + 5, "test": n}
                arrays = {f"{part}_{m}": rng.random(size) / 2 for part, size in sizes.items() for m in ("err", "ndcg")}
                arrays |= {f"cost_{cost}": rng.integers(0, 99, n) for cost in WAYS[1:]}
                arrays |= {"ideal_err": rng.random(n) + (rng.random(n) < 0.9) - 1, "ideal_ndcg": rng.random(n) + 0.5}
                arrays["ideal_err"] = np.maximum(arrays["ideal_err"], 0)
                cells[name, way].append(arrays)
    for way, (err, ndcg) in {"absolute": (0.1, 0.3), "squared": (-0.1, 0.2), "oerr": (0.2, -0.2)}.items():
        for arrays in cells["linear", way] + cells["gbrt-0.1", way]:
            arrays["test_err"] += err
            arrays["test_ndcg"] += ndcg
    for way in WAYS:
        n_rounds = 3 * (2 if way == "direct" else 1)  # K = 2
        cells["bagging", way] = [{"test_err": rng.random((n_rounds, n))} for n in N_QUERIES]
    return cells


CELLS = random_cells()
RESULTS = Results(SETTING, CELLS)
TEXT = write_tables(RESULTS)


def pooled(name, way, measure):
    return np.concatenate([arrays[measure] for arrays in CELLS[name, way]])


def chosen(way, measure):
    """M5P's test figures at each fold's best validation ERR, among the M that both folds have."""
    parts = []
    for fold in range(2):
        best = max(("m5p-4", "m5p-64"), key=lambda name: CELLS[name, way][fold]["valid_err"].mean())
        parts.append(CELLS[best, way][fold][measure])
    return np.concatenate(parts)


def below(title, n_lines):
    """The lines that follow one which begins with `title`."""
    at = next(i for i, line in enumerate(TEXT) if line.strip().startswith(title))
    return TEXT[at + 1 : at + 1 + n_lines]


def means(line):
    return re.findall(r"\d\.\d{4}", line)


def p(a, b):
    return stats.ttest_rel(a, b).pvalue


def column(base, way, measure):
    return chosen(way, measure) if base == "M5P" else pooled(base, way, measure)


@pytest.mark.parametrize(
    ("title", "base", "skipped"),
    [
        ("Table 1 and 2", "linear", 1),
        ("Table 5 and 6", "M5P", 1),
        ("step 0.1", "gbrt-0.1", 0),
        ("step 0.05", "gbrt-0.05", 0),
    ],
)
def test_means_p_values_and_marks(title, base, skipped):
    lines = below(title, skipped + 2)[skipped:]
    for line, measure in zip(lines, ("test_err", "test_ndcg"), strict=True):
        columns = {way: column(base, way, measure) for way in WAYS}
        expected = [{"test_err": "ERR", "test_ndcg": "NDCG@10"}[measure], f"{columns['direct'].mean():.4f}"]
        for way in WAYS[1:]:
            against = p(columns[way], columns["direct"])
            mark = "" if against >= 0.05 else "*" if columns[way].mean() > columns["direct"].mean() else "-"
            expected += [f"{columns[way].mean():.4f}{mark}", f"({against:.2g})"]
        assert line.split() == expected


def test_columns_are_named():
    for title in ("Table 1 and 2", "Table 4", "Table 5 and 6", "Table 7 and 8"):
        assert below(title, 1)[0].split() == list(WAYS) == ["direct", "absolute", "squared", "oerr"]


def test_table_3_holds_oerr_against_the_two_others():
    for line, base in zip(below("Table 3", 2), ("linear", "M5P"), strict=True):
        tests = [
            f"{way} {p(column(base, 'oerr', 'test_err'), column(base, way, 'test_err')):.2g}"
            for way in ("absolute", "squared")
        ]
        assert line.split(maxsplit=2)[1:] == [base, ", ".join(tests)]


@pytest.mark.paper("COCR Sec. 5.4", at="choose_m")
@pytest.mark.paper("COCR Sec. 5.4", at="write_tables")
def test_table_4_holds_validation_err_over_m_and_the_chosen_ones_test():
    lines = below("Table 4", 4)[1:]
    for line, m in zip(lines, (4, 64), strict=False):
        assert line.split()[:3] == ["M", "=", str(m)]
        assert means(line) == [f"{pooled(f'm5p-{m}', way, 'valid_err').mean():.4f}" for way in WAYS]
    assert lines[2].split(",")[0] == "  test"  # none of M = 256, which one fold lacks
    assert means(lines[2]) == [f"{chosen(way, 'test_err').mean():.4f}" for way in WAYS]


@pytest.mark.parametrize(
    ("claim", "measure", "pairs"),
    [
        ("claim 1", "test_err", [("absolute", "direct"), ("squared", "direct"), ("oerr", "direct")]),
        ("claim 2", "test_err", [("oerr", "direct"), ("oerr", "absolute"), ("oerr", "squared")]),
        ("Sec. 5.3", "test_ndcg", [("squared", "absolute"), ("squared", "oerr")]),
    ],
)
def test_each_claim_is_held_against_its_measure(claim, measure, pairs):
    for line, base in zip(below(claim, 4), ("linear", "M5P", "gbrt-0.1", "gbrt-0.05"), strict=True):
        said = []
        for high, low in pairs:
            a, b = column(base, high, measure), column(base, low, measure)
            said.append(f"{high} > {low}: {'yes' if a.mean() > b.mean() else 'no'}{'*' if p(a, b) < 0.05 else ''}")
        assert line[2:14].strip() == base.replace("gbrt-", "GBRT ")
        assert line[14:] == "; ".join(said)


def test_the_numbers_tell_yes_from_no():
    """Cells in which a test of the signs of claims and marks can fail."""
    verdicts = {word for line in TEXT if " > " in line for word in re.findall(r": (\w+\*?)", line)}
    assert verdicts == {"yes", "no", "yes*", "no*"}
    assert {mark for line in TEXT for mark in re.findall(r"\d([*-]?) \(", line)} == {"", "*", "-"}


def test_equal_rankings_are_neither_better_nor_worse():
    assert judge(np.arange(9.0), np.arange(9.0)) == "equal"


@pytest.mark.parametrize(("given", "folds"), [(None, ["artificial"]), (Path("x"), ["F1", "F2"])])
def test_data_decide_on_folds(monkeypatch, tmp_path, given, folds):
    asked = []

    def run_fold(setting, fold, run):
        asked.append((setting, fold.name, run))
        part = 0 if fold.name != "F2" else 1
        yield from ((*key, arrays[part]) for key, arrays in CELLS.items() if part < len(arrays))

    parts = [LetorData(np.zeros((1, 1)), np.zeros(1, np.int64), np.zeros(1, np.int64), ("",))] * 3
    run = Run(tmp_path, given, n_threads=3)
    monkeypatch.setattr(tables, "run_fold", run_fold)
    monkeypatch.setattr(Run, "load", lambda run: [Fold(f"F{i}", *parts) for i in (1, 2)])
    text = tables.reproduce(SETTING, run)
    assert asked == [(SETTING, fold, run) for fold in folds]
    assert text.startswith(f"COCR Sec. 5 on {', '.join(folds)}, setting random\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "figure1-random.png",
        "figure2-random.png",
        "proxies-random.png",
        "tables-random.txt",
    ]
    if given is not None:
        assert "\n".join(TEXT) in text


# --- figures


def points(axes):
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.get_lines()}


def test_figure_1_shows_three_parts_over_m(drawn, tmp_path):
    draw_min_instances(RESULTS, tmp_path / "x.png")
    (figure,) = drawn
    for axes, way, title in zip(
        figure.axes, ("direct", "oerr"), ("(a) direct regression", "(b) COCR, oERR"), strict=True
    ):
        assert axes.get_title() == title
        for label, part in (("training", "train"), ("validation", "valid"), ("test", "test")):
            x, y = points(axes)[label]
            assert x == [4, 64, 256]
            # means by fsum and by NumPy: rounding
            assert y == pytest.approx([pooled(f"m5p-{m}", way, f"{part}_err").mean() for m in x], rel=1e-14)


def test_figure_2_shows_rounds_and_trees(drawn, tmp_path):
    draw_bagging(RESULTS, tmp_path / "x.png")
    (figure,) = drawn
    curves = {
        way: [np.concatenate([arrays["test_err"][t] for arrays in CELLS["bagging", way]]).mean() for t in range(n)]
        for way, n in (("direct", 6), ("oerr", 3))
    }
    rounds, trees = (points(axes) for axes in figure.axes)
    assert [axes.get_title() for axes in figure.axes] == ["(a) equal rounds", "(b) equal trees"]
    assert rounds["direct"] == ([1, 2, 3], pytest.approx(curves["direct"][:3], rel=1e-14))
    assert rounds["COCR, oERR"] == ([1, 2, 3], pytest.approx(curves["oerr"], rel=1e-14))
    assert trees["direct"] == ([1, 2, 3, 4, 5, 6], pytest.approx(curves["direct"], rel=1e-14))
    assert trees["COCR, oERR"] == ([2, 4, 6], pytest.approx(curves["oerr"], rel=1e-14))


# --- proxies


def costs_and_errors(name, way, measure, cost):
    asked = pooled(name, way, "ideal_err") > 0
    error = pooled(name, way, f"ideal_{measure}") - pooled(name, way, f"test_{measure}")
    return pooled(name, way, f"cost_{cost}")[asked], error[asked]


def test_proxies_are_spearmans_correlations(drawn, tmp_path):
    lines = compare_proxies(RESULTS, tmp_path / "proxies.png")
    assert "median over 24 rankers" in lines[0]
    assert lines[1].split() == ["absolute", "squared", "oerr"]
    (figure,) = drawn
    for number, measure, axes in zip((2, 3), ("err", "ndcg"), figure.axes, strict=True):
        of_cost = {
            cost: [costs_and_errors(name, way, measure, cost) for name in RANKERS for way in WAYS] for cost in WAYS[1:]
        }
        found = {cost: sorted(stats.spearmanr(*pair).statistic for pair in pairs) for cost, pairs in of_cost.items()}
        name = {"err": "ERR", "ndcg": "NDCG@10"}[measure]
        assert lines[number].split() == [name, *(f"{np.median(values):.3f}" for values in found.values())]
        between = [
            stats.spearmanr([c.mean() for c, _ in pairs], [e.mean() for _, e in pairs]).statistic
            for pairs in of_cost.values()
        ]
        assert lines[number + 3].split() == [name, *(f"{value:.3f}" for value in between)]
        assert axes.get_title() == f"{name} error"
        assert [label.get_text() for label in axes.get_xticklabels()] == ["absolute", "squared", "oerr"]
        dots = [line.get_ydata() for line in axes.get_lines() if line.get_marker() == "o"]
        assert [list(values) for values in dots] == list(found.values())
        middles = [
            line.get_ydata()[0] for line in axes.get_lines() if line.get_color() == "C1" and line.get_marker() != "o"
        ]
        assert middles == pytest.approx([np.median(values) for values in found.values()], rel=1e-12)
