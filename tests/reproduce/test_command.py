"""`refrank reproduce`: which reproduction runs with which settings, which flags are refused, and what is imported."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from refrank.cli import main, reproduction
from refrank.datasets.reading import Reading
from refrank.reproduce.added import AddedRanker
from refrank.reproduce.cocr import tables as cocr
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.mcrank import studies, table_1
from refrank.reproduce.run import Reproduction

LIKE = (*table_1.PAPER,)
NOT_WIDE = ("igbrt", "cocr", "mcrank --full", "mcrank --studies", "mcrank --data folds")
ONLY = get_args(reproduction.Only)


def test_the_parameters_to_take_are_those_of_the_paper():
    assert [*get_args(reproduction.Like)] == [*table_1.PAPER, *igbrt.LIKE] == [*table_1.FIFTH, *igbrt.LIKE]
    assert ONLY == igbrt.PARTS


@pytest.mark.parametrize(
    ("line", "module", "setting"),
    [
        ("mcrank", table_1, table_1.SMALL),
        ("mcrank --wide", table_1, table_1.WIDE),
        ("mcrank --full", table_1, table_1.FULL),
        ("mcrank --studies", studies, studies.SMALL),
        ("mcrank --studies --full", studies, studies.FULL),
        ("mcrank --studies --data folds", studies, studies.SMALL),
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
    reading = Reading(unlabelled=flags[-1]) if "--unlabelled" in flags else Reading()
    parts = [igbrt.PARTS] if module is igbrt else []
    assert calls == [(setting, Reproduction(tmp_path / paper, data, reading, 3), *parts)]
    assert capsys.readouterr().out == "the text\n"


def test_added_rankers_come_in_the_order_of_the_line(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(cocr, "reproduce", lambda *given: calls.append(given) or "")
    main(["reproduce", "cocr", "--add", "b=x", "--add", "a=y/z", "--out", str(tmp_path)])
    added = AddedRanker("b", Path("x")), AddedRanker("a", Path("y/z"))
    assert calls == [(cocr.SMALL, Reproduction(tmp_path / "cocr", added=added))]


RT_RANK = {"max_depth": 3, "learning_rates": (0.02, 0.05, 0.1), "convention": "yahoo"}


@pytest.mark.parametrize(
    ("flags", "name", "changes"),
    [
        ("--like rt-rank", "small-rt-rank", RT_RANK),
        (
            "--like rt-rank --bins 256 --depth 2",
            "small-rt-rank-depth-2-bins-256",
            RT_RANK | {"max_depth": 2, "n_bins": 256},
        ),
        ("--learning-rate .3 0.02", "small-rate-0.02-0.3", {"learning_rates": (0.02, 0.3)}),
        ("--depth 4", "small-depth-4", {}),
    ],
)
@pytest.mark.parametrize("only", [(), ("table-3",), ("missing", "table-1")])
def test_the_flags_of_igbrt_change_its_sizes_and_name_its_files(monkeypatch, tmp_path, flags, name, changes, only):
    calls = []
    monkeypatch.setattr(igbrt, "reproduce", lambda *given: calls.append(given) or "")
    words = [*flags.split(), *(["--only", *only] if only else [])]
    assert main(["reproduce", "igbrt", "--data", "folds", *words, "--out", str(tmp_path)]) == 0
    [(sizes, _, parts)] = calls
    assert sizes == replace(igbrt.SMALL, name=name, **changes)
    assert tuple(parts) == (only or igbrt.PARTS)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("igbrt --like web-1", "--like web-1 works with mcrank --data only"),
        ("mcrank --like web-2", "--like web-2 works with mcrank --data only"),
        ("cocr --unlabelled zero", "--unlabelled zero works with --data only"),
        ("mcrank --unlabelled drop", "--unlabelled drop works with --data only"),
        ("cocr --studies", "--studies works with mcrank only"),
        ("igbrt --studies", "--studies works with mcrank only"),
        ("mcrank --data folds --like rt-rank", "--like rt-rank works with igbrt only"),
        ("cocr --depth 3", "--depth works with igbrt only"),
        ("mcrank --bins 64", "--bins works with igbrt only"),
        ("mcrank --learning-rate .1", "--learning-rate works with igbrt only"),
        ("cocr --only table-3", "--only works with igbrt only"),
        ("igbrt --depth 0", "--depth is 0: it must be"),
        ("cocr --n-threads 0", "--n-threads is 0: it must be"),
        ("igbrt --learning-rate .1 0", "--learning-rate is 0.0: it must be"),
        ("igbrt --bins 1", "--bins is 1: it must be"),
        ("cocr --full", "--full works with mcrank and igbrt only"),
        *((f"{line} --wide", "--wide works with mcrank on artificial data only") for line in NOT_WIDE),
        ("mcrank --studies --add a=b", "--add works with the tables only: leave out --studies"),
        *((f"cocr --add {bad}", f"--add is '{bad}': it must be NAME=FOLDER") for bad in ("a", "=b", "a=")),
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
