"""The claims block of `refrank reproduce mcrank`: differences, intervals and verdicts by definition."""

import numpy as np
import pytest

from refrank.metrics import bootstrap_interval
from refrank.reproduce.intervals import MeanDifference, compute_difference, compute_t_interval
from refrank.reproduce.mcrank.claims import ORDERS, write_claims
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


@pytest.mark.paper("McRank Table 1", at="write_claims")
def test_a_claim_has_its_difference_interval_runs_and_verdict():
    runs = make_runs(MEANS)
    runs[0]["ordinal"][:, 8] -= 1.0  # a claim reads L = 10 alone
    lines = write_claims(runs)
    for line, (above, below) in zip(lines[1:], ORDERS, strict=False):
        a, b = (100 * np.concatenate([run[name][:, 9] for run in runs]) for name in (above, below))
        interval = bootstrap_interval(a, b, n_resamples=1_999)
        words = line.split()
        assert words[:3] == [above, "above", below]
        assert words[3:6] == [f"{(a - b).mean():+.2f}", f"[{interval.low:+.2f},", f"{interval.high:+.2f}]"]
        ahead = sum(run[above][:, 9].mean() > run[below][:, 9].mean() for run in runs)
        assert words[6:9] == [str(ahead), "of", "2"]
        expected = "holds" if interval.low > 0 else "does not hold" if interval.high < 0 else "not decided"
        assert " ".join(words[9:]) == expected
    assert lines[6].startswith('  LAD is "considerably worse" (Sec. 5), by more than 2.1 points')


@pytest.mark.paper("McRank Sec. 5", at="write_claims")
@pytest.mark.paper("McRank Sec. 6.3", at="CONSIDERABLE")
@pytest.mark.parametrize(
    ("lad", "verdict"), [(0.79, "does not hold"), (0.772, "holds"), (0.6, "holds"), (0.9, "does not hold")]
)
def test_lad_is_considerably_worse_from_the_lead_that_the_paper_calls_considerable(lad, verdict):
    """That of ordinal classification over regression: 2.1 points."""
    assert write_claims(make_runs(MEANS | {"LAD": lad}))[6].endswith(f"by more than 2.1 points: {verdict}")


def test_regression_s_lead_at_the_first_levels_is_stated_and_nothing_else():
    lines = write_claims(make_runs(MEANS))
    led = [line for line in lines if "is reversed" in line]
    assert led == [
        f"  regression leads {above} at L = 1, 2: the paper's order is reversed there"
        for above in ("classification", "ordinal")
    ]
    rows = {line[:34].strip(): line[34:].split() for line in lines[-6:]}
    assert len(rows["L ="]) == 10
    joined = {name: np.vstack([run[name] for run in make_runs(MEANS)]) for name in MEANS}
    difference = 100 * (joined["classification"] - joined["regression"]).mean(axis=0)
    assert rows["classification minus regression"] == [f"{d:+.1f}*" for d in difference]
    flat = {name: np.tile(np.linspace(0.2, 0.8, 40)[:, None], 10) for name in MEANS}  # no spread in any difference
    assert write_claims([flat])[-1] == "  no order is significantly reversed at any level"


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
