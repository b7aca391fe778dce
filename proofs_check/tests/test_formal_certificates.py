"""Certificates of `refrank bounds --certify`: Coq accepts those that refrank writes, and refuses wrong ones.

Their numbers are tested in tests/bounds/test_certificates.py.
"""

import numpy as np
import pytest

from proofs_check.tests.compiling import compile_library, run_coqc
from refrank.bounds.certificates import write_certificates

PRINTED = "\nPrint Assumptions query_1_holds.\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_library(tmp_path_factory.mktemp("library"), "Certificates")


def judge(library, path, text):
    path.write_text(text)
    return run_coqc(library, path)


@pytest.mark.parametrize(("max_grade", "k"), [(1, 1), (4, 3), (6, None)])
def test_coq_accepts_what_refrank_writes_and_needs_no_axiom(library, tmp_path, max_grade, k):
    draw = np.random.default_rng(max_grade)
    qid = np.repeat([7, 3, 5, 9], [1, 2, 9, 40])
    y = draw.integers(0, max_grade + 1, len(qid))
    score = y + draw.normal(size=len(qid)) * 1.5
    run = judge(library, tmp_path / "ranking.v", write_certificates("ranking.v", y, score, qid, max_grade, k) + PRINTED)
    assert (run.returncode, run.stdout, run.stderr) == (0, "Closed under the global context\n", "")


WRONG = [
    ("err_error := 721 # 1536", "err_error := 720 # 1536"),
    ("dcg_error := 12760912276866471 #", "dcg_error := 12760912276866470 #"),
    ("labels := [:: 0; 4; 1]", "labels := [:: 4; 0; 1]"),
    ("labels := [:: 0; 4; 1]", "labels := [:: 0; 5; 1]"),
    ("labels := [:: 0; 4; 1]", "labels := [:: 0; 4]"),
    ("grades := [:: 3; 3; 0]", "grades := [:: 3; 0; 3]"),
    ("grades := [:: 3; 3; 0]", "grades := [:: 3; 3]"),
    ("predictions := [:: 0x1.9", "predictions := [:: 0x1.1"),
    ("table : seq Q := [:: 0x1.0000000000000p+0", "table : seq Q := [:: 0x1.0000000000000p-4"),
    ("(dcg_by_errors, 7.500000000", "(dcg_by_errors, 7.499999999"),
    ("(dcg_threshold, 7.500000000", "(dcg_threshold, 7.499999999"),
    ("(err_threshold, 0.625000001", "(err_threshold, 0.625"),
    ("(min_pairing, 7.549834436", "(min_pairing, 7.549834434"),
    ("(regression_error, 8.404107613", "(regression_error, 5.5"),
    ("(err_rr_dcg, 0.479166667", "(err_rr_dcg, 0.479166666"),
    ("(err_oerr, 0.629152870", "(err_oerr, -0.629152870"),
    ("highest := 4", "highest := 3"),
]


def test_coq_refuses_a_wrong_number(library, tmp_path):
    """One wrong file is refused; the numbers of the others are not certified, which is asked in one file for all."""
    text = write_certificates("ranking.v", [0, 4, 1], [2.9, 2.6, 0.2], [7, 7, 7])
    assert all(right in text for right, _ in WRONG)
    texts = [text.replace(right, wrong) for right, wrong in WRONG]
    run = judge(library, tmp_path / "wrong.v", texts[0])
    assert run.returncode == 1
    assert 'The term "erefl true" has type "true = true"' in run.stderr
    head, _, claim = text.partition("\nDefinition table")
    refused = "Goal certified query_1 = false. Proof. vm_compute; reflexivity. Qed."
    modules = [head]
    for number, wrong in enumerate(texts):
        body = wrong.removeprefix(head).replace(claim.partition("|}.\n")[2], f"{refused}\n")
        modules.append(f"Module Wrong{number}.{body}End Wrong{number}.")
    run = judge(library, tmp_path / "all.v", "\n".join(modules))
    assert (run.returncode, run.stderr) == (0, "")
