"""Each paper on one page equals the library: random settings, bit for bit, on rows of training and on new rows."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

import refrank
from refrank.datasets.letor import load_letor
from yardstick.planting import read_mistakes

PAGES = Path(__file__).parents[2] / "pages"
NAMES = ["mcrank", "igbrt", "cocr"]
SEEDS = range(100)
MISTAKES = read_mistakes(Path(__file__).with_name("planted.txt").read_text(encoding="utf-8"))


def load(name: str, source: str) -> ModuleType:
    page = importlib.util.module_from_spec(importlib.util.spec_from_loader(f"page_{name}", loader=None))
    exec(compile(source, name, "exec"), page.__dict__)
    return page


def read(name: str) -> str:
    return (PAGES / f"{name}.py").read_text(encoding="utf-8")


def draw_features(rng: np.random.Generator, n_samples: int, n_features: int) -> Any:
    kinds = [
        lambda: rng.normal(size=n_samples),
        lambda: rng.integers(0, 5, n_samples) - 2.0,  # ties
        lambda: np.exp(rng.normal(size=n_samples) * 8),
        lambda: np.full(n_samples, 0.1),
        lambda: rng.integers(0, 2, n_samples) * rng.normal(size=n_samples) * rng.choice([-1.0, 1.0]),
        lambda: 1 + rng.integers(0, 40, n_samples) * 2.0**-52,  # neighbouring numbers
    ]
    return np.column_stack([rng.choice(kinds)() for _ in range(n_features)])


def draw_case(rng: np.random.Generator) -> Any:
    """Draw rows to train on, their grades, and new rows."""
    n_samples, n_features, n_classes = rng.integers(20, 201), rng.integers(1, 7), rng.integers(2, 6)
    X = draw_features(rng, n_samples, n_features).astype(rng.choice([np.float32, np.float64]))
    present = rng.permutation(n_classes)[: rng.integers(1, n_classes + 1)]  # classes may be missing
    y = rng.choice(np.append(present, n_classes - 1), n_samples)
    y[:2] = n_classes - 1, rng.integers(n_classes - 1)  # two classes at least
    new = np.vstack([draw_features(rng, 50, n_features), X[:10] + 1e-3]).astype(X.dtype)
    return X, y, new


def compare_mcrank(page: ModuleType, rng: np.random.Generator) -> bool:
    X, y, new = draw_case(rng)
    limits = {
        "n_bins": int(rng.integers(2, 257)),
        "n_rounds": int(rng.integers(1, 4)),
        "n_leaves": int(rng.integers(2, 9)),
        "learning_rate": float(rng.choice([0.05, 0.1, 0.3, 1.0])),
    }
    model = page.train(X, y, **limits)
    kinds = [refrank.SoftmaxBoostRanker, refrank.OrdinalBoostRanker, refrank.LSBoostRanker]
    rankers = [kind(**limits, binning="quantile", n_threads=1).fit(X, y) for kind in kinds]
    return all(
        np.array_equal(scores, ranker.predict(rows))
        for rows in (X, new)
        for scores, ranker in zip(page.predict(model, rows), rankers, strict=True)
    )


def compare_igbrt(page: ModuleType, rng: np.random.Generator) -> bool:
    X, y, new = draw_case(rng)
    n_bins = int(rng.integers(2, 257))
    forest = {"n_trees": int(rng.integers(1, 4)), "max_features": int(rng.integers(1, X.shape[1] + 1))}
    boosted = {
        "n_rounds": int(rng.integers(1, 5)),
        "max_depth": int(rng.integers(1, 6)),
        "learning_rate": float(rng.choice([0.05, 0.1, 0.3, 1.0])),
    }
    seed = int(rng.integers(0, 2**31))
    same = {"n_bins": n_bins, "binning": "quantile", "random_state": seed, "n_threads": 1}
    pairs = [
        (forest | {"n_rounds": 0}, refrank.RandomForestRanker(**forest, **same)),
        (boosted | {"n_trees": 0}, refrank.GBRTRanker(**boosted, **same)),
        (forest | boosted, refrank.IGBRTRanker(**forest, **boosted, **same)),
    ]
    equal = True
    for limits, ranker in pairs:
        model = page.train(X, y, **limits, n_bins=n_bins, seed=seed)
        ranker.fit(X, y)
        equal &= all(np.array_equal(page.predict(model, rows), ranker.predict(rows)) for rows in (X, new))
    return equal


def compare_cocr(page: ModuleType, rng: np.random.Generator) -> bool:
    X, y, new = draw_case(rng)
    X, new = (np.tanh(rows) for rows in (X, new))
    bases = [LinearRegression, Ridge, lambda: DecisionTreeRegressor(max_depth=3, random_state=0)]
    base, cost = bases[rng.integers(3)], ["absolute", "squared", "oerr"][rng.integers(3)]
    model = page.train(X, y, base, getattr(page, cost))
    ranker = refrank.COCRRanker(base(), cost=cost).fit(X, y)
    return all(
        np.array_equal(page.predict(model, rows), ranker.predict(rows))
        and np.array_equal(page.predict_rank(model, rows), ranker.predict_rank(rows))
        for rows in (X, new)
    )


COMPARE = {"mcrank": compare_mcrank, "igbrt": compare_igbrt, "cocr": compare_cocr}


@pytest.mark.parametrize("name", NAMES)
def test_page_equals_the_library(name):
    page = load(name, read(name))
    assert [seed for seed in SEEDS if not COMPARE[name](page, np.random.default_rng(seed))] == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.changes[0][1])
def test_planted_mistake_shows(mistake):
    page = load(mistake.words, mistake.plant(read(mistake.words)))
    assert not all(COMPARE[mistake.words](page, np.random.default_rng(seed)) for seed in SEEDS)


@pytest.mark.parametrize("name", NAMES)
def test_page_stands_alone(name):
    source = read(name)
    assert len(source.splitlines()) <= 180
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or ".").split(".")[0])
    assert imported <= {"numpy", *sys.stdlib_module_names}


@pytest.mark.parametrize(("name", "n_columns"), [("mcrank", 3), ("igbrt", 1), ("cocr", 1)])
def test_page_scores_a_letor_file(name, n_columns, tmp_path):
    train, test = tmp_path / "train.txt", tmp_path / "test.txt"
    train.write_text("2 qid:1 1:0.5 2:1.25 #docid = a\n0 qid:1 1:0.25 3:3\n1 qid:2 1:0.75 3:1\n0 qid:2 2:0.5 3:2\n")
    test.write_text("1 qid:3 1:0.5\n0 qid:3 2:2.0 4:1\n")
    page, data = load(name, read(name)), load_letor(train)
    X, y = page.read(train)
    assert np.array_equal(X, data.X)
    assert np.array_equal(y, data.y)
    for files, n_rows in (([train], 4), ([train, test], 2)):
        command = [sys.executable, PAGES / f"{name}.py", *files]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert np.isfinite([[float(x) for x in line.split()] for line in printed.splitlines()]).shape == (
            n_rows,
            n_columns,
        )
