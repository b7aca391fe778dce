"""Compare the predictions of M5PRegressor with those of Weka 3.6's M5P, on generated data.

    python benchmarks/m5p_weka.py [--jar /usr/share/java/weka.jar] [--rows 2000]

Needs Java and Weka's jar (Debian: `apt-get install weka`), and says so where they are missing. Both programs learn from
the same rows and predict the same other rows. Weka prints 6 decimals: a difference of 5e-7 is rounding. Differences are
given as they are, and in units of the standard deviation of Weka's predictions. Set the environment variable
REFRANK_DATA to add MQ2008.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from side_by_side import parse_options, time_call

from refrank.datasets import load_folds
from refrank.estimators.m5p import M5PRegressor

Data = tuple[np.ndarray, np.ndarray]


def piecewise(rng: np.random.Generator, n: int) -> Data:
    """Two linear pieces of uniform features, a little noise."""
    X = rng.random((n, 8))
    return X, np.where(X[:, 0] < 0.5, 3 * X[:, 1], X[:, 3] - 2 * X[:, 2]) + 0.1 * rng.standard_normal(n)


def friedman(rng: np.random.Generator, n: int) -> Data:
    """Friedman's first function: smooth and nonlinear in 5 of 10 features."""
    X = rng.random((n, 10))
    signal = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, signal + rng.standard_normal(n)


def grades(rng: np.random.Generator, n: int) -> Data:
    """Labels 0-4, most of them 0, on 20 features rounded to two decimals: many ties."""
    X = rng.random((n, 20)).round(2)
    latent = X[:, :5].sum(axis=1) + 2 * X[:, 5] * X[:, 6] + 0.4 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(latent, [0.5, 0.75, 0.9, 0.97]), latent).astype(float)


def binary(rng: np.random.Generator, n: int) -> Data:
    """A binary problem of COCR: y >= 2 of the same labels."""
    X, y = grades(rng, n)
    return X, (y >= 2).astype(float)


def sparse(rng: np.random.Generator, n: int) -> Data:
    """40 features, two thirds of the entries zero, two columns constant, labels 0-4."""
    X = rng.random((n, 40)) * (rng.random((n, 40)) < 1 / 3)
    X[:, 3], X[:, 17] = 0.0, 0.7
    latent = X[:, :8].sum(axis=1) + X[:, 8] * X[:, 9] + 0.2 * rng.standard_normal(n)
    return X, np.searchsorted(np.quantile(latent, [0.5, 0.75, 0.9, 0.97]), latent).astype(float)


def collinear(rng: np.random.Generator, n: int) -> Data:
    """Columns that repeat others, exactly, scaled, or with a little noise."""
    X = rng.standard_normal((n, 6))
    y = np.abs(X[:, 0]) + X[:, 1] + 0.2 * rng.standard_normal(n)
    near = X[:, 1] + 1e-3 * rng.standard_normal(n)
    return np.column_stack([X, X[:, 0], 2 * X[:, 1] + 1, near, X[:, 2] + X[:, 3]]), y


def heavy(rng: np.random.Generator, n: int) -> Data:
    """Features and target of very different sizes and heavy tails."""
    X = np.exp(2 * rng.standard_normal((n, 6))) * 10.0 ** np.arange(-3, 3)
    return X, np.log(X[:, 0] + 1e-3) * 100 + 50 * np.tanh(X[:, 3]) + 5 * rng.standard_normal(n)


Shape = Callable[[np.random.Generator, int], Data]
SHAPES: tuple[Shape, ...] = (piecewise, friedman, grades, binary, sparse, collinear, heavy)


def write_arff(path: Path, X: np.ndarray, y: np.ndarray) -> None:
    """Write numeric data in Weka's format, with all digits."""
    names = [f"@attribute x{j} numeric" for j in range(X.shape[1])]
    rows = (",".join(map(repr, row)) for row in np.column_stack([X, y]).tolist())
    path.write_text("\n".join(["@relation r", *names, "@attribute y numeric", "@data", *rows, ""]))


def run_weka(jar: str, train: Data, test: Data, min_instances: int) -> tuple[np.ndarray, float]:
    """Run M5P and return its predictions of the test rows, and the seconds of the whole process."""
    with tempfile.TemporaryDirectory() as folder:
        train_file, unused, test_file, out = (f"{folder}/{name}.arff" for name in ("train", "unused", "test", "out"))
        write_arff(Path(train_file), *train)
        write_arff(Path(test_file), *test)
        command = ["java", "-Xmx4g", "-cp", jar, "weka.filters.supervised.attribute.AddClassification"]
        command += ["-W", f"weka.classifiers.trees.M5P -M {min_instances}", "-classification", "-b", "-c", "last"]
        command += ["-i", train_file, "-o", unused, "-r", test_file, "-s", out]
        seconds, _ = time_call(partial(subprocess.run, command, check=True, capture_output=True))
        data = Path(out).read_text().split("@data")[1].split()
    return np.array([float(row.rsplit(",", 1)[1]) for row in data]), seconds


def load_cases(n_rows: int) -> Iterator[tuple[str, Data, Data]]:
    """Yield the name, training rows and other rows of each data set; MQ2008 too if REFRANK_DATA is set."""
    for shape in SHAPES:
        X, y = shape(np.random.default_rng(0), 2 * n_rows)
        yield shape.__name__, (X[:n_rows], y[:n_rows]), (X[n_rows:], y[n_rows:])
    if "REFRANK_DATA" in os.environ:
        fold = next(load_folds(Path(os.environ["REFRANK_DATA"], "mq2008"), dtype=np.float64))
        for name, make_target in (("y", lambda y: y * 1.0), ("y >= 1", lambda y: (y >= 1) * 1.0)):
            train, test = ((split.X, make_target(split.y)) for split in (fold.train, fold.test))
            yield f"MQ2008 fold 1, {name}", train, test


def compare(jar: str, n_rows: int) -> Iterator[str]:
    """Yield one line of the table for each data set and each M."""
    for name, train, test in load_cases(n_rows):
        for min_instances in (4, 64):
            theirs, their_seconds = run_weka(jar, train, test, min_instances)
            our_seconds, model = time_call(M5PRegressor(min_instances=min_instances).fit, *train)
            ours = model.predict(test[0])
            difference, sd = np.abs(ours - theirs), theirs.std()
            yield (
                f"| {name} | {' x '.join(map(str, train[0].shape))} | {min_instances} | {model.model_.n_leaves} "
                f"| {np.corrcoef(ours, theirs)[0, 1]:.9f} | {difference.max():.1e} | {difference.max() / sd:.1e} "
                f"| {np.mean(difference > 1e-5 * sd):.2%} | {our_seconds:.2f} | {their_seconds:.2f} |"
            )


def main() -> None:
    arguments = parse_options(__doc__, jar="/usr/share/java/weka.jar", rows=2000)
    if not Path(arguments.jar).exists() or shutil.which("java") is None:
        sys.exit(f"no java, or no Weka at {arguments.jar}: install it (Debian: weka) or name its jar with --jar")
    print("| data | training rows | M | our leaves | correlation | largest difference | in sd ", end="")
    print("| rows off by > 1e-5 sd | our seconds | Weka's, with Java's start |")
    print("|" + "---|" * 10)
    for line in compare(arguments.jar, arguments.rows):
        print(line, flush=True)


if __name__ == "__main__":
    main()
