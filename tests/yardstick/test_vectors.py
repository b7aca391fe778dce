"""The vectors: the committed folder, its form, and the runner."""

import json
import re
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

from generators.cases import FAMILIES as MADE
from generators.cases.notes import NOTES
from generators.vectors import make_files, print_case
from refrank.cli import main
from tests.regenerate import renew_with
from yardstick.numbers.difference import compare, find_difference
from yardstick.vectors.files import FAMILIES, FILES, FOLDER, STREAMS_FILE, load_vectors
from yardstick.vectors.running import run_vectors

CASES = load_vectors().cases
SCHEMA = jsonschema.Draft202012Validator(json.loads((FOLDER / "schema.json").read_text()))
REFRANK = {function.name: function.compute for family in MADE for function in family.functions}


def test_the_committed_folder_is_written_again_byte_for_byte():
    written = make_files()
    assert {*written, "schema.json", STREAMS_FILE} == {path.name for path in FOLDER.iterdir()} == {*FILES}
    different = [name for name, text in written.items() if (FOLDER / name).read_bytes() != text.encode()]
    assert different == [], renew_with("yardstick/vectors/data")
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 2 * 2**20


def test_the_command_writes_the_folder(tmp_path, capsys):
    new, own = tmp_path / "new", {name: (FOLDER / name).read_bytes() for name in FILES}
    assert main(["vectors", str(new)]) == 0
    said = [f"{new / name}: {len(content):,} bytes" for name, content in own.items()]
    assert capsys.readouterr().out.splitlines() == said
    assert {path.name: path.read_bytes() for path in new.iterdir()} == own
    assert main(["vectors", str(new / FILES[0])]) == 1


def test_the_files_have_the_form_of_the_schema_and_keep_the_rules_beside_it_and_are_read_whole():
    documents = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in FAMILIES}
    before, functions = {}, [name for document in documents.values() for name in document["functions"]]
    for family, document in documents.items():
        SCHEMA.validate(document)
        assert document["family"] == family
        for case in document["cases"]:
            function, answers = document["functions"][case["function"]], case["answers"]
            of = before[case["input_of"]] if "input_of" in case else case
            assert of["function"] == case["function"]
            assert of["input"].keys() == function["inputs"].keys()
            assert all(answer["output"].keys() == function["outputs"].keys() for answer in answers)
            flags = {*case.get("flags", ()), *(answer["flag"] for answer in answers if "flag" in answer)}
            assert flags <= document["notes"].keys()
            before[case["id"]] = case
    assert len({*functions}) == len(functions)
    read = [replace(case, ulps=0 if case.of else case.ulps) for case in CASES]  # of its case
    written = [case for document in documents.values() for case in document["cases"]]
    assert [json.loads(print_case(case)) for case in read] == written  # so each has an id of its own


def test_every_flag_is_used_and_every_function_has_a_case():
    assert {flag for case in CASES for flag in (*case.flags, *(of.flag for of in case.answers))} - {""} == {*NOTES}
    assert {case.function for case in CASES if case.result != "invalid"} == {*load_vectors().functions} == {*REFRANK}


def run(function, id, **settings):
    """The outcomes of a case and of its faults."""
    cases = [case for case in CASES if id in (case.id, case.of)]
    return list(run_vectors({cases[0].function: function}, cases, **settings))


SOFTMAX = "numbers/softmax/four-classes"


def test_a_wrong_number_is_named_with_its_place():
    def softmax(scores):
        right = REFRANK["softmax"](scores)
        right[1, 2] = np.nextafter(right[1, 2], 1.0)
        return right

    first, *faults = run(softmax, SOFTMAX)
    answered = first.difference.actual
    assert f"proba[1, 2] is {answered} ({answered.hex()}), expected" in str(first)
    assert str(first).endswith(": 1 ulp away")
    assert {outcome.verdict for outcome in [*faults, *run(softmax, SOFTMAX, ulps=1)]} == {"passed"}


def test_every_planted_answer_is_found_and_named():
    """A port that gives the answer of a fault fails, under its name; one that makes a lawful choice is acceptable."""
    for case in CASES:
        for at, answer in enumerate(case.answers):
            outcomes = {of.case: of for of in run(lambda _output=answer.output, **_: dict(_output), case.of or case.id)}
            outcome = outcomes[case.of or case.id]
            verdict = "failed" if case.of else "acceptable" if at else "passed"
            assert (outcome.verdict, outcome.flag) == (verdict, answer.flag if at or case.of else ""), case.id
            assert not case.of or f"this is what {answer.flag} gives" in str(outcome)
            assert not case.of or outcomes[case.id].verdict == "failed"


FORMS = [
    (lambda scores: 1.0, "failed", r"shape of proba is \(\), expected \(3, 4\)"),
    (lambda scores: "text", "failed", "array has type <U4: it must hold integers or floats"),
    (lambda scores: None, "failed", "array has type object: it must hold integers or floats"),
    (lambda scores: (scores, scores), "failed", "answer has 2 parts: it must have 1, proba"),
    (lambda scores: {"p": scores}, "failed", "answer has p: it must have proba"),
    (lambda scores: [[1.0], [1.0, 2.0]], "failed", "inhomogeneous"),
    (lambda scores: 1 / 0, "raised", "ZeroDivisionError: division by zero"),
    (lambda scores: exit(3), "raised", "the function ended the program"),
    (lambda: 1.0, "raised", "TypeError"),
    (None, "not offered", ""),
]
REFUSAL = [(lambda: 0.5, "passed", ""), (lambda **_: 0.5, "failed", "it answers: it must refuse this input")]
CALLS = [*((SOFTMAX, *row) for row in FORMS), *(("metrics/ndcg/nan-score", *row) for row in REFUSAL)]


@pytest.mark.parametrize(("case", "function", "verdict", "message"), CALLS, ids=range(len(CALLS)))
def test_an_answer_of_another_form_is_one_line_and_an_input_is_refused_by_any_error(case, function, verdict, message):
    outcome = run(function, case)[0]
    assert outcome.verdict == verdict
    assert re.search(message, outcome.message)
    assert "\n" not in str(outcome)


def test_a_function_is_called_once_per_input_and_cannot_change_it():
    calls = []

    def softmax(scores):
        calls.append(scores.copy())
        scores[:] = 0.0
        return scores

    for _ in range(2):
        assert len(run(softmax, SOFTMAX)) > 2
    assert np.array_equal(*calls)


@pytest.mark.parametrize(
    ("expected", "answered", "ulps", "equal"),
    [
        ([0.0], [-0.0], 0, False),
        ([0.0], [-0.0], 1, True),
        ([np.nan], [-np.nan], 0, True),
        ([np.inf, np.nan], [1e308, np.nan], 2**52, False),
        ([1.0, 1e-30], [1.0, 0.0], 1, True),  # in units of the largest entry
        ([1.0], [1.0 + 2**-51], 1, False),
        ([1.0], [1.0 + 2**-51], 2, True),
        ([2**53 + 1], [float(2**53)], 0, False),
        ([3], [3.0], 0, True),
        ([3], [3.5], 2**60, False),
        ([-1], np.array([2**64 - 1], np.uint64), 0, False),
    ],
)
def test_numbers_are_compared_by_their_bits_or_within_ulps(expected, answered, ulps, equal):
    difference = find_difference({"x": np.array(expected)}, {"x": np.array(answered)}, ulps)
    assert (difference is None) == equal


def test_the_first_difference_is_that_of_the_first_entry_and_else_of_the_shape():
    arrays = [np.array(values) for values in ([0.0, 2.0], [-0.0, 3.0], [0.0], [[0.0]], 0.0)]
    said = [str(compare("x", arrays[0], other)) for other in arrays]
    assert said[:2] == ["None", "x[0] is -0.0 (-0x0.0p+0), expected 0.0 (0x0.0p+0): 1 ulp away"]
    assert said[2:] == [f"shape of x is {shape}, expected (2,)" for shape in ("(1,)", "(1, 1)", "()")]
    assert str(compare("x", np.array([3, 5]), np.array([4]))) == "x[0] is 4, expected 3"
    assert compare("x", np.array([np.inf]), np.array([np.nan])).ulps is None


def test_the_tolerance_of_a_case_counts():
    id = "lambdas/ranknet_gradients/four-documents"
    case, fault, *_ = (case for case in CASES if case.id == id or (case.of == id and case.answers))
    near = {name: np.nextafter(array, np.inf) for name, array in case.answers[0].output.items()}
    assert fault.ulps == case.ulps > 0
    for ulps, verdict in ((0, "failed"), (case.ulps, "passed")):
        outcomes = run_vectors({case.function: lambda **_: near}, [replace(case, ulps=ulps)])
        assert [outcome.verdict for outcome in outcomes] == [verdict]
