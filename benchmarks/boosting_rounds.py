"""A round of boosting, K = 5 trees of 10 leaves on 500,000 x 50, against LightGBM at the same leaves, bins and threads.

Both sides compute probabilities and residuals, grow five trees and update the scores. Data are McRank's artificial
ones. Times are of rounds taken in turns, refrank then LightGBM; a ratio below 1 says that refrank is faster.
"""

from functools import partial

import lightgbm
import numpy as np
from side_by_side import LIGHTGBM, describe_ratios, parse_options, take_turns, time_call

from refrank.datasets import cubic_polynomial
from refrank.kernel import resolve_threads
from refrank.mcrank.softmax_boosting import softmax_boosting_sequential, softmax_boosting_simultaneous
from refrank.trees.binning import bin_features
from refrank.trees.engine import default_engine, splitter_name
from refrank.trees.growth import grow

N_CLASSES, N_LEAVES, LEARNING_RATE = 5, 10, 0.05


def main() -> None:
    options = parse_options(__doc__, rows=500_000, rounds=15, threads=resolve_threads())
    data = cubic_polynomial(options.rows // 50)
    peer = f"LightGBM {lightgbm.__version__}"
    print(f"refrank ({splitter_name()}) against {peer}: {data.X.shape}, {options.threads} threads")

    parameters = LIGHTGBM | {"objective": "multiclass", "num_class": N_CLASSES, "num_leaves": N_LEAVES}
    parameters["num_threads"] = options.threads
    ours, binned = time_call(partial(bin_features, data.X, 256, engine=default_engine(options.threads)))
    theirs, dataset = time_call(lightgbm.Dataset(data.X, data.y, params=parameters).construct)
    print(f"binning            {ours:8.3f} s {theirs:8.3f} s   ratio {ours / theirs:.2f}")

    grow_tree = partial(grow, binned, n_leaves=N_LEAVES)
    for boosting in (softmax_boosting_sequential, softmax_boosting_simultaneous):
        rounds = boosting(data.y, N_CLASSES, grow_tree, options.rounds, LEARNING_RATE)
        booster = lightgbm.Booster(parameters, dataset)
        times = take_turns(options.rounds, partial(next, rounds), booster.update)[:, 1:]  # the first round warms up
        ours, theirs = 1000 * np.median(times, axis=1)
        ratios = describe_ratios(times[0] / times[1])
        print(f"{boosting.__name__:32} median {ours:7.1f} ms, LightGBM {theirs:7.1f} ms; ratio {ratios}")


if __name__ == "__main__":
    main()
