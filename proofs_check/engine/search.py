"""From instances to findings: exhaust the small sizes, then climb at larger ones.

`examine` computes the verdict of a row at max_grade 4: `refuted` if any instance violates the claim; otherwise
`identity` for "==", and for "<=" `holds`, or `holds, vacuous` if the statement's own `vacuous` function returns true.
Then it does the same at max_grade 1, 2, 3, and at 31 by climbs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from proofs_check.engine.climbs import climb
from proofs_check.engine.evidence import Claim, ClaimEvidence, Group
from proofs_check.engine.instances import MAX_GRADE, Rankings, rankings, with_ties
from proofs_check.engine.records import Effort, Finding

LOWER, HIGHEST = (1, 2, 3), 31
FEWER_CLIMBS = 8  # at grade 31, where integers are long and a step takes many times as long


def examine(
    claim: Claim,
    effort: Effort,
    *,
    instances: Callable[[int, int], Iterator[Rankings]] = rankings,
    vacuous: Callable[[int], bool] | None = None,
    smallest: int = 1,
    largest: int | None = None,
    climbing: bool = True,
    every_grade: bool = True,
) -> Finding:
    """Settle one claim on rankings.

    Parameters
    ----------
    claim : function
        Takes Rankings and returns one Comparison, or several that must all hold.
    effort : Effort
        The extent of the search.
    instances : function, default rankings
        Takes n and max_grade and yields every instance, up to symmetry, in batches.
    vacuous : function, optional
        Takes max_grade and returns whether the bound of a claim that holds is vacuous.
    smallest : int, default 1
        The first n.
    largest : int, optional
        The last n; by default that of the effort.
    climbing : bool, default True
        Whether to climb on an inequality that no enumerated instance violates. False for other instances than those of
        `rankings`, since climbs know no others.
    every_grade : bool, default True
        Whether to check other grades than 0 to 4. False for a claim whose constants are for these grades.

    Raises
    ------
    ValueError
        If there is no instance to check.
    """
    last = effort.n_max if largest is None else largest

    def look(max_grade: int, sizes: tuple[int, ...], count: int, relation: str = "") -> ClaimEvidence:
        evidence, enumerated = ClaimEvidence(claim, relation=relation or "<="), not relation
        for n in range(smallest, last + 1) if enumerated else ():
            evidence.enumerate(n, instances(n, max_grade))
            if evidence.bad:
                break
        if enumerated and evidence.seen == 0:
            raise ValueError(f"instances gave nothing for n = {smallest}..{last}: nothing was checked")
        for n in sizes if climbing else ():
            if not evidence.bad and n >= smallest:
                climb(claim, evidence, n, count, max_grade, effort.seed)
        return evidence

    def conclude(evidence: ClaimEvidence, max_grade: int) -> Finding:
        return evidence.conclude(None if vacuous is None else partial(vacuous, max_grade))

    of_papers = look(MAX_GRADE, effort.climb_sizes, effort.climbs)
    finding = conclude(of_papers, MAX_GRADE)
    if not every_grade:
        return finding
    grades = {max_grade: conclude(look(max_grade, (), 0), max_grade) for max_grade in LOWER}
    if climbing:
        grades[HIGHEST] = conclude(look(HIGHEST, effort.high_sizes, FEWER_CLIMBS, of_papers.relation), HIGHEST)
    return replace(finding, grades=grades)


def settle(claim: Claim, **options: Any) -> Callable[[Effort], Finding]:
    """Build a row's `check`: `examine` with the claim and its options bound."""
    return lambda effort: examine(claim, effort, **options)


settle_tied = partial(settle, instances=with_ties)  # the orders of ties of g, too


def settle_cases(
    claim: Claim, instances: Callable[[int], Iterator[Group]], largest: int | None = None, *, smallest: int = 1
) -> Callable[[Effort], Finding]:
    """Build a row's `check` on instances that are not rankings of grades.

    Parameters
    ----------
    claim : function
        Takes what `instances` yields, Cases as a rule.
    instances : function
        Takes n, which need not be a number of documents (it may be K), and yields every instance of size n.
    largest : int, optional
        The last n; by default that of the effort.
    smallest : int, default 1
        The first n.
    """

    def check(effort: Effort) -> Finding:
        evidence = ClaimEvidence(claim)
        last = effort.n_max if largest is None else largest
        for n in range(smallest, last + 1):
            evidence.enumerate(n, instances(n))
            if evidence.bad:
                break
        if evidence.seen == 0:
            raise ValueError(f"instances gave nothing for n = {smallest}..{last}: nothing was checked")
        return evidence.conclude()

    return check
