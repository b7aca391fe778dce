"""`refrank reproduce mcrank`: settings, cells that are kept, the text and the picture."""

import numpy as np
import pytest

from refrank import LADBoostRanker, LambdaRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.datasets import cubic_polynomial
from refrank.metrics import ndcg, paired_test, unpaired_test
from refrank.reproduce.mcrank import table_1
from refrank.reproduce.mcrank.printed import TABLE_1
from refrank.reproduce.mcrank.rankers import BESIDE, CONVENTION, RANKERS, Parameters
from refrank.reproduce.mcrank.table_1 import FULL, SMALL, Setting
from refrank.reproduce.run import Run

TINY = Setting("tiny", (8, 4, 6), (0, 1), Parameters(n_rounds=2, n_leaves=3, n_epochs=3, n_classes=5))
NAMES = (*RANKERS, *BESIDE)

# --- settings


@pytest.mark.paper("McRank Sec. 6.1", at="FULL")
def test_the_settings_are_those_of_the_paper_and_the_seeds_are_fixed():
    assert SMALL.seeds == (0, 1, 2)
    assert FULL.n_queries == (10_000, 5_000, 10_000)  # Sec. 6.1
    assert SMALL.n_queries == (1_000, 500, 1_000)  # the sizes of docs/mcrank.md
    net = LambdaRanker()  # by its own defaults
    for setting, n_rounds in ((FULL, 1_000), (SMALL, 200)):
        of = setting.parameters
        assert (of.n_rounds, of.n_leaves, of.learning_rate, of.n_classes) == (n_rounds, 10, 0.05, 5)  # Sec. 6.2
        assert (of.hidden, of.net_learning_rate, of.n_epochs) == (net.hidden, net.learning_rate, net.n_epochs)


# --- a run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduced")


@pytest.fixture(scope="module")
def text(folder):
    return table_1.reproduce(TINY, Run(folder, n_threads=1))


@pytest.mark.paper("McRank Sec. 6.1", at="reproduce")
def test_a_cell_is_the_ndcg_of_a_ranker_trained_on_the_seeds_data(text, folder, read_cell):
    """Three draws of one polynomial a seed; every query at every level."""
    kinds = {
        "ordinal": OrdinalBoostRanker,
        "classification": SoftmaxBoostRanker,
        "regression": LSBoostRanker,
        "LAD": LADBoostRanker,
    }
    for seed in TINY.seeds:
        train = cubic_polynomial(8, random_state=3 * seed, polynomial_seed=seed)
        test = cubic_polynomial(6, random_state=3 * seed + 2, polynomial_seed=seed)
        valid = cubic_polynomial(4, random_state=3 * seed + 1, polynomial_seed=seed)
        rankers = {name: kind(n_rounds=2, n_leaves=3, n_classes=5) for name, kind in kinds.items()}
        fitted = {name: ranker.fit(train.X, train.y) for name, ranker in rankers.items()}
        net = LambdaRanker(n_epochs=3, random_state=seed)
        fitted["LambdaRank"] = net.fit(train.X, train.y, train.qid, X_val=valid.X, y_val=valid.y, qid_val=valid.qid)
        assert fitted.keys() == set(NAMES)
        for name, ranker in fitted.items():
            kept = read_cell(folder, f"artificial-{seed}-{name}")
            assert kept["test"].shape == (6, 10)
            assert kept["valid"].shape == (4, 10)
            for split, data in (("test", test), ("valid", valid)):
                score = ranker.predict(data.X)
                for level in range(1, 11):
                    expected = ndcg(data.y, score, data.qid, level, "paper", per_query=True)
                    assert kept[split][:, level - 1].tobytes() == expected.tobytes()


@pytest.mark.paper("McRank Sec. 5", at="BESIDE")
def test_the_text_holds_the_figures_of_the_cells(text, folder, read_cell):
    test, valid = (
        {
            name: 100 * np.concatenate([read_cell(folder, f"artificial-{n}-{name}")[split][:, 9] for n in TINY.seeds])
            for name in NAMES
        }
        for split in ("test", "valid")
    )
    lines = text.splitlines()
    assert f"convention {CONVENTION}" in lines
    row, beside = (line for line in lines if line.startswith("refrank, test"))
    figures = {name: f"{values.mean():.1f} ({values.std(ddof=1):.1f})" for name, values in test.items()}
    assert row.split("test")[1].split() == " ".join(figures[name] for name in RANKERS).split()
    assert beside.split("test")[1].split() == figures["LAD"].split()
    (row,) = (line for line in lines if line.startswith("refrank, validation"))
    figures = {name: f"{values.mean():.1f} ({values.std(ddof=1):.1f})" for name, values in valid.items()}
    assert row.split("validation")[1].split() == " ".join(figures[name] for name in RANKERS).split()
    heading = next(line for line in lines if "ordinal  " in line)
    assert heading.split() == ["ordinal", "classification", "regression", "LambdaRank"]
    assert "LambdaRank: 10 hidden units, first learning rate 0.001, 3 epochs, the best of them by validation" in text
    assert "paper, test               85.0 (9.5)      83.7 (9.9)     82.9 (10.2)     74.9 (12.6)" in lines
    for name in ("regression", "LambdaRank"):
        unpaired = unpaired_test(test["ordinal"], test[name], "greater").p_value
        paired = paired_test(test["ordinal"], test[name], "greater").p_value
        (ours,) = (line for line in lines if line.startswith(f"  {name} "))
        assert f" {unpaired:.2g} by the paper's test (two samples, unpaired), {paired:.2g} by the paired" in ours
    assert "seeds 0, 1" in text
    assert (folder / "table1-tiny.txt").read_text() == text + "\n"


def test_rankers_that_agree_on_every_query_have_no_p_value():
    """As they may on few test queries; the cells took their time, and the rest of the table is worth having."""
    alike, apart = np.array([50.0, 60.0, 70.0]), np.array([51.0, 60.0, 70.0])
    _, regression, net = table_1.write_p_values({"ordinal": alike, "regression": alike, "LambdaRank": apart})
    assert "refrank 0.5 by the paper's test (two samples, unpaired), none by the paired t-test" in regression
    assert "none" not in net


def test_the_figure_is_a_picture(text, folder):
    figure = folder / "figure1-tiny.png"
    assert text.endswith(f"Figure 1, artificial data: {figure}")
    assert figure.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert not list(folder.glob("*.part*"))


def test_figure_1_is_drawn_of_the_test_queries(text, folder, monkeypatch, read_cell):
    drawn = []
    monkeypatch.setattr(table_1, "draw_figure_1", lambda *given: drawn.append(given))
    assert table_1.reproduce(TINY, Run(folder, n_threads=2)) == text  # from the cells, on any number of threads
    ((test, data, parameters, path),) = drawn
    assert (data, parameters) == ("its artificial data, tiny run", TINY.parameters)
    assert path == folder / "figure1-tiny.png"
    for name in NAMES:
        cells = [read_cell(folder, f"artificial-{seed}-{name}")["test"] for seed in TINY.seeds]
        np.testing.assert_array_equal(test[name], np.vstack(cells))


def test_each_p_value_stands_beside_the_paper_s_of_its_column():
    rng = np.random.default_rng(0)
    test = {name: rng.random(9) for name in ("ordinal", "regression", "LambdaRank")}
    lines = table_1.write_p_values(test, TABLE_1[1])
    assert [line.split()[0] for line in lines[1:]] == ["regression", "LambdaRank"]
    assert [line.split("; ")[1] for line in lines[1:]] == ["paper 0.021", "paper 0.0002"]  # Web-1
