"""The benchmarks: they import without their peers, their comparisons are made right, and reports can be written."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare
from benchmarks.speed import page, report
from benchmarks.speed.m5p import draw_sparse_grades
from docs.site.documents import list_chapters
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks"
COMMAND = re.compile(r"python -m (benchmarks[\w.]*)")
ALONE = [path for path in sorted(FOLDER.rglob("*.py")) if path.stem != "lightgbm_bins"]  # which is about its peer
MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in ALONE]
PEERS = ("catboost", "ir_measures", "lightgbm", "ranx", "treelite", "xgboost", "ydf")
WITHOUT_PEERS = f"""
import sys
for peer in {PEERS!r}:
    sys.modules[peer] = None  # importing it fails
"""


def run_without_peers(lines, cwd):
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    command = [sys.executable, "-c", WITHOUT_PEERS + lines]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("n_features", [3, 10, 63, 70])
def test_the_data_of_m5p_have_any_number_of_features_from_3(n_features):
    X, y = draw_sparse_grades(50, n_features)
    assert (X.shape, len(np.unique(y))) == ((50, n_features), 5)
    with pytest.raises(ValueError, match="--features is 2: it must be an integer of at least 3"):
        draw_sparse_grades(50, 2)


def test_every_work_runs_without_peers_on_a_few_rows(tmp_path):
    """Only scikit-learn and refrank itself are left to compare with."""
    lines = f"""
import importlib
for module in {MODULES}: importlib.import_module(module)
from benchmarks.speed import cocr, data, run, small
cocr.N_ROUNDS, small.N_ROUNDS, data.N_TEST_QUERIES = 2, 2, 10
run.SMALL.update(scale=0.001, turns=2, trees=2)
run.main("--small --threads 1 --out here --only W1 W2 W3 W4 W5 W6 W8 W9 W10 W11 W16 W17".split())
"""
    done = run_without_peers(lines, tmp_path)
    assert done.returncode == 0, done.stderr
    for peer in ("lightgbm", "xgboost", "catboost", "treelite", "ranx", "ir-measures"):
        assert done.stdout.count(f"{peer} is left out") == 1
    report = json.loads((tmp_path / "here" / "run.json").read_text())
    assert {row["work"] for row in report["comparisons"]} == {"W1", "W2", "W3", "W6", "W8", "W9", "W10", "W11", "W16"}
    # the process imported the benchmarks of accuracy, too: ydf is theirs
    assert report["left_out"] == ["catboost", "ir-measures", "lightgbm", "ranx", "treelite", "xgboost", "ydf"]
    assert (tmp_path / "here" / "run.png").read_bytes()[1:4] == b"PNG"


def test_a_report_of_made_up_figures(tmp_path):
    rows = [
        Pairing("W1", "a round", "peer 1.0", 0.5, 1.0, (0.4, 0.5, 0.7), 0.55, (0.61234, 0.6), "NDCG@10"),
        Pairing("W1", "a round", "peer 1.0, quantised", 0.5, 0.4, (1.25,), 1.0),
        Pairing("W7", "peak", "other 2", 120.0, 60.0, (2.0,), unit="MB"),
    ]
    lines = [" ".join(line.split()) for line in report.write_table(rows).splitlines()[1:]]
    assert lines == [
        "W1 a round peer 1.0 500.0 ms 1.00 s 0.50 0.40..0.70 0.55 met NDCG@10 0.6123, 0.6",
        "W1 a round peer 1.0, quantised 500.0 ms 400.0 ms 1.25 1.25..1.25 1.00 not met",
        "W7 peak other 2 120.0 MB 60.0 MB 2.00 2.00..2.00",
    ]
    assert [row.is_met for row in rows] == [True, False, None]

    machine = report.describe_machine(Settings(threads=2, turns=3))
    report.write_json(tmp_path / "run.json", machine, rows, {"slope": math.nan})
    written = json.loads((tmp_path / "run.json").read_text())
    assert written["limits"] == {"slope": None}
    assert [row["ratio"] for row in written["comparisons"]] == [0.5, 1.25, 2.0]
    assert written["machine"]["threads"] == 2
    assert "numpy" in written["machine"]["versions"]
    report.draw_picture(tmp_path / "run.png", rows, "nowhere")
    assert (tmp_path / "run.png").read_bytes()[1:4] == b"PNG"


def test_the_section_on_speed_is_written_from_the_runs_of_two_machines(tmp_path):
    def write_run(name, cpu, *rows):
        machine = {
            "cpu": cpu,
            "cores": 2,
            "threads": 2,
            "date": "2026-01-02",
            "load": [0.25],
            "versions": {"lightgbm": "1.0", "numpy": "3"},
        }
        report.write_json(tmp_path / name, machine, rows, {})
        return str(tmp_path / name)

    quality = {"quality": (0.61234, 0.6), "quality_name": "NDCG@10"}
    first = Pairing("W1", "a round", "lightgbm 1.0, quantised", 0.5, 1.0, (0.4, 0.5, 0.7), **quality)
    other = Pairing("W1", "a round", "HGB (scikit-learn 2.0) on 2 threads", 0.5, 0.4, (1.25,))
    again = Pairing("W1", "a round", "HGB (scikit-learn 2.0) on 1 thread", 2.0, 1.0, (2.0,))
    rows = [first, other, Pairing("W1", "a round", "refrank, itself", 0.5, 0.5, (1.0,))]
    runs = [write_run("first.json", "CPU A", *rows), write_run("second.json", "CPU B", again)]
    (tmp_path / "other_tools.md").write_text("before\n\n## Speed\nafter\n")
    page.main([*runs, "--docs", str(tmp_path)])
    written = (tmp_path / "other_tools.md").read_text()
    page.main(["--docs", str(tmp_path)])  # from speed.json
    assert (tmp_path / "other_tools.md").read_text() == written
    assert written.startswith("before\n\n## Speed\n\n`python")
    assert written.splitlines()[-7:] == [
        "- CPU 1: CPU A, 2 of 2 cores, 2026-01-02, load 0.2; LightGBM 1.0.",
        "- CPU 2: CPU B, 2 of 2 cores, 2026-01-02, load 0.2; LightGBM 1.0.",
        "",
        "| task | peer | CPU 1: refrank | ratio | CPU 2: refrank | ratio | NDCG@10 |",
        "|---|---|---|---|---|---|---|",
        "| W1: a round | LightGBM, quantised | 500.0 ms | 0.50 (0.40, 0.70) |  |  | 0.6123, 0.6000 |",
        "|  | HGB (scikit-learn) | 500.0 ms | 1.25 (1.25, 1.25) | 2.00 s | 2.00 (2.00, 2.00) |  |",
    ]
    page.main([write_run("third.json", "CPU B", first), "--docs", str(tmp_path)])
    renewed = (tmp_path / "other_tools.md").read_text().splitlines()
    assert [line[:14] for line in renewed if line.startswith("- CPU")] == ["- CPU 1: CPU B", "- CPU 2: CPU A"]
    assert renewed[-1].endswith(" 500.0 ms | 0.50 (0.40, 0.70) | 500.0 ms | 0.50 (0.40, 0.70) | 0.6123, 0.6000 |")


def test_ratios_are_taken_within_a_turn_and_another_begins_each():
    order = []

    def contestant(name, figures, n_turns=None):
        figure = iter(figures)

        def run():
            order.append(name)
            return next(figure)

        return Contestant(name, run, n_turns, quality=lambda: len(name))

    ours, peer = contestant("me", [1.0, 2.0, 9.0]), contestant("peer 1", [2.0, 2.0, 3.0])
    seldom = contestant("peer 2", [4.0], n_turns=1)
    first, second = compare("W1", "work", [ours], [peer, seldom], 3, [("me", "1", 0.5), FASTER])
    assert first.ratios == (0.5, 1.0, 3.0)
    assert (first.ours, first.theirs, first.ratio, first.target, first.is_met) == (2.0, 2.0, 1.0, 0.5, False)
    assert (second.ratios, second.target, second.is_met) == ((0.25,), 1.0, True)
    assert first.quality == (2, 6)
    assert order == ["me", "peer 1", "peer 2", "peer 1", "me", "me", "peer 1"]


def test_the_rows_that_histograms_need_are_those_of_the_root_and_of_smaller_children():
    from benchmarks.speed.limits import count_rows, fit_slope  # imports the peers

    binned = bin_features(np.arange(8.0)[:, np.newaxis], 256, engine=default_engine())
    tree, _ = Grower(binned, n_leaves=3)(np.array([0.0, 0, 0, 0, 0, 5, 9, 9]))
    assert count_rows(tree) == 8 + 3 + 1
    assert fit_slope([1, 2, 4], [3.0, 12.0, 48.0]) == pytest.approx(2.0)  # logarithms round


def test_every_benchmark_is_named_in_its_readme():
    names = set(re.findall(r"\w+", (FOLDER / "README.md").read_text()))
    assert [str(path) for path in sorted(FOLDER.rglob("*.py")) if path.stem not in names] == []


def test_every_command_of_the_documents_names_a_benchmark():
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *list_chapters(), *FOLDER.rglob("*.md")]
    modules = {module for path in (*documents, *FOLDER.rglob("*.py")) for module in COMMAND.findall(path.read_text())}
    assert len(modules) > 10
    files = {module: [ROOT / (module.replace(".", "/") + end) for end in (".py", "/__main__.py")] for module in modules}
    assert [module for module, either in files.items() if not any(path.is_file() for path in either)] == []
