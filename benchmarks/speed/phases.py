"""Phases of a round, and how much of each is serial: the seconds of each function of the splitter, and the rest.

    python -m benchmarks.speed.phases

A splitter that times its calls takes the kernel's place, and trees are grown one after the other, step by step. The
kernel itself may do several steps in one call: the time of such a round stands above. What a round takes beside these
calls is Python and NumPy between them, on one thread. The serial part s of a phase follows from its seconds on 1 thread
and on n by Amdahl's law, T_n = s + (T_1 - s) / n: it has all that does not become faster with threads, so also what
memory or waking the threads holds back.
"""

import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from benchmarks.side_by_side import Settings, parse_options, time_call
from benchmarks.speed.boosting import GBRT_RATE, MAX_DEPTH, N_LEAVES, SOFTMAX_RATE
from benchmarks.speed.data import RankingData, draw_sparse, draw_uniform
from refrank import GBRTRanker, SoftmaxBoostRanker
from refrank.kernel import resolve_threads
from refrank.trees.engine import DEFAULT_SPLITTER, use_splitter
from refrank.trees.splitter import FUNCTIONS, Splitter

BETWEEN = "between"  # Python and NumPy between the calls
MOST_SERIAL = 0.05  # of a round on one thread, in one phase
Phases = dict[str, float]  # seconds per round, by function of the splitter


class TimedSplitter:
    """A splitter that adds up the seconds of its calls."""

    def __init__(self, splitter: Splitter) -> None:
        self.seconds: Counter[str] = Counter()
        for name in FUNCTIONS:
            setattr(self, name, partial(self.time_call, name, getattr(splitter, name)))

    def time_call(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the splitter."""
        seconds, result = time_call(function, *arguments)
        self.seconds[name] += seconds
        return result


def time_phases(make: Callable[..., Any], data: RankingData, n_rounds: int, threads: int) -> Phases:
    """Time rounds after the first; return the median seconds of each phase."""
    timed, rounds = TimedSplitter(DEFAULT_SPLITTER), list[Counter[str]]()

    def record(n_done: int, so_far: Callable[[], Any]) -> None:
        between = time.perf_counter() - sum(timed.seconds.values())
        rounds.append(Counter({**timed.seconds, BETWEEN: between}))

    with use_splitter(cast(Splitter, timed)):
        make(n_rounds=n_rounds + 1, n_threads=threads).fit(data.X, data.y, monitor=record)
    names = [name for name in (*FUNCTIONS, BETWEEN) if rounds[-1][name] > rounds[0][name]]
    return {name: float(np.median(np.diff([each[name] for each in rounds]))) for name in names}


def time_rounds(ranker: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Time the rounds of a ranker after the first, which warms up; return the median."""
    times: list[float] = []
    ranker.fit(X, y, monitor=lambda n_done, so_far: times.append(time.perf_counter()))
    return float(np.median(np.diff(times)))


def measure_phases(settings: Settings) -> dict[str, dict[str, Any]]:
    """Measure a sequential round of W1 and a round of W2, and print each phase with its serial part."""
    softmax = partial(SoftmaxBoostRanker, n_leaves=N_LEAVES, learning_rate=SOFTMAX_RATE, update="sequential")
    gbrt = partial(GBRTRanker, max_depth=MAX_DEPTH, learning_rate=GBRT_RATE)
    n_threads, n_rounds = settings.threads, settings.cap_turns(10)
    works: dict[str, tuple[Callable[..., Any], Callable[[], RankingData]]] = {
        "W1": (softmax, lambda: draw_uniform(settings.scale_rows(500_000), seed=settings.seed)),
        "W2": (gbrt, lambda: draw_sparse(settings.scale_rows(723_412), 136, zeros=0.372, seed=settings.seed)),
    }
    measured: dict[str, dict[str, Any]] = {}
    for work, (make, draw) in works.items():
        data = draw()
        plain = [make(n_rounds=n_rounds + 1, n_threads=threads) for threads in (1, n_threads)]
        rounds = [1e3 * time_rounds(ranker, data.X, data.y) for ranker in plain]
        print(f"  a round of {work}, {data}: {rounds[0]:.1f} ms on 1 thread, {rounds[1]:.1f} ms on {n_threads}")
        alone, shared = (time_phases(make, data, n_rounds, threads) for threads in (1, n_threads))
        whole = sum(alone.values())
        print(f"  in steps that are timed: {1e3 * whole:.1f} ms and {1e3 * sum(shared.values()):.1f} ms", end="; ")
        print("each step's share of the round, and what of it is serial, in % of the round")
        measured[work] = {"1 thread": alone, f"{n_threads} threads": shared}
        for name, seconds in alone.items():
            line = f"    {name:<18} {1e3 * seconds:7.2f} ms {seconds / whole:5.1%} {1e3 * shared[name]:7.2f} ms"
            if n_threads > 1:
                serial = find_serial(seconds, shared[name], n_threads) / whole
                line += f" {serial:6.1%}" + ("  above 5%" if serial > MOST_SERIAL else "")
            print(line, flush=True)
    return measured


def find_serial(alone: float, shared: float, n_threads: int) -> float:
    """Find the serial seconds of what takes `alone` on one thread and `shared` on n; noise may make it negative.

    >>> find_serial(10.0, 6.0, 2), find_serial(10.0, 5.0, 2)
    (2.0, 0.0)
    """
    return (n_threads * shared - alone) / (n_threads - 1)


if __name__ == "__main__":
    options = parse_options(__doc__, threads=resolve_threads(), turns=10)
    measure_phases(Settings(options.threads, options.turns))
