"""Homework: right solutions pass, wrong ones are told what is wrong first, and nothing runs for ever.

`python -m tests.tutor.test_homework` writes docs/exercises/, the files that exercises begin with, anew.
"""

from pathlib import Path

import pytest

from tests.cli.command_line import run
from tests.regenerate import renew_with
from tutor.answers.key import SOURCE, read_faults
from tutor.checking import LARGEST_FILE, check_function
from tutor.tasks import find_task, list_tasks, write_skeleton

TASKS = list_tasks()
ROOT = Path(__file__).parents[2]
SKELETONS, EXERCISES = ROOT / "docs" / "exercises", (ROOT / "docs" / "learn" / "exercises.md").read_text()
TEXT = SOURCE
WRONG = read_faults()  # with the note `case`, where each is seen first


def judge(task, text=TEXT, variant=None):
    """The report on a solution."""
    space = {}
    exec(compile(text, "solutions.py", "exec"), space)
    return check_function(find_task(task), space, variant=variant)


@pytest.mark.parametrize("task", TASKS)
def test_a_right_solution_passes(task):
    report = judge(task)
    assert (report.is_right, report.n_right, str(report.outcome or "")) == (True, report.n_cases, "")
    assert report.n_cases >= 2
    assert judge(task, variant="ada").n_right == 5


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong.words}-{wrong.notes[0][1]}")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # solutions that overflow
def test_a_wrong_solution_fails_and_its_fault_and_its_step_are_named(wrong):
    report = judge(wrong.words, wrong.plant(TEXT))
    diagnosis = report.diagnosis
    assert report.case.id.split("/")[-1] == wrong.find_note("case")
    assert wrong.find_note("fault") in ("", diagnosis.fault)
    assert (diagnosis.step, diagnosis.fault != "") == (wrong.find_note("step"), True)
    assert diagnosis.sentences[0].startswith(
        "this is what" if wrong.find_note("fault") else wrong.find_note("says")[:9]
    )
    assert 0 <= report.n_right < report.n_cases


def test_every_exercise_has_a_skeleton_and_a_place_on_the_page_and_wrong_solutions():
    assert {wrong.words for wrong in WRONG} == {*TASKS}
    written = {path.stem: path.read_text(encoding="utf-8") for path in SKELETONS.glob("*.py")}
    assert written == {name: write_skeleton(task) for name, task in TASKS.items()}, renew_with("docs/exercises")
    assert [task for task in TASKS if f"refrank check {task}.py --task {task}" not in EXERCISES] == []


# The command


@pytest.fixture
def check(capfd, tmp_path, monkeypatch):
    """Run `refrank check` in a folder of its own, on a file whose text is given."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)

    def check(text, task, *flags):
        Path("mine.py").write_text(text)
        return run(capfd, "check", "mine.py", "--task", task, *flags)

    return check


def test_a_right_file_ends_with_0_and_exact_asks_for_every_bit(check):
    assert check(TEXT, "softmax_round") == (0, ["softmax_round: right in all 5 cases"], [])
    assert check(TEXT, "class_proba", "--exact")[0] == 0
    code, lines, _ = check(TEXT, "leaf_values", "--exact")
    assert code == 3
    assert lines[1].endswith(("ulp away", "ulps away"))


[GAIN] = (line.strip() for line in TEXT.splitlines() if line.strip().startswith("gain = "))
OTHER_GAIN = "gain = sum(S[0] / S[-1] * S[0] for S in (left, right, -left - right))"
LAWFUL = [  # the task, a piece of its solution, what stands there instead, and what is said of it
    ("softmax_round", "softmax(F)[:, k]", "softmax(scores)[:, k]", "rounds/softmax_round/three-classes: Lawful: p is"),
    ("best_split", "gain > best[2]", "gain > 0 and gain >= best[2]", "splits/best_split/ties: Lawful by the papers,"),
    ("best_split", GAIN, OTHER_GAIN, ""),  # the same on paper; cases in which its rounding decides are left out
]


@pytest.mark.parametrize(("task", "line", "other", "said"), LAWFUL, ids=range(len(LAWFUL)))
def test_another_lawful_solution_is_right_and_its_choice_is_said(check, task, line, other, said):
    assert TEXT.count(line) == 1
    code, [_, *lawful], _ = check(TEXT.replace(line, other), task)
    assert code == 0
    assert [line[: len(said)] for line in lawful[:1]] == [said] * (said != "")


def test_a_wrong_file_ends_with_3_and_a_known_mistake_has_a_name_as_the_page_shows(check):
    retrieved = "y[in_order(score)][:k]"
    code, lines, errors = check(TEXT.replace("dcg(y, y, k)", f"dcg({retrieved}, {retrieved}, k)"), "ndcg")
    assert (code, errors) == (3, [])
    shown = EXERCISES.partition("A known mistake has a name:\n\n")[2].splitlines()
    assert [line.startswith(of.strip(" .")) for line, of in zip(lines[1:4], shown, strict=False)] == [True] * 3, lines


FILL = f"with open('large', 'wb', buffering=0) as file: file.write(bytes({LARGEST_FILE})); file.write(b'1')"
ENDINGS = {  # the body of err, and what is said; tests/yardstick/test_ports.py has more
    "import os; os.kill(os.getpid(), 11)": "ChildProcessError: ended the process (SIGSEGV)",
    "exit()": "SystemExit: None (line 2: exit())",
    "return bytearray(2**40)": "MemoryError:  (line 2: return bytearray(2**40))",
    FILL: f"OSError: [Errno 27] File too large (line 2: {FILL[:80]})",
}


@pytest.mark.parametrize(("body", "said"), ENDINGS.items(), ids=range(len(ENDINGS)))
def test_every_ending_is_bounded_and_told(check, body, said):
    code, lines, errors = check(f"def err(y, score, k, max_grade):\n    {body}\n\nprint('loaded')\n", "err")
    assert (code, errors) == (3, ["loaded"])  # also if the process ends at once
    assert lines[1] == said
    assert "    max_grade = 4" in lines
    assert body != FILL or Path("large").stat().st_size == LARGEST_FILE


def test_the_time_of_all_cases_is_limited(check):
    text = TEXT.replace("    stop = (", "    __import__('time').sleep(3)\n    stop = (")
    code, [_, wrong, *case], _ = check(text, "err", "--time-limit", "7")
    assert (code, wrong) == (3, "TimeoutError: did not return within 7 seconds")
    assert case[0].startswith("case metrics/err/")


OF_PYTHON, OF_PACKAGES = ("json", "random", "statistics", "colorsys"), ("numpy", "refrank")


@pytest.mark.parametrize("planted", [(*OF_PYTHON, *OF_PACKAGES), OF_PYTHON], ids=["refrank", "python -m refrank"])
def test_modules_of_the_folder_stand_behind_those_of_python_and_of_packages(check, tmp_path, monkeypatch, planted):
    """A `json.py` beside the file is not executed, even if the folder is searched first; the student's modules are."""
    for name in planted:
        Path(f"{name}.py").write_text("raise SystemExit('planted')\n")
    Path("helper.py").write_text("value = 3\n")
    if planted == OF_PYTHON:
        monkeypatch.syspath_prepend(tmp_path)
    names = ", ".join((*OF_PYTHON, *OF_PACKAGES))
    code, lines, errors = check(f"import helper, {names}\n\ndef err(**_):\n    return helper.value\n", "err")
    assert (code, errors) == (3, [])
    assert lines[1].startswith("err is 3, expected ")


REFUSED = [  # the arguments, the text of mine.py, the code, and the line
    ("mine.py --task err", "def ndcg(:\n", 2, "mine.py failed: SyntaxError: "),
    ("mine.py --task err", "ndcg = max\n", 2, "mine.py has no function err: it must define one of this name"),
    ("mine.py --task err", "err = 3\n", 2, "mine.py has no function err: it must define one of this name"),
    ("mine.py --task err", "", 2, "mine.py has no function err: it must define one of this name"),
    ("mine.py --task err", "exit()\n", 2, "mine.py failed: SystemExit: None (line 1: exit())"),
    (f"{__file__}c --task err", "", 1, "No such file"),
    (f"{SKELETONS}/../learn/exercises.md --task err", "", 2, "exercises.md: it must be a file of Python, *.py"),
    ("mine.py --task ndgc", "", 2, "--task is 'ndgc': it must be one of 'softmax'"),
    ("--task ndcg", "", 2, "FILE is missing"),
    ("mine.py", "", 2, "--task is missing"),
    ("mine.py --task ndcg --time-limit 0", "", 2, "--time-limit is 0.0: it must be a number above 0"),
]


@pytest.mark.parametrize(("arguments", "text", "code", "sentence"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_used_is_one_line(capsys, tmp_path, monkeypatch, arguments, text, code, sentence):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text)
    ended, lines, [error] = run(capsys, "check", *arguments.split())
    assert (ended, lines) == (code, [])
    assert sentence in error


def test_tasks_are_listed_and_skeletons_printed_and_fail_politely_as_the_page_shows(capsys):
    code, lines, _ = run(capsys, "check", "--list")
    assert (code, [line.split()[0] for line in lines]) == (0, [*TASKS])
    code, lines, _ = run(capsys, "check", "--task", "err", "--skeleton")
    assert (code, "\n".join(lines) + "\n") == (0, (SKELETONS / "err.py").read_text())
    shown = EXERCISES.partition("&& refrank check ndcg.py --task ndcg\n")[2].partition("\n\n")[0]
    code, lines, errors = run(capsys, "check", SKELETONS / "ndcg.py", "--task", "ndcg")
    assert (code, errors) == (3, [])
    assert lines[1] == "it is not written yet"
    assert [line.removeprefix("    ") for line in shown.splitlines()] == lines


if __name__ == "__main__":
    SKELETONS.mkdir(exist_ok=True)
    for name, task in TASKS.items():
        (SKELETONS / f"{name}.py").write_text(write_skeleton(task), encoding="utf-8")
