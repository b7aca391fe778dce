"""The vectors reach every branch of the specification."""

import subprocess
import sys

from tests.score.branches import EXCUSED, FILES, ROOT, UNMEASURED


def list_unreached(*left_out):
    command = [sys.executable, "-m", "tests.score.branches", *left_out]
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


def test_what_is_measured_or_excused_exists():
    texts = {file: (ROOT / file).read_text() for file in FILES}
    assert len(texts) > 35
    assert [line for line in EXCUSED if not any(f" {line}\n" in text for text in texts.values())] == []
    assert {path.stem for path in (ROOT / "refrank").rglob("*.py")} >= UNMEASURED
