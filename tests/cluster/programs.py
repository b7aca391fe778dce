"""Small programs for shards, which processes can import, and what looks after them."""

import os
import sys
import time
import warnings
from importlib import import_module

import numpy as np

from refrank.cluster.communicator import Progress, find_shards
from refrank.cluster.driver import drive

N_TURNS = 8


def watch_nothing(n_done, so_far, progress):
    return False


def run_on(start, program, sources, state=None, watch=watch_nothing, limit=20.0, most_losses=3):
    return drive(start, program, sources, state, watch, limit, most_losses)


def add_turns(source, state):
    """Train: the model is the list of the sums of each turn; `source` is a number, or (number, function to call)."""
    shards, sums = find_shards(), [*(state or ())]
    number, call = source if isinstance(source, tuple) else (source, None)
    progress = Progress(N_TURNS, "turn")
    ends = bool(sums) and shards.report(len(sums), lambda: [*sums], progress)
    while len(sums) < N_TURNS and not ends:
        if call is not None:
            call(len(sums), shards.place)
        sums.append(int(shards.sum(np.array([number * (len(sums) + 1)]))[0]))
        ends = shards.report(len(sums), lambda: [*sums], progress)
    return sums


def expect_sums(*numbers):
    return [sum(numbers) * turn for turn in range(1, N_TURNS + 1)]


def tell_pid(source, state):
    return find_shards().gather(os.getpid())


def describe_surroundings(source, state):
    """Return whether the process has a group of its own, a variable, and the place of a module."""
    return os.getpgid(0) == os.getpid(), os.environ.get("REFRANK_NUM_THREADS"), import_module(source).__file__


def leave_a_child(source, state):
    """Fork a child, which holds the pipes of the process, and return its number."""
    if (pid := os.fork()) == 0:
        time.sleep(20)
        os._exit(0)
    return pid


def print_much(source, state):
    """Print on every way out of a process, warn, and join meanwhile."""
    warnings.warn("a warning", stacklevel=1)
    print("x" * 100_000)
    os.system("echo from a child")
    sys.stdout.flush()
    os.write(1, b"raw\n")
    return find_shards().gather(source)


def send_large(source, state):
    """Send eight megabytes to all, and eight to each."""
    shards = find_shards()
    whole = shards.sum(np.full(1_000_000, source))
    parts = shards.exchange([np.full(1_000_000, place) for place in range(shards.n_shards)])
    return int(whole[-1]), [int(part[-1]) for part in parts]


def sleep_long(source, state):
    """Report the number of the process, then sleep."""
    pids = find_shards().gather(os.getpid())
    find_shards().report(1, lambda: pids, Progress(1, "turn"))
    time.sleep(600)


def end_hard(n_done, place):
    """End the process of shard 0 in turn 5."""
    if (n_done, place) == (4, 0):
        os._exit(3)


def nap(n_done, place):
    """Work a while."""
    time.sleep(0.4)
