"""Records of two traces: the same text is not read; no index, digest or chain passes for what its line holds."""

import hashlib

import numpy as np
import pytest

from tests.yardstick.trainings import changed, edit_line, make, step_up
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode
from yardstick.numbers.digest import digest
from yardstick.traces.chain import BEGINNING, link
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.records import index_both, index_records
from yardstick.traces.stages import Field, Place, Record

STEP = "step", Place(round=2, output=0)


@pytest.mark.parametrize("mode", ["bitwise", "statistical"])
def test_of_two_equal_traces_the_quality_alone_is_read(golden, copied, mode, monkeypatch):
    read, numbers = Trace.read_record, []
    monkeypatch.setattr(Trace, "read_record", lambda *given: (numbers.append(given[-1]), read(*given))[1])
    comparison = compare_traces(golden, open_trace(copied), Mode(mode))
    n_records = golden.manifest["n_records"]
    assert comparison.passes
    assert sum(of["agrees"] for of in comparison.counts.values()) == n_records
    assert numbers == [n_records - 1]


@pytest.mark.parametrize("indexed", [True, False])
def test_records_agree_up_to_the_first_difference(golden, indexed, tmp_path):
    theirs = changed(tmp_path / "theirs", make("ls"), *STEP, step_up("values", 0))
    if not indexed:
        (theirs.folder / "index.bin").unlink()
    ours, other, n_agreeing = index_both(golden, theirs)
    assert [*other] == [*ours] == [*index_records(golden)]
    assert [*ours][n_agreeing] == STEP
    assert compare_traces(golden, theirs).first.stage == "step"


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

    edit_line(copied, [*index_records(golden)].index(STEP), change)
    with pytest.raises(ValueError, match=fault):
        compare_traces(golden, open_trace(copied))


def test_another_shape_with_the_same_entries_does_not_agree(golden, copied):
    """The digest is of entries alone, so that the chain stays."""

    def flatten(document):
        codes = document["fields"]["codes"]
        codes["shape"] = [codes["shape"][0] * codes["shape"][1]]

    edit_line(copied, [*index_records(golden)].index(("bins", Place())), flatten)
    judgement = compare_traces(golden, open_trace(copied)).first
    assert (judgement.stage, judgement.field) == ("bins", "codes")


def test_the_chain_is_its_definition():
    record = Record(
        "grid", Place(round=1, output=0), {"integers": Field("int64", (1,), 7), "exponent": Field("int64", (), 9)}
    )
    words = bytes(8) + b"grid round 1, output 0" + (7).to_bytes(8, "big") + (9).to_bytes(8, "big")
    assert link(BEGINNING, record) == hashlib.sha256(words).digest()[:8]
