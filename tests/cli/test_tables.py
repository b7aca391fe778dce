"""Tables on the command line: every command reads one as the same lines of LETOR, and gaps agree with the model."""

import numpy as np
import pytest

from refrank.cli import main
from refrank.models import load_model
from tests.cli.test_reading import outputs

COLUMNS = ["--label", "relevance", "--qid", "query", "--ignore", "url", "date"]


@pytest.fixture
def run(capsys):
    def run(*words, code=0):
        assert main([str(word) for word in words]) == code
        return capsys.readouterr().out if code == 0 else capsys.readouterr().err

    return run


@pytest.fixture
def files(tmp_path):
    """Lines of LETOR, and a table with the same rows, whose gaps are what the lines do not list."""
    rng = np.random.default_rng(0)
    lines, fields = [], ["url,f 1,f 2,relevance,f 3,query,date"]
    for row in range(60):
        values = [None if rng.random() < 0.3 else value for value in rng.random(3).tolist()]
        label, query = row % 3, f"q{row // 10}"
        items = " ".join(f"{j}:{value!r}" for j, value in enumerate(values, 1) if value is not None)
        a, b, c = ("" if value is None else repr(value) for value in values)
        lines.append(f"{label} qid:{query} {items}")
        fields.append(f"http://{row},{a},{b},{label},{c},{query},2026-01-01")
    (tmp_path / "plain").write_text("\n".join(lines) + "\n")
    (tmp_path / "raw").write_text("\n".join(fields) + "\n")
    return tmp_path


def test_each_command_reads_a_table_as_the_lines_of_the_same_rows(run, files):
    (files / "a").mkdir()
    (files / "b").mkdir()
    expected = outputs(run, files / "a", files / "plain", [])
    assert outputs(run, files / "b", files / "raw", [*COLUMNS, "--absent", "nan"]) == expected


def test_what_a_row_does_not_list_is_what_the_model_takes_for_it(run, files):
    """In training and in prediction, whether or not the flag says so; a flag that contradicts is refused."""
    words = ("--algorithm", "gbrt", "--n-rounds", 3, "--n-features", 3, "--verbose", 0, "--model")
    mean = ["--missing", "mean"]
    for missing, absent in ((mean, "nan"), ([*mean, "--missing-value", 0], "zero"), ([], "zero")):
        other = {"zero": "nan", "nan": "zero"}[absent]
        expected = []
        for flags in ([], ["--absent", absent]):
            run("train", files / "plain", *words, files / "model", *missing, *flags)
            expected += [run("predict", files / "plain", "--model", files / "model", *more) for more in ([], flags)]
        assert len(set(expected)) == 1
        run("train", files / "raw", *words, files / "table", *missing, *COLUMNS, "--absent", absent)
        assert run("predict", files / "raw", "--model", files / "table", *COLUMNS, "--absent", absent) == expected[0]
        for command in (("train", *words, files / "other", *missing), ("predict", "--model", files / "model")):
            fault = run(command[0], files / "plain", *command[1:], "--absent", other, code=2)
            assert f"--absent is '{other}'" in fault
    assert load_model(files / "model").missing is None
    fault = run("predict", files / "raw", "--model", files / "model", *COLUMNS, code=2)
    assert "a gap needs a meaning: absent=0 (--absent zero) reads 0" in fault


def test_the_table_of_a_prediction_has_the_features_of_the_model(run, files):
    words = ("--algorithm", "ls", "--n-rounds", 2, "--verbose", 0, "--absent", "zero", "--model", files / "model")
    run("train", files / "raw", *words, *COLUMNS)
    fault = run("predict", files / "raw", "--model", files / "model", *COLUMNS, "f 1", "--absent", "zero", code=2)
    assert "raw has 2 columns of features: there must be 3" in fault
    fault = run("train", files / "raw", *words, *COLUMNS[:-1], code=2)
    assert "line 2, column 7 ('date'): '2026-01-01': a feature must be a number" in fault
    fault = run("predict", files / "raw", "--model", files / "model", *COLUMNS, "--delimiter", "tab", code=2)
    assert "raw has no column 'url': its columns are 'url,f 1" in fault


def test_the_file_beside_a_model_has_the_columns(run, files):
    words = ("--algorithm", "ls", "--n-rounds", 2, "--verbose", 0, "--absent", "zero", "--model", files / "model")
    run("train", files / "raw", *words, *COLUMNS)
    text = (files / "model.toml").read_text()
    for line in ('label = "relevance"', 'ignore = ["url", "date"]', 'absent = "zero"'):
        assert line in text
    run("train", "--config", files / "model.toml", "--model", files / "again")
    assert (files / "again").read_bytes() == (files / "model").read_bytes()


def test_rows_to_be_scored_need_no_labels_and_queries(run, files):
    words = ("--algorithm", "ls", "--n-rounds", 2, "--verbose", 0, "--absent", "zero", "--model", files / "model")
    run("train", files / "raw", *words, *COLUMNS)
    expected = run("predict", files / "raw", "--model", files / "model", *COLUMNS, "--absent", "zero")
    rows = [line.split(",") for line in (files / "raw").read_text().splitlines()]
    bare = files / "bare.csv"
    bare.write_text("".join(",".join((*row[1:3], row[4])) + "\n" for row in rows))
    asked = ("predict", bare, "--model", files / "model", "--absent", "zero")
    assert run(*asked) == run(*asked, "--label", "none", "--qid", "none too") == expected
    for flags in (["--run", files / "run"], ["--per-query", files / "values"]):
        assert "--label NAME --qid NAME" in run(*asked, *flags, code=2)
    assert "--label NAME --qid NAME" in run("evaluate", *asked[1:], code=2)
    bare.write_text("f 1,f 2,f 3\n1,2,3\n4,5,Oslo\n")
    assert "line 3, column 3 ('f 3'): 'Oslo': a feature must be a number" in run(*asked, code=2)


def test_the_features_of_a_table_name_those_of_the_model(run, files):
    """And those of its validation set and of later tables must have these names, in this order."""
    words = ("--algorithm", "ls", "--n-rounds", 2, "--verbose", 0, "--absent", "zero", "--model", files / "model")
    other = files / "other.csv"
    other.write_text((files / "raw").read_text().replace("f 1,f 2", "f 2,f 1", 1))
    rule = "other.csv has 'f 2' in the place of 'f 1': features must have the names of the training, in their order"
    assert rule in run("train", files / "raw", *words, *COLUMNS, "--valid", other, code=2)
    run("train", files / "raw", *words, *COLUMNS, "--checkpoint-every", 1)
    assert list(load_model(files / "model").feature_names_in_) == ["f 1", "f 2", "f 3"]
    assert "f 1 < " in run("show", files / "model", "--tree", 1)
    run("export", files / "model", "--to", "ranklib", "--out", files / "xml")
    assert "## feature 1 = f 1" in (files / "xml").read_text()
    asked = ("--model", files / "model", *COLUMNS, "--absent", "zero")
    for command in ("predict", "evaluate"):
        assert rule in run(command, other, *asked, code=2)
    flags = ("--model", files / "model", "--resume", files / "model", *COLUMNS, "--absent", "zero")
    assert rule in run("train", other, *flags, "--n-rounds", 3, code=2)
    run("train", files / "raw", *flags, "--n-rounds", 3)
    assert len(load_model(files / "model").feature_names_in_) == 3
    assert run("predict", files / "plain", "--model", files / "model") == run("predict", files / "raw", *asked)
