"""`refrank train --algorithm cocr`: which base, with which of the flags, and which cost."""

import argparse
from typing import Any

from sklearn.ensemble import BaggingRegressor

from refrank.cli.flags import check_known
from refrank.cocr.user_costs import COSTS
from refrank.estimators import COCRRanker
from refrank.model_file.cocr import BASES

# the parameters of `refrank train --algorithm cocr` that go to COCR, and those that go to its base
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
    command.add_argument(
        "--n-jobs", type=int, help="binary problems side by side; default: as many as the base has threads (cocr)"
    )
    command.add_argument("--min-instances", type=int, help="M, default 4 (cocr over m5p, bagging-m5p)")
    command.add_argument("--n-estimators", type=int, help="T, default 10 (cocr over bagging-m5p)")


def cocr_ranker(parameters: dict[str, Any]) -> COCRRanker:
    """Make the ranker that the flags describe.

    Parameters
    ----------
    parameters : dict
        What the flags gave, by the names of parameters; `base` is a name of `BASES`, "linear" where it is left out.

    Raises
    ------
    ValueError
        Where a parameter is not one of COCR or of that base; the message names the flag.

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
    check_known(given, (*OF_COCR, *OF_BASE[name]), f"--algorithm cocr --base {name}")
    base = BASES[name]()
    of_base = {parameter: value for parameter, value in given.items() if parameter in OF_BASE[name]}
    if isinstance(base, BaggingRegressor) and "min_instances" in of_base:
        of_base["estimator__min_instances"] = of_base.pop("min_instances")
    of_cocr = {parameter: value for parameter, value in given.items() if parameter in OF_COCR}
    return COCRRanker(base.set_params(**of_base), **of_cocr)
