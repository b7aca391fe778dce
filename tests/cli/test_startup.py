"""Help loads NumPy at most: scikit-learn takes longer to load than all of refrank."""

import subprocess
import sys

import pytest

from refrank.cli.algorithm_table import FILE
from refrank.cli.commands import list_commands
from tests.cli.algorithm_table import write_table
from tests.regenerate import renew_with

HEAVY = {"sklearn", "scipy", "pandas", "joblib", "tqdm", "matplotlib", "safetensors", "threadpoolctl"}
HELP = """
import sys
from contextlib import suppress
from refrank.cli import main
for words in {words}:
    with suppress(SystemExit):
        main(words)
print(*sorted({heavy} & sys.modules.keys()), sep=",", file=sys.stderr)
"""


def test_the_table_of_algorithms_is_that_of_the_estimators():
    assert FILE.read_text(encoding="utf-8") == write_table(), renew_with("refrank/cli/algorithm_table.json")


@pytest.mark.parametrize("words", [["--help"], ["--n-round", "3"]], ids=["help", "a wrong flag"])
def test_help_and_wrong_flags_load_numpy_at_most(words):
    lines = [["--help"], *([name, *words] for name in list_commands()), ["train", "gbrt", *words], ["train", "--help"]]
    script = HELP.format(words=lines, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == ""


def test_the_package_loads_nothing_of_others():
    script = "import sys, refrank; print(*{'numpy', 'sklearn'} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "\n"
