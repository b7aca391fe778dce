"""`refrank reproduce mcrank`: settings, cells that are kept, the text and the picture."""

from dataclasses import replace

import numpy as np
import pytest

from refrank import LADBoostRanker, LambdaRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.datasets import cubic_polynomial
from refrank.metrics import ndcg, paired_test, unpaired_test
from refrank.reproduce import cells, mcrank
from refrank.reproduce.mcrank import CONVENTION, Setting
from refrank.reproduce.mcrank_printed import TABLE_1

TINY = Setting("tiny", n_train=8, n_valid=4, n_test=6, n_rounds=2, seeds=(0, 1), n_leaves=3, n_epochs=3)
NAMES = (*mcrank.RANKERS, *mcrank.BESIDE)

# --- settings


def test_the_settings_are_those_of_the_paper_and_the_seeds_are_fixed():
    assert mcrank.SMALL.seeds == (0, 1, 2)
    full = mcrank.FULL
    assert (full.n_train, full.n_valid, full.n_test) == (10_000, 5_000, 10_000)  # Sec. 6.1
    assert (full.n_rounds, full.n_leaves, full.learning_rate) == (1_000, 10, 0.05)  # Sec. 6.2
    small = mcrank.SMALL  # the sizes of docs/mcrank.md, with LambdaRank by its own defaults
    assert (small.n_train, small.n_valid, small.n_test, small.n_rounds) == (1_000, 500, 1_000, 200)
    assert (small.n_leaves, small.learning_rate) == (10, 0.05)
    net = LambdaRanker()
    for setting in (small, full):
        assert (setting.hidden, setting.net_learning_rate, setting.n_epochs, setting.n_classes) == (
            net.hidden,
            net.learning_rate,
            net.n_epochs,
            5,
        )


@pytest.mark.parametrize(("flags", "setting"), [([], mcrank.SMALL), (["--full"], mcrank.FULL)])
def test_the_command_runs_the_small_setting_or_the_full_one(monkeypatch, capsys, tmp_path, flags, setting):
    calls = []
    monkeypatch.setattr(mcrank, "reproduce", lambda *given: calls.append(given) or "the text")
    assert main(["reproduce", "mcrank", "--out", str(tmp_path), "--n-threads", "1", *flags]) == 0
    assert calls == [(setting, tmp_path / "mcrank", 1)]
    assert capsys.readouterr().out == "the text\n"


# --- a run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduced")


@pytest.fixture(scope="module")
def text(folder):
    return mcrank.reproduce(TINY, folder, n_threads=1)


def test_a_cell_is_the_ndcg_of_a_ranker_trained_on_the_seeds_data(text, folder):
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
            with np.load(folder / f"tiny-{name}-{seed}.npz") as kept:
                assert kept["test"].shape == (6, 10)
                assert kept["valid"].shape == (4, 10)
                for split, data in (("test", test), ("valid", valid)):
                    score = ranker.predict(data.X)
                    for level in range(1, 11):
                        expected = ndcg(data.y, score, data.qid, level, "paper", per_query=True)
                        assert kept[split][:, level - 1].tobytes() == expected.tobytes()


def test_the_text_holds_the_figures_of_the_cells(text, folder):
    test, valid = (
        {
            name: 100
            * np.concatenate([np.load(folder / f"tiny-{name}-{seed}.npz")[split][:, 9] for seed in TINY.seeds])
            for name in NAMES
        }
        for split in ("test", "valid")
    )
    lines = text.splitlines()
    assert f"convention {CONVENTION}" in lines
    row, beside = (line for line in lines if line.startswith("refrank, test"))
    figures = {name: f"{values.mean():.1f} ({values.std(ddof=1):.1f})" for name, values in test.items()}
    assert row.split("test")[1].split() == " ".join(figures[name] for name in mcrank.RANKERS).split()
    assert beside.split("test")[1].split() == figures["LAD"].split()
    (row,) = (line for line in lines if line.startswith("refrank, validation"))
    figures = {name: f"{values.mean():.1f} ({values.std(ddof=1):.1f})" for name, values in valid.items()}
    assert row.split("validation")[1].split() == " ".join(figures[name] for name in mcrank.RANKERS).split()
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
    _, regression, net = mcrank.p_values({"ordinal": alike, "regression": alike, "LambdaRank": apart})
    assert "refrank 0.5 by the paper's test (two samples, unpaired), none by the paired t-test" in regression
    assert "none" not in net


def test_the_figure_is_a_picture(text, folder):
    figure = folder / "figure1-tiny.png"
    assert text.endswith(f"Figure 1, artificial data: {figure}")
    assert figure.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert not list(folder.glob("*.part*"))


@pytest.fixture
def trained(monkeypatch):
    """The cells that are made, in place of taken from their files: drawn by lot, to save the training."""
    cells = []

    def drawn(setting, name, seed, n_threads):
        cells.append((name, seed))
        rng = np.random.default_rng([seed, *name.encode()])
        return {"valid": rng.random((setting.n_valid, 10)), "test": rng.random((setting.n_test, 10))}

    monkeypatch.setattr(mcrank, "run_cell", drawn)
    return cells


def test_figure_1_is_drawn_of_the_test_queries(tmp_path, monkeypatch, trained):
    drawn = []
    monkeypatch.setattr(mcrank, "draw_figure_1", lambda *given: drawn.append(given))
    mcrank.reproduce(TINY, tmp_path)
    ((test, data, setting, path),) = drawn
    assert (data, setting, path) == ("its artificial data, tiny run", TINY, tmp_path / "figure1-tiny.png")
    for name in NAMES:
        cells = [np.load(tmp_path / f"tiny-{name}-{seed}.npz")["test"] for seed in TINY.seeds]
        np.testing.assert_array_equal(test[name], np.vstack(cells))


def test_each_p_value_stands_beside_the_paper_s_of_its_column():
    rng = np.random.default_rng(0)
    lines = mcrank.p_values({name: rng.random(9) for name in ("ordinal", "regression", "LambdaRank")}, TABLE_1[1])
    assert [line.split()[0] for line in lines[1:]] == ["regression", "LambdaRank"]
    assert [line.split("; ")[1] for line in lines[1:]] == ["paper 0.021", "paper 0.0002"]  # Web-1


def test_finished_cells_are_kept(text, folder, trained):
    assert mcrank.reproduce(TINY, folder, n_threads=1) == text
    assert trained == []


def test_a_missing_or_damaged_cell_is_made_again(tmp_path, trained):
    first = mcrank.reproduce(TINY, tmp_path)
    trained.clear()
    (tmp_path / "tiny-ordinal-0.npz").unlink()
    damaged = tmp_path / "tiny-regression-1.npz"
    damaged.write_bytes(damaged.read_bytes()[:-30])
    (tmp_path / "tiny-regression-0.npz").write_bytes(b"")
    assert mcrank.reproduce(TINY, tmp_path) == first
    assert trained == [("ordinal", 0), ("regression", 0), ("regression", 1)]


@pytest.mark.parametrize("change", [{"n_rounds": 1}, {"learning_rate": 0.1}, {"n_test": 5}, {"hidden": 3}])
def test_a_changed_setting_is_run_again(text, tmp_path, trained, change):
    mcrank.reproduce(replace(TINY, seeds=(0,)), tmp_path, n_threads=1)
    assert len(trained) == len(NAMES)
    mcrank.reproduce(replace(TINY, seeds=(0,), **change), tmp_path, n_threads=1)
    assert len(trained) == 2 * len(NAMES)


def test_another_release_or_convention_is_run_again(tmp_path, monkeypatch, trained):
    setting = replace(TINY, seeds=(0,))
    mcrank.reproduce(setting, tmp_path, n_threads=1)
    monkeypatch.setattr(cells.metadata, "version", lambda name: "9.9")
    mcrank.reproduce(setting, tmp_path, n_threads=1)
    assert len(trained) == 2 * len(NAMES)
    monkeypatch.setattr(mcrank, "CONVENTION", replace(CONVENTION, no_relevant=1.0))
    assert "no relevant = 1" in mcrank.reproduce(setting, tmp_path, n_threads=1)
    assert len(trained) == 3 * len(NAMES)


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, monkeypatch, capsys, trained):
    """Ctrl-C in the third cell: the command ends with 130, and the next one makes what is missing."""
    monkeypatch.setattr(mcrank, "SMALL", TINY)
    run_cell = mcrank.run_cell

    def interrupted(*given):
        if len(trained) == 2:
            raise KeyboardInterrupt
        return run_cell(*given)

    monkeypatch.setattr(mcrank, "run_cell", interrupted)
    command = ["reproduce", "mcrank", "--out", str(tmp_path), "--n-threads", "1"]
    assert main(command) == 130
    out, errors = capsys.readouterr()
    assert (out, errors) == ("", "refrank: interrupted; what was done is kept\n")
    monkeypatch.setattr(mcrank, "run_cell", run_cell)
    assert main(command) == 0
    assert trained == [(name, seed) for seed in TINY.seeds for name in NAMES]
