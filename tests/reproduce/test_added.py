"""`refrank reproduce --add`: rankers from elsewhere in the tables of each paper, and what is refused of them."""

import re
from dataclasses import replace

import numpy as np
import pytest

from refrank import LSBoostRanker
from refrank.cli import main
from refrank.datasets import load_folds
from refrank.metrics import err, ndcg, paired_test, unpaired_test
from refrank.reproduce.added import AddedRanker, parse_added
from refrank.reproduce.artificial import make_artificial_fold, make_heavy_tailed_fold, remove_features
from refrank.reproduce.cocr import rankers as cocr
from refrank.reproduce.cocr import tables as cocr_tables
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.mcrank import table_1
from refrank.reproduce.mcrank.rankers import BESIDE, RANKERS, Parameters
from refrank.reproduce.run import Reproduction

PARTS = ["S1.txt", "S2.txt", "S3.txt"]
SIZES = (8, 4, 6)
PARAMETERS = Parameters(n_rounds=2, n_leaves=3, learning_rate=0.3, n_epochs=2, hidden=(3, 2), n_classes=5)
TABLE_1 = table_1.TableSetting("tiny", SIZES, (0, 1), PARAMETERS)
IGBRT = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5), n_queries=SIZES)
COCR = cocr.CocrSetting("tiny", n_rounds=2, max_depth=2, steps=(0.5,), min_instances=(4,), n_bags=2, bag_share=0.9)


@pytest.fixture
def parts(tmp_path, write_files):
    return write_files(tmp_path / "parts", PARTS)


def write_scores(folder, scores):
    """A ranker that is added, by the scores of each fold's test rows."""
    folder.mkdir()
    for name, of_fold in scores.items():
        (folder / f"{name}.txt").write_text("".join(f"{score!r}\n" for score in of_fold.tolist()))
    return AddedRanker(folder.name, folder)


def read_words(text):
    return [" ".join(line.split()) for line in text.split("\n")]


def draw_scores(folds, seed=0):
    rng = np.random.default_rng(seed)
    return {fold.name.replace(" ", "-"): rng.integers(0, 5, len(fold.test.y)) / 4 for fold in folds}  # with ties


# --- McRank


@pytest.mark.parametrize("on_folds", [False, True])
def test_mcrank_sets_our_own_scores_where_our_own_column_is(tmp_path, parts, on_folds):
    """Regression, added by its scores: its mean, deviation and p-values once more, without seconds."""
    folds = [*load_folds(parts)] if on_folds else [make_artificial_fold(SIZES, seed) for seed in (0, 1)]
    ours = LSBoostRanker(n_rounds=2, n_leaves=3, learning_rate=0.3, n_classes=5, binning="app-i")
    scores = {f.name.replace(" ", "-"): ours.fit(f.train.X, f.train.y).predict(f.test.X) for f in folds}
    same, random = write_scores(tmp_path / "same", scores), write_scores(tmp_path / "random", draw_scores(folds))
    run = Reproduction(tmp_path / "out", parts if on_folds else None, n_threads=1, added=(same, random))
    function, setting = (table_1.reproduce_folds, PARAMETERS) if on_folds else (table_1.reproduce, TABLE_1)
    text = function(setting, run)
    lines = read_words(text)
    values = [
        [ndcg(f.test.y, of[f.name.replace(" ", "-")], f.test.qid, 10, per_query=True) for f in folds]
        for of in (scores, draw_scores(folds))
    ]
    regression, random = (100 * np.concatenate(of_folds) for of_folds in values)
    cells = [f"{column.mean():.1f} ({column.std(ddof=1):.1f})" for column in (regression, random)]
    if on_folds:
        (heading,) = [line for line in lines if line.startswith("ordinal classification")]
        assert heading == " ".join([*RANKERS, *BESIDE, "same", "random"])
        (row,) = [line for line in lines if re.match(r"all folds \d", line)]
        columns = re.findall(r"\S+ \(\S+\)", row)
        assert [columns[2], *columns[5:]] == [cells[0], *cells]
        assert len(next(line for line in lines if line.startswith("seconds")).split()) == 3 + 5
    else:
        assert [line for line in lines if line.startswith("added, ")] == [
            f"added, same {cells[0]}",
            f"added, random {cells[1]}",
        ]
    p_values = [line for line in lines if "by the paper's test" in line]
    assert [line.split()[0] for line in p_values] == ["regression", "LambdaRank", "same", "random"]
    assert p_values[2].removeprefix("same ") == p_values[0].removeprefix("regression ").removesuffix("; paper 0")
    cell = "ordinal-????????????.npz"
    names = [fold.name.replace(" ", "-") for fold in folds]
    (ordinal,) = [100 * np.vstack([np.load(*run.folder.glob(f"{name}-{cell}"))["test"] for name in names])[:, 9]]
    unpaired, paired = (test(ordinal, random, "greater").p_value for test in (unpaired_test, paired_test))
    assert f"refrank {unpaired:.2g} by" in p_values[3]
    assert f", {paired:.2g} by the paired" in p_values[3]


def test_what_is_added_changes_nothing_of_ours(tmp_path):
    """Nor has it a cell."""
    folds, setting = [make_artificial_fold(SIZES)], replace(TABLE_1, seeds=(0,))
    without = table_1.reproduce(setting, Reproduction(tmp_path / "out", n_threads=1)).split("\n")
    cells = sorted(path.name for path in (tmp_path / "out").glob("*.npz"))
    added = write_scores(tmp_path / "new", draw_scores(folds))
    more = table_1.reproduce(setting, Reproduction(tmp_path / "out", n_threads=1, added=(added,))).split("\n")
    assert sorted(path.name for path in (tmp_path / "out").glob("*.npz")) == cells
    assert [line for line in more if "new" not in line] == without
    assert len(more) == len(without) + 2


# --- iGBRT


@pytest.mark.parametrize("on_folds", [False, True])
def test_igbrt_sets_our_own_scores_where_our_own_row_is(tmp_path, parts, on_folds):
    """The forest (R), added by what it predicts; no query differs, so there is nothing to test."""
    out, data = tmp_path / "out", parts if on_folds else None
    folds = [*load_folds(parts)] if on_folds else [remove_features(make_heavy_tailed_fold(SIZES), 0.4)]
    without = igbrt.reproduce(IGBRT, Reproduction(out, data, n_threads=1)).split("\n")
    names = [fold.name.replace(" ", "-") for fold in folds]
    forests = [dict(np.load(*out.glob(f"{name}-R-forest-*.npz"))) for name in names]
    scores = {name: forest["values_test"][-1, 0] for name, forest in zip(names, forests, strict=True)}
    same, random = write_scores(tmp_path / "same", scores), write_scores(tmp_path / "random", draw_scores(folds))
    more = igbrt.reproduce(IGBRT, Reproduction(out, data, n_threads=1, added=(same, random))).split("\n")
    ours = [f"{method} {task}" for task in "RC" for method in ("GBRT", "RF", "iGBRT")]
    assert len(more) == len(without) + 2 * 2 * (1 + len(ours)) + 2 * 2  # by the other convention, means only
    assert [line for line in more if line in without] == without
    for place, metric in enumerate(("ERR", "NDCG")):
        start = more.index(f"iGBRT Table 3: {metric}, test sets, convention paper")
        rows = {}
        for line in more[start + 2 : start + 8 + 2 * 7]:
            name = next(
                name for name in ("same", "random", *(f"  p against {o}" for o in ours), *ours) if line.startswith(name)
            )
            rows.setdefault(name.strip(), []).append(line[len(name) :].split())
        assert rows["same"] == rows["RF R"]
        assert rows["p against RF R"][0] == ["none"] * (len(folds) + 1)
        maximum = max(int(part.y.max()) for fold in folds for part in (fold.train, fold.valid, fold.test))
        a = [
            err(f.test.y, s, f.test.qid, max_grade=maximum, per_query=True)
            if metric == "ERR"
            else ndcg(f.test.y, s, f.test.qid, 10, per_query=True)
            for f, s in zip(folds, draw_scores(folds).values(), strict=True)
        ]
        b = [forest["test_queries"][-1, place] for forest in forests]
        pairs = [*zip(a, b, strict=True), (np.concatenate(a), np.concatenate(b))]
        assert rows["p against RF R"][1] == [f"{paired_test(*pair).p_value:.2g}" for pair in pairs]
        assert rows["random"][0][:-1] == [f"{values.mean():.5f}" for values in a]


def test_an_igbrt_cell_holds_the_values_of_each_test_query(tmp_path, parts):
    """Their means are the cell's metrics, and the queries of Table 3 are those of the chosen rounds."""
    run = Reproduction(tmp_path, parts, n_threads=1)
    fold = next(run.load(tells_gaps=True))
    results = igbrt.run_fold(fold, IGBRT, run, shown=True)
    for path in tmp_path.glob("*.npz"):
        cell = dict(np.load(path))
        if "-missing-" in path.name:
            assert cell["valid_queries"].mean(axis=1) == pytest.approx(cell["metrics"][:2], rel=1e-14)
        else:
            assert cell["test_queries"].shape == (len(cell["steps"]), 2, 3)
            np.testing.assert_allclose(cell["test_queries"].mean(axis=2), cell["test"][:, :2], rtol=1e-14)
        assert cell["qid_test"].tolist() == [*dict.fromkeys(fold.test.qid.tolist())]
    for key, choice in results.choose_for_table_3(IGBRT).items():
        assert results.queries[key].mean(axis=1) == pytest.approx(choice.metrics[:2], rel=1e-14)
    assert all("test_queries" not in cell for runs in results.boosted.values() for cell in runs.values())


# --- COCR


@pytest.mark.parametrize("on_folds", [False, True])
def test_cocr_sets_our_own_scores_where_our_own_column_is(tmp_path, parts, drawn, on_folds):
    """Direct linear regression, added by its scores: p = 1 against itself, and its own p against the other bases."""
    setting = replace(COCR, n_queries=(3, 2, 3))
    artificial = replace(make_heavy_tailed_fold(setting.n_queries), name="artificial")
    folds = [*load_folds(parts)] if on_folds else [artificial]
    scores = {}
    for fold in folds:
        scaled = cocr.ScaledFold(fold)
        scores[fold.name] = scaled.fit(setting.make_bases(99)["linear"], "direct").predict(scaled.test.X)
    out, data = tmp_path / "out", parts if on_folds else None
    without = cocr_tables.reproduce(setting, Reproduction(out, data, n_threads=1))
    added = write_scores(tmp_path / "same", scores)
    lines = read_words(cocr_tables.reproduce(setting, Reproduction(out, data, n_threads=1, added=(added,))))
    ours = read_words(without)
    assert len(lines) == len(ours)
    changed = [(line, own) for line, own in zip(lines, ours, strict=True) if line != own]
    tables = [line.removeprefix(own).strip(" ,") for line, own in changed]
    direct = {line.split()[0]: line.split()[1] for line in ours[ours.index("Table 1 and 2, linear") :][2:4]}
    assert tables[:3] == ["same", f"{direct['ERR']} (1)", f"{direct['NDCG@10']} (1)"]
    assert [line for line in tables if line == "same"] == ["same"] * 3  # linear, M5P, GBRT
    p_values = [line for line in tables if line.startswith("same ")]
    means = [line for line in tables if re.match(r"\.?\d", line)]
    assert (len(p_values), len(means), len(tables)) == (2, 8, 13)  # Table 3: (a) and (b)
    assert {re.match(r"[\d.]+", line)[0] for line in means} == {*direct.values()}


# --- what is refused


def test_a_name_is_everything_before_the_first_equals_sign():
    assert parse_added(" my ranker =a=b/c") == AddedRanker("my ranker", parse_added("x=a=b/c").folder)
    assert str(parse_added("x=a=b/c").folder) == "a=b/c"
    with pytest.raises(ValueError, match="--add is ' =b': it must be NAME=FOLDER"):
        parse_added(" =b")


@pytest.fixture
def refused(capsys, tmp_path):
    """Message of a command, in one line, before it has trained anything."""

    def run(paper, *flags, code=2):
        assert main(["reproduce", paper, *map(str, flags), "--out", str(tmp_path / "out"), "--n-threads", "1"]) == code
        out, errors = capsys.readouterr()
        assert (out, errors.count("\n")) == ("", 1)
        assert not [*(tmp_path / "out").rglob("*.npz")]
        return errors

    return run


@pytest.mark.parametrize(
    ("paper", "taken", "name"),
    [
        ("mcrank", "LAD", "artificial-0.txt"),
        ("igbrt", "iGBRT C", "artificial-0.txt"),
        ("cocr", "oerr", "artificial.txt"),
    ],
)
def test_names_and_files_are_checked_before_the_training(refused, tmp_path, parts, paper, taken, name):
    folder = tmp_path / "scores"
    said = refused(paper, "--add", f"new={folder}", code=1)
    assert said == f"refrank: error: {folder / name} is not a file of scores: --add needs one per fold, here {name}\n"
    said = refused(paper, "--data", parts, "--add", f"new={folder}", code=1)
    assert "here Fold1.txt, Fold2.txt, Fold3.txt" in said
    assert f"--add names '{taken}', which the tables have already" in refused(paper, "--add", f"{taken}={folder}")


def test_two_added_rankers_have_two_names(tmp_path):
    added = write_scores(tmp_path / "new", {"Fold1": np.zeros(2)})
    two = Reproduction(tmp_path, added=(added, replace(added, name="other")))
    assert two.check_added(["Fold1"], ["ours"]) == ["new", "other"]
    with pytest.raises(ValueError, match="--add names 'new', which the tables have already"):
        Reproduction(tmp_path, added=(added, added)).check_added(["Fold1"], ["ours"])


@pytest.mark.parametrize("paper", ["mcrank", "igbrt", "cocr"])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1\n" * 23, "has 23 scores: it must have 24, one per row of the test set of Fold1, in its order"),
        ("1\n" * 25, "has 25 scores: it must have 24"),
        ("1\n" * 9 + "nan\n" + "1\n" * 14, "at row 9 is nan: scores must be numbers and not NaN"),
        ("1\n" * 9 + "word\n", ", line 10, is 'word': it must be a number, one per line"),
    ],
)
def test_a_file_of_scores_has_one_number_per_test_row(refused, tmp_path, parts, paper, content, said):
    folder = tmp_path / "scores"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"Fold{number}.txt").write_text(content)
    errors = refused(paper, "--data", parts, "--add", f"new={folder}")
    assert f"{folder / 'Fold1.txt'}{'' if said.startswith(',') else ' '}{said}" in errors
