"""The boxes of the docstrings and the comments above the code hold each other; and the checker finds what does not."""

import pytest

from tests.meta.boxes import BOXED, find_box_faults, read_boxes
from tests.meta.papers_map import Sources, read_project


def test_each_step_of_a_box_has_its_comment_and_each_comment_its_step():
    assert find_box_faults(read_project(), BOXED) == []


def test_all_boxes_of_the_project_are_checked():
    sources = read_project()
    assert {file for file in sources.code if "in our words\n" in sources.texts[file]} == set(BOXED)


# The checker itself, on small made-up sources: some that hold, and one broken copy for each rule.

HOLDS = {
    "refrank/a.py": '''"""Algorithm 9.

    McRank Alg. 9    in our words
    line 1           start at 0
    -                for each row, in file order
    line 2               add it up,
                         once, in `refrank/b.py`

The end.
"""

# McRank Alg. 9, line 1
scores = 0
''',
    "refrank/b.py": '"""Adding up."""\n# Departs from McRank Alg. 9, line 2: twice\nscores = 2\n',
}
CODE, OTHER = HOLDS


def test_a_box_is_read_step_by_step():
    (box,) = read_boxes(HOLDS[CODE])
    assert box.paper == "McRank Alg. 9"
    assert [step.reference for step in box.steps] == ["McRank Alg. 9, line 1", "", "McRank Alg. 9, line 2"]
    assert box.steps[2].words == "add it up, once, in `refrank/b.py`"
    assert find_box_faults(Sources(HOLDS), (CODE,)) == []


FEWER = "fewer than {} comments of refrank/{} begin with McRank Alg. 9, line {}".format
STEP, COMMENT = "    line 1           start at 0\n", "# McRank Alg. 9, line 1\n"
BREAKS = [
    (CODE, "    line 1   ", "    line 11  ", FEWER(1, "a.py", 11)),
    (CODE, COMMENT, "", FEWER(1, "a.py", 1)),
    (CODE, COMMENT, "# McRank Alg. 9, line 10\n", FEWER(1, "a.py", 1)),
    (CODE, STEP, STEP + STEP, FEWER(2, "a.py", 1)),
    (CODE, STEP, "", "the box has no step for McRank Alg. 9, line 1"),
    (CODE, ", in `refrank/b.py`", "", FEWER(1, "a.py", 2)),
    (OTHER, "line 2", "line 3", FEWER(1, "b.py", 2)),
    (CODE, "in our words", "in words", "its docstring has no box"),
]


@pytest.mark.parametrize(("file", "old", "new", "fault"), BREAKS)
def test_a_broken_box_is_found(file, old, new, fault):
    broken = HOLDS | {file: HOLDS[file].replace(old, new)}
    assert broken != HOLDS
    assert any(fault in line for line in find_box_faults(Sources(broken), (CODE,)))
