"""Least work of growing by histograms: bare loops in C, compiled on the spot and run on every thread at once.

One adds a 64-bit number per entry to one-byte bins, eight columns side by side, whose histograms fit the first cache.
The other reads memory from one end to the other.
"""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.side_by_side import time_call

GROUP, N_BINS = 8, 256
SWEEP_BYTES = 2**28
N_TIMES = 15
SOURCE = """
#include <stdint.h>

/* codes: (n_rows, 8); sums: (8, 256) */
void add_rows(const uint8_t *codes, const int64_t *terms, int64_t n_rows, int64_t *sums) {
    for (int64_t i = 0; i < n_rows; i++) {
        const uint8_t *code = codes + 8 * i;
        int64_t term = terms[i];
        sums[code[0]] += term;
        sums[256 + code[1]] += term;
        sums[512 + code[2]] += term;
        sums[768 + code[3]] += term;
        sums[1024 + code[4]] += term;
        sums[1280 + code[5]] += term;
        sums[1536 + code[6]] += term;
        sums[1792 + code[7]] += term;
    }
}

/* four sums, so that no addition waits for the one before */
uint64_t sweep(const uint64_t *words, int64_t n_words) {
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (int64_t i = 0; i + 4 <= n_words; i += 4) {
        a += words[i];
        b += words[i + 1];
        c += words[i + 2];
        d += words[i + 3];
    }
    return a + b + c + d;
}
"""


def compile_loops() -> ctypes.CDLL | None:
    """Compile with the system's compiler, into a folder that is removed afterwards; None where that fails."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "loops.c"), Path(folder, "loops.so")
        source.write_text(SOURCE)
        command = [compiler, "-O3", "-shared", "-fPIC", str(source), "-o", str(target)]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        library = ctypes.CDLL(str(target))  # it lets go of the interpreter's lock while it runs
    library.add_rows.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    library.sweep.argtypes, library.sweep.restype = [ctypes.c_void_p, ctypes.c_int64], ctypes.c_uint64
    return library


def time_adding(library: ctypes.CDLL, n_rows: int, threads: int, seed: int) -> float:
    """Measure seconds per entry of adding to histograms, with a group of columns for each thread."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, N_BINS, (threads, n_rows, GROUP), np.uint8)
    terms = rng.integers(-(2**40), 2**40, n_rows)
    sums = np.zeros((threads, GROUP, N_BINS), np.int64)

    def add_rows(thread: int) -> None:
        library.add_rows(codes[thread].ctypes.data, terms.ctypes.data, n_rows, sums[thread].ctypes.data)

    return time_threads(add_rows, threads) / codes.size


def time_sweep(library: ctypes.CDLL, threads: int) -> float:
    """Measure seconds per byte of reading memory, with a part for each thread."""
    words = np.ones((threads, SWEEP_BYTES // 8 // threads), np.uint64)

    def sweep(thread: int) -> None:
        library.sweep(words[thread].ctypes.data, words.shape[1])

    return time_threads(sweep, threads) / words.nbytes


def time_threads(loop: Callable[[int], None], threads: int) -> float:
    """Time a loop that runs on every thread at once: the median, after one run to warm up."""
    with ThreadPoolExecutor(threads) as pool:
        times = [time_call(lambda: list(pool.map(loop, range(threads))))[0] for _ in range(1 + N_TIMES)]
    return float(np.median(times[1:]))
