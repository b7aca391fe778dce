"""Every work of refrank against its peers, in one run: a table, run.json and run.png.

    pip install -e '.[bench]'
    python -m benchmarks.speed.run                      # everything, about 25 minutes on 2 cores
    python -m benchmarks.speed.run --small              # a tenth of the rows and few turns, about 3 minutes: to try it
    python -m benchmarks.speed.run --only W1 W4 limits

    W1   softmax boosting, a round             W6   binning
    W2   GBRT of depth 4, a round              W7   peak memory of W1 and W2
    W3   random forest, a whole fit            W8   reading MSLR's text
    W4   scoring                               W9   NDCG@10 of 3.77 M rows
    W5   ordinal boosting, a round             W10  COCR over GBRT
    W11  65,536 bins and exact cuts, a round    W12  validation after each round
    W13  LambdaMART, a round               W14  scoring one query
    W15  imports and starts                W16  whole fits on little data, overhead per tree
    W17  rounds of W1 and W2 by threads
    limits: the share of the machine's limit, slopes of cost, estimates for larger data

benchmarks/README.md explains how to read the table.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import benchmarks.speed.boosting_peers  # noqa: F401  before refrank, which would set how all threads of OpenMP wait
from benchmarks.side_by_side import Pairing, Settings
from benchmarks.speed.binning import compare_binning
from benchmarks.speed.boosting import (
    compare_gbrt,
    compare_lambdamart,
    compare_ordinal,
    compare_softmax,
    compare_validation,
)
from benchmarks.speed.cocr import compare_cocr
from benchmarks.speed.forest import compare_forests
from benchmarks.speed.limits import measure_limits
from benchmarks.speed.many_bins import compare_bins
from benchmarks.speed.memory import compare_memory
from benchmarks.speed.metrics import compare_metrics
from benchmarks.speed.reading import compare_reading
from benchmarks.speed.report import describe_machine, draw_picture, name_machine, write_json, write_row, write_table
from benchmarks.speed.scoring import compare_queries, compare_scoring
from benchmarks.speed.small import compare_small
from benchmarks.speed.starting import compare_starts
from benchmarks.speed.threads import compare_threads
from refrank.kernel import resolve_threads

Work = Callable[[Settings], Iterator[Pairing]]
WORKS: dict[str, Work] = {
    "W1": compare_softmax,
    "W2": compare_gbrt,
    "W3": compare_forests,
    "W4": compare_scoring,
    "W5": compare_ordinal,
    "W6": compare_binning,
    "W7": compare_memory,
    "W8": compare_reading,
    "W9": compare_metrics,
    "W10": compare_cocr,
    "W11": compare_bins,
    "W12": compare_validation,
    "W13": compare_lambdamart,
    "W14": compare_queries,
    "W15": compare_starts,
    "W16": compare_small,
    "W17": compare_threads,
}
LIMITS = "limits"
SMALL = {"scale": 0.1, "turns": 4, "trees": 10}  # what --small changes, unless it is given


def main(arguments: Sequence[str] | None = None) -> None:
    given = read_arguments(arguments)
    sizes = SMALL if given.small else {}
    settings = Settings(
        given.threads,
        given.turns or sizes.get("turns", Settings.turns),
        given.trees or sizes.get("trees", Settings.trees),
        sizes.get("scale", 1.0),
        given.seed,
    )
    machine, started = describe_machine(settings), time.perf_counter()
    subtitle = name_machine(machine)
    print(f"refrank ({machine['refrank runs on']}) against its peers: {subtitle}")
    rows: list[Pairing] = []
    limits: dict = {}
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.only:
        print(f"[{time.perf_counter() - started:6.0f} s] {name}", flush=True)
        if name == LIMITS:
            limits = measure_limits(settings)
        else:
            for row in WORKS[name](settings):
                rows.append(row)
                print("  " + "  ".join(filter(None, write_row(row))), flush=True)
        write_json(given.out / "run.json", machine, rows, limits)  # an interrupt loses one work
    print(f"[{time.perf_counter() - started:6.0f} s] done\n")

    if rows:
        print(f"{write_table(rows)}\n\nmeasured on {subtitle}")
        draw_picture(given.out / "run.png", rows, subtitle + (", small sizes" if given.small else ""))
    print(f"\nwritten to {given.out}: run.json" + (", run.png" if rows else ""))


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = (*WORKS, LIMITS)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="W", help="run only these works")
    parser.add_argument("--small", action="store_true", help=f"smaller sizes: {SMALL}")
    parser.add_argument(
        "--threads", type=int, default=resolve_threads(), help="threads of every side (default: all cores)"
    )
    parser.add_argument("--turns", type=int, help=f"timed rounds of boosting (default: {Settings.turns})")
    parser.add_argument("--trees", type=int, help=f"trees of the forest (default: {Settings.trees})")
    parser.add_argument("--seed", type=int, default=0, help="seed of the data and the forests")
    parser.add_argument("--out", type=Path, default=Path("refrank-out/benchmarks"), help="output folder")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
