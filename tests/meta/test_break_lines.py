"""Each row of docs/reference/papers.md has a change that its tests find: all of them exist, and a few are made."""

from collections import Counter

import pytest

from tests.meta.break_lines import choose_sample, copy_tree, find_survivors, find_tests, read_breaks, run_tests
from tests.meta.papers_map import ROOT, make_rows, read_project
from yardstick.planting import read_mistakes

BREAKS = read_breaks()
SOURCES = read_project()


@pytest.fixture(scope="module")
def rows():
    """Return the rows of docs/reference/papers.md."""
    return make_rows(SOURCES)


def test_each_row_has_one_break_and_each_break_its_rows(rows):
    every = [broken for of in BREAKS.values() for broken in of]
    of_breaks = Counter(place for broken in every for place in broken.places if not broken.find_note("by"))
    assert of_breaks == Counter({row[:3] for row in rows})


@pytest.mark.parametrize("stem", BREAKS)
def test_each_break_is_one_place_within_the_lines_of_its_rows(stem):
    for broken in BREAKS[stem]:
        text = SOURCES.texts[broken.file]
        assert broken.plant(text) != text
        [(old, _)], lines = broken.changes, text.split("\n")
        for _, file, name in broken.places:
            of_name = SOURCES.named(file)[name]
            assert old in "\n".join(lines[of_name.start - 1 : of_name.stop - 1]), broken


def test_a_sample_of_the_breaks_is_found(tmp_path, rows):
    copy_tree(tmp_path)
    assert [*find_survivors(choose_sample(BREAKS), tmp_path, rows)] == []


# The script itself, on a made-up tree: a test that finds a change, one that does not, one that fails anyway.

TREE = {
    "tests/meta/no_shrinking.py": "",
    "refrank_like.py": "def double(x):\n    # McRank Eq. 1\n    return 2 * x\n",
    "test_it.py": """
from refrank_like import double

def test_finds():
    assert double(3) == 6

def test_looks_away():
    assert double(3) == double(3)

def test_fails():
    assert double(3) == 7
""",
}
BLOCK = "McRank Eq. {} at refrank_like.py::double\n- return 2 * x\n+ return {}\n"
MADE = [  # test, what the function returns with the change, the line that names the survivor
    ("test_finds", "3 * x", None),
    ("test_finds", "x.y", "test_it.py::test_finds stops at AttributeError with 'return x.y'"),
    ("test_finds", "x +", "test_it.py::test_finds does not run with 'return x +'"),
    ("test_looks_away", "3 * x", "test_it.py::test_looks_away passes with 'return 3 * x'"),
]


def test_survivors_are_told(tmp_path, rows):
    (tmp_path / "tests" / "meta").mkdir(parents=True)
    for name, text in TREE.items():
        (tmp_path / name).write_text(text)
    made = [*MADE, ("test_fails", "3 * x", None), (None, "4 * x", None)]
    breaks = [broken for i, (_, new, _) in enumerate(made) for broken in read_mistakes(BLOCK.format(i, new))]
    of_made = zip(breaks, made, strict=True)
    named = [rows[0]._make((*broken.places[0], "test_it.py", test)) for broken, (test, _, _) in of_made if test]
    assert [*find_survivors(breaks, tmp_path, named)] == [
        *(f"McRank Eq. {i}: {line}" for i, (_, _, line) in enumerate(MADE) if line),
        "test_it.py::test_fails does not pass unbroken",
        "McRank Eq. 5 at refrank_like.py: no test",
    ]
    assert (tmp_path / "refrank_like.py").read_text() == TREE["refrank_like.py"]


def test_the_tests_of_a_break_are_its_own_or_those_of_its_rows(rows):
    of_row, own = read_mistakes("A at a.py::f\n- one\n+ two\n\nA at a.py::f\nby test_a.py::test_f\n- one\n+ two")
    assert find_tests(of_row, rows) == []
    assert find_tests(of_row, [rows[0]._make(("A", "a.py", "f", "test_b.py", "test"))]) == ["test_b.py::test"]
    assert find_tests(own, rows) == ["test_a.py::test_f"]


def test_the_copy_has_no_compiled_file_and_its_tests_run_on_the_specification(tmp_path):
    copy_tree(tmp_path)
    assert not [*tmp_path.rglob("*.so")]
    assert (tmp_path / "refrank" / "_split.pyx").read_text() == (ROOT / "refrank" / "_split.pyx").read_text()
    test = "tests/trees/test_splitting.py::test_histogram_equals_the_definition"
    assert run_tests(tmp_path, [test]) == {test: "passes"}
