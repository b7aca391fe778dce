"""Grades: thirty submissions are thirty rows in one order, and a submission that breaks out ends alone."""

import csv

import pytest

from tests.cli.command_line import run
from tutor.answers.key import SOURCE
from tutor.grading import Grade, find_submissions, read_keys, write_csv, write_html

HOSTILE = {
    "ada": SOURCE,
    "bob": SOURCE.replace("if ideal > 0 else 0.0", "if ideal > 0 else 1.0"),
    "crash": "import os\ndef ndcg(**_):\n    os.kill(os.getpid(), 11)\n",
    "fork": "import os, time\ndef ndcg(**_):\n    os.fork()\n    time.sleep(99)\n",
    "flood": "def ndcg(**_):\n    while True:\n        print('x' * 9999)\n",
    "=none": "x = 1\n",
}


def test_a_class_is_graded_in_order_and_each_fault_stays_in_its_row(capfd, tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    for student, text in HOSTILE.items():
        (folder / f"{student}.py").write_text(text)
    files = {flag: tmp_path / f"out.{flag}" for flag in ("csv", "html")}
    words = [word for flag, path in files.items() for word in (f"--{flag}", path)]
    code, lines, errors = run(capfd, "grade", folder, "--task", "ndcg", "--time-limit", "4", *words)
    assert (code, errors) == (0, [])
    rows = [*csv.DictReader(files["csv"].read_text().splitlines())]
    assert [row["student"] for row in rows] == ["'=none", "ada", "bob", "crash", "flood", "fork"]
    assert [row["score"] for row in rows] == ["0", "14", "13", "0", "0", "0"]
    assert [row["fault"] for row in rows] == ["refused", "", "known mistake", "ended", "ended", "ended"]
    assert rows[3]["first mistake"] == "ChildProcessError: ended the process (SIGSEGV)"
    assert lines[-1] == "1 of 6 submissions are right"
    page = files["html"].read_text()
    assert page.count("<tr>") == 7
    assert page.count('<td title="first mistake">') == 6


def test_folders_of_students_and_their_keys(capfd, tmp_path):
    for student in ("ada", "bob"):
        (tmp_path / student).mkdir()
        (tmp_path / student / "median.py").write_text(SOURCE)
        (tmp_path / student / "helper.py").write_text("")
    keys = tmp_path / "keys.csv"
    keys.write_text("ada,k1\n\n")
    code, lines, _ = run(capfd, "grade", tmp_path, "--variants", keys)
    assert code == 0
    assert lines[0] == "ada median: 5 of 5"
    assert lines[1].startswith("bob median: 0 of 5 (bob has no key")


def test_a_student_without_the_file_is_a_row_and_folders_of_programs_are_not(capfd, tmp_path):
    for folder in ("ada", "bob", "__pycache__", ".git"):
        (tmp_path / folder).mkdir()
    (tmp_path / "ada" / "median.py").write_text("")
    for words in ([], ["--task", "median"]):
        code, lines, _ = run(capfd, "grade", tmp_path, *words)
        assert (code, len(lines)) == (0, 3)
        assert lines[0].startswith("ada median: 0 of 7 (")
        assert lines[0].endswith("ada/median.py has no function median: it must define one of this name)")
        assert lines[1] == "bob median: 0 of 7 (bob has no file median.py)"
    (tmp_path / "cay.py").write_text("")
    assert [of.student for of in find_submissions(tmp_path, "median")] == ["ada", "cay"]


REFUSED = [("nowhere", "FOLDER is nowhere"), (".", "--task is missing"), (". --task x", "--task is 'x'")]


@pytest.mark.parametrize(("words", "sentence"), REFUSED)
def test_what_cannot_be_graded_is_one_line(capsys, tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ada.py").write_text("")
    code, _, [error] = run(capsys, "grade", *words.split())
    assert code == 2
    assert sentence in error


def test_a_line_without_a_key_is_refused(tmp_path):
    (tmp_path / "keys").write_text("ada\n")
    with pytest.raises(ValueError, match="--variants at line 1 is 'ada': it must be STUDENT,KEY"):
        read_keys(tmp_path / "keys")


def test_no_cell_is_a_formula_or_markup():
    grade = Grade("<b>", "ndcg", 0, 14, "=1+1", "", 0.0)
    assert "'=1+1" in write_csv([grade])
    assert "&lt;b&gt;" in write_html([grade])
