"""Ctrl-C while a command still imports its modules: one line and exit code 130, whatever is being imported."""

import subprocess
import sys

import pytest

from tests.cli.command_line import ENVIRONMENT, write_pairs

# A finder that sends a real signal when a module is looked for, and then says how the command ended.
INTERRUPT = """
import signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell, it is ignored

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt as end:
                if sys.argv[2] == "extension":
                    raise ImportError("initialization failed") from end
                raise

sys.meta_path.insert(0, Finder())
from refrank.cli import main
sys.exit(main(sys.argv[3:]))
"""
MODULES = (
    "numpy",
    "refrank.cli.commands",
    "refrank.cli.training",
    "scipy",
    "sklearn.base",
    "refrank.models",
    "yardstick",
)


@pytest.mark.parametrize("kind", ["module", "extension"])
@pytest.mark.parametrize("module", MODULES)
def test_an_interrupt_of_an_import_is_one_line(tmp_path, module, kind):
    write_pairs(tmp_path, (2, 1))
    words = ["train", "rows.txt", "--algorithm", "ls", "--model", "m"]
    command = [sys.executable, "-c", INTERRUPT, module, kind, *words]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=tmp_path, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "refrank: interrupted\n")


def test_another_fault_of_an_import_is_raised(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['sklearn'] = None\n")
    environment = ENVIRONMENT | {"PYTHONPATH": f"{tmp_path}:{ENVIRONMENT['PYTHONPATH']}"}
    command = [sys.executable, "-m", "refrank", "train", "none", "--algorithm", "ls", "--model", "m"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 1
    assert "ModuleNotFoundError: " in done.stderr


def test_the_first_import_of_the_command_line_loads_little():
    """An interrupt of it, before `main` runs, cannot be caught; so NumPy and the entry points come later."""
    code = "import sys, refrank.cli; print([name for name in ('numpy', 'importlib.metadata') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.stdout == "[]\n"
