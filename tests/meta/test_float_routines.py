"""docs/reference/numerics.md gives a reason for each call of a routine whose last bit may differ between machines."""

import re

import pytest

from tests.meta.float_routines import find_routines, is_excused, read_reasons
from tests.meta.papers_map import ROOT, read_packages

REASONS = read_reasons((ROOT / "docs" / "reference" / "numerics.md").read_text())
FILES = read_packages("refrank", "yardstick", "tutor", "generators")
SITES = {site for file, source in FILES.items() for site in find_routines(file, source)}


def test_each_call_has_a_reason():
    assert sorted(site for site in SITES if not is_excused(site, REASONS)) == []


def test_each_reason_has_a_call():
    found = {((file, name), routine) for file, name, routine in SITES}
    stated = {(place, routine) for place, routines in REASONS.items() for routine in routines}
    assert len(stated) > 30
    whole = {(file, name) for (file, name), routine in stated if routine == "all"}
    assert {routine for _, routine in stated - found} == {"all"}
    assert [place for place, _ in whole if not any(site[0].startswith(place) for site in SITES)] == []


def test_rooms_on_the_way_to_a_model_have_no_reason_for_all_their_calls():
    whole = [place for (place, name), routines in REASONS.items() if not name or "all" in routines]
    assert not any("refrank/trees/".startswith(place) or place.startswith("refrank/trees/") for place in whole)
    assert not any(place.startswith(("refrank/metrics/", "refrank/igbrt/", "refrank/datasets/")) for place in whole)


@pytest.mark.parametrize(
    ("line", "routine"),
    [
        ("x.sum(axis=0)", "sum"),
        ("np.exp(x)", "exp"),
        ("np.linalg.norm(x)", "norm"),
        ("x @ x", "@"),
        ("2.0**x", "**"),
        ("sum(x)", "sum"),
        ("log = math.log2", "log2"),
        ("map(mean, x)", "mean"),
        ("np.add.reduce(x)", "reduce"),
    ],
)
def test_a_call_without_a_reason_is_found(line, routine):
    source = f"from statistics import mean\n\n\nclass A:\n    def f(self, x):\n        {line}\n"
    assert ("refrank/trees/numbers/grid.py", "f", routine) in find_routines("refrank/trees/numbers/grid.py", source)
    assert not is_excused(("refrank/trees/numbers/grid.py", "f", routine), REASONS)


@pytest.mark.parametrize("line", ["2**53", "x + x", "np.sqrt(x)", "math.fsum(x)", "exp(x)", "term.mean", "f(**x)"])
def test_operations_of_one_value_are_let_through(line):
    assert find_routines("made-up.py", f"def f(x):\n    {line}\n") == set()


def test_the_extensions_take_of_the_c_library_only_what_is_exact_or_rounded_once():
    files = [path for room in ("refrank", "yardstick") for path in (ROOT / room).rglob("*.*")]
    text = "".join(path.read_text() for path in files if path.suffix in (".pyx", ".pxi", ".h"))
    taken = re.findall(r"^\s*from libc\.math cimport (.+)$", text, re.MULTILINE)
    assert {name.strip() for names in taken for name in names.split(",")} <= {"ldexp", "llrint", "NAN", "INFINITY"}
    assert not re.search(r"#include <math\.h>|fast-?math", text)
