"""The rooms of the house: what may import what, what the kernel shares with the specification, how long a file is.

The floors are contracts of import-linter in pyproject.toml.
"""

import re
import shutil
import subprocess
import sys
from inspect import isclass, signature
from pathlib import Path
from types import ModuleType

import pytest

from refrank.metrics import ordering
from refrank.trees import splitting
from refrank.trees.numbers import exponential, grid
from tests.meta.papers_map import ROOT, read_packages

LONGEST = 350  # lines; a file that needs more holds more than one idea
PACKAGE = read_packages("refrank", "yardstick", "tutor", "generators")
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir=None))"


def lint(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", LINT], cwd=folder, capture_output=True, text=True, timeout=120)


def test_each_room_keeps_to_its_floor():
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout
    assert "9 kept, 0 broken" in found.stdout


BROKEN = {
    "refrank/trees/model/tree.py": "import refrank.mcrank.ls_boosting",
    "refrank/metrics/spec.py": "from refrank.datasets import letor",
    "refrank/igbrt/gbrt.py": "from refrank.cocr import reduction",
    "refrank/cocr/costs.py": "from refrank.trees import tree",
    "refrank/estimators/base.py": "from refrank.models import save_model",
    "refrank/mcrank/ls_boosting.py": "def f():\n    import sklearn",
    "yardstick/traces/stages.py": "from yardstick.divergence import judging",
    "yardstick/traces/tracing.py": "def f():\n    import proofs_check",
    "yardstick/vectors/files.py": "def f():\n    import generators",
    "yardstick/scorecard/card.py": "def f():\n    import tutor",
    "tutor/tasks.py": "def f():\n    import tutor.commands.check",
    "refrank/attic.py": "",
    "refrank/cli/showing.py": "def f():\n    import yardstick",
    "refrank/bounds/report.py": "def f():\n    import proofs_check",
}


@pytest.mark.parametrize(("file", "line"), BROKEN.items())
def test_a_broken_wall_is_found(tmp_path, file, line):
    for package in ("refrank", "yardstick", "tutor", "generators"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with open(tmp_path / file, "a") as source:
        source.write(f"\n{line}\n")
    assert lint(tmp_path).returncode == 1


def test_files_are_named_after_their_idea_and_hold_one():
    assert len(PACKAGE) > 20
    assert [file for file in PACKAGE if Path(file).stem in ("utils", "util", "helpers", "common", "misc")] == []
    assert [file for file, source in PACKAGE.items() if source.count("\n") > LONGEST] == []


# The kernel: the functions of the specification, and nothing of refrank.


def signatures(module: ModuleType) -> dict[str, list[str]]:
    """The functions of a module and the names of their arguments, in the order of its text.

    Keyword-only arguments are left out: `choose` of the specification is for the judge alone.
    """
    homes = {module.__name__, exponential.__name__, grid.__name__}  # the specification takes functions of two files
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") in homes}
    functions = {name: value for name, value in own.items() if callable(value) and not isclass(value)}
    arguments = {name: signature(value).parameters.values() for name, value in functions.items()}
    return {name: [own.name for own in of if own.kind != own.KEYWORD_ONLY] for name, of in arguments.items()}


def test_the_kernel_has_the_functions_of_the_specification(compiled):
    used = {name for source in PACKAGE.values() for name in re.findall(r"\b(?:splitter|KERNEL)\.([a-z]\w*)", source)}
    assert len(used) >= 8
    assert used <= signatures(compiled).keys()
    # what the kernel lacks is a step within another function, which nobody else calls
    specified = {name: names for name, names in signatures(splitting).items() if name in signatures(compiled)}
    # refrank/trees/contest.py, refrank/trees/bins/sorted_columns.py, refrank/trees/bins/lists.py and the loop of
    # refrank/trees/growth/grower.py define these; add_rounds is add_trees on packed trees
    others = {"rank_cuts", "sort_columns", "grow_trees", "add_rounds", "list_entries", "sum_lists"}
    others |= {"compute_residual", "compute_curvature"}  # of refrank/mcrank/softmax_boosting.py
    assert {name: names for name, names in signatures(compiled).items() if name not in others} == specified
    in_order = [name for name in specified if getattr(splitting, name).__module__ == splitting.__name__]
    assert [name for name in signatures(compiled) if name in in_order] == in_order


def test_the_extension_for_rankings_has_the_function_of_its_specification(compiled_order):
    expected = {name: names for name, names in signatures(ordering).items() if name == "rank_first"}
    assert signatures(compiled_order) == expected


def test_the_extensions_import_nothing_of_refrank():
    files = [path for room in ("refrank", "yardstick") for path in (ROOT / room).rglob("*.p[yx][xi]")]
    assert len(files) > 10
    text = "".join(path.read_text() for path in files)
    found = re.findall(r"^\s*(?:from|cimport|import)\s+([\w.]+)", text, re.MULTILINE)
    assert (
        {"numpy"} <= {module.split(".")[0] for module in found} <= {"numpy", "cython", "cpython", "libc", "contextlib"}
    )


RIDDLE = re.compile(r'^\s*r?"""(?:What|Say|Tell|Let|Part)\b', re.MULTILINE)


def test_no_docstring_begins_with_a_riddle():
    sources = [path for path in ROOT.rglob("*.p[yx]*") if path.suffix in (".py", ".pyx", ".pxi")]
    own = [path for path in sources if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)]
    assert len(own) > 500
    assert RIDDLE.search('    """What is said."""')
    assert [str(path) for path in own if RIDDLE.search(path.read_text(encoding="utf-8"))] == []


def test_the_kernels_readme_lists_its_files():
    kernel = ROOT / "refrank" / "kernel"
    listed = re.findall(r"`([\w.]+\.(?:pxi|h))`", (kernel / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.name for path in kernel.iterdir() if path.suffix in (".pxi", ".h"))


def test_a_stranger_sees_few_entries():
    shown = [
        path for path in (ROOT / "refrank").iterdir() if path.suffix not in (".so", ".c") and path.name != "__pycache__"
    ]
    assert len(shown) <= 20
