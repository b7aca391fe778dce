"""Numbers that no training gives: they are judged, and what would follow from them does not ask for the machine."""

from dataclasses import replace

import numpy as np
import pytest

from tests.yardstick.trainings import make, record
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.reporting import write_text
from yardstick.scorecard.training_rows import make_few
from yardstick.traces.stages import STAGES


@pytest.mark.parametrize(
    ("name", "stage", "field", "entry", "judged"),
    [
        ("softmax", "data", "y", 2.0**31, "prediction"),  # as many classes
        ("softmax", "data", "y", -1.0, "proba"),
        ("gbrt", "bins", "offsets", 2**62, "histogram"),  # as many bins
        ("gbrt", "bins", "offsets", -5, "cut"),
        ("rf", "draws", "counts", 2**62, "tree"),
    ],
)
def test_numbers_that_ask_for_the_machine_are_differences(tmp_path, name, stage, field, entry, judged):
    """A port may tell any number; what follows from it is looked at in the memory of the machine, or not at all."""

    def change(line, keep):
        if line.stage not in (stage, judged):
            return line
        changed = field if line.stage == stage else next(iter(STAGES[judged].fields))
        values = np.array(line.values(changed))
        values.flat[-1] = entry if line.stage == stage else values.flat[-1] + 1
        return replace(line, fields={**line.fields, changed: keep(values)})

    rows = make_few()
    golden = record(tmp_path / "golden", make(name), rows=rows)
    theirs = record(tmp_path / "theirs", make(name), rows=rows, change=change)
    comparison = compare_traces(golden, theirs)
    assert not comparison.passes
    assert comparison.counts[judged].keys() <= {"differs", "unclear"}
    write_text(comparison)


def test_a_metric_that_other_labels_do_not_have_is_unclear(tmp_path):
    def change(line, keep):
        if line.stage == "data":
            return replace(
                line, fields={**line.fields, "y": keep(np.where(line.values("y") == 3, 5, line.values("y")))}
            )
        if line.stage == "metric":
            return replace(line, fields={"err": keep(line.values("err") / 2)})
        return line

    rows = make_few()
    golden = record(tmp_path / "golden", make("gbrt"), rows=rows)
    comparison = compare_traces(golden, record(tmp_path / "theirs", make("gbrt"), rows=rows, change=change))
    assert comparison.counts["metric"] == {"unclear": 1}
