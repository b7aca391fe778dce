"""iGBRT Sec. 7: "splitting three ways during tree construction and substituting [...] zeros, infinity, the mean or the
median", compared on a validation set.
"""

from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from refrank.igbrt.missing_values import SUBSTITUTES, fill_missing, fill_values
from refrank.reproduce.cells import Arrays, CellStore
from refrank.reproduce.igbrt.runs import PreparedFold, Sizes, run_boosting, run_forest

METHODS = ("RF", "GBRT")

Comparison = dict[tuple[str, str], NDArray[np.float64]]  # (method, substitute) -> (3,) ERR, NDCG@10, RMSE


def compare_missing(data: PreparedFold, sizes: Sizes, store: CellStore) -> Comparison:
    """Train a forest and GBRT with each substitute, and measure them on the validation set.

    Absent features and zeros both count as missing: the paper's shares of missing features say so. Columns that no
    training row has are left out, since they have no mean.

    Parameters
    ----------
    data : PreparedFold
    sizes : Sizes
        The forest has the last size but one, GBRT the rounds of iGBRT.
    store : CellStore

    Returns
    -------
    dict from (method, substitute) to ERR, NDCG@10 and RMSE
    """
    sizes = replace(sizes, forest_sizes=sizes.forest_sizes[-2:-1])
    n_rounds = sizes.n_rounds_from_forest

    def run(method: str, substitute: str) -> Arrays:
        other = substitute_missing(data, substitute)
        if method == "RF":
            return {"metrics": run_forest(other, "R", sizes)["valid"][-1]}
        return {"metrics": run_boosting(other, "R", other.make_zeros("R"), n_rounds, 0.1, every=n_rounds)["valid"][-1]}

    return {
        (method, substitute): store.fetch(
            f"{data.fold.name}-missing-{method}-{substitute}", partial(run, method, substitute)
        )["metrics"]
        for method in METHODS
        for substitute in SUBSTITUTES
    }


def substitute_missing(data: PreparedFold, substitute: str) -> PreparedFold:
    """Put something else than zeros for missing features."""
    present = np.any(data.X["train"] != 0, axis=0)
    train, other = data.X["train"][:, present], copy(data)
    fill = fill_values(train, substitute, 0.0)
    other.substitute({split: fill_missing(values[:, present], 0.0, fill) for split, values in data.X.items()})
    if substitute == "three-way":
        other.binned = replace(other.binned, missing=np.any(train == 0, axis=0).astype(np.int8))
    return other
