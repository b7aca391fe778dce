"""Right-hand sides of the bounds on a ranking's error, one function each.

The error is DCG_g - DCG_pi or ERR_g - ERR_pi of one query: pi is the ranking, g sorts by label. proofs_check/ settles
which bounds hold and how tight they are. docs/prove/bounds.md explains them. docs/prove/losses.md,
docs/prove/ndcg_bounds.md, docs/prove/regret.md and docs/prove/boosting_rounds.md cover those of training losses, NDCG,
noisy labels and rounds. An argument that breaks a rule raises a ValueError.
"""

from refrank.bounds.answers import err_binary_errors, err_expected_gain
from refrank.bounds.class_proba import (
    dcg_brier,
    dcg_class_proba,
    dcg_class_proba_l2,
    dcg_expected_relevance,
    err_class_proba,
)
from refrank.bounds.cross_entropy import (
    err_cross_entropy,
    ndcg_cross_entropy,
    ndcg_error_cross_entropy,
    ndcg_error_log_rank,
    ndcg_least_cross_entropy,
    ndcg_log_rank,
    ndcg_shifted_cross_entropy,
)
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
from refrank.bounds.isotonic import dcg_isotonic, dcg_one_sided, err_isotonic
from refrank.bounds.pairs import (
    dcg_distance_loss,
    dcg_distance_swaps,
    dcg_swaps,
    err_essential_loss,
    err_swaps,
    essential_loss,
    lambda_loss,
)
from refrank.bounds.regret import dcg_pair_regret, err_regret
from refrank.bounds.report import BoundsReport, report_bounds
from refrank.bounds.rounds import least_share_of_cut, newton_decrease

__all__ = ["BoundsReport", "err_binary_errors", "err_expected_gain", "err_regret", "report_bounds"]
__all__ += ["dcg_brier", "dcg_class_proba", "dcg_class_proba_l2", "dcg_expected_relevance", "err_class_proba"]
__all__ += ["dcg_isotonic", "dcg_one_sided", "err_cross_entropy", "err_isotonic", "ndcg_cross_entropy", "ndcg_log_rank"]
__all__ += ["cossock_zhang_theorem2", "dcg_by_errors", "dcg_threshold", "largest_dcg_error", "mcrank_lemma1"]
__all__ += ["cocr_theorem2", "err_by_errors", "err_oerr", "err_rr_dcg", "min_pairing", "regression_error"]
__all__ += ["dcg_swaps", "err_essential_loss", "err_swaps", "err_threshold", "igbrt_theorem1", "largest_err_error"]
__all__ += ["essential_loss", "lambda_loss", "least_share_of_cut", "newton_decrease"]
__all__ += ["dcg_distance_loss", "dcg_distance_swaps", "dcg_pair_regret", "ndcg_shifted_cross_entropy"]
__all__ += ["ndcg_error_cross_entropy", "ndcg_error_log_rank", "ndcg_least_cross_entropy"]
