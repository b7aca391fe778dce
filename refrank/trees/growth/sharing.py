"""Independent trees side by side: the K trees of a round, or the cumulative problems, share an engine's threads.

A tree on one thread never waits; the threads of a tree on all of them wait for each other at every node. So
as many trees as there are threads are grown at a time, one thread each. Those left over, fewer than threads, are grown
one after the other on all threads. With 2 threads and 5 trees:

    thread 0    tree 0    tree 2    tree 4
    thread 1    tree 1    tree 3    tree 4

No bit depends on it, since no tree sees another.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import TypeVar

from refrank.trees.engine import Engine

Result = TypeVar("Result")
FEW_ROWS = 1 << 16  # the arrays of a tree take a few MB


def count_together(engine: Engine, n_tasks: int) -> int:
    """Count the tasks that run side by side; those left over have all threads, one after the other."""
    if engine.n_threads == 1 or engine.in_turn:
        return 0
    return n_tasks - n_tasks % engine.n_threads


def divide_tasks(engine: Engine, n_tasks: int, n_rows: int) -> list[range]:
    """Divide the tasks into those that run side by side and those left over: the latter's memory is allocated later.

    Where rows are few, the memory is small, and all tasks are one call of the kernel.

    >>> from refrank.trees import splitting
    >>> divide_tasks(Engine(splitting, 2), 5, n_rows=1_000_000)
    [range(0, 4), range(4, 5)]
    """
    n_together = n_tasks if n_rows < FEW_ROWS else count_together(engine, n_tasks)
    return [tasks for tasks in (range(n_together), range(n_together, n_tasks)) if tasks]


def divide(engine: Engine, n_tasks: int) -> list[Engine]:
    """Give each of `n_tasks` tasks its engine: one thread for those that run side by side, all for those left over.

    >>> from refrank.trees import splitting
    >>> [shared.n_threads for shared in divide(Engine(splitting, 2), 5)]
    [1, 1, 1, 1, 2]
    """
    n_together = count_together(engine, n_tasks)
    return [replace(engine, n_threads=1)] * n_together + [engine] * (n_tasks - n_together)


def run_together(engine: Engine, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run tasks, each on its engine of `divide`, and return their results in order."""
    n_together, results = count_together(engine, len(tasks)), []
    if n_together:
        contexts = [copy_context() for _ in range(n_together)]
        with ThreadPoolExecutor(engine.n_threads) as pool:
            results = list(pool.map(lambda task, context: context.run(task), tasks[:n_together], contexts))
    return results + [task() for task in tasks[n_together:]]
