"""A bench: its choices see no test row, its cells are trained once, and no system's figures depend on another."""

import re
from dataclasses import replace

import numpy as np
import pytest

from refrank.datasets.reading import Reading
from refrank.reproduce import cells
from refrank.reproduce.bench.peers import PEERS
from refrank.reproduce.bench.plan import BenchPlan
from refrank.reproduce.bench.record import describe_run
from refrank.reproduce.bench.run import run_bench
from refrank.reproduce.bench.search import Span, draw_configuration
from refrank.reproduce.bench.systems import Fitted, System

RATE = {"rate": Span(1.0, 0.1, 10.0)}


def write_fold(folder, number):
    """Write a fold of three files: two queries each, of tests as many as given, of four documents with two features."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(number)
    for name, labels, n in (("train", (0, 2, 1, 0), 2), ("vali", (2, 1, 0, 0), 2), ("test", (1, 0, 2, 0), number)):
        rows = rng.integers(1, 9, (n, 4, 2)).tolist()
        lines = (
            f"{label} qid:{query} 1:{a} 2:{b}\n"
            for query, documents in enumerate(rows)
            for label, (a, b) in zip(labels, documents, strict=True)
        )
        (folder / f"{name}.txt").write_text("".join(lines))


@pytest.fixture(autouse=True)
def code(monkeypatch):
    """The code has a name that takes no time to compute."""
    monkeypatch.setattr(cells, "compute_code_checksum", lambda: "code")


@pytest.fixture
def folds(tmp_path):
    """A collection of two folds."""
    for number in (2, 3):
        write_fold(tmp_path / "folds" / f"Fold{number - 1}", number)
    return tmp_path / "folds"


@pytest.fixture
def peer(monkeypatch):
    """A tool of a system's protocol; lists what it was given."""
    seen = []

    def fit(configuration, train, valid, limits):
        seen.append((configuration["rate"], train, valid))
        history = np.array([0.2, 0.5, 0.4]) / (1 + abs(configuration["rate"] - 1))  # the defaults are best
        return Fitted(history, 2, lambda X: X[:, 0] * configuration["rate"])

    monkeypatch.setitem(PEERS, "mine", System("mine", RATE, fit))
    return seen


def plan_of(folds, **changes):
    return replace(BenchPlan(folds, (), ("mine",), 3, ("ndcg@3", "err"), n_rounds=3), **changes)


def read(result):
    """The bits of a result, by system."""
    return {
        system: [(name, values[place].tobytes()) for name, values in result.values.items()] + [*result.choices[system]]
        for place, system in enumerate(result.systems)
    }


def test_the_same_plan_gives_the_same_bits_and_trains_nothing_the_second_time(folds, peer, tmp_path):
    plan = plan_of(folds, rankers=("gbrt",))
    first = run_bench(plan, tmp_path / "a")
    assert (first.n_trained, first.n_kept, len(peer)) == (12, 0, 6)
    again = run_bench(plan, tmp_path / "a", n_threads=2)
    assert (again.n_trained, again.n_kept, len(peer)) == (0, 12, 6)
    anew = run_bench(plan, tmp_path / "b", n_threads=1)
    assert read(first.result) == read(again.result) == read(anew.result)
    made = [describe_run(run, {"tool": "1"}) for run in (first, again, anew)]
    assert made[0] == made[1] == made[2]
    for name, values in first.result.values.items():
        other = replace(first, result=replace(first.result, values={**first.result.values, name: values + 1}))
        assert not {*describe_run(other, {})["values"].values()} & {*made[0]["values"].values()}
    assert [*made[0]["values"]] == ["gbrt Fold1", "gbrt Fold2", "mine Fold1", "mine Fold2"]
    assert len({*made[0]["values"].values()}) == len({*made[0]["data"].values()}) * 2 == 4


def test_the_result_holds_what_the_chosen_models_score(folds, peer, tmp_path):
    result = run_bench(plan_of(folds, budget=2), tmp_path).result
    assert (result.systems, result.folds, result.collection) == (("mine",), ("Fold1", "Fold2"), "folds")
    assert (result.qid, result.fold_of_query.tolist()) == (("0", "1", "0", "1", "2"), [0, 0, 1, 1, 1])
    assert [choice.configuration for choice in result.choices["mine"]] == [{"rate": 1.0}] * 2  # the defaults
    assert [(choice.valid, choice.n_rounds, choice.n_tried) for choice in result.choices["mine"]] == [(0.5, 2, 2)] * 2
    for measure in result.measures:
        values = []
        for fold in plan_of(folds).reading.load_folds(folds):
            values += measure(fold.test.y, fold.test.X[:, 0], fold.test.qid).tolist()
        assert result.values[str(measure)][0].tolist() == values
    assert [str(measure) for measure in result.measures] == ["ndcg@3", "err"]


def test_a_system_or_a_budget_more_changes_no_other_figure(folds, peer, tmp_path):
    alone = run_bench(plan_of(folds), tmp_path)
    both = run_bench(plan_of(folds, rankers=("ls",)), tmp_path)
    assert (both.n_trained, both.n_kept) == (6, 6)
    assert read(alone.result)["mine"] == read(both.result)["mine"]
    more = run_bench(plan_of(folds, budget=4), tmp_path)
    assert (more.n_trained, more.n_kept) == (2, 6)


@pytest.mark.parametrize(
    ("change", "n_trained"),
    [
        *(({name: 1}, 6) for name in ("seed", "n_rounds", "early_stopping_rounds")),
        *(({"measures": ("err",)}, 6), ({"spec": "yahoo"}, 6)),
        *(({"measures": ("ndcg@3", "map")}, 0), ({"measures": ("ndcg@3",)}, 0)),
    ],
)
def test_what_changes_a_training_trains_anew(folds, peer, tmp_path, change, n_trained):
    run_bench(plan_of(folds), tmp_path)
    assert run_bench(plan_of(folds, **change), tmp_path).n_trained == n_trained


def test_another_release_of_a_package_trains_its_systems_anew(folds, peer, tmp_path, monkeypatch):
    run_bench(plan_of(folds), tmp_path)
    monkeypatch.setitem(PEERS, "mine", replace(PEERS["mine"], packages=("numpy",)))
    assert run_bench(plan_of(folds), tmp_path).n_trained == 6
    monkeypatch.setattr(np, "__version__", "9.9")
    assert run_bench(plan_of(folds), tmp_path).n_trained == 6


def test_an_interrupted_bench_resumes_to_the_same_bits(folds, peer, tmp_path, monkeypatch):
    whole = run_bench(plan_of(folds), tmp_path / "whole")
    fit = PEERS["mine"].fit

    def stop(*given):
        if len(peer) == 8:  # 6 of the whole bench, and 2
            raise KeyboardInterrupt
        return fit(*given)

    with monkeypatch.context() as patch:
        patch.setitem(PEERS, "mine", replace(PEERS["mine"], fit=stop))
        with pytest.raises(KeyboardInterrupt):
            run_bench(plan_of(folds), tmp_path / "stopped")
    rest = run_bench(plan_of(folds), tmp_path / "stopped")
    assert (rest.n_trained, rest.n_kept) == (4, 2)
    assert read(rest.result) == read(whole.result)


def test_no_test_row_reaches_a_training_or_a_choice(folds, peer, tmp_path):
    plan = plan_of(folds, rankers=("gbrt",))
    first = run_bench(plan, tmp_path / "a")
    assert {len(train.y) for _, train, _ in peer} == {len(valid.y) for _, _, valid in peer} == {8}
    for number, fold in enumerate(plan_of(folds).reading.load_folds(folds)):
        for _, train, valid in peer[3 * number : 3 * number + 3]:
            np.testing.assert_array_equal(train.X, fold.train.X)
            np.testing.assert_array_equal(valid.X, fold.valid.X)
    for name in ("Fold1", "Fold2"):
        test = folds / name / "test.txt"
        test.write_text("".join(f"{2 - int(line[0])}{line[1:]}" for line in test.read_text().splitlines(keepends=True)))
    other = run_bench(plan, tmp_path / "b")
    assert first.result.choices == other.result.choices
    assert first.result.values["err"].tolist() != other.result.values["err"].tolist()
    for name in ("Fold1", "Fold2"):
        (folds / name / "test.txt").write_text("1 qid:7 1:3 2:1\n0 qid:7 1:2 2:2\n")
    assert run_bench(plan, tmp_path / "c").result.choices == first.result.choices


def test_gaps_are_told_from_zeros_if_asked(folds, tmp_path):
    for path in folds.rglob("*.txt"):
        path.write_text(re.sub(" 2:[1-4]$", "", path.read_text(), flags=re.MULTILINE))
    plan = BenchPlan(folds, rankers=("gbrt", "lambdamart"), budget=1, n_rounds=2, reading=Reading(absent="nan"))
    assert np.isfinite(
        run_bench(plan, tmp_path / "out").result.values["ndcg@10"]
    ).all()  # NaN is refused without a rule
    with pytest.raises(ValueError, match=r"Fold1: ranknet with .* NaN"):
        run_bench(replace(plan, rankers=("ranknet",)), tmp_path / "out")


def test_of_equal_configurations_the_first_is_chosen(folds, tmp_path, monkeypatch):
    def fit(configuration, train, valid, limits):
        return Fitted(np.array([0.5]), None, lambda X: X[:, 0])

    monkeypatch.setitem(PEERS, "mine", System("mine", RATE, fit))
    for choice in run_bench(plan_of(folds), tmp_path).result.choices["mine"]:
        assert (choice.configuration, choice.n_rounds) == ({"rate": 1.0}, None)


def test_labels_that_a_measure_cannot_measure_are_refused_before_any_training(folds, peer, tmp_path):
    (folds / "Fold1" / "test.txt").write_text("7 qid:1 1:1\n0 qid:1 2:1\n")
    with pytest.raises(ValueError, match="y at row 0 is 7: labels must be at most max_grade, 4"):
        run_bench(plan_of(folds), tmp_path)
    assert peer == []


def test_a_training_that_fails_is_named(folds, tmp_path, monkeypatch):
    def fit(*given):
        raise RuntimeError("no split")

    monkeypatch.setitem(PEERS, "mine", System("mine", RATE, fit))
    with pytest.raises(ValueError, match=r"Fold1: mine with \{'rate': 1.0\}: no split"):
        run_bench(plan_of(folds), tmp_path)


def test_draws_are_a_function_of_seed_system_and_number():
    space = {"rate": Span(0.1, 0.02, 0.3), "leaves": Span(31, 4, 256)}

    def draw(system="a", seed=0, number=2, space=space):
        return draw_configuration(system, space, seed, number)

    assert draw() == draw() == {"rate": 0.063, "leaves": 77}
    assert draw(number=1) == {"rate": 0.1, "leaves": 31}
    assert draw(space={"leaves": space["leaves"]}) == {"leaves": draw()["leaves"]}
    assert len({str(draw(*given)) for given in (("a", 0, 2), ("b", 0, 2), ("a", 1, 2), ("a", 0, 3))}) == 4
    drawn = [draw(number=number) for number in range(2, 400)]
    for name, span in space.items():
        places = np.log([each[name] / span.low for each in drawn]) / np.log(span.high / span.low)
        assert 0 <= places.min() < places.max() <= 1
        assert abs(np.quantile(places, [0.25, 0.5, 0.75]) - [0.25, 0.5, 0.75]).max() < 0.05


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"rankers": (), "peers": ()}, "rankers is empty, and so is peers"),
        ({"rankers": ("ls", "ls")}, "rankers names ls twice"),
        ({"measures": ()}, "measures is empty"),
        ({"measures": ("ndcg@3", "NDCG@3")}, "measures names ndcg@3 twice"),
        ({"measures": ("ndcg@3 trec",)}, "measures names 'ndcg@3 trec': spec is the convention of all"),
        ({"spec": "mine"}, "spec is 'mine'"),
        ({"seed": 2**31}, "seed is 2147483648"),
        ({"n_rounds": 0}, "n_rounds is 0"),
    ],
)
def test_a_plan_that_is_none_is_refused(changes, fault):
    with pytest.raises(ValueError, match=fault):
        plan_of("folds", **changes)
