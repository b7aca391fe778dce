"""The budgets of each kind of file, in bytes, seconds and memory: docs/reference/promises.md has the table."""

import json
import re
import subprocess
import sys

import pytest

from refrank.datasets.foreign_file import MOST_BYTES
from tests.datasets.hostile import FILES
from tests.meta.papers_map import ROOT

TABLE = re.findall(
    r"^    (\S.*?) +2\^(\d+) +(\d+|-) +(\d+|-)$", (ROOT / "docs/reference/promises.md").read_text(), re.MULTILINE
)
BUDGETS = {kind: (int(seconds), int(memory)) for kind, _, seconds, memory in TABLE if seconds != "-"}
KIND_OF = {"model of LightGBM": "model", "model of XGBoost": "model"}


def test_the_table_of_bytes_is_that_of_the_promises():
    assert {kind: 2 ** int(exponent) for kind, exponent, _, _ in TABLE} == MOST_BYTES
    assert {KIND_OF.get(kind, kind) for kind in FILES} == BUDGETS.keys()


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is measured as Linux does, in forks")
def test_a_hostile_file_is_read_or_refused_within_the_seconds_and_the_memory_of_its_kind(tmp_path):
    command = [sys.executable, "-m", "tests.datasets.hostile", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    read = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(read) == sum(map(len, FILES.values()))
    beyond = []
    for kind, name, said, seconds, memory in read:
        most_seconds, most_memory = BUDGETS[KIND_OF.get(kind, kind)]
        assert said == "" or str(tmp_path) in said
        assert "\n" not in said
        if seconds * 2**20 > most_seconds or memory > most_memory:
            beyond.append((kind, name, seconds * 2**20, memory))
    assert beyond == []
