"""`--cluster`: the bytes of one machine on the file that the shards make together, and faults that name the shard."""

from itertools import count

import pytest

from refrank.cli import training
from refrank.cli.shard_files import FileReader
from refrank.cli.shard_scores import ScoringReader
from refrank.cluster.driver import Lost
from refrank.cluster.threads import ThreadLine
from refrank.datasets.reading import Reading
from refrank.models import load_model
from tests.cli.command_line import DATA, run

SHARDS = ("a.txt", "empty.txt", "b.txt", "c.txt.gz")
SOFTMAX = "train softmax --n-rounds 4 --n-leaves 4 --verbose 0 --model"
DONE = "rounds that are done; --resume continues"
TABLE = "label,qid,age,links\n"


@pytest.fixture
def call(capsys, shards, tmp_path, monkeypatch):
    """Run a command in the folder of the shards; ALL are these, and models are written elsewhere."""
    monkeypatch.chdir(shards)

    def call(words):
        named = {"ALL": SHARDS, **{model: [tmp_path / model] for model in "MN"}}
        return run(capsys, *(each for word in words.split() for each in named.get(word, [word])))

    return call


@pytest.fixture
def same(call, tmp_path):
    """Whether two commands of trainings succeed, and write the same model."""

    def same(words, others):
        assert call(words) == call(others) == (0, [], [])
        return (tmp_path / "M").read_bytes() == (tmp_path / "N").read_bytes()

    return same


@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_shards_of_files_make_the_model_of_the_whole_file(same, tmp_path, n):
    """Some with fewer features, gzipped or empty; on fewer processes than files, each has some of them."""
    assert same(f"{SOFTMAX} M whole.txt", f"{SOFTMAX} N ALL --cluster threads:{n}")
    ours = (tmp_path / "N.toml").read_text().splitlines()
    assert {'train = ["a.txt", "empty.txt", "b.txt", "c.txt.gz"]', f'cluster = "threads:{n}"'} < {*ours}


@pytest.mark.parametrize(
    "flags",
    [
        "gbrt --missing mean --n-rounds 3 --max-depth 2",
        "ls --missing three-way --n-rounds 2 --valid c.txt.gz",
        "ordinal --n-rounds 3 --n-features 7 --dtype float64",
        "softmax --n-rounds 9 --valid a.txt --early-stopping-rounds 1 --eval-metric ndcg@3",
    ],
)
def test_flags_work_as_on_one_machine(same, flags):
    """Features that a file lacks are missing values where the ranker has them, in the validation set too."""
    words = f"train {flags} --verbose 0 --n-threads 1 --model"
    assert same(f"{words} M whole.txt", f"{words} N ALL --cluster threads:3")


def test_tables_keep_the_names_of_their_columns(same, call, shards, tmp_path):
    rows = [f"{i % 3},{i // 6},{i},{i * 7 % 10}\n" for i in range(24)]
    for name, part in (("all", rows), ("x", rows[:12]), ("none", []), ("y", rows[12:])):
        (shards / f"{name}.csv").write_text(TABLE + "".join(part))
    assert same(f"{SOFTMAX} M all.csv", f"{SOFTMAX} N x.csv none.csv y.csv --cluster threads:2")
    assert load_model(tmp_path / "N").feature_names_in_.tolist() == ["age", "links"]
    (shards / "z.csv").write_text("label,qid,links,age\n" + "".join(rows[12:]))
    faults = "error: z.csv has 'links' in the place of 'age'", "shard z.csv: columns"
    for n, fault in enumerate(faults, start=1):
        assert fault in call(f"{SOFTMAX} N x.csv z.csv --cluster threads:{n}")[2][0]


def test_a_training_goes_on_on_another_number_of_shards_or_on_one_machine(call, tmp_path, monkeypatch):
    """After an interrupt, which keeps the finished rounds, as checkpoints do."""
    assert call(f"{SOFTMAX} M whole.txt")[0] == 0
    whole, saved, check_in = (tmp_path / "M").read_bytes(), [], training.SavedTraining.check_in

    def stop(self, n_done, so_far):
        check_in(self, n_done, so_far)
        saved.append(load_model(tmp_path / "N").n_rounds_)
        if n_done == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training.SavedTraining, "check_in", stop)
        stopped = call(f"{SOFTMAX} N ALL --cluster threads:3 --checkpoint-every 1")
    assert stopped == (130, [], [f"refrank: interrupted; {tmp_path / 'N'} holds the 2 {DONE}"])
    assert saved == [1, 2]
    part = (tmp_path / "N").read_bytes()
    for rows in ("whole.txt", "whole.txt --cluster threads:1", "ALL --cluster threads:2"):
        (tmp_path / "N").write_bytes(part)
        assert call(f"train {rows} --resume N --model N --verbose 0") == (0, [], [])
        assert (tmp_path / "N").read_bytes() == whole
        assert ("cluster" in (tmp_path / "N.toml").read_text()) is ("cluster" in rows)


def test_the_file_of_a_command_trains_on_its_shards_again(call, tmp_path):
    call(f"{SOFTMAX} M ALL --cluster threads:2")
    assert call(f"train --config {tmp_path / 'M.toml'} --model N") == (0, [], [])
    assert (tmp_path / "M").read_bytes() == (tmp_path / "N").read_bytes()
    assert call(f"train --config {tmp_path / 'M.toml'} whole.txt --model N") == (0, [], [])
    assert 'train = "whole.txt"' in (tmp_path / "N.toml").read_text()


def test_a_cluster_that_is_lost_leaves_the_finished_rounds(call, tmp_path, monkeypatch):
    receive, number = ThreadLine.receive, count()

    def lose(line, limit):
        if line.name.startswith("shard 1") and next(number) % 200 == 199:
            raise Lost(f"{line.name} is lost")
        return receive(line, limit)

    monkeypatch.setattr(ThreadLine, "receive", lose)
    code, out, [line] = call(f"{SOFTMAX} M ALL --cluster threads:2 --n-rounds 500")
    n_rounds = load_model(tmp_path / "M").n_rounds_
    assert (code, out) == (1, [])
    why = "shard 1 (b.txt to c.txt.gz) is lost; shards were lost 4 times"
    assert line == f"refrank: error: {why}; {tmp_path / 'M'} holds the {n_rounds} {DONE}"
    monkeypatch.undo()


FAULTS = [
    ("ALL", "empty.txt is a second file: several files are the shards of a cluster, such as --cluster local:4"),
    ("a.txt --cluster-limit 2", "--cluster-limit works with --cluster only"),
    ("a.txt --cluster local", "--cluster is 'local': it must be local:N (processes of this machine), tcp://HOST:PORT"),
    ("a.txt --cluster local:0", "--cluster is 'local:0': N in local:N must be an integer of at least 1"),
    ("a.txt --cluster threads:1 --cluster-limit nan", "--cluster-limit is nan: it must be a number of seconds above 0"),
    ("a.txt - --cluster local:2", "- is standard input, which one process alone can read"),
    ("a.txt b.txt ./a.txt --cluster local:2", "./a.txt is given twice: the rows of a.txt would count twice"),
    (
        "ALL --cluster threads:2 --n-classes 4",
        "y at row 8 of a.txt is 4: labels must be integers from 0 to --n-c",
    ),
    ("empty.txt --cluster threads:2", "the shards have no rows: there must be at least one"),
    ("a.txt none.txt --cluster threads:2", "shard 1 (none.txt): [Errno 2] No such file or directory: 'none.txt'"),
    ("a.txt bad.txt c.txt.gz --cluster threads:2", "shard 1 (bad.txt to c.txt.gz): bad.txt, line 13, column 1: '9.5'"),
]


@pytest.mark.parametrize(("words", "fault"), FAULTS, ids=[words for words, _ in FAULTS])
def test_a_fault_is_one_line_that_names_the_flag_or_the_shard(call, tmp_path, words, fault):
    code, out, [line] = call(f"{SOFTMAX} M {words}")
    assert (code, out) == (1 if "none.txt" in words else 2, [])
    assert fault in line
    assert not (tmp_path / "M").exists()


def test_a_ranker_that_needs_all_rows_is_refused_before_they_are_read(call):
    refused = call("train lambdamart none.txt --valid none.txt --cluster threads:2 --model M")
    why = "LambdaMARTRanker needs all rows in one place: it compares the documents of each query"
    assert refused == (2, [], [f"refrank: error: {why}"])


WRITTEN = "--run {}/run --qrels {}/qrels --per-query {}/values"


@pytest.mark.parametrize("words", ["predict", "evaluate", "evaluate --json --compare", "predict WRITTEN"])
@pytest.mark.parametrize("n", [1, 3])
def test_predictions_and_figures_are_those_of_the_whole_file(call, folder, tmp_path, words, n):
    results = []
    for rows in ("whole.txt", f"ALL --cluster threads:{n}"):
        name, *flags = words.replace("WRITTEN", WRITTEN.format(*[tmp_path] * 3)).split()
        results.append(call(f"{name} {rows} --model {folder / 'm.refrank'} {' '.join(flags)}"))
        results[-1] += tuple(path.read_bytes() for path in sorted(tmp_path.iterdir()))
    assert results[0] == results[1]
    assert results[0][0] == 0


def test_scores_of_a_file_are_measured_on_shards(call, folder):
    scores = f"--scores {folder / 'scores.txt'}"
    whole = call(f"evaluate whole.txt {scores}")
    assert whole[0] == 0
    assert call(f"evaluate ALL {scores} --cluster threads:2") == whole


def test_a_query_on_two_shards_is_refused(call, shards, folder):
    lines = (shards / "whole.txt").read_text().splitlines(keepends=True)
    (shards / "d.txt").write_text("".join(lines[:30]))
    (shards / "e.txt").write_text("".join(lines[30:]))
    words = f"d.txt e.txt --model {folder / 'm.refrank'} --cluster threads:2"
    refused = "refrank: error: query 2 is in d.txt and in e.txt: its rows must be in one file"
    assert call(f"evaluate {words}") == (2, [], [refused])
    assert len(call(f"predict {words}")[1]) == len(DATA.y)  # a score is that of a row alone


def test_a_shard_that_is_lost_ends_a_prediction(call, folder, monkeypatch):
    def lose(line, limit):
        raise Lost(f"{line.name} is lost")

    monkeypatch.setattr(ThreadLine, "receive", lose)
    code, out, [line] = call(f"predict a.txt b.txt --model {folder / 'm.refrank'} --cluster threads:2")
    assert (code, out, line) == (1, [], "refrank: error: shard 0 (a.txt) is lost; shards were lost 4 times")


def test_scores_of_shards_fill_up_missing_features_as_the_whole_file_does(call):
    assert call("train gbrt --missing three-way --n-rounds 3 --max-depth 2 --verbose 0 --model M whole.txt")[0] == 0
    whole = call("predict whole.txt --model M")
    assert (whole[0], len({*whole[1]}) > 1) == (0, True)
    assert call("predict ALL --model M --cluster threads:3") == whole


def test_tables_without_labels_are_scored_and_their_names_are_checked(call, shards):
    rows = [f"{i % 3},{i // 6},{i},{i * 7 % 10}\n" for i in range(24)]
    (shards / "labelled.csv").write_text(TABLE + "".join(rows))
    for name, numbers in (("both", "1,2\n9,4\n"), ("first", "1,2\n"), ("second", "9,4\n")):
        (shards / f"{name}.csv").write_text(f"age,links\n{numbers}")
    (shards / "turned.csv").write_text("links,age\n4,9\n")
    assert call(f"{SOFTMAX} M labelled.csv")[0] == 0
    assert call("predict first.csv second.csv --model M --cluster threads:2") == call("predict both.csv --model M")
    fault = call("predict first.csv turned.csv --model M --cluster threads:2")[2][0]
    assert "turned.csv has 'links' in the place of 'age'" in fault


def test_rows_that_are_scored_leave_their_features_where_they_are(shards):
    data, scores = ScoringReader(FileReader(Reading(), None, None), None, True).score(str(shards / "a.txt"))
    assert (data.X.shape, len(data.y), len(scores)) == ((0, 0), 36, 0)
