"""docs/reference/promises.md: each promise names tests, and they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEST = re.compile(r"`((?:proofs_check/)?tests/[\w/]+\.py)::(test_\w+)`")


def list_promises(text):
    """The rows of the tables: what is promised, and what holds it."""
    rows = [line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] != "promise"]


def find_faults(text):
    faults = []
    for promise, *held in list_promises(text):
        named = TEST.findall(" ".join(held))
        if not named or len(held) != 1:
            faults.append(f"no test holds: {promise}")
        for path, name in named:
            file = ROOT / path
            if not file.exists() or f"\ndef {name}(" not in file.read_text():
                faults.append(f"there is no {path}::{name}")
    return faults


def test_each_promise_names_tests_that_exist():
    text = (ROOT / "docs" / "reference" / "promises.md").read_text()
    assert len(list_promises(text)) > 15
    assert find_faults(text) == []


def test_a_promise_without_a_test_or_with_one_that_is_gone_is_found():
    rows = "| It flies. | nothing |\n| It swims. | `tests/meta/test_promises.py::test_it_swims` |\n"
    assert find_faults("| promise | held by |\n|---|---|\n" + rows) == [
        "no test holds: It flies.",
        "there is no tests/meta/test_promises.py::test_it_swims",
    ]
