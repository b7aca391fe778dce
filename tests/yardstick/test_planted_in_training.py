"""One-line mistakes in the trainings of the example port: each is named by its stage, by the traces alone.

planted_in_training.txt is their catalogue (yardstick/planting.py), of files of examples/port. Its notes are `in`, the
stage that a mistake is in, or "end", and a training that shows it; `hint`, words of the hint that is given, if one is;
and "verdict lawful" for those that choose otherwise among what ties.
"""

from pathlib import Path

import pytest

from tests.libraries import NEEDS_COMPILER, load_port
from tests.yardstick.trainings import TRAININGS
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.replay import UNBOUNDED
from yardstick.planting import read_mistakes
from yardstick.traces.stages import STAGES

pytestmark = [NEEDS_COMPILER, pytest.mark.usefixtures("mistakes")]

MISTAKES = read_mistakes(Path(__file__).with_name("planted_in_training.txt").read_text())
NOT_OFFERED = {*["lambdarank", "gbrt, three-way rt-rank", "rf, three-way", "igbrt, three-way", "cocr over m5p"]}
NOT_OFFERED |= {f"{loss}{of}" for loss in ("lad", "huber") for of in ("", ", weights", ", weight 0")}
NOT_OFFERED |= {"ordinal, simultaneous", "ordinal, high labels"}
NOT_OFFERED |= {name for name, training in TRAININGS.items() if training.algorithm in UNBOUNDED}


@pytest.fixture
def compare(tmp_path, golden_of, monkeypatch):
    """Compare a training of the port, with one line changed, with refrank's."""

    def run(name, mistake=None, has_hints=False):
        port = load_port(tmp_path / "port", monkeypatch, mistake)
        theirs = port.run(golden_of(name), tmp_path / "trace")
        return None if theirs is None else compare_traces(golden_of(name), theirs, has_hints=has_hints)

    return run


@pytest.mark.parametrize("name", TRAININGS)
def test_the_port_agrees_in_every_record(compare, name):
    comparison = compare(name)
    assert (comparison is None) == (name in NOT_OFFERED)
    if comparison is not None:
        assert comparison.passes
        assert comparison.n_shared > 7


def place_of(mistake):
    """The stage of a mistake, and the training that shows it."""
    return mistake.find_note("in").partition(" of ")[::2]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.words)
def test_a_mistake_is_named_by_its_stage(compare, mistake):
    (stage, name), hint = place_of(mistake), mistake.find_note("hint")
    comparison = compare(name, mistake, has_hints=bool(hint))
    assert not comparison.passes
    if stage == "end":
        assert [hint] == [*comparison.besides]
        assert {finding.verdict for finding in comparison.findings} <= {"follows"}
        return
    first, verdict = comparison.first, mistake.find_note("verdict") or "differs"
    assert (first.stage, first.verdict) == (stage, verdict), first
    assert hint in str(first.hint), first.hint


def test_most_stages_have_mistakes():
    assert len({mistake.words for mistake in MISTAKES}) == len(MISTAKES) >= 100
    assert {place_of(mistake)[0] for mistake in MISTAKES} == {*STAGES, "end"} - {"data", "leaves", "answers"}
