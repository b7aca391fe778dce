"""Catalogues of planted mistakes: how a block is read, and that a mistake is planted in one place."""

import pytest

from yardstick.planting import Mistake, PlantedPlace, read_mistakes

BLOCKS = """
wrong sum at a.py::f
Eq. 1, line 2 at a.py::g.h
by test_a.py::test_f
- a
-     + b
+ a - b
- c at d
+
in sum at e.py
by test_a.py::test_g

off by one at b.c
- n
+ n + 1
"""


def test_blocks_are_read():
    places = PlantedPlace("wrong sum", "a.py", "f"), PlantedPlace("Eq. 1, line 2", "a.py", "g.h")
    notes = ("by", "test_a.py::test_f"), ("in", "sum at e.py"), ("by", "test_a.py::test_g")
    first, second = read_mistakes(BLOCKS)
    assert first == Mistake(places, (("a\n    + b", "a - b"), ("c at d", "")), notes)
    assert (first.words, first.file, first.find_note("in"), first.find_note("hint")) == (
        *("wrong sum", "a.py"),
        *("sum at e.py", ""),
    )
    assert first.find_notes("by") == ("test_a.py::test_f", "test_a.py::test_g")
    assert second == Mistake((PlantedPlace("off by one", "b.c", ""),), (("n", "n + 1"),))


@pytest.mark.parametrize(
    "block",
    [
        *("", "a at b.py", "a\n- b\n+ c", "- b\n+ c", "a at b.py\n- c", "a at b.py\n+ c", "a at b.py\n- c\n+ c"),
        "a at b.py\nc at d.py\n- e\n+ f",
    ],
)
def test_other_blocks_are_refused(block):
    with pytest.raises(ValueError, match="not WORDS at FILE"):
        read_mistakes(block)


def test_a_mistake_is_planted_where_its_text_stands_once():
    [mistake] = read_mistakes("a at b.py\n- two\n+ 2\n- three\n+ 3")
    assert mistake.plant("one two three") == "one 2 3"
    for text, n in (("one three", 0), ("two two three", 2)):
        with pytest.raises(ValueError, match=f"a: b.py has {n} times 'two': it must have it once"):
            mistake.plant(text)
