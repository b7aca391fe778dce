"""`refrank bench`: the table, the file that makes it again, and what departs from it."""

import signal
import tomllib

import pytest

from refrank.reproduce import cells
from refrank.reproduce.bench import systems
from refrank.reproduce.bench.peers import PEERS
from refrank.reproduce.bench.systems import System
from tests.cli.command_line import run
from tests.reproduce.small_files import write_collection

BENCH = ("bench", "folds", "--rankers", "LSBoostRanker", "gbrt", "--budget", 2, "--n-rounds", 2, "--output", "out")
FILES = {"bench.toml", "cells", "index.html", "pairs.csv", "per_query.csv", "table.csv", "table.md", "table.tex"}
MADE = "out holds the tables and bench.toml, which makes them again: refrank bench --config out/bench.toml"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder of a collection of one fold, in which the code has a name that takes no time to compute."""
    monkeypatch.setattr(cells, "compute_code_checksum", lambda: "code")
    monkeypatch.chdir(tmp_path)
    write_collection(tmp_path / "folds", ["train.txt", "vali.txt", "test.txt"])
    return tmp_path


def read_file(place):
    return tomllib.loads((place / "out" / "bench.toml").read_text())


def change_file(place, before, after):
    path = place / "out" / "bench.toml"
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def test_a_bench_prints_its_table_and_writes_files_of_which_one_makes_it_again(capsys, place):
    code, table, errors = run(capsys, *BENCH)
    assert (code, errors) == (0, [f"refrank: {MADE}"])
    assert {path.name for path in (place / "out").iterdir()} == FILES
    assert (place / "out" / "table.md").read_text().splitlines() == table
    file = read_file(place)
    assert (file["rankers"], file["peers"], file["measures"]) == ("ls,gbrt", "", "ndcg@10,err")
    assert [*file["values"]] == ["ls folds", "gbrt folds"]
    assert file["versions"].keys() == {"refrank", "NumPy", "SciPy"}
    (place / "out" / "table.md").unlink()
    again = run(capsys, "bench", "--config", "out/bench.toml")
    equal = "refrank: the values of ls, gbrt are those of bench.toml, to the bit"
    kept = "refrank: 4 of 4 trainings were kept; another --output trains all anew"
    assert again == (0, table, [equal, kept, f"refrank: {MADE}"])
    assert read_file(place) == file
    anew = run(
        capsys, "bench", "--config", "out/bench.toml", "--output", "other", "--rankers", "gbrt", "--n-threads", 2
    )
    assert anew[0::2] == (
        0,
        ["refrank: the values of gbrt are those of bench.toml, to the bit", f"refrank: {MADE}".replace("out", "other")],
    )
    assert read_file(place) == file


def test_other_flags_than_those_of_the_file_leave_nothing_to_compare(capsys, place):
    run(capsys, *BENCH)
    changed = "refrank: seed is not that of out/bench.toml: the values are not compared"
    assert run(capsys, "bench", "--config", "out/bench.toml", "--seed", 1)[2] == [changed, f"refrank: {MADE}"]
    assert read_file(place)["seed"] == 1


def test_what_departs_is_named_and_leaves_the_tables_as_they_are(capsys, place):
    run(capsys, *BENCH)
    file = read_file(place)
    change_file(place, f'"gbrt folds" = "{file["values"]["gbrt folds"]}', '"gbrt folds" = "0123')
    change_file(place, f'NumPy" = "{file["versions"]["NumPy"]}', 'NumPy" = "1.0')
    edited = (place / "out" / "bench.toml").read_text()
    code, _, errors = run(capsys, "bench", "--config", "out/bench.toml")
    assert code == 3
    assert errors[0].startswith("refrank: warning: NumPy is ")
    assert errors[0].endswith(": bench.toml was made by 1.0; figures may differ")
    assert errors[1] == "refrank: gbrt departs in folds: its values are not those of bench.toml"
    assert errors[-1] == f"refrank: {MADE}".replace("out", "out/departed")
    assert (place / "out" / "bench.toml").read_text() == edited
    departed = tomllib.loads((place / "out" / "departed" / "bench.toml").read_text())
    assert (departed["values"], departed["output"]) == (file["values"], "out/departed")


def test_other_rows_are_named(capsys, place):
    run(capsys, *BENCH)
    path = place / "folds" / "test.txt"
    path.write_text(path.read_text().replace("qid:6", "qid:60"))
    code, _, errors = run(capsys, "bench", "--config", "out/bench.toml")
    assert (code, errors[0]) == (3, "refrank: folds departs: its rows are not those that bench.toml was made of")


def test_err_is_measured_where_the_convention_has_it(capsys, place):
    run(capsys, *BENCH, "--spec", "lightgbm")
    assert read_file(place)["measures"] == "ndcg@10"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("[values]", "[value]", "--config out/bench.toml: there is no key 'value' here"),
        ('"refrank" = "', '"refrank" = 1 #', "out/bench.toml: [versions] must be a table of names and texts"),
        ("budget = 2", "budget = 0", "--budget is 0: it must be an integer of at least 1"),
        ("budget = 2", "algorithm = 2", "--config out/bench.toml: there is no key 'algorithm' here"),
        ('folds = "folds"', "", "the following arguments are required: FOLDS"),
    ],
)
def test_a_wrong_file_is_refused(capsys, place, before, after, message):
    run(capsys, *BENCH)
    change_file(place, before, after)
    code, out, (error,) = run(capsys, "bench", "--config", "out/bench.toml")
    assert (code, out) == (2, [])
    assert message in error


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_what_is_trained_and_says_how_to_go_on(capsys, place, monkeypatch, number, expected):
    fit = systems.fit_ranker
    trained = []

    def stop(*given):
        if len(trained) == 3:
            signal.raise_signal(number)
        trained.append(given)
        return fit(*given)

    with monkeypatch.context() as patch:
        patch.setattr(systems, "fit_ranker", stop)
        code, out, errors = run(capsys, *BENCH)
    kept = "refrank: interrupted; finished trainings are kept in out/cells; the same command goes on"
    assert (code, out, errors) == (expected, [], [kept])
    assert len([*(place / "out" / "cells").iterdir()]) == 3
    resumed = run(capsys, *BENCH)
    assert resumed == (*run(capsys, *BENCH[:-1], "whole")[:2], [f"refrank: {MADE}"])


def test_a_tool_that_is_not_installed_is_refused_before_anything_is_made(capsys, place, monkeypatch):
    monkeypatch.setitem(PEERS, "mine", System("mine", {}, lambda *_: None, ("nowhere",)))
    code, out, errors = run(capsys, *BENCH, "--peers", "mine")
    message = "--peers mine: nowhere is not there: pip install nowhere (refrank bench --help)"
    assert (code, out, errors) == (2, [], [f"refrank: error: {message}"])
    assert not (place / "out").exists()
