"""Time M5P, step by step, on generated data as sparse as a large ranking collection.

    python -m benchmarks.speed.m5p [--rows 34815] [--features 700] [--min-instances 4] [--variant weka]
                                   [--weights counts]

Two thirds of the entries are zero; the grades 0-4 are a noisy sum of up to 60 features, a product of two and a step of
one more.
"""

import numpy as np

from benchmarks.side_by_side import parse_options, time_call
from refrank.checks import check_integer
from refrank.cocr.m5p import VARIANTS, WEIGHTINGS
from refrank.cocr.m5p.growth import grow
from refrank.cocr.m5p.pruning import prune
from refrank.cocr.m5p.smoothing import smooth


def draw_sparse_grades(n_rows: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw at least 3 features, and grades."""
    check_integer("--features", n_features, at_least=3)
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, n_features)) * (rng.random((n_rows, n_features)) < 1 / 3)
    used = X[:, :63]
    latent = used[:, :-3].sum(axis=1) + 4 * used[:, -3] * used[:, -2] + 2 * (used[:, -1] > 0.3)
    latent += rng.standard_normal(n_rows)
    return X, np.searchsorted(np.quantile(latent, [0.2, 0.5, 0.8, 0.95]), latent).astype(float)


def time_step(step: str, *call: object) -> object:
    """Run one step, and print its seconds."""
    seconds, result = time_call(*call)
    print(f"{step:8} {seconds:8.2f} s", flush=True)
    return result


def main() -> None:
    arguments = parse_options(
        __doc__, rows=34815, features=700, min_instances=4.0, variant=tuple(VARIANTS), weights=tuple(WEIGHTINGS)[::-1]
    )
    X, y = draw_sparse_grades(arguments.rows, arguments.features)
    weights, variant = WEIGHTINGS[arguments.weights](np.ones(len(y))), VARIANTS[arguments.variant]
    grown = time_step("grow", grow, X, y, weights, arguments.min_instances, variant)
    pruned = time_step("prune", prune, X, y, weights, grown, variant)
    tree = time_step("smooth", smooth, pruned, X.shape[1])
    time_step("predict", tree.predict, X)
    print(f"{len(grown)} nodes grown, {tree.n_leaves} leaves kept")


if __name__ == "__main__":
    main()
