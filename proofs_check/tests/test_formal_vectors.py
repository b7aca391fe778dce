"""Vectors.v: the numbers of refrank-vectors, computed by Coq with the functions that the theorems are about.

What Python, NumPy and the kernel answer to the same cases is tested in tests/yardstick/test_vectors.py.
"""

import json
import shutil

import pytest

from proofs_check.formal import vectors
from proofs_check.tests.compiling import compile_library, run_coqc
from yardstick.vectors.files import FOLDER


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_library(tmp_path_factory.mktemp("library"), "Ranked")


def test_every_answer_is_computed_or_left_out_by_a_rule():
    left_out = {}
    examples = [*vectors.write_examples(FOLDER, left_out)]
    documents = [json.loads((FOLDER / f"{family}.json").read_text()) for family in vectors.FAMILIES]
    answers = sum(max(len(case["answers"]), 1) for document in documents for case in document["cases"])
    counts = {rule: len(functions) for rule, functions in left_out.items()}
    assert len(examples) + sum(counts.values()) == answers
    assert len(examples) == 109
    assert counts == {
        vectors.NOT_IN_METRICS: 70,
        vectors.EXPONENTIAL: 103,
        vectors.REFUSED: 15,
        vectors.OWN_TABLE: 3,
        vectors.ANSWERS: 3,
    }
    # faults are there to be found, and are not
    assert sum("= false." in example for example in examples) == 43


def test_coq_computes_the_numbers_of_the_vectors(library, tmp_path):
    run = run_coqc(library, vectors.write_vectors(tmp_path))
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "changed",
    [
        "metrics/err/all-documents",
        "metrics/ndcg/long-list",
        "cocr/costs/oerr",
        "probabilities/expected_relevance/power",
        "rounds/leaf_values/weighted",
    ],
)
def test_a_changed_number_is_refused(library, tmp_path, changed):
    data = tmp_path / "data"
    shutil.copytree(FOLDER, data)
    file = data / f"{changed.split('/')[0]}.json"
    document = json.loads(file.read_text())
    (answer,) = (case["answers"][0]["output"] for case in document["cases"] if case["id"] == changed)
    (array,) = answer.values()
    array["values"][0] += 1
    if "hex" in array:
        array["hex"][0] = (float.fromhex(array["hex"][0]) * (1 + 2**-40)).hex()
    file.write_text(json.dumps(document))
    path = vectors.write_vectors(tmp_path, data)
    run = run_coqc(library, path)
    at = int(run.stderr.split("line ")[1].split(",")[0])
    assert run.returncode == 1
    assert f"Example {changed.replace('/', '_').replace('-', '_')} :" == path.read_text().splitlines()[at - 4]
    assert 'Unable to unify "true" with "false"' in run.stderr
