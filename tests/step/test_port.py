"""The port's trainings on the toy query and random ones, under `conform diff`: equal to refrank's in every bit."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from refrank.estimators import COCRRanker, GBRTRanker
from refrank.estimators.registry import RANKERS
from refrank.inspection.step.page import SOURCE
from tests.yardstick.trainings import record
from yardstick.divergence.comparing import compare_traces
from yardstick.traces.reader import open_trace
from yardstick.traces.stages import STAGES, LabelledRows
from yardstick.traces.writer import FORMAT, VERSION

BOOSTED = {"n_rounds": 2, "n_leaves": 3, "learning_rate": 0.3}
DEEP = {"n_rounds": 2, "max_depth": 2, "learning_rate": 0.3}
FOREST = {"n_trees": 2, "max_features": 1, "random_state": 3}
BASE = {"algorithm": "gbrt", "parameters": DEEP}
TRAININGS = (
    *(("softmax", BOOSTED | {"update": update}) for update in ("sequential", "simultaneous")),
    *(("ordinal", BOOSTED | {"update": update}) for update in ("sequential", "simultaneous")),
    *(("ls", BOOSTED), ("gbrt", DEEP), ("rf", FOREST), ("igbrt", DEEP | FOREST)),
    *(("cocr", {"cost": cost, "base": BASE}) for cost in ("oerr", "absolute", "squared")),
)
RUN = """
import { readFileSync } from "node:fs";
import { recordTraining } from "%s/port/trace.js";
for (const { algorithm, parameters, rows } of JSON.parse(readFileSync(0, "utf8")))
  console.log(JSON.stringify(recordTraining(algorithm, parameters, rows), (_, x) => (Object.is(x, -0) ? "-0" : x)));
"""


def draw_query(number, is_single):
    """Draw the rows of a small query: of values that tie, of both zeros, of subnormals, a row alone, a class empty."""
    rng = np.random.default_rng(number)
    n = 1 if is_single else int(rng.integers(2, 12))
    values = ([0.0, 1.0, 2.0], [-0.0, 0.0, 5e-324, 1e-310], [-1e300, 0.1, 0.3, 1e300])[number % 3]
    X = rng.choice(values, (n, 3)) if number % 4 else rng.normal(size=(n, 3))
    y = rng.choice([0, 2] if number % 5 == 0 else [0, 1, 2, 3], n)
    y[:2] = [0, 2][:n]  # a ranker by classes needs two
    weight = rng.integers(1, 5, n) / 4.0 if number % 2 else None
    return LabelledRows(X, y, np.sort(rng.integers(0, 2, n)), weight)


def read_toy():
    toy = json.loads((SOURCE / "toy.json").read_text())
    return LabelledRows(np.array(toy["X"], np.float64), np.array(toy["y"]), None)


def list_cases():
    """List trainings on the toy query, and one on each of fifty others; no weights where the port takes none."""
    for algorithm, parameters in TRAININGS:
        yield algorithm, parameters, read_toy()
    for number in range(50):
        algorithm, parameters = TRAININGS[number % len(TRAININGS)]
        rows = draw_query(number, is_single=number > 30 and algorithm in ("gbrt", "rf", "igbrt"))
        yield algorithm, parameters, rows._replace(weight=None) if algorithm == "cocr" else rows


def make_ranker(algorithm, parameters):
    if algorithm == "cocr":
        return COCRRanker(GBRTRanker(**DEEP), parameters["cost"])
    return RANKERS[algorithm](**parameters)


def train_in_node(cases):
    """Train the port on all cases in one process; return the documents."""
    asked = [
        {
            "algorithm": a,
            "parameters": p,
            "rows": {k: None if v is None else v.tolist() for k, v in r._asdict().items()},
        }
        for a, p, r in cases
    ]
    words = ["node", "--input-type=module", "-e", RUN % SOURCE.as_uri()]
    done = subprocess.run(words, input=json.dumps(asked), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def write_trace(folder, document):
    """Write a document of the port as a trace, and open it: arrays get the types of their stages."""
    folder.mkdir()
    lines = []
    for made in document["records"]:
        kinds = {**STAGES[made["stage"]].fields, **STAGES[made["stage"]].beside}
        for name, field in made["fields"].items():
            field["dtype"] = "float64" if kinds[name] == "float" else "int64"
            field["values"] = [float(x) if x == "-0" else x for x in field["values"]]
        lines.append(json.dumps(made))
    (folder / "records.jsonl").write_text("\n".join([*lines, ""]))
    manifest = {"format": FORMAT, "version": VERSION, "algorithm": document["manifest"]["algorithm"]}
    (folder / "manifest.json").write_text(json.dumps(manifest | {"n_records": len(lines)}))
    return open_trace(folder)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed: the port is not run")
def test_the_port_agrees_in_every_bit(tmp_path):
    cases = [*list_cases()]
    for number, (document, (algorithm, parameters, rows)) in enumerate(zip(train_in_node(cases), cases, strict=True)):
        golden = record(tmp_path / f"golden{number}", make_ranker(algorithm, parameters), rows=rows)
        comparison = compare_traces(golden, write_trace(tmp_path / f"port{number}", document))
        assert comparison.passes, (number, algorithm, rows, comparison.first)
        assert {verdict for of in comparison.counts.values() for verdict in of} == {"agrees"}, comparison.counts
