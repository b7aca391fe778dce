"""`refrank train --algorithm cocr`: which base, with which of the flags, and which cost."""

import argparse
from typing import Any

from sklearn.ensemble import BaggingRegressor

from refrank.cocr.user_costs import COSTS
from refrank.estimators import COCRRanker
from refrank.model_file.cocr import BASES

OF_COCR = ("cost", "n_classes", "n_jobs")
OF_BASE: dict[str, tuple[str, ...]] = {
    "linear": (),
    "m5p": ("min_instances",),
    "bagging-m5p": ("min_instances", "n_estimators"),
    "gbrt": ("n_rounds", "max_depth", "learning_rate", "min_samples_leaf", "n_bins", "n_threads", "verbose"),
}


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the flags that COCR has alone."""
    command.add_argument("--base", choices=[*BASES], help="what learns the binary problems; default linear (cocr)")
    command.add_argument("--cost", choices=[*COSTS], help="default oerr (cocr)")
    command.add_argument("--n-jobs", type=int, help="binary problems side by side; default 1 (cocr)")
    command.add_argument("--min-instances", type=int, help="M, default 4 (cocr over m5p, bagging-m5p)")
    command.add_argument("--n-estimators", type=int, help="T, default 10 (cocr over bagging-m5p)")


def cocr_ranker(parameters: dict[str, Any]) -> COCRRanker:
    """Make the ranker that the flags describe.

    Examples
    --------
    >>> cocr_ranker({"base": "m5p", "min_instances": 64, "cost": "squared"})
    COCRRanker(base=M5PRegressor(min_instances=64), cost='squared')

    >>> cocr_ranker({"base": "linear", "min_instances": 64})
    Traceback (most recent call last):
    ValueError: --min-instances is no parameter of --algorithm cocr --base linear
    """
    given = dict(parameters)
    name = given.pop("base", "linear")
    strange = [flag for flag in given if flag not in (*OF_COCR, *OF_BASE[name])]
    if strange:
        raise ValueError(f"--{strange[0].replace('_', '-')} is no parameter of --algorithm cocr --base {name}")
    base = BASES[name]()
    own = {flag: value for flag, value in given.items() if flag in OF_BASE[name]}
    if isinstance(base, BaggingRegressor) and "min_instances" in own:
        own["estimator__min_instances"] = own.pop("min_instances")
    return COCRRanker(base.set_params(**own), **{flag: value for flag, value in given.items() if flag in OF_COCR})
