"""Verdicts of replicated claims: both intervals by definition, Holm's method, flips, and the files."""

import json

import numpy as np
import pytest
from scipy import stats

from refrank.cli import main
from refrank.datasets import foreign_file
from refrank.reproduce.replication import RecordedVerdict, Study, find_flips, read_recorded, replicate
from refrank.reproduce.run import Reproduction
from refrank.reproduce.verdicts import adjust_p_values, join_sets, judge_claims, measure_mean


def draw_sets(mean=0.0, between=0.0, n_sets=8, n_queries=500):
    """Differences of one claim: a mean per training set, and noise of the queries around it."""
    rng = np.random.default_rng(1)
    centres = mean + between * stats.norm.ppf((np.arange(n_sets) + 0.5) / n_sets)
    noise = rng.normal(0, 0.01, (n_sets, n_queries))
    noise -= noise.mean(axis=1, keepdims=True)
    return [{"a above b": row + centre} for row, centre in zip(noise, centres, strict=True)]


def test_the_intervals_are_student_s_over_queries_and_over_training_sets():
    sets = draw_sets(0.02, 0.004)
    (verdict,) = judge_claims(sets)
    queries, means = np.concatenate([of["a above b"] for of in sets]), [of["a above b"].mean() for of in sets]
    for of, values in ((verdict.queries, queries), (verdict.sets, means)):
        expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert np.allclose((of.low, of.high), expected, rtol=1e-9, atol=0)  # two orders of adding
    assert verdict.p_value == pytest.approx(stats.ttest_1samp(means, 0).pvalue, rel=1e-9)
    assert verdict.word == "holds"


def test_a_reversed_sign_reverses_the_verdict():
    sets = draw_sets(0.02, 0.004)
    (verdict,) = judge_claims([{claim: -of for claim, of in one.items()} for one in sets])
    assert verdict.word == "does not hold"
    (straight,) = judge_claims(sets)
    kept, reversed_ = ({"a above b": RecordedVerdict(of.word, of.sets, of.n_sets)} for of in (straight, verdict))
    assert find_flips([straight], reversed_)
    assert find_flips([verdict], kept)
    undecided = {"a above b": kept["a above b"]._replace(word="not decided")}
    assert find_flips([straight], kept) == find_flips([verdict], reversed_) == find_flips([verdict], undecided) == []


def test_a_verdict_flips_where_all_sets_together_do_not_bear_it_out():
    """Whatever the sign of the new sets alone: a few of them may have the other one by chance."""
    (first,), (near,), (far,) = (judge_claims(draw_sets(*of)) for of in ((0.02, 0.004), (-0.001, 0.01), (-0.03, 0.02)))
    recorded = {"a above b": RecordedVerdict("holds", first.sets, first.n_sets)}
    assert find_flips([near], recorded) == []
    assert find_flips([far], recorded) == [
        "a above b: recorded as 'holds', not decided with these 8 sets more, "
        + "{:+.4f} [{:+.4f}, {:+.4f}]".format(*vars(join_sets(first.sets, 8, far.sets, 8)).values())
    ]


def test_the_interval_of_two_studies_is_that_of_all_their_sets():
    rng = np.random.default_rng(5)
    a, b = rng.normal(0, 1, 9), rng.normal(1, 3, 4)
    joined, expected = join_sets(measure_mean(a), 9, measure_mean(b), 4), measure_mean(np.r_[a, b])
    assert [*vars(joined).values()] == pytest.approx([*vars(expected).values()], rel=1e-12)  # two orders of adding


def test_one_lucky_training_set_does_not_decide():
    sets = draw_sets(0.0)
    sets[3] = {"a above b": sets[3]["a above b"] + 0.1}
    (verdict,) = judge_claims(sets)
    assert verdict.queries.low > 0  # the queries alone would say that it holds
    assert verdict.word == "not decided"


def test_training_sets_alone_do_not_decide_either():
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 1, (8, 50))
    sets = [{"a above b": row - row.mean() + 0.001} for row in noise]
    (verdict,) = judge_claims(sets)
    assert verdict.sets.low > 0 > verdict.queries.low
    assert verdict.word == "not decided"


def test_holm_counts_the_claims_of_a_table():
    sets = draw_sets(0.001, 0.001)
    (alone,) = judge_claims(sets)
    assert alone.word == "holds"
    null = draw_sets(0.0, 0.01)
    many = [of | {f"null {i}": none["a above b"] for i in range(9)} for of, none in zip(sets, null, strict=True)]
    in_table = judge_claims(many)[0]
    assert in_table.p_value == pytest.approx(10 * alone.p_value)
    assert in_table.word == "not decided"


def test_holm_rejects_step_by_step():
    rng = np.random.default_rng(2)
    for _ in range(200):
        p_values = rng.choice([0.001, 0.004, 0.01, 0.02, 0.03, 0.2], 6)
        rejected, left = set(), 6
        for place in np.argsort(p_values, kind="stable"):  # by the definition: stop at the first that is too large
            if p_values[place] * left >= 0.05:
                break
            rejected.add(int(place))
            left -= 1
        assert {i for i, p in enumerate(adjust_p_values(p_values)) if p < 0.05} == rejected


def test_equal_rankings_are_not_decided():
    (verdict,) = judge_claims([{"a above b": np.zeros(5)}] * 8)
    assert (verdict.word, verdict.p_value, verdict.sets.mean) == ("not decided", 1.0, 0.0)
    (verdict,) = judge_claims([{"a above b": np.array([0.5, 0.5])}] * 8)
    assert (verdict.word, verdict.p_value) == ("holds", 0.0)


def make_planted(sign):
    """A study whose claim has this sign on every training set."""
    return Study("cocr", "planted", lambda seed, run: {"a above b": sign * (np.arange(5) % 2 + 1.0 + seed % 3)})


def test_the_file_of_verdicts_is_read_again_and_a_reversed_sign_fails(monkeypatch, tmp_path, capsys):
    text, verdicts = replicate(make_planted(1), range(8), Reproduction(tmp_path))
    record = json.loads((tmp_path / "verdicts.json").read_text())
    assert record["seeds"] == [*range(8)]
    assert record["claims"] == [verdicts[0].to_json()]
    recorded = read_recorded(tmp_path / "verdicts.json", "cocr")
    assert recorded == {"a above b": RecordedVerdict("holds", verdicts[0].sets, 8)}
    assert text == (tmp_path / "verdicts.txt").read_text().rstrip("\n")
    from refrank.reproduce.cocr import replication as of_cocr

    line = ["reproduce", "cocr", "--replicate", "8", "--seed", "8", "--out", str(tmp_path / "new")]
    for sign, code in ((1, 0), (-1, 1)):
        monkeypatch.setattr(of_cocr, "make_study", lambda sign=sign: make_planted(sign))
        assert main([*line, "--against", str(tmp_path / "verdicts.json")]) == code
        assert ("reversed: a above b" in capsys.readouterr().out) == bool(code)
    assert json.loads((tmp_path / "new" / "cocr" / "verdicts.json").read_text())["seeds"] == [*range(8, 16)]


def test_other_files_and_claims_are_refused(tmp_path, monkeypatch):
    _, verdicts = replicate(make_planted(1), range(8), Reproduction(tmp_path))
    recorded = read_recorded(tmp_path / "verdicts.json", "cocr")
    with pytest.raises(ValueError, match="not a file of verdicts of igbrt"):
        read_recorded(tmp_path / "verdicts.json", "igbrt")
    for content in (b"[]", b'{"paper": "cocr", "claims": [{"claim": "a", "verdict": "perhaps"}]}', b"{}"):
        (tmp_path / "other.json").write_bytes(content)
        with pytest.raises(ValueError, match="not a file of verdicts of cocr"):
            read_recorded(tmp_path / "other.json", "cocr")
    with pytest.raises(ValueError, match="it is a directory"):
        read_recorded(tmp_path, "cocr")
    monkeypatch.setitem(foreign_file.MOST_BYTES, "file of verdicts", 10)
    with pytest.raises(ValueError, match="a file of verdicts has at most 10"):
        read_recorded(tmp_path / "verdicts.json", "cocr")
    with pytest.raises(ValueError, match="other claims than this run: 'b above c'"):
        find_flips(verdicts, recorded | {"b above c": recorded["a above b"]})


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--replicate 7", "replicate is 7: it must be an integer of at least 8"),
        ("--replicate 8 --seed -1", "seed is -1: it must be an integer of at least 0"),
        ("--replicate 8 --data folds", "--data does not work with --replicate"),
        ("--seed 3", "--seed works with --replicate only"),
        ("--against x.json", "--against works with --replicate only"),
    ],
)
def test_useless_flags_are_refused(capsys, flags, message):
    assert main(["reproduce", "cocr", *flags.split()]) != 0
    assert message in capsys.readouterr().err
