"""`refrank reproduce`: which reproduction runs with which settings, which flags are refused, and what is imported."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from refrank.cli import main, reproduction
from refrank.reproduce.added import AddedRanker
from refrank.reproduce.cocr import tables as cocr
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.mcrank import studies, table_1
from refrank.reproduce.run import Run

LIKE = get_args(reproduction.Like)


def test_the_parameters_to_take_are_those_of_the_paper():
    assert [*LIKE] == [*table_1.PAPER] == [*table_1.FIFTH]


@pytest.mark.parametrize(
    ("line", "module", "setting"),
    [
        ("mcrank", table_1, table_1.SMALL),
        ("mcrank --full", table_1, table_1.FULL),
        ("mcrank --studies", studies, studies.SMALL),
        ("mcrank --studies --full", studies, studies.FULL),
        ("mcrank --data folds", table_1, table_1.FIFTH["web-1"]),
        *((f"mcrank --data folds --like {like}", table_1, table_1.FIFTH[like]) for like in LIKE),
        *((f"mcrank --data folds --full --like {like}", table_1, table_1.PAPER[like]) for like in LIKE),
        ("igbrt", igbrt, igbrt.ARTIFICIAL),
        ("igbrt --full", igbrt, igbrt.FULL),
        ("igbrt --data folds", igbrt, igbrt.SMALL),
        ("igbrt --data folds --full --unlabelled drop", igbrt, igbrt.FULL),
        ("cocr", cocr, cocr.SMALL),
        ("cocr --data folds", cocr, cocr.FULL),
        ("cocr --data folds --unlabelled zero", cocr, cocr.FULL),
    ],
)
def test_the_flags_choose_reproduction_and_setting(monkeypatch, capsys, tmp_path, line, module, setting):
    paper, *flags = line.split()
    name = {studies: "reproduce_studies", table_1: "reproduce_folds" if "--data" in flags else "reproduce"}
    calls = []
    monkeypatch.setattr(module, name.get(module, "reproduce"), lambda *given: calls.append(given) or "the text")
    assert main(["reproduce", paper, *flags, "--out", str(tmp_path), "--n-threads", "3"]) == 0
    data = Path("folds") if "--data" in flags else None
    rule = flags[-1] if "--unlabelled" in flags else "error"
    assert calls == [(setting, Run(tmp_path / paper, data, rule, 3))]
    assert capsys.readouterr().out == "the text\n"


def test_added_rankers_come_in_the_order_of_the_line(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(cocr, "reproduce", lambda *given: calls.append(given) or "")
    main(["reproduce", "cocr", "--add", "b=x", "--add", "a=y/z", "--out", str(tmp_path)])
    added = AddedRanker("b", Path("x")), AddedRanker("a", Path("y/z"))
    assert calls == [(cocr.SMALL, Run(tmp_path / "cocr", added=added))]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("igbrt --like web-1", "--like web-1 works with mcrank --data only"),
        ("mcrank --like web-2", "--like web-2 works with mcrank --data only"),
        ("cocr --unlabelled zero", "--unlabelled zero works with --data only"),
        ("mcrank --unlabelled drop", "--unlabelled drop works with --data only"),
        ("mcrank --studies --data folds", "--studies works with the artificial data only"),
        ("cocr --studies", "--studies works with mcrank only"),
        ("igbrt --studies", "--studies works with mcrank only"),
        ("cocr --full", "--full works with mcrank and igbrt only"),
    ],
)
def test_a_flag_that_a_reproduction_has_no_use_for_is_an_error(capsys, tmp_path, line, fault):
    assert main(["reproduce", *line.split(), "--out", str(tmp_path / "out")]) == 2
    out, errors = capsys.readouterr()
    assert (out, errors.count("\n")) == ("", 1)
    assert errors.startswith(f"refrank: error: {fault}")
    assert not (tmp_path / "out").exists()


def test_the_command_line_imports_no_reproduction():
    """Nor does a figure's module import Matplotlib before it draws."""
    code = (
        "import sys; import refrank.cli.reproduction as r; "
        "assert not [m for m in sys.modules if m.startswith('refrank.reproduce')]; "
        "import refrank.reproduce.mcrank.studies, refrank.reproduce.mcrank.table_1, "
        "refrank.reproduce.igbrt.reproduction, refrank.reproduce.cocr.tables; "
        "assert 'matplotlib' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
