"""Records of two traces: the same text is not read; no index, digest or chain passes for what its line holds."""

import hashlib

import numpy as np
import pytest

from tests.yardstick.trainings import changed, edit_line, make, step_up
from yardstick.divergence.comparing import compare_traces
from yardstick.numbers.digest import digest
from yardstick.traces.chain import BEGINNING, link
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.records import count_agreeing, index_both, index_records
from yardstick.traces.stages import Field, Place, Record


@pytest.fixture
def lines_read(monkeypatch):
    """The numbers of the lines that are read, in order."""
    numbers, read = [], Trace.read_record

    def read_and_note(self, document, name, number):
        numbers.append(number)
        return read(self, document, name, number)

    monkeypatch.setattr(Trace, "read_record", read_and_note)
    return numbers


def test_two_equal_traces_are_not_read(golden, copied, lines_read):
    comparison = compare_traces(golden, open_trace(copied))
    assert comparison.passes
    assert sum(of["agrees"] for of in comparison.counts.values()) == golden.manifest["n_records"]
    assert lines_read == []


def test_records_of_the_shared_beginning_are_read_when_asked_for(golden, copied, lines_read):
    ours, theirs, n_agreeing = index_both(golden, open_trace(copied))
    assert n_agreeing == len(ours) == len(theirs) == golden.manifest["n_records"]
    assert [*ours] == [*index_records(golden)]
    lines_read.clear()
    key = "scores", Place(round=2, output=0)
    number = [*theirs].index(key)
    for _ in range(2):  # once is enough
        assert theirs[key].fields["values"].digest == index_records(golden)[key].fields["values"].digest
    assert lines_read.count(number) == 3  # twice in whole readings


def test_lines_are_read_from_the_first_difference_on(golden, tmp_path, lines_read):
    theirs = changed(tmp_path / "theirs", make("ls"), "step", Place(round=2, output=0), step_up("values", 0))
    first = count_agreeing(golden, theirs)
    ours, other, n_agreeing = index_both(golden, theirs)
    assert n_agreeing == first > 0
    assert min(lines_read) == first
    assert [*ours][first] == ("step", Place(round=2, output=0))
    assert [*other] == [*ours]
    assert compare_traces(golden, theirs).first.judgement.stage == "step"


@pytest.mark.parametrize(
    ("digested", "fault"), [(True, r"line \d+ is not the one in its index"), (False, r"digest of values of .* is")]
)
def test_a_golden_index_beside_other_records_is_refused(golden, copied, digested, fault):
    """Another leaf, with its own digest or the golden one."""

    def change(document):
        field = document["fields"]["values"]
        field["values"][0] = float(np.nextafter(field["values"][0], np.inf))
        del field["hex"]
        if digested:
            field["digest"] = f"{digest(np.array(field['values'])):016x}"

    number = [*index_records(golden)].index(("step", Place(round=2, output=0)))
    edit_line(copied, number, change)
    theirs = open_trace(copied)
    assert count_agreeing(golden, theirs) == golden.manifest["n_records"]  # as the index says
    with pytest.raises(ValueError, match=fault):
        compare_traces(golden, theirs)


def test_another_shape_with_the_same_entries_does_not_agree(golden, copied):
    """The digest is of entries alone, so that the chain stays."""
    number = [*index_records(golden)].index(("bins", Place()))

    def flatten(document):
        codes = document["fields"]["codes"]
        codes["shape"] = [codes["shape"][0] * codes["shape"][1]]

    edit_line(copied, number, flatten)
    comparison = compare_traces(golden, open_trace(copied))
    assert not comparison.passes
    assert comparison.first.judgement.stage == "bins"
    assert comparison.first.judgement.field == "codes"


def test_the_chain_is_its_definition():
    record = Record(
        "grid", Place(round=1, output=0), {"integers": Field("int64", (1,), 7), "exponent": Field("int64", (), 9)}
    )
    words = bytes(8) + b"grid round 1, output 0" + (7).to_bytes(8, "big") + (9).to_bytes(8, "big")
    assert link(BEGINNING, record) == hashlib.sha256(words).digest()[:8]
