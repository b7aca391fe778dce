"""The mutants themselves: that they are drawn as told, that a failing test finds one, and that nothing else does."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.meta.break_lines import ROOT
from tests.mutants.__main__ import LIST, read_verdicts, show
from tests.mutants.mutations import Mutant, choose_changes, draw, find_changes
from tests.mutants.run import (
    HOUSE,
    ROOMS,
    find_files,
    find_until,
    first_failure,
    list_files,
    room_of,
    run_mutants,
    stages,
)

TEXT = '''"""Says a + b."""


class Sum:
    """Adds."""

    def add(self, a: int | None, b: "list[int]" = 3) -> int | None:
        if a < b:
            raise ValueError(a)
        self.check(a)
        return a + b
'''


def draw_all(folder: Path, text: str, seed: int = 0) -> list[Mutant]:
    (folder / "sum.py").write_text(text, encoding="utf-8")
    return list(draw(folder, ["sum.py"], 100, seed))


def test_each_place_of_the_code_is_changed_once_and_nothing_but_code(tmp_path: Path) -> None:
    drawn = draw_all(tmp_path, TEXT)
    # The default, the comparison, the condition, the raise, the call and the sum.
    assert sorted(mutant.line for mutant in drawn) == [7, 8, 8, 9, 10, 11]
    assert {mutant.name for mutant in drawn} == {"Sum.add"}
    for mutant in drawn:
        assert mutant.text != TEXT
        compile(mutant.text, "sum.py", "exec")
        (before, after), *rest = [
            pair for pair in zip(TEXT.split("\n"), mutant.text.split("\n"), strict=True) if pair[0] != pair[1]
        ]
        assert not rest
        assert (before.strip(), after.strip()) == (mutant.old, mutant.new)
    assert {mutant.new for mutant in drawn if mutant.line in (9, 10)} == {"pass"}


def test_a_seed_draws_the_same_and_seeds_draw_others(tmp_path: Path) -> None:
    drawn = {seed: [mutant.identity for mutant in draw_all(tmp_path, TEXT, seed)] for seed in range(5)}
    assert drawn[0] == [mutant.identity for mutant in draw_all(tmp_path, TEXT, 0)]
    assert len({tuple(of) for of in drawn.values()}) > 1
    assert drawn[0][:3] == [mutant.identity for mutant in draw(tmp_path, ["sum.py"], 3, 0)]


def test_lines_above_do_not_change_what_is_drawn(tmp_path: Path) -> None:
    below = TEXT.replace("class Sum", "A = 1 + 2\n\n\nclass Sum")
    before, after = draw_all(tmp_path, TEXT), draw_all(tmp_path, below)
    assert [mutant.identity for mutant in after if mutant.name != "-"] == [mutant.identity for mutant in before]


def test_operators_are_replaced_by_those_of_their_kind() -> None:
    text = "a = b + c\nd = e & f\ng = h is i\nj = not k\n"
    names = {type(change.operator).__name__ for change in find_changes(text, "a.py", 0)}
    assert "ReplaceBinaryOperator_Add_Sub" in names
    assert "ReplaceBinaryOperator_BitAnd_BitOr" in names
    assert "ReplaceComparisonOperator_Is_IsNot" in names
    assert "ReplaceUnaryOperator_Delete_Not" in names
    assert not names & {
        "ReplaceBinaryOperator_Add_BitAnd",
        "ReplaceBinaryOperator_BitAnd_Add",
        "ReplaceComparisonOperator_Is_Eq",
    }
    assert len(choose_changes(find_changes(text, "a.py", 0))) == 4


def test_every_file_is_in_a_room_that_has_tests() -> None:
    files = {file for room in ROOMS for file in find_files(room)}
    assert files == {*list_files()}
    assert HOUSE in ROOMS
    for file in files:
        for tests in stages(file):
            named = [test.removeprefix("--ignore=") for test in tests]
            assert all((ROOT / test).exists() for test in named)
    assert all(room_of(file) == room for room in ROOMS for file in find_files(room))


def test_what_is_listed_is_there_and_says_why() -> None:
    verdicts = read_verdicts(LIST.read_text(encoding="utf-8"))
    for file, _, old, _ in verdicts:
        lines = [line.strip() for line in (ROOT / file).read_text(encoding="utf-8").split("\n")]
        assert old in lines, f"survivors.txt: {file} has no line {old!r}"


def test_a_list_is_read_as_it_is_shown() -> None:
    mutant = Mutant("refrank/a.py", "f", 1, "a = 1", "a = 2", "")
    assert read_verdicts(f"{show(mutant)}because\n\n{show(mutant._replace(new=''))}because\n") == {
        mutant.identity: "open",
        mutant._replace(new="").identity: "open",
    }
    for wrong in (show(mutant), show(mutant).replace("open", "fine") + "because", "a\nb\nc\nd"):
        with pytest.raises(ValueError, match=r"survivors\.txt|not WORDS at FILE"):
            read_verdicts(wrong)


def test_no_mutant_begins_after_its_time(tmp_path: Path) -> None:
    mutant = Mutant("no_such_file.py", "f", 1, "a = 1", "a = 2", "")
    assert find_until(time.monotonic() - 1, tmp_path, mutant) is None
    assert [*run_mutants([mutant] * 2, 1, seconds=0)] == []


ENDS = {
    "assert True": (0, "1 passed"),
    "assert False": (1, "test_one.py::test_one"),
    "while True: pass": (-signal.SIGALRM, ""),
    "pass\nwhile True: pass": (-signal.SIGALRM, ""),
    "import os; os.kill(os.getpid(), 11)": (-signal.SIGSEGV, ""),
}


def test_a_child_says_how_its_tests_end(tmp_path: Path) -> None:
    (tmp_path / "tests" / "meta").mkdir(parents=True)
    (tmp_path / "tests" / "meta" / "no_shrinking.py").write_text("")
    script = f"""
import json, pathlib
from tests.mutants import child, run
child.SECONDS_OF_TEST = 2
tree = pathlib.Path({str(tmp_path)!r})
ends = []
for body in {[*ENDS]}:
    (tree / "test_one.py").write_text(f"def test_one():\\n    {{body}}\\n")
    ends.append(child.run_in_child(tree, ["test_one.py"]))
(tree / "without_tests.py").write_text("pass\\n")
run.check_sound(tree, "without_tests.py")
try:
    run.check_sound(tree, "test_one.py")
except RuntimeError as error:
    ends.append((0, str(error)))
print(json.dumps(ends))
"""
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    *ends, (_, refusal) = json.loads(ran.stdout)
    assert refusal.startswith("test_one.py fails without a change")
    for (code, output), (expected, said) in zip(ends, ENDS.values(), strict=True):
        assert code == expected
        assert said in first_failure(output) or said in output
