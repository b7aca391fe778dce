"""The claims block of `refrank reproduce mcrank`: differences and intervals by definition."""

import numpy as np
import pytest

from refrank.reproduce.intervals import MeanDifference, compute_difference, compute_t_interval
from refrank.reproduce.mcrank.claims import ORDERS, measure_claims, write_claims
from refrank.reproduce.mcrank.rankers import BESIDE, RANKERS


def make_runs(means, n_runs=2):
    """Runs of 40 queries around one mean per ranker, the same at every level, but for regression's lead at L = 1, 2."""
    runs = []
    for seed in range(n_runs):
        rng = np.random.default_rng(seed)
        run = {name: mean + rng.normal(0, 0.02, (40, 10)) for name, mean in means.items()}
        run["regression"][:, :2] += 0.3
        runs.append(run)
    return runs


MEANS = {"ordinal": 0.85, "classification": 0.83, "regression": 0.8, "LambdaRank": 0.8, "LAD": 0.79}


@pytest.mark.paper("McRank Table 1", at="ORDERS")
def test_the_claims_are_the_columns_of_table_1_in_order_and_lad():
    assert (*RANKERS, *BESIDE) == tuple(MEANS)
    assert ORDERS == (
        ("ordinal", "classification"),
        ("classification", "regression"),
        ("regression", "LambdaRank"),
        ("ordinal", "regression"),
        ("regression", "LAD"),
    )


@pytest.mark.paper("McRank Table 1", at="measure_claims")
def test_a_claim_has_its_mean_and_the_intervals_over_queries_and_over_runs():
    runs = make_runs(MEANS, n_runs=3)
    runs[0]["ordinal"][:, 8] -= 1.0  # these claims read L = 10 alone
    lines = write_claims(runs, "polynomials")
    assert lines[1].split() == ["mean", "over", "queries", "over", "polynomials"]
    for line, (above, below) in zip(lines[2:], ORDERS, strict=False):
        of_runs = [100 * (run[above][:, 9] - run[below][:, 9]) for run in runs]
        ends = [*compute_t_interval(np.concatenate(of_runs)), *compute_t_interval([of.mean() for of in of_runs])]
        intervals = "[{:+.2f}, {:+.2f}] [{:+.2f}, {:+.2f}]".format(*ends)
        assert " ".join(line.split()) == f"{above} above {below} {np.mean(of_runs):+.2f} {intervals}"


def test_one_run_has_no_interval_over_runs_and_no_run_has_a_verdict():
    lines = write_claims(make_runs(MEANS, n_runs=1), "folds")
    assert all(line.endswith(" -") for line in lines[2:11])
    assert "a verdict needs more training sets" in lines[12]
    assert not {"holds", "decided"} & set("\n".join(write_claims(make_runs(MEANS), "folds")).split())


@pytest.mark.paper("McRank Sec. 5", at="measure_claims")
@pytest.mark.paper("McRank Sec. 6.3", at="CONSIDERABLE")
@pytest.mark.parametrize(("lad", "sign"), [(0.79, -1), (0.772, 1), (0.6, 1), (0.9, -1)])
def test_lad_is_considerably_worse_from_the_lead_that_the_paper_calls_considerable(lad, sign):
    """That of ordinal classification over regression: 2.1 points."""
    (run,) = make_runs(MEANS | {"LAD": lad}, n_runs=1)
    difference = measure_claims(run)["regression above LAD by more than 2.1"]
    assert np.sign(difference.mean()) == sign
    np.testing.assert_allclose(difference, 100 * (run["regression"] - run["LAD"])[:, 9] - 2.1, rtol=0, atol=1e-9)


@pytest.mark.paper("McRank Fig. 1", at="measure_claims")
def test_the_first_level_has_claims_of_its_own():
    (run,) = make_runs(MEANS, n_runs=1)
    claims = measure_claims(run)
    for above, below in (("ordinal", "classification"), ("classification", "regression"), ("ordinal", "regression")):
        np.testing.assert_array_equal(claims[f"{above} above {below}, L = 1"], 100 * (run[above] - run[below])[:, 0])


def test_regression_s_lead_at_the_first_levels_is_stated_and_nothing_else():
    lines = write_claims(make_runs(MEANS), "folds")
    led = [line for line in lines if "is reversed" in line]
    assert led == [
        f"  regression leads {above} at L = 1, 2: on these queries, the paper's order is reversed"
        for above in ("classification", "ordinal")
    ]
    rows = {line[:34].strip(): line[34:].split() for line in lines[-6:]}
    assert len(rows["L ="]) == 10
    joined = {name: np.vstack([run[name] for run in make_runs(MEANS)]) for name in MEANS}
    difference = 100 * (joined["classification"] - joined["regression"]).mean(axis=0)
    assert rows["classification minus regression"] == [f"{d:+.1f}*" for d in difference]
    flat = {name: np.tile(np.linspace(0.2, 0.8, 40)[:, None], 10) for name in MEANS}  # no spread in any difference
    assert write_claims([flat], "folds")[-1] == "  on these queries, no order is significantly reversed at any level"


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.1, 0.3, "holds"), (-0.3, -0.1, "does not hold"), (-0.1, 0.3, "not decided")]
)
def test_the_verdict_needs_the_whole_interval_on_one_side(low, high, verdict):
    assert MeanDifference(0.1, low, high).verdict == verdict


def test_intervals_by_definition():
    a, b = np.array([52.0, 51, 53, 52, 49]), np.array([50.0, 50, 51, 50, 50])
    difference = compute_difference(a, b)
    assert difference.mean == pytest.approx(1.2, rel=1e-14)
    assert difference.low < difference.mean < difference.high
    assert compute_difference(b, a).mean == -difference.mean
    # Student's t with 2 degrees of freedom: its quantile is (2p - 1) / sqrt(2p (1 - p))
    low, high = compute_t_interval([80.0, 82.0, 87.0])
    half = 0.95 / (2 * 0.975 * 0.025) ** 0.5 * np.std([80, 82, 87], ddof=1) / 3**0.5
    assert (low, high) == pytest.approx((83 - half, 83 + half), rel=1e-9)
