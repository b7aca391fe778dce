"""The rooms of the house: what may import what, what the kernel shares with the specification, how long a file is.

The floors are contracts of import-linter in pyproject.toml.
"""

import re
import shutil
import subprocess
import sys
from inspect import isfunction, signature
from pathlib import Path

import pytest

from refrank.trees import splitting

ROOT = Path(__file__).parents[2]
LONGEST = 350  # lines; a file that needs more holds more than one idea
LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir=None))"


def package() -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(ROOT.glob("refrank/**/*.py"))}


def lint(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", LINT], cwd=folder, capture_output=True, text=True, timeout=120)


def test_each_room_keeps_to_its_floor():
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout
    assert "3 kept, 0 broken" in found.stdout


BROKEN = {
    "refrank/trees/tree.py": "import refrank.mcrank.ls_boosting",
    "refrank/metrics/spec.py": "from refrank.datasets import letor",
    "refrank/igbrt/gbrt.py": "from refrank.cocr import reduction",
    "refrank/cocr/costs.py": "from refrank.trees import tree",
    "refrank/estimators/base.py": "from refrank.model_file import save_model",
    "refrank/mcrank/ls_boosting.py": "def f():\n    import sklearn",
    "refrank/attic.py": "",
}


@pytest.mark.parametrize(("file", "line"), BROKEN.items())
def test_a_broken_wall_is_found(tmp_path, file, line):
    shutil.copytree(ROOT / "refrank", tmp_path / "refrank", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with open(tmp_path / file, "a") as source:
        source.write(f"\n{line}\n")
    assert lint(tmp_path).returncode == 1


def test_files_are_named_after_their_idea_and_hold_one():
    files = package()
    assert len(files) > 20
    assert [file for file in files if Path(file).stem in ("utils", "util", "helpers", "common", "misc")] == []
    assert [file for file, source in files.items() if source.count("\n") > LONGEST] == []


def test_the_first_import_loads_numpy_alone():
    code = "import sys, refrank, refrank.cli; print({'sklearn', 'scipy', 'matplotlib'} & {*sys.modules})"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert found.stdout == "set()\n", found


# The kernel: the functions of the specification, and nothing of refrank.


def signatures_of_kernel(source: str) -> dict[str, list[str]]:
    """Public functions of a .pyx text, and the names of their arguments, each of which stands after its type."""
    found = {}
    for match in re.finditer(r"^def (\w+)\(([^)]*)\):", source, re.MULTILINE):
        arguments = re.sub(r"\[[^]]*\]", "", match[2]).split(",")
        found[match[1]] = [argument.split("=")[0].split()[-1] for argument in arguments if argument.strip()]
    return found


def kernel_source() -> str:
    """The text of the kernel, with the file that it includes."""
    text = (ROOT / "refrank/_split.pyx").read_text()
    return re.sub(r'(?m)^include "(.+)"$', lambda match: (ROOT / "refrank" / match[1]).read_text(), text)


def test_the_kernel_has_the_functions_of_the_specification():
    public = {name: one for name, one in vars(splitting).items() if isfunction(one) and name[0] != "_"}
    own = {name: one for name, one in public.items() if one.__module__ == splitting.__name__}
    specification = {name: [*signature(one).parameters] for name, one in own.items()}
    kernel = signatures_of_kernel(kernel_source())
    used = {name for source in package().values() for name in re.findall(r"\bsplitter\.(\w+)\(", source)}
    assert len(used) >= 8
    assert used <= kernel.keys()
    # in one order, too; what the kernel lacks is a step within another function, which nobody else calls
    assert list(kernel.items()) == [item for item in specification.items() if item[0] in kernel]


def test_a_kernel_that_differs_is_found():
    source = "def f(\n    const double[:, ::1] a, Py_ssize_t b,\n    int n, missing=None\n):\n\ncdef int g(int x):\n"
    assert signatures_of_kernel(source) == {"f": ["a", "b", "n", "missing"]}


def kernel_imports(source: str) -> list[str]:
    """Modules that a .pyx text imports."""
    return re.findall(r"^\s*(?:from|cimport|import)\s+([\w.]+)", source, re.MULTILINE)


def test_the_kernel_imports_nothing_of_refrank():
    found = {module.split(".")[0] for module in kernel_imports(kernel_source())}
    assert {"numpy"} <= found <= {"numpy", "cython", "libc"}
    assert kernel_imports("    from refrank.trees import grid\nfrom . import b\n") == ["refrank.trees", "."]
