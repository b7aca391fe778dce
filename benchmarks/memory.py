"""Peak resident growth of a fit beyond X and y, in bytes per row: 500,000 x 50 float32, K = 5, one byte per bin label.

The bound that refrank sets itself: one byte per entry and 200 bytes per row; histograms come on top, and do not grow
with the rows. Linux only: the peak is the kernel's own count, set back before the fit.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from side_by_side import parse_options

from refrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.datasets import cubic_polynomial
from refrank.estimators.mcrank import BoostRanker


def main() -> None:
    options = parse_options(__doc__, rows=500_000)
    for ranker in (SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker):
        for update in ("sequential", "simultaneous"):
            # a fresh process each: memory that an earlier fit gave back would hide what this one takes
            with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                grown = fresh.submit(growth_of_a_fit, ranker, update, options.rows).result()
            print(f"{ranker.__name__:20} {update:13} {grown:6.1f} bytes per row; bound 50 + 200 = 250")


def growth_of_a_fit(ranker: type[BoostRanker], update: str, n_rows: int) -> float:
    """Measure the peak of two rounds over what is resident before, in bytes per row."""
    small, data = cubic_polynomial(2), cubic_polynomial(n_rows // 50)
    ranker(n_rounds=1, update=update).fit(small.X, small.y)  # imports and threads are not the fit's
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    ranker(n_rounds=2, n_classes=5, update=update).fit(data.X, data.y)
    return (resident("VmHWM") - before) / len(data.X)


def resident(field: str) -> int:
    """Read VmRSS, or the peak VmHWM, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


if __name__ == "__main__":
    main()
