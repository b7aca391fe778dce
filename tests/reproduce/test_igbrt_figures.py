"""iGBRT's figures: lines, bars and what is against what."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from refrank.reproduce.igbrt import figures
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.run import Reproduction
from tests.reproduce.igbrt_cases import make_run, results_of
from tests.strategies import rng_of

TINY = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5), n_queries=(8, 4, 5))


def test_the_lines_of_a_figure(drawn, tmp_path):
    runs = {
        0.1: make_run([2, 4, 6], [[-3.0, 0.2, 9.0], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]]),
        0.5: make_run([2, 4, 6], [[0.95, 0.12, 0.13], [0.14, 0.15, 0.16], [0.17, 0.18, 0.19]]),
    }
    for rate, run in runs.items():
        run["errors"] = np.outer([1, 2, 3], [rate / 100, rate / 50])
    forest = np.array([0.3, 0.35, 0.65])
    figures.draw_traces(runs, forest, "title", "note", tmp_path / "figure.png", n_far_off=1)
    for panel, column in zip(drawn[0].axes, (2, 0, 1), strict=True):  # RMSE, ERR, NDCG
        *traces, line = (line for line in panel.get_lines() if line.get_linestyle() != "None")  # without ends of bars
        for trace, run in zip(traces, runs.values(), strict=True):
            np.testing.assert_array_equal(trace.get_xydata(), np.transpose([run["steps"], run["test"][:, column]]))
        assert set(line.get_ydata()) == {forest[column]}
        assert panel.get_ylim()[1] < 9
        assert len({(trace.get_linestyle(), trace.get_marker()) for trace in traces}) == len(runs)
        assert len(panel.collections) == (0 if column == 2 else len(runs))
        for bars, run in zip(panel.collections, runs.values(), strict=False):  # three looks: a bar at each
            expected = run["test"][:, column] + np.outer([-1, 1], np.ones(3)) * run["errors"][:, column]
            np.testing.assert_array_equal([segment[:, 1] for segment in bars.get_segments()], expected.T)
    # of the first round, 9.0 (RMSE) and -3.0 (ERR) are far off; its best, 0.95 (ERR), is seen
    low, high = drawn[0].axes[1].get_ylim()
    assert -3 < low < 0.14 < 0.95 < high
    figures.draw_traces(runs, forest, "title", "note", tmp_path / "figure.png", n_far_off=0)
    assert drawn[1].axes[0].get_ylim()[1] > 9


def test_bars_of_several_lines_stand_at_looks_of_their_own(drawn, tmp_path):
    looks = np.arange(1, 41)
    run = make_run(looks, np.ones((40, 3))) | {"errors": np.ones((40, 2))}
    figures.draw_traces({0.1: run, 0.2: run}, np.zeros(3), "title", "note", tmp_path / "figure.png", n_far_off=0)
    places = [[segment[0, 0] for segment in bars.get_segments()] for bars in drawn[0].axes[1].collections]
    assert places == [looks[::4].tolist(), looks[2::4].tolist()]


def test_a_bar_is_a_standard_error_of_the_paired_difference_from_the_largest_forest():
    rng = rng_of(0)
    forest, queries = rng.random((2, 2, 9)), rng.random((3, 2, 9))
    run = {"test_queries": queries}
    figures.add_errors({0.1: run}, {"test_queries": forest})
    expected = [[stats.sem(queries[step, k] - forest[-1, k]) for k in (0, 1)] for step in range(3)]
    np.testing.assert_allclose(run["errors"], expected, rtol=1e-12)  # two ways to add nine numbers


@pytest.mark.paper("iGBRT Fig. 1", "iGBRT Fig. 2")
def test_figures_1_and_2_are_of_gbrt_and_igbrt_against_the_largest_forest(monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(figures, "draw_traces", lambda *given: drawn.append(given))
    runs = {(s, size): {0.1: (s, size)} for s in "RC" for size in (0, 2, 4)}
    forests = {s: {"test": np.arange(6.0).reshape(2, 3) + 10 * (s == "C")} for s in "RC"}
    named = figures.draw_figures(results_of(runs, forests=forests), replace(TINY, n_rounds=80), Reproduction(tmp_path))
    assert len([*named]) == 2
    assert [(runs, forest.tolist(), path.name, n) for runs, forest, _, _, path, n in drawn] == [
        ({0.1: ("R", 0)}, [3, 4, 5], "figure1-tiny.png", 5),
        ({0.1: ("R", 4)}, [3, 4, 5], "figure2-tiny.png", 0),
    ]
