"""How evenly threads share a round's work, and the bytes that each reads, for numbers of threads that are not here.

The kernel's division (refrank/kernel/) is repeated on the nodes of the trees of a round: an entry is a row of a node in
one feature. The share of a thread is that of the one with most entries over the mean; 1 is even. Seconds are bounded by
the largest share, and by what `phases.py` finds serial.

    root          rows in equal parts, as all passes over rows
    trees         of a simultaneous round, as many at a time as there are threads
    nodes         groups of eight features, one after another to the thread that is free; those left over by rows
    cuts          features in equal parts
"""

import heapq
from collections.abc import Sequence

import numpy as np

from benchmarks.speed.threads import NUMBERS
from refrank.trees.model.tree import LEAF, Tree

GROUP = 8  # features whose codes lie side by side
WORTH_SHARING = 32_768  # rows; kernel/histogram.pxi
ROW_BYTES = 4 + 8  # its place in a node, and what it adds to each slot


def list_smaller_children(tree: Tree) -> list[int]:
    """List the rows of the smaller child of each cut: its histogram is summed, and the other's is a difference."""
    inner, rows = np.flatnonzero(tree.feature != LEAF), tree.n_node_samples
    return [int(n) for n in np.minimum(rows[tree.left[inner]], rows[tree.right[inner]])]


def find_largest_share(n_rows: int, n_features: int, n_threads: int) -> int:
    """Find the entries of the thread that sums most of a node's histogram.

    >>> [find_largest_share(100_000, 50, n) for n in (1, 2, 4)], 50 * 100_000
    ([5000000, 2500000, 1250000], 5000000)
    """
    groups = [min(GROUP, n_features - first) for first in range(0, n_features, GROUP)]
    n_whole = len(groups) - len(groups) % n_threads if n_rows > WORTH_SHARING else len(groups)
    tasks = [n_rows * width for width in groups[:n_whole]]
    for width in groups[n_whole:]:
        tasks += [width * (n_rows * (part + 1) // n_threads - n_rows * part // n_threads) for part in range(n_threads)]
    return deal_out(tasks, n_threads)


def deal_out(tasks: Sequence[int], n_threads: int) -> int:
    """Give each task to the thread that is free first; return the largest sum of a thread."""
    loads = [0] * n_threads
    for task in tasks:
        heapq.heapreplace(loads, loads[0] + task)
    return max(loads)


def find_share_of_trees(tasks: Sequence[int], n_threads: int) -> float:
    """Find the largest share of a thread where trees of so many entries grow side by side, over the mean.

    Trees left over, fewer than threads, have all of them (refrank/trees/growth/sharing.py).

    >>> find_share_of_trees([2, 2, 1, 1, 4], 2), find_share_of_trees([3, 1, 2, 2, 4], 8)
    (1.0, 1.0)
    """
    n_together = len(tasks) - len(tasks) % n_threads if n_threads > 1 else 0
    together = deal_out(tasks[:n_together], n_threads) if n_together else 0
    return (together * n_threads + sum(tasks[n_together:])) / sum(tasks)


def print_shares(trees: Sequence[Tree], n_features: int) -> list[dict[str, float]]:
    """Print for each number of threads the largest share of trees, nodes and cuts, and the bytes that each reads."""
    of_trees = [list_smaller_children(tree) for tree in trees]
    nodes = [n for rows in of_trees for n in rows]
    n_rows = sum(int(tree.n_node_samples[0]) for tree in trees)
    n_groups = -(-n_features // GROUP)
    n_bytes = n_rows * (n_features + 8) + sum(nodes) * (n_groups * (GROUP + ROW_BYTES) + ROW_BYTES)
    shares = []
    print(
        "  the largest share of a thread over the mean, in trees side by side, entries of nodes, cuts; MB read by each"
    )
    for n_threads in NUMBERS:
        largest = sum(find_largest_share(n, n_features, n_threads) for n in nodes)
        share = {
            "trees": find_share_of_trees([sum(rows) for rows in of_trees], n_threads),
            "nodes": largest * n_threads / (n_features * sum(nodes)),
            "cuts": -(-n_features // n_threads) * n_threads / n_features,
            "megabytes": 1e-6 * n_bytes / n_threads,
        }
        print(f"    {n_threads:2} thread(s)  {share['trees']:.2f}  {share['nodes']:.2f}  {share['cuts']:.2f}", end="")
        print(f"  {share['megabytes']:4.0f} MB per round")
        shares.append({"threads": n_threads} | share)
    return shares
