"""`refrank.kernel.use_large_pages`: where the arrays of a training lie. No value depends on it."""

import re
from contextvars import copy_context
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy._core.multiarray import get_handler_name

from refrank.kernel import PAGES, use_large_pages
from refrank.trees import splitting
from refrank.trees.engine import Engine
from refrank.trees.growth.sharing import run_together

pytestmark = [
    pytest.mark.kernel,
    pytest.mark.skipif(PAGES is None or not PAGES.HAS_PAGES, reason="there are no pages of 2 MB, or not the extension"),
]
N = 300_000  # float64: more than 2 MB
DEFAULT = get_handler_name(np.empty(1))


def read_mapping(address):
    """Read the fields of /proc/self/smaps for the memory at an address; there are none where it is given back."""
    fields, is_there = {}, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if bounds := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            is_there = int(bounds[1], 16) <= address < int(bounds[2], 16)
            fields |= {"bounds": bounds.groups()} if is_there else {}
        elif is_there:
            name, _, value = line.partition(":")
            fields[name] = value.split()
    return fields


def find_address(array):
    return array.ctypes.data


def count_megabytes(address):
    """Count what the region of an address takes; 0 where it is given back."""
    fields = read_mapping(address)
    return int(fields["Rss"][0]) / 1024 if fields else 0


def is_large(array):
    return get_handler_name(array) != DEFAULT and "hg" in read_mapping(find_address(array))["VmFlags"]


def test_large_pages_are_asked_for_where_arrays_are_large():
    with use_large_pages():
        array = np.ones(N)
        assert is_large(array)
        assert is_large(array + 1.0)
        assert find_address(array) % 64 == 0
        # The heap may have large pages, too: NumPy asks for them where its own arrays are large.
        small, large = (read_mapping(find_address(each))["bounds"] for each in (np.ones(100), array))
        assert small != large, "the region is for large arrays alone"
    assert not is_large(np.ones(N))


def test_a_freed_array_leaves_its_memory_to_the_next():
    with use_large_pages():
        kept, first, second, last = np.ones(N), np.ones(N), np.ones(N + 1), np.ones(N)
        address, next_address = find_address(first), find_address(second)
        del first
        assert find_address(np.ones(N + 1)) > find_address(last), "it is too long"
        zeros = np.zeros(N)
        assert find_address(zeros) == address
        assert not zeros.any()
        del zeros, second
        short, double = np.ones(N - 8), np.ones(N)
        assert find_address(short) == address
        assert find_address(double) < next_address, "what is left over of two neighbours is one"
        assert kept.all()
        assert last.all()


def test_freed_memory_is_given_back():
    with use_large_pages():
        kept = np.ones(N)
        address = find_address(np.ones(20 * N))
        assert count_megabytes(address) > 45
        with use_large_pages():  # begins with no memory of the arrays before
            assert count_megabytes(address) < 10
        np.ones(20 * N)
        assert count_megabytes(address) > 45
    assert 0 < count_megabytes(address) < 10
    assert kept.all()
    del kept
    assert count_megabytes(address) == 0


def test_a_region_without_an_array_is_given_back():
    with use_large_pages():
        kept, wide = np.ones(N), np.ones(150 * N)  # 360 MB: it has a region of its own
        address = find_address(wide)
        assert is_large(wide)
        del wide
        assert count_megabytes(address) > 300
    assert count_megabytes(address) == 0
    assert kept.all()


def test_regions_are_not_joined():
    with use_large_pages():
        first, second = np.empty(150 * N), np.empty(160 * N)  # a region each, neighbours as a rule
        addresses = [find_address(first), find_address(second)]
        del first, second
        assert find_address(np.empty(300 * N)) not in addresses


def test_a_resized_array_leaves_its_memory():
    with use_large_pages():
        array = np.ones(N)
        address = find_address(array)
        array.resize(10, refcheck=False)
        assert find_address(np.ones(N)) == address
    assert count_megabytes(address) == 0


def test_an_array_outlives_the_block():
    with use_large_pages():
        array, other = np.arange(N), np.ones(N)
    address = find_address(other)
    assert (array == np.arange(N)).all()
    del array
    assert count_megabytes(address) > 0
    assert other.all()
    del other
    assert count_megabytes(address) == 0


def test_the_block_ends_where_it_fails_and_may_hold_another():
    with pytest.raises(ValueError, match="within"), use_large_pages():
        raise ValueError("within")
    with use_large_pages():
        with use_large_pages():
            assert is_large(np.ones(N))
        assert is_large(np.ones(N))
    assert get_handler_name(np.empty(1)) == DEFAULT


def test_threads_have_them_in_a_copy_of_the_context():
    seen = []
    with use_large_pages():
        context = copy_context()
        threads = [Thread(target=run, args=[lambda: seen.append(is_large(np.ones(N)))]) for run in (context.run, call)]
        for thread in threads:
            thread.start()
            thread.join()
        shared = run_together(Engine(splitting, 2), [lambda: is_large(np.ones(N))] * 3)
    assert (seen, shared) == ([True, False], [True] * 3)


def call(function):
    function()


def test_other_systems_have_their_own(monkeypatch):
    monkeypatch.setattr(PAGES, "HAS_PAGES", False)
    with use_large_pages():
        assert not is_large(np.ones(N))


def test_no_memory_is_a_memory_error():
    with use_large_pages():
        array = np.ones(N)
        for fail in (np.empty, np.zeros, lambda n: array.resize(n, refcheck=False)):
            with pytest.raises(MemoryError):
                fail(1 << 57)  # no processor has as many addresses
    assert array.all()


STEPS = st.lists(st.tuples(st.sampled_from(["make", "zeros", "resize", "free"]), st.integers(0, 9)), max_size=25)


@given(STEPS)
def test_arrays_keep_their_values_whatever_is_made_resized_and_freed(steps):
    sizes = [1, 1000, 131_071, 131_072, 131_073, 131_080, 262_144, 262_145, N, 3 * N]  # 131,072 lie in large pages
    arrays, values = [], []
    with use_large_pages():
        for step, i in steps:
            if step in ("make", "zeros"):
                arrays.append(np.full(sizes[i], len(values), float) if step == "make" else np.zeros(sizes[i]))
                values.append(arrays[-1].tobytes())
            elif arrays:
                place = i % len(arrays)
                if step == "resize":
                    arrays[place].resize(sizes[i], refcheck=False)
                    values[place] = values[place][: 8 * sizes[i]].ljust(8 * sizes[i], b"\0")
                else:
                    del arrays[place], values[place]
            assert all(array.tobytes() == value for array, value in zip(arrays, values, strict=True))
    assert all(array.tobytes() == value for array, value in zip(arrays, values, strict=True))
