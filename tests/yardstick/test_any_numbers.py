"""Numbers that no training gives: they are judged, and what would follow from them does not ask for the machine."""

from dataclasses import replace

import numpy as np
import pytest

from tests.yardstick.trainings import make, record
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.reporting import write_text
from yardstick.scorecard.training_rows import make_few
from yardstick.traces.stages import STAGES


def compare(tmp_path, name, change):
    """Compare a training with a port that tells other numbers in some stages."""

    def write(line, keep):
        fields = change(line.stage, {field: np.array(line.values(field)) for field in line.fields})
        return replace(line, fields={field: keep(of) for field, of in fields.items()})

    rows = make_few()
    golden = record(tmp_path / "golden", make(name), rows=rows)
    comparison = compare_traces(golden, record(tmp_path / "theirs", make(name), rows=rows, change=write))
    write_text(comparison)
    assert not comparison.passes
    return comparison


@pytest.mark.parametrize(
    ("name", "stage", "field", "entry", "judged"),
    [
        ("softmax", "data", "y", np.float64(2.0**31), "prediction"),  # as many classes
        ("softmax", "data", "y", np.float64(-1.0), "proba"),
        ("gbrt", "bins", "offsets", np.int64(2**62), "histogram"),  # as many bins
        ("gbrt", "bins", "offsets", np.int64(-5), "cut"),
        ("gbrt", "residual", "values", np.float32(np.inf), "grid"),
        ("rf", "draws", "counts", np.int64(2**62), "tree"),
    ],
)
def test_numbers_that_ask_for_the_machine_are_differences(tmp_path, name, stage, field, entry, judged):
    """A port may tell any number; what follows from it is looked at in the memory of the machine, or not at all."""

    def change(at, arrays):
        if at == stage:
            arrays[field] = arrays[field].astype(entry.dtype)
            arrays[field].flat[-1] = entry
        elif at == judged:
            arrays[next(iter(STAGES[judged].fields))].flat[-1] += 1
        return arrays

    assert compare(tmp_path, name, change).counts[judged].keys() <= {"differs", "unclear"}


def test_a_metric_that_other_labels_do_not_have_is_unclear(tmp_path):
    def change(stage, arrays):
        if stage == "data":
            arrays["y"][arrays["y"] == 3] = 5
        return {"err": arrays["err"] / 2} if stage == "metric" else arrays

    assert compare(tmp_path, "gbrt", change).counts["metric"] == {"unclear": 1}
