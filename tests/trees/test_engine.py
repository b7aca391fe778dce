"""`refrank.trees.engine`: which splitter runs, on how many threads; models are bit-for-bit identical on either."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import refrank
from refrank import kernel
from refrank.kernel import resolve_threads
from refrank.trees import engine, splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.growth.forest_growth import grow_forest_tree
from tests.trees.test_growth import Recorder

ROOT = Path(refrank.__file__).parents[1]

TRAIN = """
import hashlib
import numpy as np
import refrank
from refrank.trees.engine import DEFAULT_SPLITTER, splitter_name

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 11)).astype(np.float32)
y = np.clip(np.rint(X[:, 0] + X[:, 9] ** 2), 0, 3).astype(int)
digest = hashlib.sha256()
for ranker in (refrank.SoftmaxBoostRanker, refrank.OrdinalBoostRanker, refrank.LSBoostRanker):
    for update in ("sequential", "simultaneous"):
        for n_bins in (16, 256, 4096):
            model = ranker(n_rounds=2, update=update, n_bins=n_bins).fit(X, y, sample_weight=rng.uniform(0, 2, 300))
            digest.update(model.predict(rng.normal(size=(50, 11))).tobytes())
            for tree in (tree for trees in model.model_.rounds for tree in trees):
                for name in tree.__dataclass_fields__:
                    digest.update(getattr(tree, name).tobytes())
print(splitter_name(), digest.hexdigest())
"""
NAME = "from refrank.trees.engine import splitter_name; print(splitter_name())"


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with these variables set, and none besides of those that refrank reads."""
    ours = "REFRANK_", "PYTHONWARNINGS", "OMP_WAIT_POLICY"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, "-c", code], env={**clean, **environment}, cwd=ROOT, capture_output=True, text=True, check=True
    )


def test_a_model_has_the_same_bits_without_the_kernel_and_on_any_threads(compiled):
    name, digest = run(TRAIN, REFRANK_NO_EXTENSION="1").stdout.split()
    assert name == "specification"
    for n_threads in ("1", "3"):
        ran = run(TRAIN, REFRANK_NUM_THREADS=n_threads)
        assert (ran.stdout.split(), ran.stderr) == (["kernel", digest], "")


def test_the_specification_is_announced_once():
    code = "import refrank, refrank.metrics, refrank.datasets, yardstick.numbers.digest; refrank.show_config()"
    ran = run(code, REFRANK_NO_EXTENSION="1")
    assert ran.stderr.count("refrank runs on its NumPy specification: bit-for-bit identical, but slow") == 1
    assert "REFRANK_NO_EXTENSION is set" in ran.stderr
    assert ran.stdout.splitlines()[0].split() == ["splitter", "specification"]


@pytest.mark.parametrize("off", ["", "0"])
def test_an_empty_or_zero_variable_keeps_the_kernel(compiled, off):
    ran = run(NAME, REFRANK_NO_EXTENSION=off)
    assert (ran.stdout, ran.stderr) == ("kernel\n", "")


@pytest.mark.parametrize("name", ["refrank._split", "refrank.metrics._order", "refrank.datasets._letor"])
def test_an_extension_that_does_not_load_is_replaced_and_said(compiled, name):
    ran = run(f"import sys; sys.modules['{name}'] = None; import refrank.metrics, refrank.datasets; " + NAME)
    assert ran.stdout == ("specification\n" if name == "refrank._split" else "kernel\n")
    assert ran.stderr.count("refrank runs on its NumPy specification") == 1
    assert name in ran.stderr


def test_the_environment_is_left_as_it_was():
    code = "import os; was = dict(os.environ); import refrank; print(was == dict(os.environ))"
    assert run(code).stdout == run(code, OMP_WAIT_POLICY="active").stdout == "True\n"


def test_threads_by_argument_variable_and_default(monkeypatch):
    monkeypatch.setenv("REFRANK_NUM_THREADS", "5")
    assert (resolve_threads(), resolve_threads(2)) == (5, 2)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    monkeypatch.setenv("REFRANK_NUM_THREADS", "")
    assert resolve_threads() == allowed
    monkeypatch.delenv("REFRANK_NUM_THREADS")
    assert resolve_threads() == allowed


@pytest.mark.parametrize("bad", [0, -1, 1.5, "two", True])
def test_bad_threads_are_named(monkeypatch, bad):
    rule = "it must be an integer of at least 1"
    with pytest.raises(ValueError, match=f"n_threads is .?{bad}.?: {rule}"):
        resolve_threads(bad)
    monkeypatch.setenv("REFRANK_NUM_THREADS", str(bad))
    with pytest.raises(ValueError, match=f"REFRANK_NUM_THREADS is .?{bad}.?: {rule}"):
        resolve_threads()


def test_show_config_prints_what_it_returns(capsys):
    shown = engine.show_config()
    lines = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert lines == {name: str(value) for name, value in shown.items()}
    assert shown["splitter"] == ("specification" if engine.DEFAULT_SPLITTER is splitting else "kernel")
    assert shown["refrank"] == refrank.__version__
    assert list(shown) == ["splitter", "openmp", "n_threads", "python", "refrank", "numpy", "scipy", "scikit-learn"]


def test_the_specification_has_no_threads(monkeypatch, capsys):
    monkeypatch.setattr(engine, "DEFAULT_SPLITTER", splitting)
    assert engine.show_config() | {"splitter": "specification", "openmp": False} == engine.show_config()


# --- no more threads than the machine gives -------------------------------------------------------------------------


@pytest.fixture
def cores(monkeypatch):
    """Two cores, and no thread tried yet."""
    monkeypatch.setattr(kernel, "count_cores", lambda: 2)
    kernel.find_startable.cache_clear()
    yield
    kernel.find_startable.cache_clear()


@pytest.mark.usefixtures("cores")
def test_threads_are_at_most_eight_per_core(monkeypatch):
    assert [resolve_threads(n) for n in (15, 16, 17, 10**6, 2**31 - 1)] == [15, 16, 16, 16, 16]
    monkeypatch.setenv("REFRANK_NUM_THREADS", "100000")
    assert resolve_threads() == 16
    monkeypatch.setenv("REFRANK_NUM_THREADS", str(2**31))
    with pytest.raises(ValueError, match="REFRANK_NUM_THREADS is 2147483648: it must be an integer of at most 2147483"):
        resolve_threads()


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("fault", [RuntimeError, MemoryError])
@pytest.mark.parametrize(("startable", "granted"), [(0, 1), (1, 1), (2, 1), (3, 2), (6, 3), (7, 4), (30, 15)])
def test_of_threads_that_do_not_start_there_is_a_warning(monkeypatch, startable, granted, fault):
    """Half of them: a pool's may wait beside OpenMP's. The main thread is one."""
    start, left = threading.Thread.start, [None] * startable

    def start_few(thread):
        if not left:
            raise fault("can't start new thread")
        left.pop()
        start(thread)

    running = threading.active_count()
    monkeypatch.setattr(threading.Thread, "start", start_few)
    warning = rf"n_threads is 16, and the system starts too few \(can't start new thread\): refrank runs on {granted}$"
    with pytest.warns(RuntimeWarning, match=warning):
        assert resolve_threads(16) == granted
    assert resolve_threads(16) == granted  # what is known is not tried, nor told, again
    assert threading.active_count() == running


@pytest.mark.usefixtures("cores")
def test_as_many_threads_are_tried_as_two_pools_start(monkeypatch):
    started, start = [], threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(start(thread)))
    assert resolve_threads(16) == 16
    assert len(started) == 31  # the main thread is one of them


@pytest.mark.parametrize("further", [-1, 1])
def test_a_fork_has_one_thread(monkeypatch, further):
    monkeypatch.setattr(kernel, "IMPORTED_BY", os.getpid() + further)
    assert resolve_threads(3) == 1


@pytest.mark.usefixtures("cores")
def test_a_limit_that_is_lowered_is_looked_at_again(monkeypatch):
    """OpenMP would end the process where the threads of the first look no longer start."""
    limit = 1000
    monkeypatch.setattr(kernel, "read_limit", lambda: limit)
    assert resolve_threads(4) == 4

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    assert resolve_threads(4) == 4
    limit = 10
    with pytest.warns(RuntimeWarning, match="n_threads is 4, and the system starts too few"):
        assert resolve_threads(4) == 1


def test_the_limit_is_that_of_the_process():
    resource = pytest.importorskip("resource")
    assert kernel.read_limit() == resource.getrlimit(resource.RLIMIT_NPROC)[0]


@pytest.mark.parametrize(("reported", "n_cores"), [(6, 6), (None, 1)])
def test_where_the_system_binds_no_process_to_cores_all_are_counted(monkeypatch, reported, n_cores):
    """As on macOS; it may not know how many there are."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: reported)
    assert kernel.count_cores() == n_cores


def test_where_the_system_has_no_limits_none_is_read(monkeypatch):
    """As on Windows, which has no module `resource`."""
    monkeypatch.setitem(sys.modules, "resource", None)
    assert kernel.read_limit() is None


@pytest.mark.kernel
def test_each_tree_of_a_forest_is_grown_without_threads_of_its_own(kernel):
    """They would be as many as the square of n_threads."""
    X, y, recorder = np.arange(40.0)[:, np.newaxis], np.arange(40.0) % 7, Recorder(kernel)
    binned = bin_features(X, 256, engine=engine.Engine(recorder, 3))
    grow_forest_tree(binned, y, y + 1, np.ones(40, np.int64), n_candidates=1, key=0)
    for name in ("largest_magnitude", "round_to_grid"):
        assert {arguments[-1] for arguments in recorder.calls[name]} == {1}
