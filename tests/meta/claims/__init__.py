"""Claims of McRank and iGBRT, sentence by sentence: a row each in docs/reference/papers.md, in the order of the paper.

A claim is a sentence about experiments, or about theory outside of a numbered lemma. A sentence that a paper repeats
has one row, with all its places. COCR's claims are places of the map: `tests.meta.contents.CLAIMS`.
"""

from typing import Literal, NamedTuple

Verdict = Literal["holds", "does not hold", "depends", "not decided", "not examined"]


class PaperClaim(NamedTuple):
    """One row: the claim in our words, and what became of it here."""

    where: str  # "Sec. 6.3", "Sec. 1 and 7"
    words: str
    verdict: Verdict
    found: str  # what was measured or proved, with a link; the reason where the claim is not examined
    evidence: tuple[str, ...] = ()  # tests "tests/...::name", and commands


def write_claims(claims: tuple[PaperClaim, ...]) -> list[str]:
    """Write the table of one paper."""
    lines = ["| place | claim | verdict | found | tests, commands |", "|---|---|---|---|---|"]
    for claim in claims:
        evidence = ", ".join(f"`{item}`" for item in claim.evidence)
        lines.append(f"| {' | '.join((claim.where, claim.words, claim.verdict, claim.found, evidence))} |")
    return lines
