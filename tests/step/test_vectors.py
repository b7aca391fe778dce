"""The vectors on the port in node: no case fails, and the functions that it lacks are named."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from yardstick.vectors.files import FOLDER

RUN = Path(__file__).with_name("run_vectors.mjs")


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed: the port is not run")
def test_the_port_passes_every_case_of_the_functions_that_it_has():
    lines = subprocess.run(["node", RUN, FOLDER], capture_output=True, text=True, check=True).stdout.splitlines()
    assert re.fullmatch(r"5\d\d passed, 0 failed, \d+ skipped", lines[-1])
    assert lines[-2].startswith("skipped: map (17), ")
