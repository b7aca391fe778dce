"""Each fault of the page stops at the record that `conform diff` names, with the same place."""

import json
import shutil
import subprocess

import pytest

from refrank.inspection.step.page import SOURCE
from tests.step.test_port import BOOSTED, make_ranker, read_toy, write_trace
from tests.yardstick.trainings import record
from yardstick.divergence.comparing import compare_traces
from yardstick.traces.stages import Place

ROUNDS = BOOSTED | {"n_rounds": 5}
RUN = """
import { readFileSync } from "node:fs";
import { FAULTS } from "%(step)s/faults.js";
import { ORDER } from "%(step)s/port/index.js";
import { instantiate } from "%(step)s/view/instantiate.js";
import { findDifference } from "%(step)s/view/records.js";
const { parameters, rows } = JSON.parse(readFileSync(0, "utf8"));
const text = (name) => readFileSync(new URL("%(step)s/port/" + name), "utf8");
const source = ORDER.map((name) => text(name).replaceAll(/^import\\b[^;]*;\\n|^export (?:default )?/gm, "")).join("");
const train = (fault) => instantiate(source, fault).recordTraining("softmax", parameters, rows);
const right = train(null);
for (const fault of FAULTS) {
  const document = train(fault), found = findDifference(right, document);
  const at = found && { stage: found.record.stage, ...found.record.at };
  console.log(JSON.stringify({ name: fault.name, at, document }, (_, x) => (Object.is(x, -0) ? "-0" : x)));
}
"""


@pytest.fixture(scope="module")
def planted():
    """The faults by name: where the page stops, and the document of the faulty port."""
    if not shutil.which("node"):
        pytest.skip("node is not installed: the port is not run")
    rows = read_toy()
    asked = json.dumps({"parameters": ROUNDS, "rows": {"X": rows.X.tolist(), "y": rows.y.tolist()}})
    words = ["node", "--input-type=module", "-e", RUN % {"step": SOURCE.as_uri()}]
    done = subprocess.run(words, input=asked, capture_output=True, text=True, check=True)
    return {fault["name"]: fault for fault in map(json.loads, done.stdout.splitlines())}


def test_a_fault_stops_where_conform_diff_does(planted, tmp_path):
    golden, places = record(tmp_path / "golden", make_ranker("softmax", ROUNDS), rows=read_toy()), {}
    for name, fault in planted.items():
        comparison = compare_traces(golden, write_trace(tmp_path / name, fault["document"]))
        first = comparison.first
        places[name] = None if first is None else {"stage": first.stage, **first.place._asdict()}
        own = fault["at"] and {"stage": fault["at"].pop("stage"), **Place(**fault["at"])._asdict()}
        assert places[name] == own, name
    assert {name for name, at in places.items() if at is None} <= {"exp-of-the-platform"}  # some engines round alike
    assert len(places) >= 8
