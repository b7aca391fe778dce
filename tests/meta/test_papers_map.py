"""docs/reference/papers.md, the comments and the markers agree; the checker finds what does not."""

import pytest

from tests.meta.contents import CONTENTS
from tests.meta.papers_map import ROOT, Sources, find_faults, make_rows, read_project, write_map
from tests.regenerate import renew_with


def test_comments_markers_and_departures_hold_each_other():
    sources, departures = read_project(), (ROOT / "docs" / "reference" / "departures.md").read_text()
    assert find_faults(sources, departures, CONTENTS) == []
    assert len(CONTENTS) == len({*CONTENTS})


def test_the_page_is_the_one_that_is_generated():
    written = (ROOT / "docs" / "reference" / "papers.md").read_text(encoding="utf-8")
    assert written == write_map(make_rows(read_project())), renew_with("docs/reference/papers.md")


# The checker itself, on small made-up sources: one that holds, and one broken copy for each rule.

HOLDS = {
    "refrank/a.py": '''
def boost(y):
    """Algorithm 9."""
    # McRank Alg. 9, line 1
    scores = 0
    # Departs from McRank Alg. 9, line 2: a reason
    # Paper is silent: about this
    return scores


LENGTH = 1e-8  # McRank App. I: "e.g., 10^-8"
# McRank Table 7
TABLE = ()


def proof():
    """McRank Eq. 99."""
''',
    "tests/test_a.py": """
@pytest.mark.paper("McRank Alg. 9, line 1", "McRank Alg. 9, line 2")
@pytest.mark.paper("McRank App. I", at="LENGTH")
@pytest.mark.paper("McRank Table 7")
@pytest.mark.paper("McRank Eq. 99", at="proof")
def test_boost():
    assert True
""",
    "departures": "McRank Alg. 9, line 2: a reason. `refrank/a.py::boost`: about this.",
}


CONTENTS_HERE = (
    *("McRank Table 7", "McRank Alg. 9, line 1", "McRank Alg. 9, line 2"),
    *("McRank Alg. 1, line 8", "McRank App. I", "McRank Eq. 99"),
)


def test_a_map_that_holds_has_no_fault():
    assert find_faults(Sources(HOLDS), HOLDS["departures"], CONTENTS_HERE) == []
    page = write_map(make_rows(Sources(HOLDS)), CONTENTS_HERE)
    assert "| McRank Alg. 9, line 1 | `refrank/a.py::boost` | `tests/test_a.py::test_boost` |" in page
    places = [page.index(f"| {reference} |") for reference in CONTENTS_HERE]
    assert places == sorted(places)
    assert "| McRank Alg. 1, line 8 | not code: end of a loop |  |" in page


CODE, TESTS, NOTES = "refrank/a.py", "tests/test_a.py", "departures"
BREAKS = [
    # (a) each place of a reference is held by a test
    (TESTS, '@pytest.mark.paper("McRank App. I", at="LENGTH")\n', "", "LENGTH: no test is marked"),
    (CODE, "    scores = 0", "    scores = 0  # McRank Eq. 4: b", "boost: no test is marked paper"),
    (CODE, "    scores = 0", "    # iGBRT Alg. 1, line 2\n    scores = 0", "'iGBRT Alg. 1, line 2'"),
    (CODE, "    scores = 0", "    # COCR Sec. 4.1\n    scores = 0", "'COCR Sec. 4.1'"),
    (TESTS, ", line 1", ", line 11", "no test is marked paper('McRank Alg. 9, line 1')"),
    # (b) each marker speaks of a place
    (CODE, "# McRank Alg. 9, line 1", "# Alg. 9", "nothing carries McRank Alg. 9, line 1"),
    (CODE, "def proof", "def prove", "nothing carries McRank Eq. 99 at proof"),
    (CODE, "McRank Eq. 99", "McRank Eq. 9", "nothing carries McRank Eq. 99 at proof"),
    (TESTS, 'at="LENGTH"', 'at="TABLE"', "nothing carries McRank App. I at TABLE"),
    # (c) each departure, and each silence, has its entry
    (NOTES, "McRank Alg. 9, line 2", "McRank Alg. 9, line 22", "no entry for McRank Alg. 9, line 2"),
    (CODE, "Paper is silent", "Papers are silent", None),
    (NOTES, "`refrank/a.py::boost`", "boost", "does not name `refrank/a.py::boost`"),
    # (d) each place of a paper is mapped, and what is mapped is one
    (CODE, "Departs from McRank Alg. 9, line 2: a", "A", "nothing carries McRank Alg. 9, line 2"),
    (CODE, "# McRank Table 7", "#", "nothing carries McRank Table 7"),
    (CODE, "Eq. 99", "Figure 3", "nothing carries McRank Eq. 99"),
    (CODE, "    scores = 0", "    # McRank Alg. 1, line 8", "no test is marked"),
]
UNLISTED = [
    ("McRank Table 8", "McRank Table 8 is not in the list of what its paper holds"),
    ("McRank Alg. 1, line 8", "McRank Alg. 1, line 8 is mapped, and said not to be code"),
]


@pytest.mark.parametrize(("file", "old", "new", "fault"), BREAKS)
def test_a_broken_map_is_found(file, old, new, fault):
    broken = HOLDS | {file: HOLDS[file].replace(old, new)}
    assert broken != HOLDS
    faults = find_faults(Sources(broken), broken["departures"], CONTENTS_HERE)
    assert faults == [] if fault is None else any(fault in line for line in faults), faults


@pytest.mark.parametrize(("reference", "fault"), UNLISTED)
def test_a_row_that_is_no_place_of_its_paper_is_found(reference, fault):
    broken = HOLDS | {name: HOLDS[name].replace("McRank Table 7", reference) for name in (CODE, TESTS)}
    assert fault in find_faults(Sources(broken), broken["departures"], CONTENTS_HERE)


PYX = "GROUP = 8\ncdef inline int up(int a) noexcept nogil:\n    # McRank App. I\n\ndef f(int b):\n    return b\n"


def test_comments_and_names_of_a_pyx_file():
    sources = Sources({"a.pyx": PYX})
    assert list(sources.comments("a.pyx")) == [(3, "McRank App. I")]
    assert sources.enclosing("a.pyx", 3) == "up"
    assert set(sources.named("a.pyx")) == {"GROUP", "up", "f"}
