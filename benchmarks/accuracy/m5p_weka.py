"""Compare the predictions of M5PRegressor and WekaLinearRegressor with those of Weka 3.6, on generated data.

    python -m benchmarks.accuracy.m5p_weka [--jar /usr/share/java/weka.jar] [--rows 2000]

Needs Java 11 and Weka's jar (Debian: `apt-get install weka`), and says so where they are missing. Both programs learn
from the same rows and predict the same other rows; `WekaPredict.java` prints Weka's predictions with all digits.
Differences are given in units of the standard deviation of Weka's predictions: first without weights, then the largest
of 126 fits with weights (seven shapes of data, three seeds, three kinds of weights, two M), and of the linear
regression on half as many. REFRANK_DATA, a variable of the environment, adds fold 1 of MQ2008, with COCR's weights.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import parse_options
from refrank.cocr.costs import COSTS
from refrank.cocr.reduction import weights
from refrank.datasets import load_folds
from refrank.estimators.m5p import M5PRegressor, WekaLinearRegressor

Data = tuple[np.ndarray, np.ndarray]


def piecewise(rng: np.random.Generator, n: int) -> Data:
    """Draw two linear pieces of uniform features, with a little noise."""
    X = rng.random((n, 8))
    return X, np.where(X[:, 0] < 0.5, 3 * X[:, 1], X[:, 3] - 2 * X[:, 2]) + 0.1 * rng.standard_normal(n)


def friedman(rng: np.random.Generator, n: int) -> Data:
    """Draw Friedman's first function: smooth and nonlinear in 5 of 10 features."""
    X = rng.random((n, 10))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, signal + rng.standard_normal(n)


def grades(rng: np.random.Generator, n: int) -> Data:
    """Draw labels 0-4, most of them 0, on 20 features rounded to two decimals: many ties."""
    X = rng.random((n, 20)).round(2)
    latent = X[:, :5].sum(axis=1) + 2 * X[:, 5] * X[:, 6] + 0.4 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(latent, [0.5, 0.75, 0.9, 0.97]), latent).astype(float)


def binary(rng: np.random.Generator, n: int) -> Data:
    """Draw a binary problem of COCR: y >= 2 of the same labels."""
    X, y = grades(rng, n)
    return X, (y >= 2).astype(float)


def sparse(rng: np.random.Generator, n: int) -> Data:
    """Draw 40 features, two thirds of the entries zero, two columns constant, labels 0-4."""
    X = rng.random((n, 40)) * (rng.random((n, 40)) < 1 / 3)
    X[:, 3], X[:, 17] = 0.0, 0.7
    latent = X[:, :8].sum(axis=1) + X[:, 8] * X[:, 9] + 0.2 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(latent, [0.5, 0.75, 0.9, 0.97]), latent).astype(float)


def collinear(rng: np.random.Generator, n: int) -> Data:
    """Draw columns that repeat others, exactly, scaled, or with a little noise."""
    X = rng.standard_normal((n, 6))
    y = np.abs(X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)
    near = X[:, 1] + 1e-3 * rng.standard_normal(n)
    return np.column_stack([X, X[:, 0], 2 * X[:, 1] + 1, near, X[:, 2] + X[:, 3]]), y


def heavy(rng: np.random.Generator, n: int) -> Data:
    """Draw features and a target of very different sizes and heavy tails."""
    X = np.exp(2 * rng.standard_normal((n, 6))) * 10.0 ** np.arange(-3, 3)
    return X, np.log(X[:, 0] + 1e-3) * 100 + 50 * np.tanh(X[:, 3]) + 5 * rng.standard_normal(n)


Shape = Callable[[np.random.Generator, int], Data]
SHAPES: tuple[Shape, ...] = (piecewise, friedman, grades, binary, sparse, collinear, heavy)


def write_arff(path: Path, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> None:
    """Write numeric data in Weka's format, with all digits; weights come last, in braces."""
    names = [f"@attribute x{j} numeric" for j in range(X.shape[1])]
    rows = [",".join(map(repr, row)) for row in np.column_stack([X, y]).tolist()]
    if weight is not None:
        rows = [f"{row}, {{{value!r}}}" for row, value in zip(rows, weight.tolist(), strict=True)]
    path.write_text("\n".join(["@relation r", *names, "@attribute y numeric", "@data", *rows, ""]))


@dataclass(frozen=True)
class Dataset:
    """A training set, other rows to predict, and the regressor, by M; None: the linear regression."""

    name: str
    train: Data
    weight: np.ndarray | None
    test: np.ndarray
    min_instances: int | None

    @property
    def scheme(self) -> str:
        """Name of Weka's scheme, with its options."""
        if self.min_instances is None:
            return "weka.classifiers.functions.LinearRegression"
        return f"weka.classifiers.trees.M5P -M {self.min_instances}"

    def predict(self) -> np.ndarray:
        """Train ours, and predict."""
        tree = partial(M5PRegressor, self.min_instances, weights="weka")
        ours = WekaLinearRegressor() if self.min_instances is None else tree()
        return ours.fit(*self.train, self.weight).predict(self.test)


def run_weka(jar: str, cases: list[Dataset]) -> list[np.ndarray]:
    """Return Weka's predictions of each case's test rows; one process trains them all."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["java", "-Xmx4g", "-cp", jar, str(Path(__file__).with_name("WekaPredict.java"))]
        for number, case in enumerate(cases):
            place = Path(folder, str(number))
            place.mkdir()
            write_arff(place / "train.arff", *case.train, case.weight)
            write_arff(place / "test.arff", case.test, np.zeros(len(case.test)))
            command += [case.scheme, str(place)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return [np.loadtxt(Path(folder, str(number), "predictions.txt")) for number in range(len(cases))]


def list_plain(n_rows: int) -> Iterator[Dataset]:
    """Yield the seven shapes without weights."""
    for shape, min_instances in product(SHAPES, (4, 64, None)):
        X, y = shape(np.random.default_rng(0), 2 * n_rows)
        yield Dataset(shape.__name__, (X[:n_rows], y[:n_rows]), None, X[n_rows:], min_instances)


def list_weighted(min_instances: tuple[int | None, ...]) -> Iterator[Dataset]:
    """Yield small sets of the seven shapes, with integer, lognormal and two-valued weights."""
    for shape, seed, kind, m in product(SHAPES, range(3), range(3), min_instances):
        rng, n = np.random.default_rng([seed, kind]), (120, 400)[seed % 2]
        X, y = shape(rng, n + 100)
        weight = (rng.choice([1.0, 2.0, 3.0], n), np.exp(rng.standard_normal(n)), rng.choice([0.25, 4.0], n))[kind]
        yield Dataset(shape.__name__, (X[:n], y[:n]), weight, X[n:], m)


def list_mq2008(folder: Path) -> Iterator[Dataset]:
    """Yield regression on y, and each problem of COCR under each cost; features are scaled to [0, 1]."""
    from sklearn.preprocessing import MinMaxScaler

    fold = next(load_folds(folder, dtype=np.float64))
    scaler = MinMaxScaler().fit(fold.train.X)
    X, test, y = scaler.transform(fold.train.X), scaler.transform(fold.test.X), fold.train.y
    problems: list[tuple[str, np.ndarray, np.ndarray | None]] = [("y", y * 1.0, None)]
    for cost, k in product(("absolute", "squared", "oerr"), (1, 2)):
        weight = weights(COSTS[cost](y, 2))[:, k - 1]
        problems.append((f"y >= {k}, {cost}", (y >= k) * 1.0, weight / weight.mean()))
    for (name, target, weight), m in product(problems, (4, 256, None)):
        yield Dataset(f"MQ2008 fold 1, {name}", (X, target), weight, test, m)


def compare(jar: str, cases: list[Dataset]) -> Iterator[tuple[Dataset, float]]:
    """Yield each case with the largest difference of its predictions, in sd of Weka's."""
    for case, theirs in zip(cases, run_weka(jar, cases), strict=True):
        yield case, float(np.abs(case.predict() - theirs).max() / theirs.std())


def main() -> None:
    arguments = parse_options(__doc__, jar="/usr/share/java/weka.jar", rows=2000)
    if not Path(arguments.jar).exists() or shutil.which("java") is None:
        sys.exit(f"no java, or no Weka at {arguments.jar}: install it (Debian: weka) or name its jar with --jar")
    cases = list(list_plain(arguments.rows))
    if "REFRANK_DATA" in os.environ:
        cases += list_mq2008(Path(os.environ["REFRANK_DATA"], "mq2008"))
    print("| data | training rows | M | largest difference, in sd |")
    print("|---|---|---|---|")
    for case, difference in compare(arguments.jar, cases):
        shape = " x ".join(map(str, case.train[0].shape))
        print(f"| {case.name} | {shape} | {case.min_instances or 'linear'} | {difference:.1e} |", flush=True)
    for title, m in (("M5P with weights", (4, 20)), ("linear regression with weights", (None,))):
        differences = [difference for _, difference in compare(arguments.jar, list(list_weighted(m)))]
        print(f"{title}: {len(differences)} fits, largest difference {max(differences):.1e} sd")


if __name__ == "__main__":
    main()
