"""One-line mistakes in the trainings of the example port: each is named by its stage, by the traces alone.

planted_in_training.txt lists them: a name, the file of examples/port, a text that occurs once in it, what stands there
instead, the stage that this is in, or "end", a training that shows it, and words of the hint that is given, if one is.
"lawful" are those that choose otherwise among what ties.
"""

import re
from pathlib import Path

import pytest

from tests.yardstick.libraries import NEEDS_COMPILER, PORT, build_port
from tests.yardstick.trainings import TRAININGS, make, record, rows_of
from yardstick.divergence.comparing import compare_traces
from yardstick.scorecard.adapters import load_adapter
from yardstick.traces.stages import STAGES

pytestmark = NEEDS_COMPILER

PLANTED = Path(__file__).with_name("planted_in_training.txt").read_text().split("\n\n")
FORM = re.compile(r"(.+)\n(\w+\.c)\n- (.+)\n\+ ?(.*)\n(lawful )?in (\w+) of (.+?)(?:\nhint (.+))?")
MISTAKES = {(found := FORM.fullmatch(text.strip("\n")))[1]: found.groups()[1:] for text in PLANTED}
OFFERED = (
    *("softmax", "softmax, simultaneous", "softmax, few rows", "ordinal", "ls", "ls, app-i", "ls, few rows"),
    *("gbrt", "gbrt, nothing to learn", "rf", "rf, few rows"),
)


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """The golden trace of each training, made when it is asked for."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = record(tmp_path_factory.mktemp("golden") / "trace", make(name), rows=rows_of(name))
        return made[name]

    return of


@pytest.fixture
def compare(tmp_path, golden, monkeypatch):
    """Compare a training of the port, with one line changed, with refrank's."""

    def run(name, changes=None):
        library = build_port(tmp_path / "port", changes)
        monkeypatch.setenv("REFRANK_PORT", str(library))
        port = load_adapter(str(PORT / "adapter.py"))
        theirs = port.run(golden(name), tmp_path / "trace")
        return None if theirs is None else compare_traces(golden(name), theirs)

    return run


@pytest.mark.parametrize("name", TRAININGS)
def test_the_port_agrees_in_every_record(compare, name):
    comparison = compare(name)
    assert (comparison is not None) == (name in OFFERED)
    if comparison is not None:
        assert comparison.passes
        assert comparison.n_shared > 7


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_by_its_stage(compare, mistake):
    file, old, new, lawful, stage, name, hint = MISTAKES[mistake]
    comparison = compare(name, {file: (old, new)})
    assert not comparison.passes
    if stage == "end":
        assert [hint] == [*comparison.besides]
        assert {one.judgement.verdict for one in comparison.findings} <= {"follows"}
        return
    first = comparison.first
    assert first.judgement.stage == stage, first
    assert first.judgement.verdict == ("lawful" if lawful else "differs"), first
    assert hint is None or hint in str(first.hint), first.hint


def test_most_stages_have_mistakes():
    assert len(MISTAKES) == len(PLANTED) >= 40
    assert {stage for *_, stage, _, _ in MISTAKES.values()} == {*STAGES, "end"} - {"data", "leaves", "answers"}
