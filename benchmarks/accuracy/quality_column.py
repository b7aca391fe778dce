"""The quality column of W2 and W3 of the speed benchmark over several training sets: which differences are chance?

    python -m benchmarks.accuracy.quality_column                # about 20 minutes on 2 cores
    python -m benchmarks.accuracy.quality_column --sets 3 --only W2

Each set has rows and held-out queries of its own (`benchmarks/speed/data.py`); a difference is refrank's NDCG@10 with
its defaults less that of a peer, or of refrank with other bins, on the same queries. The interval of 95% is over the
sets, by Student's t. W2 has 21 rounds, as many as are timed.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.side_by_side import Contestant, parse_options
from benchmarks.speed import data
from benchmarks.speed.boosting import GBRT_RATE, MAX_DEPTH, SHARE_OF_ZEROS
from benchmarks.speed.boosting_peers import HGB_NAME, Problem, enter_peers, enter_refrank
from benchmarks.speed.data import RankingData, draw_sparse
from benchmarks.speed.forest import N_CANDIDATES, enter_fit, fit_sklearn
from refrank import GBRTRanker, RandomForestRanker
from refrank.kernel import resolve_threads
from refrank.reproduce.verdicts import measure_mean

OURS = "refrank"
BINS: dict[str, dict[str, Any]] = {
    OURS: {},
    "refrank, App. I": {"binning": "app-i"},
    "refrank, exact cuts": {"binning": "exact"},
    "refrank, exact cuts, midpoints": {"binning": "exact", "cut_at": "midpoint"},
}
N_ROUNDS = 21


def enter_boosters(rows: RankingData, threads: int, seed: int) -> Iterator[Contestant]:
    """Enter GBRT of depth 4 (W2), which draws nothing."""
    problem = Problem(rows, 1, N_ROUNDS, GBRT_RATE, threads, max_depth=MAX_DEPTH)
    shared = {"n_rounds": N_ROUNDS, "max_depth": MAX_DEPTH, "learning_rate": GBRT_RATE, "n_threads": threads}
    for name, bins in BINS.items():
        yield enter_refrank(name, GBRTRanker(**shared, **bins), problem)
    yield from enter_peers(problem)


def enter_forests(rows: RankingData, threads: int, seed: int, n_trees: int) -> Iterator[Contestant]:
    """Enter forests of full depth (W3); one of refrank has other draws."""
    draws = {"n_trees": n_trees, "max_features": N_CANDIDATES, "n_threads": threads}
    for name, more in (BINS | {"refrank, other draws": {"random_state": 1_000 + seed}}).items():
        ranker = RandomForestRanker(**({"random_state": seed} | draws | more))
        yield enter_fit(name, rows, lambda ranker=ranker: ranker.fit(rows.X, rows.y).predict)
    yield enter_fit(HGB_NAME, rows, partial(fit_sklearn, rows, n_trees, threads, seed))


def measure(contestant: Contestant, n_runs: int) -> float:
    """Run a contestant, once if a run is a whole fit, and return its quality."""
    for _ in range(n_runs if contestant.n_turns is None else 1):
        contestant.run()
    assert contestant.quality is not None
    return contestant.quality()


def main() -> None:
    """Print each row's mean, refrank's less it with its interval, and the difference of each set."""
    given = parse_options(__doc__, sets=8, queries=2_000, trees=100, threads=resolve_threads(), scale=0.15, only="")
    data.N_TEST_QUERIES = given.queries
    enter: dict[str, tuple[tuple[int, int, float], int, Callable[..., Iterator[Contestant]]]] = {
        "W2": ((723_412, 136, SHARE_OF_ZEROS), N_ROUNDS - 1, enter_boosters),
        "W3": ((34_815, 700, 0.674), 1, partial(enter_forests, n_trees=given.trees)),
    }
    for work, ((n_samples, n_features, zeros), n_runs, contestants) in enter.items():
        if given.only not in work:
            continue
        measured: dict[str, list[float]] = {}
        for seed in range(given.sets):
            rows = draw_sparse(max(100, round(given.scale * n_samples)), n_features, zeros, seed)
            for contestant in contestants(rows, given.threads, seed):
                measured.setdefault(contestant.name, []).append(measure(contestant, n_runs))
        print(f"{work}: {rows}, {given.sets} sets, {given.queries:,} queries of each")
        for name, values in measured.items():
            differences = [own - other for own, other in zip(measured[OURS], values, strict=True)]
            line = f"  {name:<34} {sum(values) / len(values):.4f}"
            if name != OURS and given.sets > 1:
                of = measure_mean(differences)
                line += f"  refrank less it {of.mean:+.4f} [{of.low:+.4f}, {of.high:+.4f}]"
            print(line, flush=True)


if __name__ == "__main__":
    main()
