"""Right-hand sides of the bounds on a ranking's error, one function each.

The error is DCG_g - DCG_pi or ERR_g - ERR_pi of one query: pi is the ranking, g sorts by label. proofs_check/ settles
which bounds hold and how tight they are; docs/bounds.md explains them. An argument that breaks a rule is a ValueError.
"""

from refrank.bounds.answers import err_binary_errors, err_expected_gain
from refrank.bounds.dcg_error import (
    cossock_zhang_theorem2,
    dcg_by_errors,
    dcg_threshold,
    largest_dcg_error,
    mcrank_lemma1,
    min_pairing,
    regression_error,
)
from refrank.bounds.err_error import (
    cocr_theorem2,
    err_by_errors,
    err_oerr,
    err_rr_dcg,
    err_threshold,
    igbrt_theorem1,
    largest_err_error,
)
from refrank.bounds.report import BoundsReport, report_bounds

__all__ = [
    "BoundsReport",
    "cocr_theorem2",
    "cossock_zhang_theorem2",
    "dcg_by_errors",
    "dcg_threshold",
    "err_binary_errors",
    "err_by_errors",
    "err_expected_gain",
    "err_oerr",
    "err_rr_dcg",
    "err_threshold",
    "igbrt_theorem1",
    "largest_dcg_error",
    "largest_err_error",
    "mcrank_lemma1",
    "min_pairing",
    "regression_error",
    "report_bounds",
]
