"""W10: COCR with the oERR cost over GBRT, K = 4 problems, against four single GBRTs on the same rows.

The peers are refrank's own: the question is whether the reduction costs little more than its parts. The single ones are
fitted one after the other, each by all threads, without and with weights of rows; COCR makes its bins once. Quality is
NDCG@10 of held-out queries; for the single ones that of a GBRT on the labels, which is another ranker.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.side_by_side import Contestant, Pairing, Settings, compare, time_call
from benchmarks.speed.data import draw_uniform
from refrank import COCRRanker, GBRTRanker

N_PROBLEMS, N_ROUNDS = 4, 30


def compare_cocr(settings: Settings) -> Iterator[Pairing]:
    """Compare COCR with its four problems, one by one (W10)."""
    data = draw_uniform(settings.scale_rows(400_000), seed=settings.seed)
    X, y = data.X.astype(float), data.y.astype(float)  # what COCR hands to its base, so that no side converts
    base = GBRTRanker(n_rounds=N_ROUNDS, n_threads=settings.threads)
    ranker = COCRRanker(base, cost="oerr")

    def fit_singles(weight: Any) -> None:
        for _ in range(N_PROBLEMS):
            base.fit(X, y, sample_weight=weight)

    ours = Contestant("", lambda: time_call(ranker.fit, X, data.y)[0], None, lambda: score(ranker))
    weights = {"unweighted": None, "weighted": 1.0 + y}
    peers = [
        Contestant(
            f"GBRT x {N_PROBLEMS}, {name}",
            lambda weight=weight: time_call(fit_singles, weight)[0],
            quality=lambda: score(base),
        )
        for name, weight in weights.items()
    ]

    def score(fitted: Any) -> float:
        return data.score(fitted.predict(data.X_test))

    targets = [("", "unweighted", 1.10), ("", "weighted", 0.80)]
    what = f"COCR oERR, {data}, {N_ROUNDS} rounds"
    yield from compare("W10", what, [ours], peers, settings.cap_turns(3), targets, "NDCG@10")
