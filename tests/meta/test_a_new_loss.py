"""A loss costs the files that CONTRIBUTING.md lists: a toy loss is added to a copy, and everything takes it.

The copy is edited as CONTRIBUTING says, and nothing else: then the suites that take names from the registry run on the
toy, the command line trains it, and the files that differ are counted.
"""

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.regenerate import GOLDENS, ROOT

RECORD = '''"""Asymmetric squares as a loss: (y - F)^2, times a share where F is too low, else the rest."""

import numpy as np

from refrank.mcrank.loss_boosting import Loss
from refrank.trees.model.tree import quotient
from refrank.trees.numbers.grid import exact_mean


def make_asymmetric_loss(share: float) -> Loss:
    """Make the loss; one half is least squares, with half its steps."""
    return Loss(
        start=exact_mean,
        fitted=lambda residual, weight: np.where(residual > 0, share, 1 - share) * residual,
        step=lambda leaves, residual, weight: quotient(leaves.residual_sum, leaves.weight_sum),
    )
'''
IMPORT = "from refrank.mcrank.asymmetric_squares import make_asymmetric_loss\n"
ESTIMATOR = '''@estimator()
class AsymmetricBoostRanker(LossBoostRanker):
    """Regression by asymmetric squares.

    Examples
    --------
    >>> import numpy as np
    >>> AsymmetricBoostRanker(low=0.75).choose_loss().fitted(np.array([-4.0, 4.0]), None).tolist()
    [-1.0, 3.0]
    """

    algorithm: ClassVar[str] = "asymmetric"

    low: float = parameter("Share of the squares where S is too low.", default=0.75, above=0, at_most=1)

    def choose_loss(self) -> Loss:
        """Return asymmetric squares."""
        return make_asymmetric_loss(self.low)


'''
TESTS = '''"""`refrank.mcrank.asymmetric_squares`: with one half, least squares of half the learning rate."""

import numpy as np

from refrank.mcrank.asymmetric_squares import make_asymmetric_loss
from tests.mcrank.boosters import BY_LOSS, booster_of, fixed_case


def test_one_half_is_least_squares_with_half_its_steps():
    asymmetric = booster_of(make_asymmetric_loss(0.5))(fixed_case(), 4, 0.5)
    np.testing.assert_allclose(asymmetric.states, BY_LOSS["ls"](fixed_case(), 4, 0.25).states, rtol=0, atol=1e-12)
'''
NEW = {"refrank/mcrank/asymmetric_squares.py": RECORD, "tests/mcrank/test_asymmetric_squares.py": TESTS}
EDITED = {  # file -> (what is found, what is put before it)
    "refrank/estimators/mcrank_losses.py": (
        ("from refrank.mcrank.expected_relevance import", IMPORT),
        ('"HuberBoostRanker", ', '"AsymmetricBoostRanker", '),
        ("@estimator()\nclass LSBoostRanker", ESTIMATOR),
    ),
    "CHANGELOG.md": (("- `LADBoostRanker`", "- `AsymmetricBoostRanker`: asymmetric squares.\n"),),
}
ROW = re.compile(r"^\| a loss \| (\w+): (.*); then `scripts/regenerate ([\w ]+)` \|$", re.MULTILINE)
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six")
# what takes its names from the registry, or holds the registry against a table
SUITES = [
    *(f"tests/{file}.py" for file in ("mcrank/test_asymmetric_squares", "mcrank/test_boosters")),
    *(f"tests/estimators/test_{name}.py" for name in ("binning", "contract", "fields", "mcrank", "warm_start")),
    *(f"tests/models/{file}.py" for file in ("test_contract", "test_parameters", "exchange/test_export")),
    "tests/yardstick/test_losses.py",
    "refrank/estimators/mcrank_losses.py",  # the example of its docstring
]
TABLES = [
    "tests/bits/test_table.py::test_the_table_has_every_ranker_or_says_why_not",
    "tests/cli/test_help.py",
    *(f"tests/meta/test_{name}.py" for name in ("boxes", "defaults", "float_routines", "papers_map")),
    "tests/meta/test_break_lines.py::test_each_row_has_one_break_and_each_break_its_rows",
    "tests/score/test_branches.py::test_every_branch_is_reached",
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy of the project with the toy loss in it, and with its golden files renewed."""
    folder = tmp_path_factory.mktemp("a-new-loss") / "refrank"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info"))
    for file, text in NEW.items():
        (folder / file).write_text(text, encoding="utf-8")
    for file, places in EDITED.items():
        text = (folder / file).read_text(encoding="utf-8")
        for place, added in places:
            assert text.count(place) == 1, place
            text = text.replace(place, added + place)
        (folder / file).write_text(text, encoding="utf-8")
    run(folder, "-m", "tests.regenerate", *read_row()[2].split())
    return folder


def read_row() -> tuple[str, str, str]:
    """Read the row of CONTRIBUTING.md: the number of files, the files, and the names to renew."""
    [row] = ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    return row


def run(folder: Path, *arguments: str) -> str:
    """Run Python in a copy, for ten minutes at most, and return what it prints."""
    environment = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "80"}
    command = [sys.executable, *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, f"{ran.stdout[-4000:]}\n{ran.stderr[-4000:]}"
    return ran.stdout


def test_the_files_that_differ_are_those_that_contributing_lists(copy):
    number, listed, _ = read_row()
    generated = {golden.file for golden in GOLDENS}
    differ = {
        str(path.relative_to(copy))
        for path in copy.rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        and not ((other := ROOT / path.relative_to(copy)).exists() and filecmp.cmp(path, other, False))
    }
    assert differ - generated == {*NEW, *EDITED}
    assert number == NUMBERS[len(differ - generated)]
    places = re.findall(r"`([\w/.]+)`", listed)
    assert len(places) == len(differ - generated)
    assert all(any(file.startswith(place) for file in differ) for place in places)


def test_the_suites_over_the_registry_take_the_new_loss(copy):
    options = ("-q", "-x", "-p", "no:cacheprovider", "--hypothesis-profile=brief")
    assert " passed" in run(copy, "-m", "pytest", *options, *SUITES, "-k", "asymmetric or Asymmetric")
    assert " passed" in run(copy, "-m", "pytest", *options, *TABLES)


def test_the_command_line_trains_the_new_loss_and_judges_its_trace(copy):
    (copy / "data.txt").write_text("".join(f"{i % 3} qid:{i // 6} 1:{i % 3 + i / 60} 2:{i}\n" for i in range(30)))
    train = ("train", "data.txt", "--algorithm", "asymmetric", "--low", "0.9", "--n-rounds", "3", "--model", "m")
    run(copy, "-m", "refrank", *train)
    assert len(run(copy, "-m", "refrank", "predict", "data.txt", "--model", "m").split()) == 30
    for folder in ("golden", "theirs"):
        run(copy, "-m", "refrank", "trace", "asymmetric", "data.txt", "--n-rounds", "3", "--out", folder)
    assert "No difference" in run(copy, "-m", "refrank", "conform", "diff", "golden", "theirs")
