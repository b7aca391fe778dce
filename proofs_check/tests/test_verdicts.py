"""The findings of all rows: the verdict, the smallest counterexample, and how far the enumeration went.

Rows that are not listed hold and are enumerated up to the n of the effort.
"""

import pytest

from proofs_check import every_row


def ids(statement: str, names: str) -> set[str]:
    """List rows of one statement; "-" is the statement itself."""
    return {statement if name == "-" else f"{statement}.{name}" for name in names.split()}


VACUOUS = {
    *ids("mcrank.lemma1", "variant-L1 variant-L2"),
    *ids("igbrt.theorem1", "- variant-mended"),
    *ids("cocr.theorem2", "-"),
    *ids("new.err_oerr", "variant-errors"),
}
IDENTITIES = {
    *ids("mcrank.cushion", "- step1 variant-increasing"),
    *ids("mcrank.eq6", "- step1 step2 variant-two-classes variant-only-affine"),
    *ids("mcrank.eq8", "- variant-crossed variant-sum variant-abel variant-sort"),
    *ids("mcrank.lemma1", "step1 step3 step8"),
    *ids("mcrank.sum_of_scores", "variant-simultaneous-K2 variant-one-leaf"),
    *ids("cossock_zhang.thm2", "variant-attained"),
    *ids("igbrt.perfect_ranker", "step1 variant-ties"),
    *ids("igbrt.theorem1", "step1 step4"),
    *ids("cocr.oerr", "- variant-ties-kept variant-ndcg variant-example"),
    *ids("cocr.theorem1", "step1 variant-perfect"),
    *ids("cocr.theorem2", "step1 step6 step7"),
    *ids("lin_li.reduction", "variant-rank-monotone"),
    *ids("trees.best_first_is_depth_first", "- variant-min-samples-leaf variant-prefix variant-refrank"),
    *ids("trees.duplicated_rows", "- variant-one-feature variant-twice variant-refrank"),
    *ids("trees.histogram_is_exact_split", "- step1 variant-one-feature variant-floats"),
    *ids("trees.ls_training_error", "step1 step2 step3 variant-weights variant-nu-2 variant-falls-one-feature"),
    *ids("trees.monotone_transforms", "- variant-refrank"),
    *ids("trees.permuted_features", "variant-one-cut variant-one-cut-three-labels variant-no-ties"),
    *ids("trees.permuted_rows", "- variant-one-feature variant-refrank"),
    *ids("new.dcg_threshold", "step1 variant-attained variant-attained-at-one"),
    *ids("new.err_below_rr_dcg", "step1 step3"),
    *ids("new.err_oerr", "variant-reversal"),
}
REFUTED = {
    "mcrank.cushion.variant-clipped": "n=2, in the order of pi: y=(0, 1), yhat=(0, 0), g=(2, 1): c=(1, 0), 1 != 0",
    "mcrank.cushion.variant-higher": "n=2, in the order of pi: y=(3, 4), yhat=(4, 4), g=(2, 1): c=(1, 0), 8 != 0",
    "mcrank.eq6.variant-flat": "p=(0, 0, 1), r=(0, 1/5, 4/5): 0 != 1",
    "mcrank.eq6.variant-sum": "p=(0, 0), r=(1/2, 0): -1 != 0",
    "mcrank.eq6.variant-nonlinear": "p=(0, 1, 0), r=(3/5, 0, 2/5): 1 > 0",
    "mcrank.eq6.variant-expected-relevance": "p=(0, 2/5, 3/5), r=(1/5, 0, 4/5): 12/5 > 11/5",
    "mcrank.eq8.variant-separate": "Q=(1/4, 0): 0 <= p_1, 0 > -1/4",
    "mcrank.eq8.variant-clip": "Q=(0, 1/4), R=(1/2, 0): 1 > 0",
    "mcrank.eq8.variant-clip-normalise": "Q=(0, 0, 1/2), R=(1/4, 0, 0): 1 > 0",
    "mcrank.eq8.variant-running-maximum": "Q=(0, 3/4), R=(1/2, 0): 1 > 0",
    "mcrank.lemma1.variant-negative":
        "n=3, in the order of pi: y=(0, 1, 0), yhat=(0, 0, 0), g=(2, 1, 3): c=(1, -1, -1), squares: 4 > 0",
    "mcrank.sum_of_scores": "K=2, N=1, y=(0,), nu = log 2: sum of F of document 1 is 1/4 nu",
    "mcrank.sum_of_scores.variant-sequential-K2": "K=2, N=1, y=(0,), nu = log 2: sum of F of document 1 is 1/4 nu",
    "mcrank.sum_of_scores.variant-sequential-K3": "K=3, N=1, y=(0,), nu=1, round 1: sum of F of document 1 is 0.502415",
    "mcrank.sum_of_scores.variant-simultaneous": "K=3, N=3, y=(0, 1, 2), nu = log 2: sum of F of document 2 is -3/2 nu",
    "mcrank.sum_of_scores.variant-one-leaf-twice":
        "K=3, N=1, y=(0,), nu=1, round 2: sum of F of document 1 is -0.663518",
    "igbrt.theorem1.step6": "n=2, in the order of pi: y=(0, 0), yhat=(1, 0), g=(2, 1): 0 > -1/32",
    "igbrt.theorem1.step8": "n=2, in the order of pi: y=(4, 4), yhat=(4, 4), g=(2, 1): squares: 961/512 > 5/4",
    "igbrt.theorem1.step10":
        "n=2, in the order of pi: y=(4, 4), yhat=(4, 0), g=(2, 1): squares: 216225/131072 > 23687/16384 (rounded down)",
    "igbrt.theorem1.variant-rearrangement": "n=2, in the order of pi: y=(0, 1), yhat=(0, 0), g=(2, 1): 15/32 != 1/2",
    "igbrt.theorem1.variant-same-ties":
        "n=2, in the order of pi: y=(2, 4), yhat=(2, 0), g=(2, 1): squares: 661/512 > 5/4",
    "cocr.oerr.step1":
        "n=2, in the order of pi: y=(0, 0), yhat=(1, 0), g=(1, 2): P_2(rho,y) and P_2(pi,yhat), 1 != 15/16",
    "cocr.oerr.step2": "n=1, in the order of pi: y=(0,), yhat=(0,), g=(1,): 0 != 65535/16",
    "cocr.oerr.step3": "n=2, in the order of pi: y=(1, 0), yhat=(1, 1), g=(1, 2): 225/65536 != 1/256",
    "cocr.oerr.step4": "n=2, in the order of pi: y=(1, 1), yhat=(1, 1), g=(2, 1): 1/32768 > 0",
    "cocr.oerr.variant-unoptimistic": "n=2, in the order of pi: y=(0, 1), yhat=(1, 1), g=(2, 1): 257/65536 > 1/256",
    "cocr.oerr.variant-convex": "y=3, oERR=(49, 36, 16, 0), k=1: -13 > -20",
    "cocr.oerr.variant-normalised": "y=3, oERR=(49, 36, 16, 0, 64), k=0: times both maxima, 576 > 441",
    "cocr.oerr.variant-normalised-every-grade": "y=1, oERR=(1, 0, 4), k=0: times both maxima, 4 > 1",
    "cocr.theorem2.step4":
        "n=2, in the order of pi: y=(1, 1), yhat=(1, 1), g=(2, 1): F_2(rho,y) and F_2(pi,y), 1/16 > 15/256",
    "cocr.theorem2.step8": "n=2, in the order of pi: y=(1, 1), yhat=(1, 1), g=(2, 1): 0 > -1/256",
    "cocr.theorem2.variant-position":
        "n=2, in the order of pi: y=(1, 1), yhat=(1, 1), g=(2, 1): F_1(rho,y) and position 1, 15/256 != 1/16",
    "cocr.theorem2.variant-literal":
        "n=3, in the order of pi: y=(1, 0, 0), yhat=(1, 0, 0), g=(2, 1, 3): squares: 1/1024 > 0",
    "cocr.theorem2.variant-overshoot":
        "n=3, in the order of pi: y=(0, 0, 0), yhat=(5, 1, 0), g=(1, 3, 2): 491/256 > 977/512",
    "lin_li.reduction": "y=3, c=(49, 36, 16, 0), off=(1, 0, 0), g=(0, 1, 1): 16 > 13",
    "lin_li.reduction.variant-oerr": "y=3, c=(49, 36, 16, 0), off=(1, 0, 0), g=(0, 1, 1): 16 > 13",
    "lin_li.reduction.variant-v-shaped": "y=0, c=(0, 1, 1), off=(0, 1), g=(0, 1): 1 > 0",
    "lin_li.reduction.variant-soft-squared-outside": "y=1, c=(1, 0), off=(5/4), g=(-1/4): 25/16 > 5/4",
    "lin_li.reduction.variant-soft-oerr": "y=3, c=(49, 36, 16, 0), off=(1/4, 3/4, 1), g=(3/4, 1/4, 0): 36 > 137/4",
    "trees.best_first_is_depth_first.variant-small-J": "x=((0), (1), (2), (3)), y=(0, 1, 0, 1): 1 != 0",
    "trees.duplicated_rows.variant-min-samples-leaf": "x=((0), (1)), y=(0, 1), w=(2, 2): 1 != 0",
    "trees.duplicated_rows.variant-any-labels":
        "x=((0)), y=(3/10): y/10, prediction of row 1, 5404319552844595/18014398509481984 !="
        " 1351079888211149/4503599627370496",
    "trees.histogram_is_exact_split.variant-two-bins-lossless":
        "x=((0), (1), (2)), y=(1, 0, 0): B=2, split_gain, 1/6 != 2/3",
    "trees.histogram_is_exact_split.variant-printed-criterion":
        "x=((0), (0), (1), (2)), y=(0, 0, 1, 0): split_gain, 1/4 != 1/12",
    "trees.histogram_is_exact_split.variant-floats-ties": "x=((0), (1), (1), (2)), y=(0, 0, 1, 1): 1 != 0",
    "trees.histogram_is_exact_split.variant-floats-two-features":
        "x=((0, 0), (0, 0), (0, 1), (1, 0)), y=(0, 1, 1, 0): 1 != 0",
    "trees.ls_training_error.variant-above-2": "x=((0), (1)), y=(0, 1): nu=9/4, J=2, round 1: SSE, 25/32 > 1/2",
    "trees.ls_training_error.variant-small-steps": "x=((0), (1)), y=(0, 1): 1 != 0",
    "trees.ls_training_error.variant-falls": "x=((0, 0), (0, 1), (1, 0), (1, 1)), y=(0, 1, 1, 0): 1 != 0",
    "trees.monotone_transforms.variant-app-I": "x=(0, 1, 2), T(x)=(0, 2, 3), y=(0, 0, 1): 1 != 0",
    "trees.monotone_transforms.variant-app-I-small-scale": "x=((0), (1)), y=(0, 1): 1 != 0",
    "trees.monotone_transforms.variant-decreasing": "x=((0), (1), (2)), y=(0, 1, 0): 1 != 0",
    "trees.monotone_transforms.variant-unseen": "x=(0, 2), u=1, T(x)=(0, 3), T(u)=2: 1 != 0",
    "trees.permuted_features": "x=((0, 0), (0, 1), (1, 0)), y=(1, 0, 0): 1 != 0",
    "trees.permuted_features.variant-refrank": "x=((0, 0), (0, 1), (1, 0)), y=(1, 0, 0): 1 != 0",
    "trees.permuted_features.variant-no-ties-converse": "x=((0, 0), (0, 1), (1, 0)), y=(1, 0, 0): 1 != 0",
    "trees.permuted_features.variant-no-ties-J": "x=((0, 3), (1, 2), (2, 1), (3, 0)), y=(1, 0, 2, 1): 1 != 0",
    "trees.permuted_rows.variant-forest": "x=((0), (0)), y=(0, 1), order=(1, 0): prediction of row 0, 0 != 1",
    "trees.predictions_in_range.variant-boosting":
        "x=((0, 0), (0, 1), (1, 0)), y=(1, 0, 0): nu=1, J=2, round 2, min, 0 > -1/2",
    "trees.predictions_in_range.variant-boosting-small-nu":
        "x=((0, 0), (0, 1), (1, 0)), y=(1, 0, 0): nu=1/2, J=2, round 2, min, 0 > -1/24",
    "trees.predictions_in_range.variant-boosting-training-rows":
        "x=((0), (1), (2)), y=(0, 1, 2): nu=1, J=2, round 2, min, 0 > -1/4",
    "trees.predictions_in_range.variant-boosting-training-rows-small-nu":
        "x=((0), (1), (2), (3)), y=(4, 1, 0, 4): nu=1/2, J=3, round 7, max, 257/64 > 4",
    "trees.predictions_in_range.variant-floats-any-labels":
        "x=((0)), y=(1/10): y/10, forest of 3, max, 7205759403792795/72057594037927936 >"
        " 3602879701896397/36028797018963968",
    "new.dcg_threshold.variant-attained-always": "U=(1, 1, 0, 0), O=(0, 1, 0, 0), n=2, gap=1: 1 != 0",
    "new.end_to_end.variant-any": "n=2, in the order of pi: y=(3, 4), yhat=(3, 3), g=(2, 1): squares: 1/16 > 29/512",
    "new.end_to_end.variant-soft":
        "n=2, in the order of pi: y=(0, 4), yhat=(3, 3), g=(2, 1): squares: 225/1024 > 421/2048",
    "new.err_below_rr_dcg.variant-any-pair":
        "n=3, in the order of pi: y=(1, 1, 0), yhat=(0, 0, 0), g=(1, 3, 2): -5/512 > -1/96",
}  # fmt: skip
SIZES = (
    {"cocr.theorem1": 4, "lin_li.reduction": 4}
    | dict.fromkeys(ids("lin_li.reduction", "variant-absolute variant-squared"), 6)
    | dict.fromkeys(ids("cocr.theorem2", "variant-any-rho variant-real-valued"), 4)
    | dict.fromkeys(ids("cocr.oerr", "variant-v-shaped variant-convex-absolute-squared"), 12)
    | {"cocr.oerr.variant-example": 4, "new.end_to_end.variant-expected-gain": 2, "new.err_oerr.variant-real-valued": 4}
    | dict.fromkeys(ids("new.err_oerr", "step5 variant-reversal"), 8)
    | {"mcrank.sum_of_scores.variant-one-leaf": 4, "mcrank.sum_of_scores.variant-centred": 3}
)
TREE_SIZES = (  # one more with --deep
    dict.fromkeys(ids("trees.duplicated_rows", "-"), 3)
    | dict.fromkeys(ids("trees.histogram_is_exact_split", "step1 variant-floats"), 5)
    | dict.fromkeys(ids("trees.permuted_rows", "- variant-refrank"), 3)
    | {"trees.histogram_is_exact_split": 3, "trees.predictions_in_range.variant-weights": 3}
    | {"trees.ls_training_error.variant-weights": 3, "trees.ls_training_error.variant-falls-one-feature": 5}
    | {"trees.permuted_features.variant-one-cut-three-labels": 3}
    | {"trees.best_first_is_depth_first.variant-min-samples-leaf": 5}
)


def expected_size(id: str, effort) -> int:
    """Find up to which n a row is enumerated when nothing refutes it."""
    if id.startswith("trees."):
        return TREE_SIZES.get(id, 4) + effort.deep
    return SIZES.get(id, SIZES.get(id.rpartition(".")[0], effort.n_max))


@pytest.mark.parametrize("id", [row.id for row in every_row()])
def test_verdict(id, finding, effort):
    found = finding(id)
    if id in REFUTED:
        assert (found.verdict, found.counterexample) == ("refuted", REFUTED[id])
    else:
        verdict = "holds, vacuous" if id in VACUOUS else "identity" if id in IDENTITIES else "holds"
        assert (found.verdict, found.counterexample, found.exhaustive_n) == (verdict, None, expected_size(id, effort))


def test_every_pinned_row_exists():
    assert {*VACUOUS, *IDENTITIES, *REFUTED} <= {row.id for row in every_row()}
