"""The claims of McRank and iGBRT in docs/reference/papers.md: what they name exists, and each has its reason."""

import json
import re
from typing import get_args

import pytest

from tests.meta.claims import PaperClaim, Verdict, igbrt, mcrank, write_claims
from tests.meta.papers_map import ROOT

ALL = [*mcrank.CLAIMS, *igbrt.CLAIMS]
STATEMENTS = {row["id"] for row in json.loads((ROOT / "proofs_check" / "tests" / "verdicts.json").read_text())}


def find_unknown(evidence: str) -> str:
    """Return what a test or a command names that does not exist, or an empty text."""
    if evidence.startswith(("tests/", "proofs_check/")):
        file, name = evidence.split("::")
        path = ROOT / file
        return "" if path.is_file() and re.search(rf"^def {name}\(", path.read_text(), re.M) else evidence
    if statement := re.fullmatch(r"python -m proofs_check --statement ([\w.]+)", evidence):
        return "" if any(known.startswith(statement[1]) for known in STATEMENTS) else evidence
    if module := re.match(r"python -m (benchmarks[\w.]*)", evidence):
        path = ROOT / module[1].replace(".", "/")
        return "" if path.with_suffix(".py").is_file() or (path / "__main__.py").is_file() else evidence
    return "" if re.fullmatch(r"refrank reproduce (mcrank|igbrt)( --[\w-]+( [\w-]+)?)?", evidence) else evidence


@pytest.mark.parametrize("claim", ALL, ids=lambda claim: f"{claim.where}: {claim.words[:40]}")
def test_a_claim_has_a_verdict_a_reason_and_evidence_that_exists(claim):
    assert claim.verdict in get_args(Verdict)
    assert claim.found.endswith(".")
    assert [item for item in claim.evidence if find_unknown(item)] == []
    assert claim.evidence or claim.verdict == "not examined"
    assert re.fullmatch(r"(Abstract|Sec\. [\d.]+|App\. I+)(, ((Sec|App)\. )?([\d.]+|II|footnote 2))*", claim.where)


@pytest.mark.parametrize(
    "evidence",
    [
        "tests/meta/test_claims.py::test_nothing",
        "tests/meta/test_nothing.py::test_nothing",
        "python -m proofs_check --statement mcrank.lemma9",
        "python -m benchmarks.accuracy.nothing",
        "refrank reproduce nothing",
    ],
)
def test_evidence_that_does_not_exist_is_found(evidence):
    assert find_unknown(evidence) == evidence


def test_a_claim_is_told_once():
    assert len({claim.words for claim in ALL}) == len(ALL)


def test_a_row_of_the_table():
    claim = PaperClaim(
        "Sec. 9", "a is above b", "holds", "Measured.", ("tests/a.py::test_a", "refrank reproduce igbrt")
    )
    assert write_claims((claim,))[-1] == (
        "| Sec. 9 | a is above b | holds | Measured. | `tests/a.py::test_a`, `refrank reproduce igbrt` |"
    )
