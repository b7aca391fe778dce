"""The probes and variables of setup.py, what is installed, and models without the kernel (.ci/run: whole installs)."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from refrank.estimators.registry import RANKERS

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}


@pytest.fixture
def recipe(monkeypatch):
    """The names of setup.py, which builds nothing here."""
    setuptools = pytest.importorskip("setuptools")
    calls = []
    monkeypatch.setattr(setuptools, "setup", lambda **given: calls.append(given))
    monkeypatch.delenv("REFRANK_NO_EXTENSION", raising=False)
    monkeypatch.chdir(ROOT)

    def read():
        names = runpy.run_path("setup.py")
        return names | calls.pop()

    return read


@pytest.mark.parametrize(("value", "n_extensions"), [(None, 6), ("", 6), ("0", 6), ("1", 0), ("yes", 0)])
def test_the_extensions_can_be_declined(recipe, monkeypatch, value, n_extensions):
    if value is not None:
        monkeypatch.setenv("REFRANK_NO_EXTENSION", value)
    extensions = recipe()["ext_modules"]
    assert len(extensions) == n_extensions
    assert all(extension.optional for extension in extensions)  # no compiler: installed without, not failed


class Compiler:
    """Takes one pair of flags, and links a program that ends with a code."""

    compiler_type = "unix"

    def __init__(self, flags, code):
        self.flags, self.code = flags, code

    def compile(self, sources, output_dir, extra_postargs):
        assert "omp_get_max_threads" in Path(sources[0]).read_text()
        if extra_postargs != self.flags[0]:
            raise RuntimeError("unknown flag")
        return ["probe.o"]

    def link_executable(self, objects, name, folder, extra_postargs):
        assert extra_postargs == self.flags[1]
        program = Path(folder, name)
        program.write_text(f"#!/bin/sh\nexit {self.code}\n")
        program.chmod(0o755)


GCC = (["-fopenmp"], ["-fopenmp"])
APPLE = (["-Xpreprocessor", "-fopenmp"], ["-lomp"])


@pytest.mark.parametrize(
    ("flags", "code", "expected"),  # one compiles, and does not run with more threads than it says; one knows no flag
    [(GCC, 0, GCC), (APPLE, 0, APPLE), (GCC, 1, ([], [])), (([], []), 0, ([], []))],
)
def test_flags_are_exact_and_openmp_is_used_where_it_runs(recipe, monkeypatch, capsys, flags, code, expected):
    from setuptools.command.build_ext import build_ext
    from setuptools.dist import Distribution

    names = recipe()
    build = names["cmdclass"]["build_ext"](Distribution())
    build.compiler, build.extensions = Compiler(flags, code), names["ext_modules"]
    monkeypatch.setattr(build_ext, "build_extensions", lambda self: None)
    build.build_extensions()
    exact = ["-g0", "-O3", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno"]
    for extension in build.extensions:
        assert extension.extra_compile_args == [*exact, *expected[0]]
        assert extension.extra_link_args == expected[1]
    assert ("no OpenMP" in capsys.readouterr().err) == (expected is not GCC)


@pytest.mark.parametrize("place", ["inplace", "editable_mode", None])
def test_a_wheel_serves_every_python_and_a_checkout_one(recipe, monkeypatch, place):
    from setuptools.command.build_ext import build_ext
    from setuptools.dist import Distribution

    names = recipe()
    build = names["cmdclass"]["build_ext"](Distribution())
    build.extensions = names["ext_modules"]
    if place:
        setattr(build, place, True)
    monkeypatch.setitem(sys.modules, "Cython.Build", SimpleNamespace(cythonize=lambda given, force: given))
    monkeypatch.setattr(build_ext, "run", lambda self: None)
    build.run()
    macros = [("Py_LIMITED_API", "0x030B0000")] if place is None and names["STABLE_ABI"] else []
    for extension in build.extensions:
        assert (extension.py_limited_api, extension.define_macros) == (bool(macros), macros)
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"] == ">=3.11"


def test_the_links_of_the_described_package_are_absolute(recipe):
    text, readme = recipe()["long_description"], (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\((.+?)\)", text)
    assert len(links) == len(re.findall(r"\]\(", readme)) > 10
    source = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Source"]
    for link in links:
        assert link.startswith(f"{source}/blob/main/")
        assert (ROOT / link.removeprefix(f"{source}/blob/main/")).exists()


def test_the_recipe_of_conda_asks_for_what_the_package_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = (ROOT / "conda" / "recipe.yaml").read_text()
    asked = re.findall(r"^    - (\S+ >=\S+)$", recipe[recipe.index("  run:") :], re.MULTILINE)
    assert asked == [
        of.replace(">=", " >=").replace("matplotlib ", "matplotlib-base ") for of in project["dependencies"]
    ]
    assert f'version: "{project["version"]}"' in recipe
    assert all(project["urls"][name] in recipe for name in ("Homepage", "Documentation"))
    assert f'summary: "{project["description"]}"' in recipe


def test_an_install_has_the_vectors_and_not_their_generators(tmp_path):
    setuptools = pytest.importorskip("setuptools")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    packages = setuptools.find_packages(str(ROOT), **settings["packages"]["find"])
    data = {path for pattern in settings["package-data"]["yardstick"] for path in (ROOT / "yardstick").glob(pattern)}
    assert {package.partition(".")[0] for package in packages} == {"refrank", "yardstick", "tutor", "proofs_check"}
    for path in [*data, *(path for package in packages for path in (ROOT / package.replace(".", "/")).glob("*.py"))]:
        copied = tmp_path / path.relative_to(ROOT)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copied)
    environment = ENVIRONMENT | {"PYTHONPATH": str(tmp_path), "REFRANK_NO_EXTENSION": "1"}
    subprocess.run([sys.executable, "-m", "refrank", "vectors", "new"], cwd=tmp_path, env=environment, check=True)
    committed = (ROOT / "yardstick" / "vectors" / "data").iterdir()
    assert {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()} == {
        path.name: path.read_bytes() for path in committed
    }


SAVE_ALL = """
import sys
from refrank.datasets import cubic_polynomial
from refrank.models import save_model
from refrank.estimators.registry import RANKERS

data = cubic_polynomial(10, n_features=6, n_reference=2000)
for name, ranker in RANKERS.items():
    sizes = {"n_rounds": 3, "n_trees": 3, "n_epochs": 3}
    if name != "cocr":
        small = ranker().set_params(**{size: n for size, n in sizes.items() if size in ranker().get_params()})
        save_model(small.fit(data.X, data.y, data.qid), f"{sys.argv[1]}/{name}")
"""


@pytest.mark.kernel
def test_models_are_the_same_bytes_without_the_kernel(tmp_path):
    for name, environment in {"default": {}, "specification": {"REFRANK_NO_EXTENSION": "1"}}.items():
        (tmp_path / name).mkdir()
        variables = ENVIRONMENT | {"PYTHONPATH": str(ROOT)} | environment
        subprocess.run([sys.executable, "-c", SAVE_ALL, tmp_path / name], env=variables, timeout=300, check=True)
    models = {path.name: path.read_bytes() for path in (tmp_path / "default").iterdir()}
    assert models.keys() == RANKERS.keys() - {"cocr"}
    assert models == {path.name: path.read_bytes() for path in (tmp_path / "specification").iterdir()}
