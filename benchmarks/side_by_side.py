"""What the benchmarks share: options, the clock, turns, ratios, and LightGBM parameters for trees as in refrank."""

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

Result = TypeVar("Result")
LIGHTGBM = {"max_bin": 255, "min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "verbose": -1}


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


def describe_ratios(ratios: np.ndarray) -> str:
    """Write ratios as minimum, median and maximum."""
    least, middle, largest = np.quantile(ratios, [0, 0.5, 1])
    return f"min {least:.2f} median {middle:.2f} max {largest:.2f}"
