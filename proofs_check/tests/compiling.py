"""Coq in tests: the files that a file needs, compiled in a folder, in order."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from proofs_check.formal import vectors

SOURCES = Path(vectors.__file__).parent
REQUIRED = re.compile(r"^From Refrank Require (?:Import |Export )?(.*)\.$", re.M)


def compile_library(folder, name):
    """Compile a file of proofs_check/formal and all that it needs, and return the folder; skip where Coq is missing."""
    if not shutil.which("coqc"):
        pytest.skip("coqc is not installed")
    for needed in sort_needs(name):
        shutil.copy(SOURCES / f"{needed}.v", folder)
        run = run_coqc(folder, folder / f"{needed}.v")
        assert run.returncode == 0, run.stderr
    return folder


def sort_needs(name):
    """List the files that a file needs, and it, each behind those that it needs."""
    names = []
    for line in REQUIRED.findall((SOURCES / f"{name}.v").read_text()):
        for needed in line.split():
            names += sort_needs(needed)
    return list(dict.fromkeys([*names, name]))


def run_coqc(library, path):
    command = ["coqc", "-q", "-w", "none", "-R", str(library), "Refrank", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
