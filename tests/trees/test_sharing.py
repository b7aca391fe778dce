"""`refrank.trees.growth.sharing`: which tasks run side by side, on how many threads."""

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.engine import Engine
from refrank.trees.growth.sharing import divide, run_together


@given(st.integers(0, 12), st.integers(1, 5))
def test_each_task_has_an_engine_and_no_more_threads_run_than_there_are(n_tasks, n_threads):
    engine = Engine(splitting, n_threads)
    engines = divide(engine, n_tasks)
    together = n_tasks // n_threads * n_threads if n_threads > 1 else 0
    assert [one.n_threads for one in engines] == [1] * together + [n_threads] * (n_tasks - together)
    assert {id(one.splitter) for one in engines} <= {id(splitting)}


@given(st.integers(0, 12), st.integers(1, 5))
def test_results_come_in_the_order_of_the_tasks(n_tasks, n_threads):
    tasks = [lambda number=number: number * number for number in range(n_tasks)]
    assert run_together(Engine(splitting, n_threads), tasks) == [number * number for number in range(n_tasks)]


def test_tasks_of_one_thread_run_side_by_side_and_those_left_over_alone():
    running, most, lock = [0], [], threading.Lock()

    def task() -> int:
        with lock:
            running[0] += 1
        time.sleep(0.02)
        with lock:
            most.append(running[0])
            running[0] -= 1
        return threading.get_ident()

    threads = run_together(Engine(splitting, 2), [task] * 5)
    assert max(most[:4]) == 2
    assert most[4] == 1
    assert threads[4] == threading.get_ident()


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_task_that_fails_is_not_hidden(n_threads):
    def fail() -> None:
        raise KeyError("task")

    with pytest.raises(KeyError, match="task"):
        run_together(Engine(splitting, n_threads), [fail, fail, fail])
