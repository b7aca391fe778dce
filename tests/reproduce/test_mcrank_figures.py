"""McRank Figures 1, 2 and 3: what is drawn, line by line and span by span."""

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from refrank.datasets.layouts import SPLITS
from refrank.metrics import Summary
from refrank.reproduce.intervals import compute_difference
from refrank.reproduce.mcrank import figures
from refrank.reproduce.mcrank.figure_3 import describe_finding, draw_figure_3
from refrank.reproduce.mcrank.figures import CLUMPS_X, POINTS_X, POINTS_Y, find_bins, find_first_cut
from refrank.reproduce.mcrank.rankers import BESIDE, RANKERS, Parameters
from refrank.reproduce.mcrank.study_models import Model
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import INITIAL_LENGTH
from refrank.trees.engine import Engine

# --- Figure 1


@pytest.mark.paper("McRank Fig. 1", at="draw_figure_1")
@pytest.mark.parametrize("printed", [None, {"ordinal": Summary(85.0, 9.5, 10), "LambdaRank": None}])
def test_figure_1_holds_mean_and_deviation_at_each_level(drawn, printed):
    rng = np.random.default_rng(0)
    test = {name: rng.random((12, 10)) for name in (*BESIDE, *RANKERS)}
    figures.draw_figure_1(test, "some data", Parameters(n_rounds=2, n_leaves=3, n_epochs=7), Path("none.png"), printed)
    means, deviations = drawn[0].axes
    assert drawn[0].get_suptitle() == f"{figures.describe_leaders(test)}\nMcRank on some data: 12 test queries"
    sizes = "boosters: 2 rounds, trees of 3 leaves, learning rate 0.05, at most 256 bins per feature"
    assert sizes in drawn[0].get_supxlabel().split("\n")
    for panel, of, value in ((means, np.mean, 85.0), (deviations, partial(np.std, ddof=1), 9.5)):
        lines = {line.get_label(): line for line in panel.lines}
        if printed:
            assert lines.pop("_ordinal, paper").get_ydata().tolist() == [value]
        assert {*lines} == {*RANKERS, *BESIDE}
        for name, line in lines.items():
            assert line.get_xdata().tolist() == [*range(1, 11)]
            # 12 values below 100: the summary adds exactly, NumPy does not
            np.testing.assert_allclose(line.get_ydata(), of(100 * test[name], axis=0), rtol=1e-14)
        # told apart without colour
        assert len({(str(line.get_linestyle()), line.get_marker()) for line in lines.values()}) == len(lines)
    assert len(deviations.collections) == 0
    for band, name in zip(means.collections, (*RANKERS, *BESIDE), strict=True):
        heights = band.get_paths()[0].vertices[:, 1]
        at_level_1 = 100 * test[name][:, 0]
        error = 1.96 * at_level_1.std(ddof=1) / 12**0.5
        assert abs(heights - (at_level_1.mean() + error)).min() < 1e-12
        assert abs(heights - (at_level_1.mean() - error)).min() < 1e-12


def test_the_title_of_figure_1_names_who_leads_at_which_levels():
    test = {name: np.full((3, 10), 0.2) for name in (*BESIDE, *RANKERS)}
    test["regression"] = np.tile([0.5] * 2 + [0.1] * 8, (3, 1))
    test["ordinal"] = np.tile([0.4] * 10, (3, 1))
    test["LAD"] = np.tile([0.0] * 9 + [0.9], (3, 1))
    expected = "Highest mean NDCG: regression at L = 1 to 2; ordinal at L = 3 to 9; LAD at L = 10"
    assert figures.describe_leaders(test) == expected


# --- Figure 2


def test_any_cut_in_the_range_parts_the_same_points_and_two_bins_lose_nothing():
    """Figure 2(a)(b): the error that a cut takes off, by definition, at both ends of the range and with two bins."""

    def reduced(cut):
        parts = POINTS_Y[cut > POINTS_X], POINTS_Y[cut <= POINTS_X]
        return sum((POINTS_Y - POINTS_Y.mean()) ** 2) - sum(sum((part - part.mean()) ** 2) for part in parts)

    cut, gain = find_first_cut(256)
    left, right = POINTS_X[cut > POINTS_X].max(), POINTS_X[cut <= POINTS_X].min()
    assert right - left > 0.3
    for s in (np.nextafter(left, 1), (left + right) / 2, right):
        assert abs(reduced(s) - gain) < 1e-12  # a dozen squares below 1
    assert all(reduced(s) < gain - 0.1 for s in (left, np.nextafter(right, 1)))
    assert find_first_cut(2)[1] == gain
    # an even division of the range at four places would have lost: the bins are adaptive
    assert len(find_bins(POINTS_X, 2)[0]) == 2


@pytest.mark.paper("McRank App. I", at="find_bins")
@pytest.mark.parametrize(("x", "n_bins"), [(POINTS_X, 2), (CLUMPS_X, 6), (CLUMPS_X, 3)])
def test_the_bins_drawn_are_those_of_bin_features(x, n_bins):
    starts, length = find_bins(x, n_bins)
    binned = bin_features(x.reshape(-1, 1), n_bins, engine=Engine(splitting))
    cuts = [(before + length) / 2 + after / 2 for before, after in pairwise(starts)]
    np.testing.assert_allclose(binned.cuts[0], cuts, rtol=1e-15)  # halves are added in another order
    assert all(((starts <= value) & (value < starts + length)).sum() == 1 for value in x)


@pytest.mark.paper("McRank Fig. 2", at="draw_figure_2")
def test_figure_2_shows_the_range_the_two_bins_and_the_adaptive_ones(drawn):
    figures.draw_figure_2(Path("none.png"))
    a, b, c = drawn[0].axes
    for panel in (a, b):
        np.testing.assert_array_equal(panel.lines[0].get_xydata().T, [POINTS_X, POINTS_Y])
    # (a) the range from the last point left of the cut to the first one right of it
    spans = {panel: [(span.get_x(), span.get_width()) for span in panel.patches] for panel in (a, b, c)}
    np.testing.assert_allclose(spans[a], [(0.31, 0.69 - 0.31)], rtol=0, atol=1e-15)
    assert [line.get_xdata()[0] for line in a.lines[1:]] == [0.31, 0.69]
    # (b) and (c) the bins, with labels in their middle; the error taken off is that of (a)
    for panel, x, n_bins in ((b, POINTS_X, 2), (c, CLUMPS_X, 6)):
        starts, length = find_bins(x, n_bins)
        np.testing.assert_allclose(spans[panel], [(start, length) for start in starts], rtol=0, atol=1e-15)
        labels = [(text.get_text(), text.get_position()[0]) for text in panel.texts if text.get_text() != "cut"]
        assert labels == [(str(label), start + length / 2) for label, start in enumerate(starts)]
    cut, gain = find_first_cut(2)
    assert list(b.lines[-1].get_xdata()) == [cut, cut]
    assert 0.31 < cut < 0.69
    for panel in (a, b):
        assert panel.get_title("left").endswith(f"lowers the squared error by {gain:.4f}")
    doublings = next(n for n in range(60) if INITIAL_LENGTH * 2.0**n == length)
    assert f"doubled {doublings} times, is {length:.3f}" in c.get_title("left")


# --- Figure 3


NAMES = ("training", "validation", "test")


@pytest.mark.paper("McRank Fig. 3", at="draw_figure_3")
def test_figure_3_shows_bins_losses_and_scoring_functions(drawn):
    rng, models = np.random.default_rng(0), {}
    for model, bins in ((Model(), 90), (Model(n_bins=8), 20), (Model(n_bins=32), 50), (Model(n_bins=512), 200)):
        ndcg = {f"{split} {T}": rng.random((3, 5)) for split in SPLITS for T in ("k", "2^k-1", "2^k")}
        models[model] = {"rounds": np.array([2, 4, 6]), "bins": np.array(bins)} | ndcg
    draw_figure_3("some data, 6 rounds", (3, 5, 9), models, Path("none.png"))
    a, b, c = drawn[0].axes
    by_exponent = [models[Model(n_bins=n_bins)] for n_bins in (8, 32, 512)]
    (bins,) = a.lines
    assert list(bins.get_ydata()) == [10, 25, 100]  # percent of the largest
    assert list(bins.get_xdata()) == [8, 32, 512]
    assert a.get_title("left") == "(a) At most 32 bins per feature\nleave 25% of all bins"
    # 5 values: the summary adds exactly, NumPy does not; of the losses, differences of numbers below 100
    curves = [line for line in b.lines if line.get_label() in NAMES]
    for split, name, line, band in zip(SPLITS, NAMES, curves, b.collections, strict=True):
        each = [100 * arrays[f"{split} k"][-1] for arrays in by_exponent]
        assert line.get_label() == name
        assert list(line.get_xdata()) == [8, 32]  # at the largest, nothing is lost
        assert line.get_ydata() == pytest.approx([(each[-1] - of).mean() for of in each[:-1]], abs=1e-12)
        intervals = [compute_difference(each[-1], of) for of in each[:-1]]
        drawn_at = {tuple(np.round(vertex, 9)) for vertex in band.get_paths()[0].vertices}
        for x, interval in zip((8, 32), intervals, strict=True):
            assert {(x, round(interval.low, 9)), (x, round(interval.high, 9))} <= drawn_at
        edges = [edge for edge in b.lines if edge.get_linewidth() < 1 and edge.get_color() == line.get_color()]
        assert [edge.get_linestyle() for edge in edges] == 2 * [line.get_linestyle()]
    assert len({line.get_linestyle() for line in curves}) == len(SPLITS)  # told apart without colour
    *tested, most = (100 * arrays["test k"][-1] for arrays in by_exponent)
    losses = [compute_difference(most, of) for of in tested]
    assert b.get_title("left") == f"(b) Lost on the test queries with 32 bins:\n{losses[1]} points"
    shown = {line.get_label(): line for line in c.lines}
    looks = {(line.get_marker(), line.get_linestyle()) for line in c.lines}
    assert len(shown) == len(looks) == 6  # told apart without colour
    for T, name, style in (("k", "by grade", "-"), ("2^k-1", "by gain", "--")):
        for split, of_split in zip(SPLITS, NAMES, strict=True):
            line = shown[f"{of_split}, {name}"]
            assert (line.get_xdata().tolist(), line.get_linestyle()) == ([2, 4, 6], style)
            assert line.get_ydata() == pytest.approx(100 * models[Model()][f"{split} {T}"].mean(axis=1), rel=1e-14)
    stages = (100 * models[Model()][f"test {T}"] for T in ("k", "2^k-1"))
    ahead = [compute_difference(*pair) for pair in zip(*stages, strict=True)]
    title = f"(c) Scores by grade minus scores by gain, test queries, last round: {ahead[-1]} points"
    assert c.get_title("left") == title
    assert drawn[0].get_suptitle() == f"{describe_finding(losses, ahead)} (classification, some data, 6 rounds)"
