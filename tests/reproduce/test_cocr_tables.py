"""Tables, claims, figures and proxies of `refrank reproduce cocr`, from cells of random numbers."""

import math
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from refrank.inspection.style import ORANGE
from refrank.reproduce.cocr import tables
from refrank.reproduce.cocr.claims import judge, write_overfitting
from refrank.reproduce.cocr.figures import draw_bagging, draw_min_instances
from refrank.reproduce.cocr.rankers import WAYS, CocrSetting, Results
from refrank.reproduce.cocr.tables import collect_tables, compare_proxies, write_power, write_tables
from refrank.reproduce.run import Reproduction

SETTING = CocrSetting("random", steps=(0.1, 0.05), min_instances=(4, 64, 256), n_bags=3)
N_QUERIES = (40, 30)  # of two folds
RANKERS = ["linear", "least squares", "m5p-4", "m5p-64", "m5p-256", "gbrt-0.1", "gbrt-0.05"]


def random_cells():
    """Two folds; M = 256 in the first one only; every array is another one, some ways are clearly better."""
    rng = np.random.default_rng(6)
    better = {"absolute": (0.1, 0.3), "squared": (-0.1, 0.2), "oerr": (0.2, -0.2)}  # in ERR and NDCG

    def draw(name, way, n):
        sizes = {"train": 2 * n, "valid": n + 5, "test": n}
        arrays = {f"{part}_{m}": rng.random(size) / 2 for part, size in sizes.items() for m in ("err", "ndcg")}
        if name in ("linear", "gbrt-0.1") and way in better:
            arrays["test_err"] += better[way][0]
            arrays["test_ndcg"] += better[way][1]
        arrays |= {f"cost_{cost}": rng.integers(0, 99, n) for cost in WAYS[1:]}
        ideal = np.where(rng.random(n) < 0.9, rng.random(n), 0)
        return arrays | {"ideal_err": ideal, "ideal_ndcg": rng.random(n) + 0.5}

    n_folds, n_rounds = {"m5p-256": 1}, {"direct": 6}  # K = 2
    rankers = list(product(RANKERS, WAYS))
    cells = {key: [draw(*key, n) for n in N_QUERIES[: n_folds.get(key[0], 2)]] for key in rankers}
    for way in WAYS:
        cells["bagging", way] = [{"test_err": rng.random((n_rounds.get(way, 3), n))} for n in N_QUERIES]
    return cells


CELLS = random_cells()
RESULTS = Results(SETTING, CELLS)
TABLES = collect_tables(RESULTS)
TEXT = [" ".join(line.split()) for line in write_tables(RESULTS, TABLES)]
CLAIMS = TEXT.index(next(line for line in TEXT if line.startswith("Sec. 5's claims by the means of our runs")))


def pool(name, way, measure):
    """The queries of all folds; of M5P, at each fold's best validation ERR among the M that both folds have."""
    if name != "M5P":
        return np.concatenate([arrays[measure] for arrays in CELLS[name, way]])
    valid = {m: [arrays["valid_err"].mean() for arrays in CELLS[m, way]] for m in ("m5p-4", "m5p-64")}
    best = ["m5p-4" if low > high else "m5p-64" for low, high in zip(*valid.values(), strict=True)]
    return np.concatenate([CELLS[m, way][fold][measure] for fold, m in enumerate(best)])


def compute_p(name, measure, way, other):
    return stats.ttest_rel(pool(name, way, measure), pool(name, other, measure)).pvalue


def compute_means(name, measure):
    return " ".join(f"{pool(name, way, measure).mean():.4f}" for way in WAYS)


def write_rows(name):
    """ERR and NDCG@10 of each way, marked and with p where it is held against direct regression."""
    rows = []
    for measure, words in (("test_err", ["ERR"]), ("test_ndcg", ["NDCG@10"])):
        direct = pool(name, "direct", measure).mean()
        words.append(f"{direct:.4f}")
        for way in WAYS[1:]:
            mean, p = pool(name, way, measure).mean(), compute_p(name, measure, way, "direct")
            words += [f"{mean:.4f}{'' if p >= 0.05 else '*' if mean > direct else '-'}", f"({p:.2g})"]
        rows.append(" ".join(words))
    return rows


@pytest.mark.paper("COCR Table 1", "COCR Table 2", "COCR Table 3", "COCR Table 4", at="write_tables")
@pytest.mark.paper("COCR Table 5", "COCR Table 6", "COCR Table 7", "COCR Table 8", at="write_tables")
@pytest.mark.paper("COCR Sec. 5.4", at="choose_m")
@pytest.mark.paper("COCR Sec. 5.4", at="write_tables")
def test_the_tables_hold_means_p_values_marks_and_the_m_that_validation_chose():
    """Table 4 has no row of M = 256, which one fold lacks."""
    heading = "direct absolute squared oerr"
    linear, m5p = (
        ", ".join(f"{way} {compute_p(name, 'test_err', 'oerr', way):.2g}" for way in ("absolute", "squared"))
        for name in ("linear", "M5P")
    )
    assert TEXT[:CLAIMS] == [
        *("Table 1 and 2, linear", heading, *write_rows("linear")),
        *("plain least squares", *write_rows("least squares"), ""),
        *("Table 5 and 6, M5P, M by validation", heading, *write_rows("M5P"), ""),
        "Table 3, p-values (two-tailed) of the oERR cost against the others, ERR",
        *(f"(a) linear {linear}", f"(b) M5P {m5p}", ""),
        *("Table 4, M5P, validation ERR over M", heading),
        *(f"M = {m} {compute_means(f'm5p-{m}', 'valid_err')}" for m in (4, 64)),
        *(f"test, M chosen {compute_means('M5P', 'test_err')}", ""),
        *("Table 7 and 8, GBRT", heading, "(two-tailed tests as above)"),
        *("step 0.1", *write_rows("gbrt-0.1"), "step 0.05", *write_rows("gbrt-0.05"), ""),
    ]
    assert {mark for line in TEXT for mark in re.findall(r"\d([*-]?) \(", line)} == {"", "*", "-"}  # signs can fail


@pytest.mark.paper("COCR Sec. 5, claim 1", "COCR Sec. 5, claim 2", at="CLAIMS")
@pytest.mark.paper("COCR Sec. 5.3, claim 1", "COCR Sec. 5.3, claim 2", at="CLAIMS")
@pytest.mark.paper("COCR Sec. 5.3, claim 3", "COCR Sec. 5.3, claim 4", at="CLAIMS")
@pytest.mark.paper("COCR Sec. 5.4, claim 3", "COCR Sec. 5.4, claim 4", "COCR Sec. 5.4, claim 5", at="CLAIMS")
@pytest.mark.paper("COCR Sec. 5.6, claim 1", "COCR Sec. 5.6, claim 2", at="CLAIMS")
def test_each_claim_is_held_against_its_measure():
    lines_of_claims, place = [], CLAIMS + 1
    for claim, measure, pairs in (
        ("claim 1", "test_err", [("absolute", "direct"), ("squared", "direct"), ("oerr", "direct")]),
        ("claim 2", "test_err", [("oerr", "direct"), ("oerr", "absolute"), ("oerr", "squared")]),
        ("Sec. 5.3,", "test_ndcg", [("squared", "absolute"), ("squared", "oerr")]),
        ("Sec. 5.3 and 5.4", "test_ndcg", [("absolute", "direct"), ("squared", "direct"), ("oerr", "direct")]),
    ):
        place += 1
        assert TEXT[place].startswith(claim)
        for name in ("linear", "least squares", "M5P", *RANKERS[-2:]):
            said, place = [], place + 1
            for high, low in pairs:
                is_so = pool(name, high, measure).mean() > pool(name, low, measure).mean()
                mark = "*" if compute_p(name, measure, high, low) < 0.05 else ""
                said.append(f"{high} > {low}: {'yes' if is_so else 'no'}{mark}")
            assert TEXT[place] == f"{name.replace('gbrt-', 'GBRT ')} {'; '.join(said)}"
            lines_of_claims.append(TEXT[place])
    assert TEXT[place + 1].startswith("Sec. 5.4,")
    said = {word for line in lines_of_claims for word in re.findall(r": (\w+\*?)", line)}
    assert said == {"yes", "no", "yes*", "no*"}


def test_the_power_is_that_of_the_pair_of_ways_that_differs_most():
    """z(.975) + z(.8) = 2.8016 standard errors; a difference of .002 needs (2.8016 sd / .002)^2 queries."""
    lines = [" ".join(line.split()) for line in write_power(TABLES)]
    assert lines[0].startswith("What 70 test queries resolve, given the training rows: a difference that a test")
    for name, line in zip(("linear", "least squares", "M5P", *RANKERS[-2:]), lines[3:], strict=True):
        words = [name.replace("gbrt-", "GBRT ")]
        for measure in ("test_err", "test_ndcg"):
            sd = max(np.std(pool(name, a, measure) - pool(name, b, measure), ddof=1) for a, b in product(WAYS, WAYS))
            needed = math.ceil((2.80158521 * sd / 0.002) ** 2)
            words += [f"{sd:.3f}", f"{2.80158521 * sd / 70**0.5:.4f}", f"{needed:,}"]
        assert line == " ".join(words)


@pytest.mark.paper("COCR Sec. 5.4, claim 1", "COCR Sec. 5.4, claim 2")
def test_what_is_said_of_figure_1():
    """ERR of two queries: the best and the worst M of each part is another one."""
    err = {
        "direct": {"train": (0.1, 0.3, 0.2), "test": (0.1, 0.2, 0.3)},
        "oerr": {"train": (0.3, 0.2, 0.1), "test": (0.3, 0.1, 0.2)},
    }
    cells = {("linear", "direct"): [{}]}
    for way in WAYS:
        for place, m in enumerate(SETTING.min_instances):
            of = {f"{split}_err": np.full(2, values[place]) for split, values in err.get(way, err["direct"]).items()}
            cells[f"m5p-{m}", way] = [of]
    lines = write_overfitting(Results(SETTING, cells))
    assert lines[1::2] == ["  best test ERR at M = 256", "  highest training ERR at M = 4, lowest test ERR at M = 64"]
    assert [" ".join(line.split()) for line in write_overfitting(RESULTS)] == TEXT[-8:-4]


@pytest.mark.paper("COCR Sec. 5.5, claim 1", "COCR Sec. 5.5, claim 2")
def test_what_is_said_of_figure_2():
    """Three rounds of COCR against six of direct regression, K = 2: rounds 1 to 3, and 2, 4 and 6."""
    bagging = (np.hstack([of["test_err"] for of in CELLS["bagging", way]]) for way in ("direct", "oerr"))
    direct, oerr = (by_round.mean(axis=1) for by_round in bagging)
    rounds, trees = (oerr > direct[:3]).sum(), (oerr > direct[1::2]).sum()
    assert TEXT[-4:][1::2] == [
        f"oerr > direct at equal rounds: {rounds} of 3",
        f"oerr > direct at equal numbers of trees: {trees} of 3",
    ]
    assert rounds != trees  # so that neither can stand for the other


def test_equal_rankings_are_neither_better_nor_worse():
    assert judge(np.arange(9.0), np.arange(9.0)) == "equal"


@pytest.mark.parametrize(("given", "folds"), [(None, ["artificial"]), (Path("x"), ["F1", "F2"])])
def test_data_decide_on_folds(monkeypatch, tmp_path, given, folds):
    asked = []

    def run_fold(setting, fold, run):
        asked.append((setting, fold.name, run))
        part = 0 if fold.name != "F2" else 1
        yield from ((*key, arrays[part]) for key, arrays in CELLS.items() if part < len(arrays))

    run = Reproduction(tmp_path, given, n_threads=3)
    monkeypatch.setattr(tables, "run_fold", run_fold)
    monkeypatch.setattr(Reproduction, "load", lambda run: [SimpleNamespace(name=f"F{i}") for i in (1, 2)])
    text = tables.reproduce(SETTING, run)
    assert asked == [(SETTING, fold, run) for fold in folds]
    assert text.startswith(f"COCR Sec. 5 on {', '.join(folds)}, setting {'x-' * bool(given)}random\n")
    if given is not None:
        assert "\n".join(write_tables(RESULTS, TABLES)) in text


# --- figures


def points(axes):
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.get_lines()}


def read_band(axes):
    """The lower and the upper end of the band at each place."""
    (band,) = axes.collections
    ends = {}
    for x, y in band.get_paths()[0].vertices.tolist():
        ends.setdefault(round(x), []).append(y)
    return {x: (min(ys), max(ys)) for x, ys in sorted(ends.items())}


@pytest.mark.paper("COCR Fig. 1", at="draw_min_instances")
def test_figure_1_shows_three_parts_over_m(drawn, tmp_path):
    draw_min_instances(RESULTS, tmp_path / "x.png")
    (figure,) = drawn
    ways = {"direct": "(a) Direct regression", "oerr": "(b) COCR with the oERR cost"}
    for axes, (way, title) in zip(figure.axes, ways.items(), strict=True):
        four, sixty_four = (pool(name, way, "test_err") for name in ("m5p-4", "m5p-64"))  # 256: of fewer queries
        error = stats.sem(sixty_four - four)
        n_beyond = int(abs(sixty_four.mean() - four.mean()) > error)
        assert axes.get_title("left") == f"{title}: test ERR\noutside the band at {n_beyond} of 1 larger M"
        band = {4: (four.mean(), four.mean()), 64: (four.mean() - error, four.mean() + error)}
        assert read_band(axes) == {m: pytest.approx(ends, rel=1e-12) for m, ends in band.items()}
        for label, part in (("training", "train"), ("validation", "valid"), ("test", "test")):
            x, y = points(axes)[label]
            assert x == [4, 64, 256]
            # means by fsum and by NumPy: rounding
            assert y == pytest.approx([pool(f"m5p-{m}", way, f"{part}_err").mean() for m in x], rel=1e-14)


@pytest.mark.paper("COCR Fig. 2", at="draw_bagging")
def test_figure_2_shows_rounds_and_trees(drawn, tmp_path):
    draw_bagging(RESULTS, tmp_path / "x.png")
    (figure,) = drawn
    rounds, trees = (points(axes) for axes in figure.axes)
    by_round = {way: np.hstack([arrays["test_err"] for arrays in CELLS["bagging", way]]) for way in ("direct", "oerr")}
    for axes, title, step in zip(figure.axes, ("(a) With equal rounds", "(b) With equal trees"), (1, 2), strict=True):
        beside = by_round["direct"][[step * t - 1 for t in (1, 2, 3)]]
        n_above = sum(by_round["oerr"].mean(axis=1) > beside.mean(axis=1))
        assert axes.get_title("left") == f"{title}, COCR is above\ndirect regression at {n_above} of 3 points"
        errors = stats.sem(by_round["oerr"] - beside, axis=1)
        ends = zip(beside.mean(axis=1) - errors, beside.mean(axis=1) + errors, strict=True)
        expected = {step * t: pytest.approx(end, rel=1e-12) for t, end in zip((1, 2, 3), ends, strict=True)}
        assert read_band(axes) == expected
    for way, label, n_trees in (("direct", "direct", [1, 2, 3, 4, 5, 6]), ("oerr", "COCR", [2, 4, 6])):
        curve = by_round[way].mean(axis=1).tolist()
        assert rounds[label] == ([1, 2, 3], pytest.approx(curve[:3], rel=1e-14))
        assert trees[label] == (n_trees, pytest.approx(curve, rel=1e-14))


# --- proxies


def test_figures_are_drawn_under_their_numbers(drawn, monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "run_fold", lambda *_: ((*key, folds[0]) for key, folds in RESULTS.cells.items()))
    tables.reproduce(RESULTS.setting, Reproduction(tmp_path))
    titles = [figure.get_suptitle().split(":")[0] for figure in drawn[:2]]
    assert titles == ["Model trees (M5P)", "Bagged model trees (M5P)"]


def test_proxies_are_spearmans_correlations(drawn, tmp_path):
    lines = [line.split() for line in compare_proxies(RESULTS, tmp_path / "proxies.png")]
    assert lines[0][-4:] == ["median", "over", "28", "rankers"]
    assert lines[1] == ["absolute", "squared", "oerr"]
    for number, measure, name, axes in zip((2, 3), ("err", "ndcg"), ("ERR", "NDCG@10"), drawn[0].axes, strict=True):
        within, between = [], []
        for cost in (f"cost_{way}" for way in WAYS[1:]):
            pairs = []
            for ranker in product(RANKERS, WAYS):
                errors = pool(*ranker, f"ideal_{measure}") - pool(*ranker, f"test_{measure}")
                pairs.append(np.array([pool(*ranker, cost), errors])[:, pool(*ranker, "ideal_err") > 0])
            within.append(sorted(stats.spearmanr(*pair).statistic for pair in pairs))
            between.append(stats.spearmanr([pair.mean(axis=1) for pair in pairs]).statistic)
        assert lines[number] == [name, *(f"{np.median(values):.3f}" for values in within)]
        assert lines[number + 3] == [name, *(f"{value:.3f}" for value in between)]
        medians = sorted(((np.median(of), cost) for of, cost in zip(within, WAYS[1:], strict=True)), reverse=True)
        best, *others = (f"{cost} {median:.3f}" for median, cost in medians)
        assert axes.get_title("left") == f"{name} error, highest median: {best}\n({', '.join(others)})"
        dots = [list(line.get_ydata()) for line in axes.get_lines() if line.get_marker() == "o"]
        boxes = [
            line.get_ydata()[0]
            for line in axes.get_lines()
            if line.get_color() == ORANGE and len(line.get_xdata()) == 2
        ]
        assert dots == within
        assert boxes == pytest.approx([np.median(values) for values in within], rel=1e-12)
