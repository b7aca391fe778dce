"""`sort_columns` of the kernel and of its specification, equal in every bit, and `list_ascending`, which calls it."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.trees import splitting
from refrank.trees.bins.sorted_columns import list_ascending, sort_columns
from refrank.trees.engine import Engine
from tests.strategies import DTYPES, THREADS, rng_of

pytestmark = pytest.mark.kernel

SPECIAL = [0.0, -0.0, np.inf, -np.inf, 1.0, -1.0, 1e-45, -1e-45, 1e-40, -1e-40, 3e38, -3e38]  # some are subnormal


@st.composite
def tables(draw):
    """A table of any numbers but NaN, in one of four layouts."""
    dtype = np.dtype(draw(DTYPES))
    width = 8 * dtype.itemsize
    several, any_number = st.sampled_from(SPECIAL), st.floats(width=width, allow_nan=False)
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9))
    X = draw(hnp.arrays(dtype, shape, elements=several.map(lambda x: float(dtype.type(x))) | any_number))
    X.flags.writeable = draw(st.booleans())
    return draw(st.sampled_from([X, np.asfortranarray(X), np.repeat(X, 2, 0)[::2], X[::-1, ::-1]]))


def agree(compiled, X, first: int, n_columns: int, n_threads: int) -> None:
    ours, theirs = np.full((2, n_columns, len(X)), np.nan, X.dtype)
    sort_columns(X, first, ours, 1)
    compiled.sort_columns(X, first, theirs, n_threads)
    assert theirs.tobytes() == ours.tobytes()
    assert ours.tolist() == [sorted(column) for column in X[:, first : first + n_columns].T.tolist()]
    assert not (np.signbit(ours) & (ours == 0)).any()


@given(tables(), THREADS, st.data())
def test_kernel_and_specification_sort_alike(compiled, X, n_threads, data):
    first = data.draw(st.integers(0, X.shape[1] - 1))
    agree(compiled, X, first, data.draw(st.integers(1, X.shape[1] - first)), n_threads)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_rows", [1023, 1024, 1025, 5121, 30_001])
def test_columns_of_few_and_of_many_values(compiled, dtype, n_rows):
    """Few are counted, up to about 4,096; of many, only the digits that differ are sorted by."""
    rng = rng_of(n_rows)
    of_few = [rng.integers(0, n, n_rows) / 7 - 1 for n in (1, 2, 300, 4095, 4096, 4097, 5120)]
    late = np.append(np.zeros(max(0, n_rows - 9000)), rng.normal(size=min(n_rows, 9000)))  # many, after a run of one
    scales = 10.0 ** rng.integers(-44, 38, n_rows)
    of_many = [rng.random(n_rows), rng.normal(size=n_rows) * scales, np.arange(n_rows), -np.arange(n_rows), late]
    X = np.column_stack([*of_few, *of_many]).astype(dtype)
    for n_threads in (1, 2, 3):
        agree(compiled, X, 0, X.shape[1], n_threads)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keys_that_share_a_slot(compiled, dtype):
    """Neighbouring integers, as bits, and multiples of powers of two, fill the table of counts in long runs."""
    bits = np.uint32 if dtype is np.float32 else np.uint64
    unit = np.ones(1, dtype).view(bits)[0]
    columns = [(unit + np.arange(4000).astype(bits) * bits(step)).view(dtype) for step in (1, 8, 1024)]
    agree(compiled, np.tile(np.column_stack(columns), (3, 1)), 0, 3, 2)


def test_a_table_without_rows(compiled):
    for dtype in (np.float32, np.float64):
        compiled.sort_columns(np.empty((0, 3), dtype), 0, np.empty((3, 0), dtype), 2)


def test_several_threads_may_sort_at_once(compiled):
    X = rng_of(3).normal(size=(20_000, 4))

    def sort(_: int) -> bytes:
        columns = np.empty((4, 20_000))
        compiled.sort_columns(X, 0, columns, 2)
        return columns.tobytes()

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(sort, range(12))) == {np.sort(X.T).tobytes()}


@pytest.mark.parametrize("n_columns", [1, 7, 8, 9, 16, 17, 33])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_column_is_listed_in_its_turn(compiled, n_columns, dtype):
    X = rng_of(n_columns).normal(size=(50, n_columns)).astype(dtype)
    for engine in (Engine(splitting), Engine(compiled, 2)):
        assert [column.tolist() for column in list_ascending(X, engine)] == np.sort(X.T).tolist()
