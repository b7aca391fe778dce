"""The command line, run as a stranger runs it: files, flags, exit codes, signals, pipes."""

import gzip
import json
import math
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import numpy as np
import pytest

from refrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.cli.commands import ranker_parameters
from refrank.datasets import cubic_polynomial, load_letor
from refrank.metrics import PRESETS, compare_presets, err, ndcg, rmse
from refrank.model_file import RANKERS, load_model, save_model

ROOT = Path(__file__).parents[1]
# As a stranger has it: output is buffered. On the specification, what refrank says once is not what is tested here.
UNSET = ("PYTHONUNBUFFERED", "REFRANK_NUM_THREADS")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET} | {
    "PYTHONPATH": str(ROOT),
    "PYTHONWARNINGS": "ignore::RuntimeWarning",
}
COMMAND = [sys.executable, "-c", "import sys; from refrank.cli import main; sys.exit(main())"]


def written(path, data):
    lines = (
        f"{y} qid:{qid} " + " ".join(f"{j}:{x!r}" for j, x in enumerate(row, start=1))
        for row, y, qid in zip(data.X.astype(float).tolist(), data.y, data.qid, strict=True)
    )
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def data():
    return cubic_polynomial(8, n_docs=12, n_features=4, n_reference=2000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, data):
    """A file of 8 queries, a ranker trained on it, and its scores."""
    place = tmp_path_factory.mktemp("cli")
    written(place / "train.txt", data)
    ranker = SoftmaxBoostRanker(n_rounds=3, n_leaves=4).fit(data.X, data.y, data.qid)
    save_model(ranker, place / "model.json")
    (place / "scores.txt").write_text("".join(f"{score!r}\n" for score in ranker.predict(data.X).tolist()))
    return place


def run(capsys, *arguments):
    """Exit code, lines of output, lines of errors."""
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as end:  # argparse ends the program itself
        code = end.code
    out, errors = capsys.readouterr()
    return code, out.splitlines(), errors.splitlines()


def shell(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, **options
    )


# --- train


@pytest.mark.parametrize(
    ("algorithm", "kind", "flags", "parameters"),
    [
        ("softmax", SoftmaxBoostRanker, ["--relevance", "2^k-1"], {"relevance": "2^k-1"}),
        ("softmax", SoftmaxBoostRanker, ["--update", "simultaneous"], {"update": "simultaneous"}),
        ("ordinal", OrdinalBoostRanker, ["--n-classes", "6"], {"n_classes": 6}),
        ("ls", LSBoostRanker, ["--target", "k", "--n-bins", "16", "--growth", "1.5"], None),
    ],
)
def test_a_trained_file_is_the_estimator_of_the_same_parameters(
    capsys, tmp_path, folder, data, algorithm, kind, flags, parameters
):
    model = tmp_path / "m.json"
    common = ["--n-rounds", 3, "--n-leaves", 4, "--learning-rate", 0.3, "--min-samples-leaf", 2, "--n-threads", 1]
    found = run(capsys, "train", "--algorithm", algorithm, folder / "train.txt", "--model", model, *common, *flags)
    assert found == (0, [], [])
    parameters = parameters or {"target": "k", "n_bins": 16, "growth": 1.5}
    expected = kind(n_rounds=3, n_leaves=4, learning_rate=0.3, min_samples_leaf=2, **parameters)
    expected.fit(data.X, data.y, data.qid)
    loaded = load_model(model)
    assert loaded.get_params() == expected.get_params()
    assert loaded.predict(data.X).tobytes() == expected.predict(data.X).tobytes()


def test_every_parameter_of_every_ranker_is_a_flag(capsys):
    code, out, errors = run(capsys, "train", "--help")
    assert (code, errors) == (0, [])
    for ranker in RANKERS.values():
        for name in ranker().get_params():
            assert f"--{name.replace('_', '-')} " in " ".join(out)
    assert ranker_parameters().keys() == {name for ranker in RANKERS.values() for name in ranker().get_params()}


def test_a_flag_of_another_algorithm_is_refused(capsys, tmp_path, folder):
    model = tmp_path / "m.json"
    code, out, errors = run(
        capsys, "train", "--algorithm", "ls", folder / "train.txt", "--model", model, "--relevance", "k"
    )
    assert (code, out, errors) == (2, [], ["refrank: error: --relevance is no parameter of --algorithm ls"])
    assert not model.exists()


def test_a_missing_folder_is_said_before_training(capsys, tmp_path):
    """Before the data are read, even: there is no such file either."""
    model = tmp_path / "nowhere" / "m.json"
    code, out, errors = run(capsys, "train", "--algorithm", "ls", tmp_path / "none.txt", "--model", model)
    assert (code, out) == (1, [])
    assert errors == [f"refrank: error: {model}: there is no such folder to write the model to"]


def test_n_features_widens_a_file_that_lacks_the_last_ones(capsys, tmp_path, folder):
    model = tmp_path / "m.json"
    train = ("train", "--algorithm", "ls", folder / "train.txt", "--model", model, "--n-rounds", 1)
    assert run(capsys, *train, "--n-features", 9)[0] == 0
    assert load_model(model).n_features_in_ == 9
    code, _, errors = run(capsys, *train, "--n-features", 3)
    assert (code, len(errors)) == (2, 1)
    assert "line 1" in errors[0]


def wait_for(condition, process):
    deadline = time.monotonic() + 200
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_interrupt_keeps_the_rounds_that_are_done(tmp_path, folder, data):
    """A real SIGINT, sent once the progress bar on a terminal has shown a finished round."""
    model = tmp_path / "m.json"
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))  # a terminal without a width shows no bar
    arguments = ["train", "--algorithm", "softmax", folder / "train.txt", "--model", model]
    endless = ["--n-rounds", "100000000", "--n-leaves", "4", "--n-threads", "1"]
    # as in a foreground shell: a job in the background passes on to its children that SIGINT is ignored
    heeding = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {COMMAND[-1]}"
    process = subprocess.Popen(
        [*COMMAND[:-1], heeding, *map(str, arguments), *endless],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=ENVIRONMENT,
    )
    os.close(theirs)
    shown = b""

    def read_more():
        nonlocal shown
        if select.select([ours], [], [], 0)[0]:
            shown += os.read(ours, 65536)
        return shown

    try:
        wait_for(lambda: re.search(rb" [1-9]\d*/100000000 ", read_more()), process)
        process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 200
        while process.poll() is None and time.monotonic() < deadline:
            read_more()
            time.sleep(0.02)
        assert process.returncode == 130
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # Linux: the other end of the terminal is closed
            pass
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
        os.close(ours)
    loaded = load_model(model)
    n_rounds = loaded.n_rounds_
    assert f"{model} holds the {n_rounds} rounds that are done".encode() in shown
    assert 1 <= n_rounds < 100_000_000
    first = min(n_rounds, 20)  # the rounds are those of an uninterrupted training
    complete = SoftmaxBoostRanker(n_rounds=first, n_leaves=4).fit(data.X, data.y)
    *_, ours_then = (scores for scores, _ in zip(loaded.staged_predict(data.X), range(first), strict=False))
    assert ours_then.tobytes() == complete.predict(data.X).tobytes()
    assert list(tmp_path.iterdir()) == [model]


def test_an_interrupt_before_the_first_round_leaves_no_model(capsys, monkeypatch, tmp_path, folder):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SoftmaxBoostRanker, "fit", interrupted)
    model = tmp_path / "m.json"
    code, out, errors = run(capsys, "train", "--algorithm", "softmax", folder / "train.txt", "--model", model)
    assert (code, out, len(errors)) == (130, [], 1)
    assert not model.exists()


def test_no_progress_bar_where_standard_error_is_no_terminal(tmp_path, folder):
    done = shell("train", "--algorithm", "ls", folder / "train.txt", "--model", tmp_path / "m.json", "--n-rounds", 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# --- predict


def test_predict_prints_the_scores_to_the_bit(capsys, folder, data):
    code, out, errors = run(capsys, "predict", folder / "train.txt", "--model", folder / "model.json")
    assert (code, errors) == (0, [])
    expected = load_model(folder / "model.json").predict(data.X)
    assert np.array([float(line) for line in out]).tobytes() == expected.tobytes()


def test_a_reader_who_leaves_is_no_error(tmp_path, folder):
    """`refrank predict ... | head -1`, with more output than a pipe holds."""
    many = tmp_path / "many.txt"
    many.write_text((folder / "train.txt").read_text() * 60)
    process = subprocess.Popen(
        [*COMMAND, "predict", str(many), "--model", str(folder / "model.json")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    float(process.stdout.readline())
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


def test_a_reader_who_left_before_the_first_line_is_no_error(folder):
    """Little output stays in a buffer: the pipe is found broken only when it is emptied."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "predict", str(folder / "train.txt"), "--model", str(folder / "model.json")],
        stdout=writer,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


# --- evaluate


def evaluated(capsys, *arguments):
    code, out, errors = run(capsys, "evaluate", *arguments, "--json")
    assert (code, errors, len(out)) == (0, [], 1)
    return json.loads(out[0], parse_constant=pytest.fail)  # JSON has no NaN


def test_evaluate_gives_the_figures_of_the_library(capsys, folder, data):
    by_model = evaluated(capsys, folder / "train.txt", "--model", folder / "model.json")
    by_scores = evaluated(capsys, folder / "train.txt", "--scores", folder / "scores.txt")
    assert by_model == by_scores
    score = load_model(folder / "model.json").predict(data.X)
    values = {f"NDCG@{k}": ndcg(data.y, score, data.qid, k, per_query=True) for k in range(1, 11)}
    values["ERR"] = err(data.y, score, data.qid, per_query=True)
    assert by_model["convention"] == str(PRESETS["paper"])
    assert (by_model["n_queries"], by_model["rmse"]) == (8, rmse(data.y, score))
    assert by_model["metrics"].keys() == values.keys()
    for name, value in values.items():
        found = by_model["metrics"][name]
        assert (found["mean"], found["n_counted"]) == (math.fsum(value) / 8, 8)
        # standard deviation with n - 1; NumPy's sums round, ours do not
        np.testing.assert_allclose(found["sd"], np.std(value, ddof=1), rtol=1e-13)


def test_the_table_holds_the_figures_of_the_json(capsys, folder):
    code, out, _ = run(capsys, "evaluate", folder / "train.txt", "--model", folder / "model.json")
    document = evaluated(capsys, folder / "train.txt", "--model", folder / "model.json")
    assert code == 0
    assert out[0] == f"convention {PRESETS['paper']}"
    assert out[1].split() == ["mean", "sd", "over", "8", "queries"]
    rows = {line.split()[0]: line.split()[1:3] for line in out[2:-1]}
    assert rows == {name: [f"{m['mean']:.4f}", f"{m['sd']:.4f}"] for name, m in document["metrics"].items()}
    assert out[-1].split()[:2] == ["RMSE", f"{document['rmse']:.4f}"]


@pytest.fixture
def with_an_empty_query(tmp_path):
    """Three queries, the second without a relevant document."""
    (tmp_path / "f.txt").write_text("1 qid:1 1:3\n0 qid:1 1:1\n0 qid:2 1:2\n0 qid:2 1:1\n0 qid:3 1:2\n2 qid:3 1:1\n")
    (tmp_path / "s.txt").write_text("3\n1\n2\n1\n2\n1\n")
    return tmp_path / "f.txt", tmp_path / "s.txt"


def test_skipped_queries_are_not_counted(capsys, with_an_empty_query):
    file, scores = with_an_empty_query
    document = evaluated(capsys, file, "--scores", scores, "--spec", "trec")
    assert document["n_queries"] == 3
    assert {metric["n_counted"] for metric in document["metrics"].values()} == {2}
    assert document["metrics"]["NDCG@1"]["mean"] == 0.5
    _, out, _ = run(capsys, "evaluate", file, "--scores", scores, "--spec", "trec")
    assert out[1].endswith("over 2 queries, 1 more skipped")
    _, out, _ = run(capsys, "evaluate", file, "--scores", scores)
    assert out[1].endswith("over 3 queries")


def test_a_file_whose_every_query_is_skipped_has_no_mean(capsys, tmp_path):
    (tmp_path / "f.txt").write_text("0 qid:1 1:3\n0 qid:1 1:1\n")
    (tmp_path / "s.txt").write_text("1\n2\n")
    code, out, errors = run(capsys, "evaluate", tmp_path / "f.txt", "--scores", tmp_path / "s.txt", "--spec", "trec")
    assert (code, out, len(errors)) == (2, [], 1)
    assert "every query" in errors[0]


def test_a_single_query_has_no_standard_deviation(capsys, tmp_path):
    (tmp_path / "f.txt").write_text("1 qid:1 1:3\n0 qid:1 1:1\n")
    (tmp_path / "s.txt").write_text("1\n2\n")
    document = evaluated(capsys, tmp_path / "f.txt", "--scores", tmp_path / "s.txt")
    assert document["metrics"]["NDCG@1"] == {"mean": 0.0, "sd": None, "n_counted": 1}
    _, out, _ = run(capsys, "evaluate", tmp_path / "f.txt", "--scores", tmp_path / "s.txt")
    assert out[2].split() == ["NDCG@1", "0.0000", "-"]


def test_compare_gives_every_convention(capsys, with_an_empty_query):
    file, scores = with_an_empty_query
    document = evaluated(capsys, file, "--scores", scores, "--compare")
    data, score = load_letor(file), np.loadtxt(scores)
    expected = compare_presets(data.y, score, data.qid)
    assert list(document["compare"]) == [value.spec.name for value in expected]
    for value in expected:
        found = document["compare"][value.spec.name]
        assert (found["ndcg@10"], found["err"], found["n_counted"]) == (value.ndcg, value.err, value.n_counted)
        assert found["alone"] == {effect.rule: effect.ndcg for effect in value.effects}
    _, out, _ = run(capsys, "evaluate", file, "--scores", scores, "--compare")
    rows = {line.split()[0]: line for line in out if line}
    lightgbm = document["compare"]["lightgbm"]
    start, rule = f"lightgbm {lightgbm['ndcg@10']:.4f} - 3", f"(alone {lightgbm['alone']['no_relevant']:.4f})"
    assert " ".join(rows["lightgbm"].split()) == f"{start} no_relevant 1.0 {rule}"
    assert "compare" not in evaluated(capsys, file, "--scores", scores)


def test_compare_is_valid_json_where_a_convention_has_no_value(capsys, tmp_path):
    """Every query is skipped by trec; the label 5 is beyond letor's table."""
    (tmp_path / "f.txt").write_text("0 qid:1 1:3\n0 qid:1 1:1\n")
    (tmp_path / "s.txt").write_text("1\n2\n")
    document = evaluated(capsys, tmp_path / "f.txt", "--scores", tmp_path / "s.txt", "--compare")
    assert document["compare"]["trec"]["ndcg@10"] is None
    assert document["compare"]["trec"]["problem"]


def test_max_grade_changes_err_only(capsys, with_an_empty_query):
    file, scores = with_an_empty_query
    four = evaluated(capsys, file, "--scores", scores)["metrics"]
    two = evaluated(capsys, file, "--scores", scores, "--max-grade", 2)["metrics"]
    assert two.pop("ERR")["mean"] > four.pop("ERR")["mean"]
    assert two == four
    without = evaluated(capsys, file, "--scores", scores, "--spec", "lightgbm")["metrics"]
    assert "ERR" not in without


def test_gz_files_are_read(capsys, tmp_path, folder):
    zipped = tmp_path / "train.txt.gz"
    zipped.write_bytes(gzip.compress((folder / "train.txt").read_bytes()))
    model = folder / "model.json"
    assert run(capsys, "predict", zipped, "--model", model) == run(
        capsys, "predict", folder / "train.txt", "--model", model
    )
    zipped.write_bytes(zipped.read_bytes()[:-20])
    code, out, errors = run(capsys, "predict", zipped, "--model", model)
    assert (code, out, len(errors)) == (2, [], 1)
    assert "train.txt.gz" in errors[0]


# --- faults


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1 qid:1 1:0.5\n0 qid:1 1:0.5 1:2\n", ["line 2, column 15", "none twice"]),
        ("1 qid:1 1:0.5\n0 qid:1 1:x\n", ["line 2", "'x'"]),
        ("1 qid:1 1:0.5\n0 1:1\n", ["line 2", "qid"]),
        ("1.5 qid:1 1:0.5\n", ["line 1", "label"]),
        ("1 qid:1 1:nan\n", ["line 1", "finite"]),
        ("", ["no line of data"]),
        ("1 qid:1 1:0.5\n1 qid:1 1:0.7\n", ["y is 1 in every row"]),
    ],
)
def test_a_bad_file_is_one_line_that_names_the_place(capsys, tmp_path, text, parts):
    bad = tmp_path / "bad.txt"
    bad.write_text(text)
    code, out, errors = run(
        capsys, "train", "--algorithm", "softmax", bad, "--model", tmp_path / "m.json", "--n-rounds", 1
    )
    assert (code, out, len(errors)) == (2, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert all(part in errors[0] for part in parts), errors
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (b"1\n\n2\n", ["s.txt, line 2", "one number a line"]),
        (b"1\nx\n2\n", ["s.txt, line 2", "'x'"]),
        (b"1\n2\n\xff\xfe\n", ["s.txt, line 3"]),
        (b"1\n2\n", ["score has 2 entries, y has 6"]),
        (b"1\nnan\n2\n1\n1\n1\n", ["score[1]", "nan"]),
        (b"1\ninf\n2\n1\n1\n1\n", ["score[1]", "inf"]),
    ],
)
def test_bad_scores_are_one_line_that_names_the_place(capsys, tmp_path, with_an_empty_query, content, parts):
    scores = tmp_path / "s.txt"
    scores.write_bytes(content)
    code, out, errors = run(capsys, "evaluate", with_an_empty_query[0], "--scores", scores)
    assert (code, out, len(errors)) == (2, [], 1)
    assert all(part in errors[0] for part in parts), errors


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--learning-rate", "0"),
        ("--learning-rate", "nan"),
        ("--n-leaves", "1"),
        ("--n-rounds", "0"),
        ("--n-bins", "65537"),
        ("--min-samples-leaf", "0"),
        ("--n-classes", "2"),
        ("--n-threads", "0"),
        ("--growth", "1"),
        ("--update", "parallel"),
        ("--relevance", "k^2"),
    ],
)
def test_a_bad_parameter_is_one_line_that_names_it(capsys, tmp_path, folder, flag, value):
    train = ("train", "--algorithm", "softmax", folder / "train.txt", "--model", tmp_path / "m.json")
    code, out, errors = run(capsys, *train, "--n-rounds", 1, flag, value)
    assert (code, out, len(errors)) == (2, [], 1)
    assert flag.strip("-").replace("-", "_") in errors[0]
    assert not (tmp_path / "m.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["rank"],
        ["predict"],
        ["predict", "f.txt"],
        ["evaluate", "f.txt"],
        ["evaluate", "f.txt", "--model", "m", "--scores", "s"],
        ["evaluate", "f.txt", "--model", "m", "--spec", "nobody"],
        ["train", "f.txt", "--algorithm", "svm", "--model", "m"],
        ["train", "f.txt", "--algorithm", "ls", "--model", "m", "--n-rounds", "many"],
        ["reproduce", "adarank"],
        ["predict", "f.txt", "--model", "m", "--no-such-flag"],
    ],
)
def test_bad_usage_is_one_line(capsys, arguments):
    code, out, errors = run(capsys, *arguments)
    assert (code, out, len(errors)) == (2, [], 1)
    assert errors[0].startswith("refrank: error: ")
    assert errors[0].endswith("--help)")


def test_files_that_cannot_be_read_or_written_are_code_1(capsys, tmp_path, folder):
    missing = tmp_path / "none.txt"
    for arguments in (
        ("predict", missing, "--model", folder / "model.json"),
        ("predict", folder / "train.txt", "--model", missing),
        ("predict", tmp_path, "--model", folder / "model.json"),
        ("evaluate", folder / "train.txt", "--scores", missing),
        ("train", "--algorithm", "ls", missing, "--model", tmp_path / "m.json"),
        ("train", "--algorithm", "ls", folder / "train.txt", "--model", tmp_path, "--n-rounds", 1),
    ):
        code, out, errors = run(capsys, *arguments)
        assert (code, out, len(errors)) == (1, [], 1), arguments
        assert str(tmp_path) in errors[0]


def test_a_model_of_other_features_is_refused(capsys, tmp_path, folder):
    wider = tmp_path / "wide.txt"
    wider.write_text("1 qid:1 1:1 7:2\n")
    code, out, errors = run(capsys, "predict", wider, "--model", folder / "model.json")
    assert (code, out, len(errors)) == (2, [], 1)
    assert "wide.txt, line 1" in errors[0]


def test_config_prints_what_runs():
    done = shell("config")
    assert done.returncode == 0
    assert done.stdout.split()[:2] in (["splitter", "kernel"], ["splitter", "specification"])
