"""`refrank reproduce`: which reproduction runs with which settings, which flags are refused, and what is imported."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from refrank.cli import main, reproduction
from refrank.reproduce.cocr import tables as cocr
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.mcrank import studies, table_1
from refrank.reproduce.run import Run


@pytest.mark.parametrize(
    ("module", "name", "arguments", "setting"),
    [
        (table_1, "reproduce", ["mcrank"], table_1.SMALL),
        (table_1, "reproduce", ["mcrank", "--full"], table_1.FULL),
        (studies, "reproduce_studies", ["mcrank", "--studies"], studies.SMALL),
        (studies, "reproduce_studies", ["mcrank", "--studies", "--full"], studies.FULL),
        (table_1, "reproduce_folds", ["mcrank", "--data", "folds"], table_1.FIFTH["web-1"]),
        *(
            (table_1, "reproduce_folds", ["mcrank", "--data", "folds", "--like", like, *flags], of[like])
            for flags, of in (([], table_1.FIFTH), (["--full"], table_1.PAPER))
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


def test_the_parameters_to_take_are_those_of_the_paper():
    assert [*get_args(reproduction.Like)] == [*table_1.PAPER] == [*table_1.FIFTH]


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
