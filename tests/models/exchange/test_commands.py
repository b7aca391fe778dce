"""`refrank export` and `refrank import`: what they print, what they leave, how they end."""

import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from refrank import LSBoostRanker, SoftmaxBoostRanker
from refrank.models import load_model, save_model
from refrank.models.exchange import foreign_trees, lightgbm
from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.importing import READERS
from refrank.models.exchange.runtimes import name_runtime
from tests.cli.command_line import DATA, run, write_letor
from tests.models.exchange.cases import formats, need
from tests.models.exchange.test_planted import shrink_twice

PROGRAMS = [source for source in READERS if FORMATS[source].RUNTIME]
INSTALL = ", which is not installed; install it with: pip install 'refrank[exchange]'"


def test_a_program_has_the_version_of_its_module_whatever_package_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "no_such_program", SimpleNamespace(__version__="1.2"))
    assert name_runtime("no_such_program") == "no_such_program 1.2"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with rows and two models, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    write_letor(tmp_path / "rows.txt", DATA.X, DATA.y, DATA.qid)
    save_model(SoftmaxBoostRanker(n_rounds=3, n_leaves=4).fit(DATA.X, DATA.y), "softmax")
    save_model(LSBoostRanker(n_rounds=3, n_leaves=4).fit(DATA.X, DATA.y), "ls")
    return tmp_path


@formats
@pytest.mark.parametrize("model", ["softmax", "ls"])
def test_a_verified_export_says_what_it_found(folder, capsys, to, model):
    need(to)
    code, out, errors = run(capsys, "export", model, "--to", to, "--out", "out", "--verify", "rows.txt")
    assert (code, errors) == (0, [])
    printed = {line[:16].strip(): line[16:] for line in out[1:]}
    n_outputs = "5" if model == "softmax" else "1"
    assert out[0].startswith("out: ")
    assert out[0].endswith(f" bytes, {to}, {n_outputs} output" + "s" * (n_outputs == "5"))
    assert (printed["rows"], printed["verdict"]) == ("96", "within the bound")
    assert printed["pairs"] == "528: 0 reversed, 0 tied in one of the two"
    assert printed["runtime"].startswith(FORMATS[to].RUNTIME)
    assert ("features" in printed) == (to in ("lightgbm", "xgboost"))
    if to in ("lightgbm", "treelite"):
        assert printed[f"outputs, {n_outputs}"] == "equal, bound 0"
    else:
        assert "bound" in printed[f"outputs, {n_outputs}"]


def test_a_difference_above_the_bound_ends_with_exit_code_3(folder, capsys, monkeypatch):
    need("lightgbm")
    write = lightgbm.write
    monkeypatch.setattr(lightgbm, "write", lambda portable: write(shrink_twice(portable)))
    code, out, errors = run(capsys, "export", "softmax", "--to", "lightgbm", "--out", "out", "--verify", "rows.txt")
    assert code == 3
    assert re.fullmatch(r"refrank: error: out: lightgbm \S+ differs from refrank by more than the bound", errors[0])
    assert out[-1].split() == ["verdict", "above", "the", "bound"]
    assert "ulps, bound 0" in out[4]


@formats
def test_without_the_program_one_line_names_the_extra(folder, capsys, monkeypatch, to):
    monkeypatch.setitem(sys.modules, FORMATS[to].RUNTIME, None)
    code, out, errors = run(capsys, "export", "ls", "--to", to, "--out", "out", "--verify", "rows.txt")
    assert (code, out) == (2, [])
    runtime = FORMATS[to].RUNTIME
    assert errors == [f"refrank: error: --verify needs {runtime}{INSTALL} (refrank export --help)"]
    assert not (folder / "out").exists()


@pytest.mark.parametrize("to", ["treelite", "onnx"])
def test_formats_that_their_library_writes_need_it(folder, capsys, monkeypatch, to):
    for module in (to, f"{to}.model_builder"):
        monkeypatch.setitem(sys.modules, module, None)
    code, out, errors = run(capsys, "export", "ls", "--to", to, "--out", "out")
    assert (code, out, errors) == (2, [], [f"refrank: error: --to {to} needs {to}{INSTALL} (refrank export --help)"])
    assert not (folder / "out").exists()


@pytest.mark.parametrize("source", PROGRAMS)
def test_an_import_needs_no_program_and_predicts(folder, capsys, source):
    for model in ("softmax", "ls"):
        assert run(capsys, "export", model, "--to", source, "--out", "out")[0] == 0
        code, out, errors = run(capsys, "import", "out", "--from", source, "--model", "back")
        assert (code, len(out), errors) == (0, 2, [])
        assert out[1] == f"not verified: --verify DATA compares these scores with those of {source}"
        assert ("expected relevance" in out[0]) == (model == "softmax")
        ours, back = (load_model(name).predict(DATA.X) for name in (model, "back"))
        assert np.array_equal(ours, back) if source == "lightgbm" else np.allclose(ours, back, rtol=0, atol=1e-6)
        (folder / "rows.scores").write_text("".join(f"{score!r}\n" for score in ours.tolist()))
        for command, more in (("predict", []), ("evaluate", []), ("compare", ["--scores", "rows.scores"])):
            assert run(capsys, command, "rows.txt", "--model", "back", *more)[0] == 0
        assert "ImportedRanker" in "".join(run(capsys, "show", "back")[1])


@pytest.mark.parametrize("source", PROGRAMS)
def test_a_verified_import_says_what_it_found(folder, capsys, source):
    need(source)
    for model in ("softmax", "ls"):
        run(capsys, "export", model, "--to", source, "--out", "out")
        code, out, errors = run(capsys, "import", "out", "--from", source, "--model", "back", "--verify", "rows.txt")
        assert (code, errors) == (0, [])
        printed = {line[:16].strip(): line[16:] for line in out[1:]}
        assert printed["runtime"].startswith(f"{source} ")
        assert (printed["rows"], printed["verdict"]) == ("96", "within the bound")
        [outputs] = [text for name, text in printed.items() if name.startswith("outputs")]
        assert outputs == "equal, bound 0" if source == "lightgbm" else "bound" in outputs


@pytest.mark.parametrize("source", PROGRAMS)
def test_an_import_that_differs_ends_with_exit_code_3_and_writes_nothing(folder, capsys, monkeypatch, source):
    need(source)
    run(capsys, "export", "softmax", "--to", source, "--out", "out")
    read = foreign_trees.number_anew
    monkeypatch.setattr(foreign_trees, "number_anew", lambda *words: shift_leaves(read(*words)))
    code, out, errors = run(capsys, "import", "out", "--from", source, "--model", "back", "--verify", "rows.txt")
    assert code == 3
    rule = "differs from refrank by more than the bound, back is not written"
    assert re.fullmatch(rf"refrank: error: out: {source} \S+ {rule}", errors[0])
    assert out[-1].split() == ["verdict", "above", "the", "bound"]
    assert not (folder / "back").exists()


def shift_leaves(tree):
    return replace(tree, value=tree.value + 2.0**-10)


@pytest.mark.parametrize("source", PROGRAMS)
def test_an_import_without_the_program_says_that_it_was_not_verified(folder, capsys, monkeypatch, source):
    run(capsys, "export", "softmax", "--to", source, "--out", "out")
    monkeypatch.setitem(sys.modules, source, None)
    code, out, errors = run(capsys, "import", "out", "--from", source, "--model", "back", "--verify", "rows.txt")
    assert (code, errors) == (0, [])
    assert out[1:] == [f"not verified: --verify needs {source}{INSTALL}"]
    assert load_model("back").n_features_in_ == DATA.X.shape[1]


def test_a_program_that_refuses_the_file_is_one_line(folder, capsys, monkeypatch):
    need("lightgbm")
    run(capsys, "export", "ls", "--to", "lightgbm", "--out", "out")

    def refuse(*_):
        raise RuntimeError("Model format error")

    monkeypatch.setattr(lightgbm, "predict_outputs", refuse)
    code, out, errors = run(capsys, "import", "out", "--from", "lightgbm", "--model", "back", "--verify", "rows.txt")
    assert (code, out) == (2, [])
    assert errors == ["refrank: error: lightgbm does not predict by this file: Model format error"]
    assert not (folder / "back").exists()


def test_a_choice_of_rounds_goes_from_the_flag_to_the_verification(folder, capsys):
    """Without the program, the number of rounds shows the choice."""
    run(capsys, "export", "softmax", "--to", "xgboost", "--out", "out")
    model = json.loads((folder / "out").read_text())
    model["learner"]["attributes"] = {"best_iteration": "1"}
    (folder / "out").write_text(json.dumps(model))
    words = ["import", "out", "--from", "xgboost", "--model", "back", "--verify", "rows.txt"]
    code, out, errors = run(capsys, *words)
    assert (code, out) == (2, [])
    assert "best_iteration is 1 of 3 rounds: choose --rounds best (the first 2, " in errors[0]
    for rounds, n_rounds in (("best", 2), ("all", 3)):
        code, out, _ = run(capsys, *words, "--rounds", rounds)
        assert code == 0
        assert out[0].startswith(f"back: {n_rounds} rounds, ")
        assert out[-1].split() == ["verdict", "within", "the", "bound"] or out[1].startswith("not verified: ")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (
            "import rows.txt --from lightgbm --model m",
            "rows.txt is not a LightGBM model: it does not begin with the line",
        ),
        ("import rows.txt --from xgboost --model m", "rows.txt is not an XGBoost model: it does not begin with a"),
        ("import none --from xgboost --model m", "none"),
        ("export rows.txt --to onnx --out m", "rows.txt is not a refrank model"),
        ("export ls --to catboost --out m", "argument --to: invalid choice: 'catboost'"),
        ("export ls --to lightgbm --out ls", "--out ls: it is ls, which is read"),
        ("export ls --to lightgbm --out rows.txt --verify rows.txt", "--out rows.txt: it is rows.txt, which is read"),
        ("import text --from lightgbm --model text", "--model text: it is text, which is read"),
        (
            "import text --from lightgbm --model m --rounds best",
            "text is not a LightGBM model: it does not name a best",
        ),
        (
            "import text --from lightgbm --model rows.txt --verify rows.txt",
            "--model rows.txt: it is rows.txt, which is",
        ),
        ("import text --from lightgbm --model m --verify none", "none"),
        ("export ls --to lightgbm --out no/m", "no/m: its folder does not exist"),
        ("train rows.txt --resume back --model m", "ImportedRanker only predicts"),
        ("train rows.txt --algorithm imported --model m", "there is no algorithm 'imported'"),
    ],
)
def test_what_is_refused_is_one_line_and_writes_nothing(folder, capsys, words, fault):
    run(capsys, *["export", "ls", "--to", "lightgbm", "--out", "text"])
    run(capsys, *["import", "text", "--from", "lightgbm", "--model", "back"])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, errors = run(capsys, *words.split())
    assert code in (1, 2)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert (out, len(errors)) == ([], 1)
    assert fault in errors[0]
    assert not (folder / "m").exists()


def test_the_choices_of_the_flags_are_the_formats():
    from refrank.cli import exporting, importing

    assert (*FORMATS,) == exporting.FORMAT_NAMES
    assert (*READERS,) == importing.FORMAT_NAMES
