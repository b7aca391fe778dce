"""Options of tests/ and proofs_check/: `pytest --deep` searches longer and enumerates one size further.

`pytest --fast` is the fast lane of scripts/test: ten examples per property, and without the files of SLOW.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Threads of OpenMP that wait for each other sleep: otherwise they keep busy the cores that other tests compute on.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=True)
settings.register_profile("brief", settings.get_profile("ci"), max_examples=10)  # pytest --hypothesis-profile=brief
settings.register_profile("deep", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])

ROOT = Path(__file__).parent
SITE = ["docs/conf.py", "docs/__main__.py", "docs/site/extension.py"]  # need Sphinx
collect_ignore = [*SITE, "docs/_build", "docs/generated"]
# The rule: a file stands here if its tests take more than three seconds together with ten examples per property, by
# `pytest -n 2 --hypothesis-profile=brief --durations=0`; and a folder, if most of its files do. The full run has
# them. The digests (tests/bits) and the floors (tests/meta/test_architecture.py) stay in the fast lane, however long
# they take: every change must keep them.
SLOW_FILES = """
    docs/use/model_selection.md
    docs/use/scikit_learn.md
    proofs_check/tests
    tests/cli/test_cluster_processes.py
    tests/cli/test_interrupted_imports.py
    tests/cli/test_predict.py
    tests/cli/test_resume.py
    tests/cli/test_standard_input.py
    tests/cli/test_train.py
    tests/cluster/test_checks.py
    tests/cluster/test_dask.py
    tests/cluster/test_dask_rows.py
    tests/cluster/test_equal.py
    tests/cluster/test_kills.py
    tests/cluster/test_local.py
    tests/cluster/test_mpi.py
    tests/datasets/test_bounds_of_text.py
    tests/datasets/test_budgets.py
    tests/estimators/test_bad_input.py
    tests/estimators/test_contract.py
    tests/estimators/test_counted_bags.py
    tests/estimators/test_m5p.py
    tests/estimators/test_mq2008.py
    tests/estimators/test_warm_start.py
    tests/fuzz/test_fuzz.py
    tests/igbrt/test_gbrt.py
    tests/igbrt/test_random_forest.py
    tests/mcrank/test_boosters.py
    tests/meta/test_a_new_loss.py
    tests/meta/test_benchmarks.py
    tests/meta/test_break_lines.py
    tests/meta/test_install.py
    tests/meta/test_papers_map.py
    tests/meta/test_quality.py
    tests/meta/test_readme.py
    tests/meta/test_strategies.py
    tests/metrics/test_values.py
    tests/models/test_contract.py
    tests/models/test_door.py
    tests/models/test_hostile.py
    tests/models/test_parameters.py
    tests/mutants/test_mutants.py
    tests/pages/test_pages.py
    tests/reproduce/test_added.py
    tests/reproduce/test_cell_layout.py
    tests/reproduce/test_cocr_tables.py
    tests/reproduce/test_conventions.py
    tests/reproduce/test_hidden_units.py
    tests/reproduce/test_igbrt.py
    tests/reproduce/test_mcrank.py
    tests/reproduce/test_mcrank_studies.py
    tests/reproduce/test_resuming.py
    tests/reproduce/test_texts.py
    tests/reproduce/test_unfinished.py
    tests/score/test_branches.py
    tests/score/test_score.py
    tests/trees/test_binning.py
    tests/trees/test_coarse.py
    tests/trees/test_engine.py
    tests/trees/test_foreign.py
    tests/trees/test_forest_growth.py
    tests/trees/test_splitting_kernel.py
    tests/tutor/test_grading.py
    tests/tutor/test_homework.py
    tests/yardstick/test_clients.py
    tests/yardstick/test_comparing.py
    tests/yardstick/test_conform_kernel.py
    tests/yardstick/test_hints.py
    tests/yardstick/test_judge.py
    tests/yardstick/test_kernel_cases.py
    tests/yardstick/test_losses.py
    tests/yardstick/test_peers.py
    tests/yardstick/test_planted_in_port.py
    tests/yardstick/test_planted_in_training.py
    tests/yardstick/test_ports.py
    tests/yardstick/test_scorecard.py
    tests/yardstick/test_smallest.py
    tests/yardstick/test_streams.py
    tests/yardstick/test_trace_files.py
    tests/yardstick/test_tracing.py
    tests/yardstick/test_vectors.py
    """
SLOW = frozenset(SLOW_FILES.split())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="many more examples, exhaustive one size further")
    parser.addoption("--fast", action="store_true", help="few examples, without the slow files")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--deep") and config.getoption("--fast"):
        raise pytest.UsageError("--deep and --fast exclude each other")
    settings.load_profile("deep" if config.getoption("--deep") else "brief" if config.getoption("--fast") else "ci")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the slow files in the fast lane."""
    slow = config.getoption("--fast") and collection_path.is_relative_to(ROOT)
    return True if slow and collection_path.relative_to(ROOT).as_posix() in SLOW else None


@pytest.fixture(scope="session")
def deep(request: pytest.FixtureRequest) -> bool:
    """Whether the run was asked to search deeply."""
    return bool(request.config.getoption("--deep"))
