"""The page's two sources are one: the port's documents of the toy query, and Python's, equal in every number."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, LSBoostRanker, OrdinalBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.estimators import COCRRanker
from refrank.inspection.step.document import TrainingRecord, make_document
from refrank.inspection.step.page import SOURCE
from refrank.inspection.step.training import find_recorder

TOY = json.loads((SOURCE / "toy.json").read_text())
SHARED = {"n_rounds": 5, "n_leaves": 3, "learning_rate": 0.3}
DEEP = {"n_rounds": 3, "max_depth": 2, "learning_rate": 0.3}
FOREST = {"n_trees": 3, "max_features": 1, "random_state": 0}
RANKERS = {  # the algorithm, and the parameters that the port is given
    **{f"softmax, {u}": (SoftmaxBoostRanker, {**SHARED, "update": u}) for u in ("sequential", "simultaneous")},
    **{f"ordinal, {u}": (OrdinalBoostRanker, {**SHARED, "update": u}) for u in ("sequential", "simultaneous")},
    "ls": (LSBoostRanker, SHARED),
    "gbrt": (GBRTRanker, DEEP),
    "rf": (RandomForestRanker, FOREST),
    "igbrt": (IGBRTRanker, {**DEEP, **FOREST}),
}
COMPARE = """
import { readFileSync } from "node:fs";
import { recordTraining } from "%s/port/trace.js";

function findDifference(a, b, at = "") {
  if (typeof a !== "object" || a === null || b === null) return Object.is(a, b) ? null : `${at}: ${a} and ${b}`;
  const keys = new Set([...Object.keys(a), ...Object.keys(b ?? {})]);
  for (const key of keys) {
    const found = key in a && key in b ? findDifference(a[key], b[key], `${at}/${key}`) : `${at}/${key} is there once`;
    if (found) return found;
  }
  return null;
}

// by stage and place: trees of a round that see one p may be told in turns
const index = (records) => Object.fromEntries(records.map(({ stage, at, fields }) => [
  [stage, at.round, at.tree, at.output].join(" "), fields]));

for (const { name, algorithm, parameters, rows, document } of JSON.parse(readFileSync(0, "utf8"))) {
  const { records } = recordTraining(algorithm, parameters, rows);
  const difference = findDifference(index(document.records), index(records));
  console.log(`${name}: ${difference ?? `${records.length} records are equal`}`);
}
"""


def make_case(name, ranker, parameters):
    X, y = np.array(TOY["X"], np.float64), np.array(TOY["y"])
    steps = []
    manifest = find_recorder()(ranker, X, y, None, lambda *parts: steps.append(TrainingRecord(*parts)))
    rows = {"X": TOY["X"], "y": TOY["y"], "qid": None, "weight": None}
    case = {"name": name, "algorithm": ranker.algorithm, "parameters": parameters, "rows": rows}
    return case | {"document": make_document(manifest, steps)}


def compare(cases):
    """Compare documents with those of the port: a line for each."""
    text = json.dumps(cases, allow_nan=False)
    words = ["node", "--input-type=module", "-e", COMPARE % SOURCE.as_uri()]
    return subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed: the port is not run")
def test_both_sources_make_one_document_of_the_toy_query():
    cases = [make_case(name, kind(**parameters), parameters) for name, (kind, parameters) in RANKERS.items()]
    base = {"algorithm": "gbrt", "parameters": DEEP}
    for cost in ("oerr", "absolute", "squared"):
        cases.append(make_case(f"cocr, {cost}", COCRRanker(GBRTRanker(**DEEP), cost), {"cost": cost, "base": base}))
    wrong = json.loads(json.dumps(cases[0])) | {"name": "planted"}
    field = wrong["document"]["records"][-1]["fields"]["err"]
    field["values"][0] = np.nextafter(field["values"][0], 1.0)
    *lines, planted = compare([*cases, wrong])
    assert lines == [f"{case['name']}: {len(case['document']['records'])} records are equal" for case in cases]
    assert planted.startswith("planted: /metric   /err/values/0: ")
