"""The vectors reach every branch of the specification."""

import subprocess
import sys

import pytest

from tests.yardstick.branches import EXCUSED, FILES, ROOT


def list_unreached(*left_out):
    command = [sys.executable, "-m", "tests.yardstick.branches", *left_out]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    return ran.stdout.splitlines()


def test_every_branch_is_reached():
    assert list_unreached() == []


LONELY = {  # cases that alone reach a branch, and where it is
    "trees/grow_tree/two-bytes": "refrank/trees/bins/coarse.py",
    "igbrt/classify_by_gbrt/no-round": "refrank/igbrt/classification.py",
    "conventions/logarithms/few-bits": "refrank/metrics/logarithms.py",
    "cocr/cost_table/not-v-shaped": "refrank/cocr/user_costs.py",
}


def test_without_the_cases_that_alone_reach_it_a_branch_is_named():
    unreached = list_unreached(*LONELY)
    assert {line.partition(":")[0] for line in unreached} >= {*LONELY.values()}
    assert any(line.endswith(": return round_logarithms(highest, base, 2 * bits)") for line in unreached)


def test_what_is_measured_and_excused_exists():
    texts = {file: (ROOT / file).read_text() for file in FILES}
    assert len(texts) > 35
    assert [line for line in EXCUSED if not any(f" {line}\n" in text for text in texts.values())] == []


@pytest.mark.parametrize("room", ["trees", "mcrank", "igbrt", "cocr", "metrics"])
def test_the_rooms_are_measured_but_for_what_is_named(room):
    carried = {"engine", "events", "splitter", "library", "header", "contiguous"}  # what carries the specification
    left_out = {
        "trees": carried | {"ensemble", "sharing", "tree", "ulps"},
        "mcrank": {"lambdarank", "two_layer_net"},  # nets
        "metrics": {"explanation", "one_query", "paired_comparison", "significance"},  # what is printed
    }
    files = (ROOT / "refrank" / room).rglob("*.py")
    names = {path.stem for path in files if path.parent.name != "m5p"} - {"__init__"}  # M5P: least squares
    measured = {file.split("/")[-1].removesuffix(".py") for file in FILES if f"/{room}/" in file} - {"__init__"}
    assert names - measured == left_out.get(room, set())
