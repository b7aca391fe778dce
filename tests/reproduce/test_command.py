"""`refrank reproduce`: which reproduction runs with which settings, which flags are refused, and what is imported."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from refrank.cli import main, reproduction
from refrank.datasets.letor import UNLABELLED_RULES
from refrank.reproduce.cocr import reproduction as cocr
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.mcrank import folds, studies, study_tables, table_1
from refrank.reproduce.run import Run


@pytest.mark.parametrize(
    ("module", "name", "arguments", "setting"),
    [
        (table_1, "reproduce", ["mcrank"], table_1.SMALL),
        (table_1, "reproduce", ["mcrank", "--full"], table_1.FULL),
        (study_tables, "reproduce_studies", ["mcrank", "--studies"], studies.SMALL),
        (study_tables, "reproduce_studies", ["mcrank", "--studies", "--full"], studies.FULL),
        (folds, "reproduce_folds", ["mcrank", "--data", "folds"], folds.SMALL["web-1"]),
        *(
            (folds, "reproduce_folds", ["mcrank", "--data", "folds", "--like", like, *flags], of[like])
            for flags, of in (([], folds.SMALL), (["--full"], folds.PAPER))
            for like in ("web-1", "web-2", "web-3")
        ),
        (igbrt, "reproduce", ["igbrt"], igbrt.ARTIFICIAL),
        (igbrt, "reproduce", ["igbrt", "--full"], igbrt.FULL),
        (igbrt, "reproduce", ["igbrt", "--data", "folds"], igbrt.SMALL),
        (igbrt, "reproduce", ["igbrt", "--data", "folds", "--full", "--unlabelled", "drop"], igbrt.FULL),
        (cocr, "reproduce", ["cocr"], cocr.SMALL),
        (cocr, "reproduce", ["cocr", "--data", "folds"], cocr.FULL),
        (cocr, "reproduce", ["cocr", "--data", "folds", "--unlabelled", "zero"], cocr.FULL),
    ],
)
def test_the_flags_choose_reproduction_and_setting(monkeypatch, capsys, tmp_path, module, name, arguments, setting):
    calls = []
    monkeypatch.setattr(module, name, lambda *given: calls.append(given) or "the text")
    assert main(["reproduce", *arguments, "--out", str(tmp_path), "--n-threads", "3"]) == 0
    data = Path("folds") if "--data" in arguments else None
    rule = arguments[-1] if "--unlabelled" in arguments else "error"
    assert calls == [(setting, Run(tmp_path / arguments[0], data, rule, 3))]
    assert capsys.readouterr().out == "the text\n"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["igbrt", "--like", "web-1"], "--like web-1 works with mcrank --data only"),
        (["mcrank", "--like", "web-2"], "--like web-2 works with mcrank --data only"),
        (["cocr", "--unlabelled", "zero"], "--unlabelled zero works with --data only"),
        (["mcrank", "--unlabelled", "drop"], "--unlabelled drop works with --data only"),
        (["mcrank", "--studies", "--data", "folds"], "--studies works with the artificial data only"),
        (["cocr", "--studies"], "--studies works with mcrank only"),
        (["igbrt", "--studies"], "--studies works with mcrank only"),
        (["cocr", "--full"], "--full works with mcrank and igbrt only"),
    ],
)
def test_a_flag_that_a_reproduction_has_no_use_for_is_an_error(capsys, tmp_path, arguments, fault):
    assert main(["reproduce", *arguments, "--out", str(tmp_path / "out")]) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert errors.startswith(f"refrank: error: {fault}")
    assert errors.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_choices_are_those_of_the_papers_and_of_the_loader():
    assert [*get_args(reproduction.Like)] == [*folds.PAPER] == [*folds.SMALL]
    assert set(get_args(reproduction.Unlabelled)) == set(UNLABELLED_RULES)


def test_the_command_line_imports_no_reproduction():
    """Nor does a figure's module import Matplotlib before it draws."""
    code = (
        "import sys; import refrank.cli.reproduction as r; "
        "assert not [m for m in sys.modules if m.startswith('refrank.reproduce')]; "
        "import refrank.reproduce.mcrank.study_tables, refrank.reproduce.mcrank.folds, "
        "refrank.reproduce.igbrt.reproduction, refrank.reproduce.cocr.reproduction; "
        "assert 'matplotlib' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
