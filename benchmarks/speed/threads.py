"""W17: a round of W1, in both update orders, and of W2 on 1, 2, 4, 8 and 16 threads, where they exist.

What more threads gain is the ratio of the seconds in two rows; LightGBM stands beside each. `phases.py` measures which
phases of a round gain nothing.
"""

from collections.abc import Iterator
from dataclasses import replace

from benchmarks.side_by_side import Pairing, Settings, compare
from benchmarks.speed.boosting import (
    GBRT_TARGETS,
    SOFTMAX_TARGETS,
    enter_gbrt,
    enter_softmax,
    pose_gbrt,
    pose_softmax,
)
from benchmarks.speed.boosting_peers import LIGHTGBM, enter_lightgbm

NUMBERS = (1, 2, 4, 8, 16)


def compare_threads(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds on each number of threads (W17)."""
    if not LIGHTGBM:
        return
    few = replace(settings, turns=settings.cap_turns(10))
    works = (
        ("softmax", pose_softmax(few), enter_softmax, SOFTMAX_TARGETS),
        ("GBRT", pose_gbrt(few), lambda posed: [enter_gbrt(posed)], GBRT_TARGETS),
    )
    for name, problem, enter, targets in works:
        for threads in list_numbers(settings.threads):
            posed = replace(problem, threads=threads)
            what = f"{name} round, {problem.data}, on {threads} thread" + ("s" if threads > 1 else "")
            yield from compare("W17", what, enter(posed), [enter_lightgbm(posed)], few.turns, targets, "NDCG@10")


def list_numbers(most: int) -> list[int]:
    """List the numbers of threads up to `most`, which is always among them.

    >>> list_numbers(6), list_numbers(1)
    ([1, 2, 4, 6], [1])
    """
    return sorted({*(n for n in NUMBERS if n <= most), most})
