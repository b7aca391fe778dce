"""Shards as processes: their messages, their ends, and what is left of them."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from threading import Timer

import pytest

from refrank.cluster import ClusterError
from refrank.cluster.driver import Lost
from refrank.cluster.local import Process
from refrank.cluster.member import STOP
from tests.cluster.programs import (
    add_turns,
    describe_surroundings,
    end_hard,
    expect_sums,
    leave_a_child,
    nap,
    print_much,
    run_on,
    send_large,
    tell_pid,
)

start = partial(Process, environment={})


def is_running(pid):
    """Return whether a process runs; one that has ended may still be listed."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout[:1] != b"Z"


def wait_until_gone(pids, seconds=20.0):
    """Wait for the end of processes."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(map(is_running, pids)):
        time.sleep(0.05)
    assert not any(map(is_running, pids))


def test_what_a_shard_prints_is_no_message_and_no_message_is_too_large(capfd):
    """While a shard sends eight megabytes, it is sent eight: each waits for a reader."""
    assert run_on(start, print_much, ["a", "b"]) == [["a", "b"]] * 2
    out, err = capfd.readouterr()
    assert out == ""
    assert "a warning" not in err  # that of the first shard is given by `fit_shards`
    assert err.count("x" * 100_000) == err.count("from a child") == err.count("raw") == 2
    assert run_on(start, send_large, [3, 4]) == [(7, [0, 0]), (7, [1, 1])]


def test_no_process_and_no_thread_outlives_its_training():
    threads = {*threading.enumerate()}
    pids = run_on(start, tell_pid, [1, 2])[0]
    assert len({*pids, os.getpid()}) == 3
    assert not any(map(is_running, pids))
    assert {*threading.enumerate()} <= threads


def test_a_child_of_a_process_does_not_hold_up_the_driver():
    began = time.monotonic()
    [pid] = run_on(start, leave_a_child, [1])
    os.kill(pid, signal.SIGKILL)
    assert time.monotonic() - began < 10


def test_a_process_has_a_group_of_its_own_and_the_modules_and_the_variables_of_the_driver(tmp_path, monkeypatch):
    own = tmp_path / "own_module.py"
    own.write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("REFRANK_NUM_THREADS", raising=False)
    with_four = partial(Process, environment={"REFRANK_NUM_THREADS": "4"})
    assert run_on(with_four, describe_surroundings, ["own_module"]) == [(True, "4", str(own))]
    monkeypatch.setenv("REFRANK_NUM_THREADS", "5")  # as on other engines, the user's holds
    assert run_on(with_four, describe_surroundings, ["own_module"]) == [(True, "5", str(own))]


def test_a_process_waits_for_its_end_and_is_lost_from_then_on():
    line = start(0, 1, tell_pid, 1, (0, None))
    for answer in [1], STOP:
        line.receive(20)
        line.send(answer)
    assert line.receive(20).kind == "state"
    with pytest.raises(subprocess.TimeoutExpired):
        line.process.wait(timeout=1.5)
    line.end()
    assert line.process.returncode == -signal.SIGKILL
    for _ in range(2):
        with pytest.raises(Lost, match="its process ended with code -9"):
            line.receive(2)


def signal_once(number, pids):
    """Make a watch that sends a signal to the first process, once."""

    def watch(n_done, so_far, progress):
        if n_done == 2 and len(pids) == 1:
            os.kill(pids[0], number)
            pids.append(n_done)

    return watch


class Followed(Process):
    """The line to a process whose number is noted, of the first attempt at shard 1."""

    def __init__(self, pids, place, *given):
        super().__init__(place, *given, environment={})
        if place == 1 and not pids:
            pids.append(self.process.pid)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV])
def test_a_process_that_ends_or_freezes_is_made_again(number):
    pids, sentence = (
        [],
        "has not answered for 2 s" if number == signal.SIGSTOP else f"its process ended with code -{number}",
    )
    watch = signal_once(number, pids)
    assert run_on(partial(Followed, pids), add_turns, [1, 2], watch=watch, limit=2.0) == [expect_sums(1, 2)] * 2
    assert not is_running(pids[0])
    pids.clear()
    with pytest.raises(ClusterError, match=rf"^shard 1 \(2\):? {sentence}; shards were lost 1 times$") as lost:
        run_on(partial(Followed, pids), add_turns, [1, 2], watch=watch, limit=2.0, most_losses=0)
    assert lost.value.state == expect_sums(1, 2)[:2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_is_meant_for_the_driver_ends_no_shard(number):
    """As when a terminal is closed, or a queue of jobs ends all processes of one: the turns are to be kept."""
    pids = []
    watch = signal_once(number, pids)
    assert run_on(partial(Followed, pids), add_turns, [1, 2], watch=watch, most_losses=0) == [expect_sums(1, 2)] * 2
    assert len(pids) == 2


def test_a_process_that_exits_is_made_again_until_it_is_too_often():
    with pytest.raises(ClusterError, match=r"its process ended with code 3; shards were lost 2 times") as lost:
        run_on(start, add_turns, [(1, end_hard), 2], most_losses=1)
    assert lost.value.state == expect_sums(1, 2)[:4]


@pytest.fixture
def heeds_interrupts():
    """A program that a shell starts in the background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_of_the_driver_keeps_the_finished_turns(heeds_interrupts):
    def watch(n_done, so_far, progress):
        if n_done == 2:
            Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()  # comes while the driver waits

    with pytest.raises(ClusterError, match="interrupted") as raised:
        run_on(start, add_turns, [(1, nap), 2], watch=watch)
    assert isinstance(raised.value.__cause__, KeyboardInterrupt)
    assert raised.value.state in (expect_sums(1, 2)[:n_done] for n_done in range(2, 6))


def test_what_cannot_be_sent_is_named_before_anything_runs():
    rule = "a function must be one of a module that a process can import"
    with pytest.raises(
        ValueError, match=rf"^shard 1 \(.*lambda.*\) and its ranker cannot be sent to a process: .*; {rule}"
    ):
        run_on(start, add_turns, [1, (2, lambda n_done, place: None)])
    script = """
from functools import partial
from refrank.cluster.local import Process
from tests.cluster.programs import add_turns, run_on
def own(n_done, place): pass
try:
    run_on(partial(Process, environment={}), add_turns, [1, (2, own)])
except ValueError as fault:
    print(fault)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("shard 1 ((2, <function own at"), done
    assert "a process cannot read what it is sent: Can't get attribute 'own'" in done.stdout
    assert done.stdout.rstrip().endswith(rule)


DRIVER = """
from functools import partial
from refrank.cluster.local import Process
from tests.cluster.programs import run_on, sleep_long
watch = lambda n_done, so_far, progress: print(*so_far(), flush=True)
run_on(partial(Process, environment={}), sleep_long, [1, 2], watch=watch)
"""


def test_no_process_outlives_a_driver_that_is_killed():
    """The processes do not join any more: they sleep for ten minutes."""
    with subprocess.Popen([sys.executable, "-c", DRIVER], stdout=subprocess.PIPE, text=True) as driver:
        pids = [*map(int, driver.stdout.readline().split())]
        assert len(pids) == 2
        assert all(map(is_running, pids))
        driver.kill()
    wait_until_gone(pids)
