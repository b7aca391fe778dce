"""Options, the clock, turns and the record of one comparison, which the benchmarks share.

Contestants run in turns in one process: A B C, B C A, C A B, ... Each turn begins with another one, so that none always
follows the same neighbour. A ratio is taken within a turn: the speed of a machine drifts, the ratio drifts much less.
"""

import argparse
import importlib
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import packages_distributions, version
from multiprocessing import parent_process
from types import ModuleType
from typing import TypeVar

import numpy as np

Result = TypeVar("Result")
SECONDS = "s"
Target = tuple[str, str, float]  # words in the names of ours and of the peer, and the ratio that is aimed at
PAUSE = 0.02  # seconds before each run, in which the threads of the one before stop spinning and go to sleep
FASTER: Target = ("", "", 1.0)  # than every other peer
MISSING: set[str] = set()  # peers that could not be imported


@dataclass(frozen=True)
class Settings:
    """Options of the command line, for every work."""

    threads: int = 1
    turns: int = 20  # rounds of boosting that are timed; long works take fewer turns
    trees: int = 100  # of the forest
    scale: float = 1.0  # of the number of rows
    seed: int = 0

    def scale_rows(self, full: int) -> int:
        """Scale a number of rows, to a multiple of 50."""
        return max(100, round(full * self.scale / 50) * 50)

    def cap_turns(self, full: int) -> int:
        """Cap the number of turns of a long work."""
        return max(1, min(full, self.turns))


@dataclass(frozen=True)
class Contestant:
    """One side of a comparison: a piece of work that can be done again and again."""

    name: str
    run: Callable[[], float]  # does it once; returns what is compared, usually seconds
    n_turns: int | None = None  # it takes part in the first n turns only; None: in all of them
    quality: Callable[[], float] | None = None  # of what the runs have made, asked for after the last turn


@dataclass(frozen=True)
class Pairing:
    """One row of the table: ours beside one peer."""

    work: str  # W1, ..., W13
    what: str
    peer: str
    ours: float  # medians over the turns, in `unit`
    theirs: float
    ratios: tuple[float, ...]  # ours / theirs of each turn that both took
    target: float | None = None  # the median ratio should not exceed it
    quality: tuple[float, float] | None = None  # ours, theirs
    quality_name: str = ""
    unit: str = SECONDS

    @property
    def ratio(self) -> float:
        """The median ratio."""
        return float(np.median(self.ratios))

    @property
    def is_met(self) -> bool | None:
        """Check whether the target is met; None where there is none."""
        return None if self.target is None else self.ratio <= self.target


def load_peer(module: str, distribution: str | None = None) -> tuple[ModuleType | None, str]:
    """Import a peer: the module and its name with version, or None after one sentence."""
    name = distribution or module
    try:
        peer = importlib.import_module(module)
        [installed, *_] = packages_distributions().get(module, [name])  # such as xgboost-cpu for xgboost
        return peer, f"{name} {version(installed)}"
    except ImportError as reason:
        if name not in MISSING and parent_process() is None:
            print(f"{name} is left out because it cannot be imported ({reason})")
        MISSING.add(name)
        return None, name


def hold_turns(contestants: Sequence[Contestant], n_turns: int) -> np.ndarray:
    """Run the contestants in turns; return their figures, (n_contestants, n_turns), NaN for turns that one skips."""
    figures = np.full((len(contestants), n_turns), math.nan)
    for turn in range(n_turns):
        for place in range(len(contestants)):
            number = (turn + place) % len(contestants)
            contestant = contestants[number]
            if contestant.n_turns is None or turn < contestant.n_turns:
                time.sleep(PAUSE)
                figures[number, turn] = contestant.run()
    return figures


def compare(
    work: str,
    what: str,
    ours: Sequence[Contestant],
    peers: Sequence[Contestant],
    n_turns: int,
    targets: Sequence[Target] = (),
    quality_name: str = "",
    unit: str = SECONDS,
) -> list[Pairing]:
    """Hold the turns and pair each of ours with each peer; `what` and the name of ours describe a row."""
    contestants = [*ours, *peers]
    figures = hold_turns(contestants, n_turns)
    qualities = [None if contestant.quality is None else contestant.quality() for contestant in contestants]
    rows = []
    for i, own in enumerate(ours):
        for j, peer in enumerate(peers, start=len(ours)):
            ratios = figures[i] / figures[j]
            both = (qualities[i], qualities[j])
            rows.append(
                Pairing(
                    work,
                    f"{what}, {own.name}" if own.name else what,
                    peer.name,
                    float(np.nanmedian(figures[i])),
                    float(np.nanmedian(figures[j])),
                    tuple(ratios[~np.isnan(ratios)].tolist()),
                    choose_target(targets, own.name, peer.name),
                    None if None in both else both,
                    quality_name,
                    unit,
                )
            )
    return rows


def choose_target(targets: Sequence[Target], ours: str, peer: str) -> float | None:
    """Choose the first target whose words occur in both names."""
    return next((ratio for of_ours, of_peer, ratio in targets if of_ours in ours and of_peer in peer), None)


def parse_options(text: str, **defaults: int | float | str | bool | tuple[str, ...]) -> argparse.Namespace:
    """Read `--name value` for each default; False makes a flag, and a tuple lists the choices, the default first."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        kind: dict = {"type": type(default), "default": default}
        if default is False:
            kind = {"action": "store_true"}
        elif isinstance(default, tuple):
            kind = {"choices": default, "default": default[0]}
        parser.add_argument("--" + name.replace("_", "-"), **kind)
    return parser.parse_args()


def time_call(call: Callable[..., Result], *arguments: object) -> tuple[float, Result]:
    """Return the wall seconds of a call, and its result."""
    started = time.perf_counter()
    result = call(*arguments)
    return time.perf_counter() - started, result


def take_turns(n_turns: int, *calls: Callable[[], object]) -> np.ndarray:
    """Time calls in turns, A B A B ...; return their wall seconds, (n_calls, n_turns)."""
    return np.array([[time_call(call)[0] for call in calls] for _ in range(n_turns)]).T
