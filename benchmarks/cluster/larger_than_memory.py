"""Train on more rows than memory should hold: 20 million x 50 in folders of mapped arrays, labels of bins in files.

    python benchmarks/cluster/larger_than_memory.py FOLDER [--rows 20000000] [--shards 2] [--rounds 5]

It writes the shards into the folder, once, and prints seconds and the peak of the memory of all processes: what belongs
to them alone (anonymous pages), and what they share with files, which the system may drop.
"""

import argparse
import os
import time
from pathlib import Path
from threading import Event, Thread

import numpy as np

from refrank import LSBoostRanker
from refrank.cluster import use

N_FEATURES, BLOCK = 50, 250_000


def write_shard(folder: Path, n_rows: int, seed: int) -> None:
    """Write X.npy and y.npy of a shard, block by block."""
    if (folder / "y.npy").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (n_rows, N_FEATURES))
    y = np.empty(n_rows, np.int8)
    for start in range(0, n_rows, BLOCK):
        rows = slice(start, min(start + BLOCK, n_rows))
        X[rows] = block = rng.standard_normal((rows.stop - start, N_FEATURES), np.float32)
        y[rows] = np.clip(np.rint(block[:, 0] + block[:, 1] * block[:, 2] + 1), 0, 4)
    X.flush()
    np.save(folder / "y.npy", y)


def read_memory(process: str) -> tuple[int, int]:
    """Read the anonymous and the mapped memory of a process, in bytes."""
    status = Path("/proc", process, "status").read_text()
    sizes = dict(line.split(":", 1) for line in status.splitlines() if line.startswith(("RssAnon", "RssFile")))
    return tuple(int(sizes.get(name, "0 kB").split()[0]) * 1024 for name in ("RssAnon", "RssFile"))  # type: ignore


def list_family(parent: int) -> list[str]:
    """List a process and its children."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [str(parent), *children]


def watch_memory(over: Event, peaks: list[int]) -> None:
    """Keep the peaks of anonymous memory, and of all, until the run is over."""
    while not over.wait(0.2):
        sizes = []
        for process in list_family(os.getpid()):
            try:
                sizes.append(read_memory(process))
            except OSError:  # it has ended
                continue
        anonymous = sum(size[0] for size in sizes)
        peaks[:] = [max(peaks[0], anonymous), max(peaks[1], anonymous + sum(size[1] for size in sizes))]


def main() -> None:
    """Write the shards, train, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    flags = parser.parse_args()
    folders = [flags.folder / f"shard-{place}" for place in range(flags.shards)]
    for place, folder in enumerate(folders):
        write_shard(folder, flags.rows // flags.shards, place)
    os.environ["REFRANK_SCRATCH"] = str(flags.folder)
    over, peaks, ends = Event(), [0, 0], [time.monotonic()]
    Thread(target=watch_memory, args=(over, peaks), daemon=True).start()
    with use(f"local:{flags.shards}", limit=3600):
        ranker = LSBoostRanker(n_rounds=flags.rounds).fit_shards(
            [str(folder) for folder in folders], monitor=lambda n_done, so_far: ends.append(time.monotonic())
        )
    over.set()
    print(f"{flags.rows:,} rows x {N_FEATURES} on {flags.shards} processes, {ranker.n_rounds_} rounds of LS boost")
    later = (ends[-1] - ends[1]) / max(1, flags.rounds - 1)
    print(f"reading, checks, bins and round 1: {ends[1] - ends[0]:.0f} s; each further round: {later:.1f} s")
    print(f"peak of memory: {peaks[0] / 1e9:.2f} GB of the processes' own, {peaks[1] / 1e9:.2f} GB with pages of files")


if __name__ == "__main__":
    main()
