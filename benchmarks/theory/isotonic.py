"""One-sided errors and the isotonic distance on MQ2008: docs/prove/bounds.md."""

import numpy as np

from benchmarks.theory.data import MAX_GRADE, Figure, Trained, collect
from refrank import bounds
from refrank.metrics import dcg, err
from refrank.metrics.discounts import tabulate_discounts


def list_figures(data: Trained) -> list[Figure]:
    """Rank by LS boost's predictions of 2^y - 1."""
    predicted = data.ls_boost.predict(data.test.X)
    lines = []
    for rows in data.list_queries():
        order = rows[np.argsort(-predicted[rows], kind="stable")]
        y, f, c = data.test.y[order], predicted[order], tabulate_discounts(len(rows))
        z, position = np.ldexp(1.0, y) - 1, -np.arange(len(y), dtype=float)
        error, worst = dcg(y, y, k=None) - dcg(y, position, k=None), bounds.largest_dcg_error(c, y)
        err_error = err(y, y, max_grade=MAX_GRADE) - err(y, position, max_grade=MAX_GRADE)
        worst_err = bounds.largest_err_error(y, MAX_GRADE)
        lines.append({
            "cossock_zhang.thm2.variant-sharp": (error, bounds.regression_error(c, z, f), worst),
            "new.one_sided": (error, bounds.dcg_one_sided(c, z, f), worst),
            "new.isotonic": (error, bounds.dcg_isotonic(c, z), worst),
            "new.isotonic.variant-err": (err_error, bounds.err_isotonic(y, MAX_GRADE), worst_err),
        })  # fmt: skip
    return collect(lines)
