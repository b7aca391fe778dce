"""The nets of `refrank reproduce mcrank`: which one Table 1 shows, and the curve over their hidden units."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cells import CellStore
from refrank.reproduce.mcrank import hidden_units, rankers, table_1
from refrank.reproduce.mcrank.hidden_units import compare_hidden_units, describe_choice, list_nets
from refrank.reproduce.mcrank.rankers import Parameters, choose_hidden
from refrank.reproduce.mcrank.table_1 import WIDE
from refrank.reproduce.run import Reproduction

PAPER = {"ordinal": 85.0, "classification": 83.7, "regression": 82.9, "LambdaRank": 74.9}
NETS = [("LambdaRank", 2), ("LambdaRank", 8), ("LambdaRank", 32), ("RankNet", 32)]


def make_cell(valid, test, level_1=0.5):
    """A cell of three queries, with these means of NDCG@10, and another mean at L = 1."""
    spread = np.array([-0.125, 0.0, 0.125])
    at_10 = {"valid": valid + spread, "test": test + spread}
    levels = {split: np.column_stack([np.full((3, 9), level_1), values]) for split, values in at_10.items()}
    return levels | {"seconds": np.array([1.5])}


def test_the_net_is_chosen_by_the_validation_queries_at_level_10():
    """Not by the test queries, and not at L = 1."""
    nets = {8: make_cell(0.5, 0.75), 2: make_cell(0.625, 0.25), 32: make_cell(0.375, 0.5, level_1=1.0)}
    chosen = choose_hidden(nets)
    assert chosen["hidden"] == 2
    np.testing.assert_equal({name: chosen[name] for name in nets[2]}, nets[2])
    assert choose_hidden(nets | {1: make_cell(0.625, 0.25)})["hidden"] == 1  # the smallest, if equal


def test_the_choice_of_each_fold_is_told():
    folds = {name: {"LambdaRank": {"hidden": np.array(hidden)}} for name, hidden in (("Fold1", 25), ("Fold2", 100))}
    assert describe_choice(folds) == "  hidden units chosen: 25 (Fold1), 100 (Fold2)"


def test_the_curve_has_the_nets_of_the_table_and_ranknet_of_the_largest_size():
    nets = [("LambdaRank", hidden) for hidden in (10, 25, 50, 100)]
    assert list_nets(WIDE.parameters) == [*nets, ("RankNet", 100)]
    assert list_nets(Parameters(n_rounds=1, hidden=(7, 3)))[-1] == ("RankNet", 7)


@pytest.fixture
def seeds():
    """The cells of Table 1 and of the nets for three seeds; no two means are equal."""
    table = [
        {name: make_cell(0.5, 0.25 + (i + 8 * seed) / 64) for i, name in enumerate(("ordinal", *PAPER, "LAD"))}
        for seed in (0, 1, 3)
    ]
    nets = [
        {net: make_cell(0.5 + i / 32, 0.375 + (5 * i + seed) / 64) for i, net in enumerate(NETS)} for seed in (0, 1, 3)
    ]
    return table, nets


def test_the_table_of_nets_is_over_the_queries_of_all_seeds(seeds, monkeypatch):
    monkeypatch.setattr(hidden_units, "draw_hidden_units", lambda *_: None)
    table, nets = seeds
    _, heading, *rows = [" ".join(line.split()) for line in compare_hidden_units(table, nets, PAPER, "", Path("none"))]
    assert heading == "validation test test, seeds seconds"
    for row, (i, (name, hidden)) in zip(rows, enumerate(NETS), strict=True):
        cells = [of_seed[name, hidden] for of_seed in nets]
        values = (100 * np.concatenate([cell[split][:, 9] for cell in cells]) for split in ("valid", "test"))
        valid, test = (f"{v.mean():.1f} ({v.std(ddof=1):.1f})" for v in values)
        low, high = (100 * (0.375 + (5 * i + seed) / 64) for seed in (0, 3))
        assert row == f"{name}, {hidden} {valid} {test} {low:.1f} to {high:.1f} 4.5"


def test_the_figure_shows_nets_over_their_units_between_boosters_and_paper(seeds, drawn):
    table, nets = seeds
    compare_hidden_units(table, nets, PAPER, "some data", Path("none.png"))
    (panel,) = drawn[0].axes
    # means over the seeds in 64ths: of the boosters 27 2/3 to 29 2/3, of the nets 25 1/3, 30 1/3, 35 1/3, 40 1/3
    finding = "Boosters ahead of LambdaRank: 3 of 3 at 2 units, 0 of 3 at 8 to 32 units; of RankNet: 0 of 3 at 32 units"
    assert drawn[0].get_suptitle() == f"{finding}\nsome data"
    bars = {container.lines[0].get_label(): container for container in panel.containers}
    for name, indices in (("LambdaRank", (0, 1, 2)), ("RankNet", (3,))):
        line, _, (spread,) = bars[name].lines
        means = [[100 * (0.375 + (5 * i + seed) / 64) for seed in (0, 1, 3)] for i in indices]
        assert line.get_xdata().tolist() == [NETS[i][1] for i in indices]
        assert line.get_ydata() == pytest.approx([np.mean(of_seeds) for of_seeds in means], rel=1e-14)
        ends = [[y for _, y in segment] for segment in spread.get_segments()]
        np.testing.assert_allclose(ends, [(min(of), max(of)) for of in means], rtol=1e-14)
    lines = {line.get_label(): line for line in panel.lines if not line.get_label().startswith("_")}
    labels = {text.get_text(): text for text in panel.texts}
    assert {*labels} == {*lines}
    assert len(lines) == 2 + 3 + len(PAPER)
    of_paper = {name: lines[f"{name}, paper {value:.1f}"] for name, value in PAPER.items()}
    assert len({line.get_linestyle() for line in of_paper.values()}) == len(PAPER)
    for name, value in PAPER.items():
        assert set(of_paper[name].get_ydata()) == {value}
    for name in ("ordinal", "classification", "regression"):
        means = [100 * of_seed[name]["test"][:, 9].mean() for of_seed in table]
        line = lines[f"{name} {np.mean(means):.1f} ({min(means):.1f} to {max(means):.1f})"]
        assert line.get_ydata() == pytest.approx([np.mean(means)] * 2, rel=1e-14)
        assert line.get_linestyle() == of_paper[name].get_linestyle()
        assert line.get_color() == of_paper[name].get_color()
        assert line.get_linewidth() > of_paper[name].get_linewidth()  # told apart without colour
    for name, line in lines.items():  # a line leads from each end to its label
        end = panel.transAxes.transform(labels[name].xy)
        assert end == pytest.approx(line.get_transform().transform(line.get_xydata()[-1]), abs=1)  # pixels
        assert labels[name].arrow_patch.get_edgecolor() == to_rgba(line.get_color())


def test_labels_of_equal_lines_are_written_one_above_the_other_and_inside(seeds, drawn):
    """Four values of one height, at the top of the panel."""
    table, nets = seeds
    compare_hidden_units(table, nets, dict.fromkeys(PAPER, 99.0), "", Path("none.png"))
    (panel,) = drawn[0].axes
    places = sorted(text.get_position()[1] for text in panel.texts)
    points = panel.get_window_extent().height / drawn[0].dpi * 72  # of a height of 1
    assert len(places) == 9
    assert min(np.diff(places)) * points > 1.2 * panel.texts[0].get_fontsize()
    assert max(places) <= 1
    assert len({text.xy[1] for text in panel.texts if "paper" in text.get_text()}) == 1


def test_table_1_hands_over_its_seeds_its_means_and_a_place(monkeypatch, tmp_path):
    given = []
    monkeypatch.setattr(table_1, "compare_hidden_units", lambda *arguments: given.append(arguments) or ["the lines"])
    parameters = Parameters(n_rounds=1, n_leaves=2, n_epochs=1, hidden=(1, 2), n_classes=5)
    run = Reproduction(tmp_path, n_threads=1)
    text = table_1.reproduce(table_1.TableSetting("tiny", (4, 3, 3), (0, 1), parameters), run)
    ((cells, nets, paper, data, path),) = given
    assert "\n\nthe lines\n\n" in text
    assert f"\nhidden units: {path}\n" in text
    assert path == tmp_path / "hidden-units-tiny.png"
    assert (paper, data) == (PAPER, "artificial data, tiny run")
    for seed, (columns, of_seed) in enumerate(zip(cells, nets, strict=True)):
        assert {*of_seed} == {("LambdaRank", 1), ("LambdaRank", 2), ("RankNet", 2)}
        chosen = of_seed["LambdaRank", int(columns["LambdaRank"]["hidden"])]
        np.testing.assert_equal({name: columns["LambdaRank"][name] for name in chosen}, chosen)
        assert len(chosen["test"]) == 3
        assert f"(seed {seed})" in text


def refuse(*_):
    raise AssertionError("not in this process")


def test_nets_trained_side_by_side_are_those_of_one_process(tmp_path, monkeypatch):
    """Each in a process of its own, which keeps the cell; a cell that is there is not trained again."""
    fold, parameters = make_artificial_fold((6, 3, 4)), Parameters(n_rounds=1, n_epochs=2, hidden=(3, 2))
    nets = list_nets(parameters)
    alone = parameters.measure_nets(nets, fold, Reproduction(tmp_path / "1", n_threads=1))
    monkeypatch.setattr(CellStore, "write", refuse)
    both = parameters.measure_nets(nets, fold, Reproduction(tmp_path / "2", n_threads=2))
    assert {*alone} == {*both} == {*nets}
    for net in nets:
        for split in ("valid", "test"):
            np.testing.assert_array_equal(alone[net][split], both[net][split])
    monkeypatch.setattr(rankers, "delayed", refuse)
    again = parameters.measure_nets(nets[:1], fold, Reproduction(tmp_path / "2", n_threads=2))
    np.testing.assert_equal(again, {nets[0]: both[nets[0]]})  # with its seconds
