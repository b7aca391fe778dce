"""The parts of a statement: rows to check, where they come from, and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

HOLDS, VACUOUS, IDENTITY, REFUTED, FAILS = "holds", "holds, vacuous", "identity", "refuted", "fails"
PRINTED, CITED, IMPLIED, OURS = "printed", "cited", "implied", "ours"
PROSE, SMT = "prose", "smt"
DIGITS = 9  # of a ratio in the table: the last bits of a root are not the same on all machines


@dataclass(frozen=True)
class Effort:
    """The extent of a search.

    Parameters
    ----------
    n_max : int
        All instances up to this many documents are enumerated, at max_grade 1 to 4.
    climbs : int
        Hill climbs per entry of `climb_sizes`, at max_grade 4.
    climb_sizes : tuple of int
        Numbers of documents there.
    high_sizes : tuple of int
        The same at max_grade 31, where nothing is enumerated.
    """

    n_max: int = 5
    climbs: int = 20
    climb_sizes: tuple[int, ...] = (6, 8, 12)
    high_sizes: tuple[int, ...] = (2, 3, 4)
    seed: int = 20

    @property
    def deep(self) -> bool:
        return self.n_max > 5


CI = Effort()
DEEP = Effort(n_max=6, climbs=40, climb_sizes=(7, 10, 16, 24), high_sizes=(2, 3, 4, 6, 8))


@dataclass(frozen=True)
class Finding:
    """The result of checking one row.

    Parameters
    ----------
    verdict : str
        For the papers' grades, 0 to 4.
    counterexample : str or None
        The smallest violation, if the row is false.
    max_ratio : float or None
        The largest left/right found; None for an identity, and where no right side is positive.
    ratio_at : str
        Where.
    mean_ratio : float or None
        The mean of left/right over the enumerated instances and over all comparisons of the claim. It moves if
        any of them is loosened, the largest ratio only if the tightest is. None: not an inequality.
    exhaustive_n : int
        The largest size that was enumerated, 0 if none was.
    instances : int
        How many instances were enumerated.
    grades : mapping of int to Finding
        The same with another highest grade, by that grade: 1 to 3 enumerated, 31 climbed.
    may_shrink : float or str or None
        The share by which the right side may shrink before a ranking that was found refutes it: 1 - max_ratio. In words
        if there is no such number: "zero-sided" if both sides only ever meet at 0, "never binds" if no left side is
        positive, "yes or no" if one side states whether something is so. None: not an inequality that holds.
    """

    verdict: str
    counterexample: str | None = None
    max_ratio: float | None = None
    ratio_at: str = ""
    mean_ratio: float | None = None
    exhaustive_n: int = 0
    instances: int = 0
    grades: Mapping[int, Finding] = field(default_factory=dict)
    may_shrink: float | str | None = None

    def as_record(self) -> dict[str, Any]:
        """Build the record for `--json`: ratios rounded to `DIGITS` digits, other grades as records of their own."""
        record: dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self) if part.name != "grades"}
        for name in ("max_ratio", "mean_ratio", "may_shrink"):
            if isinstance(record[name], float):
                record[name] = round(record[name], DIGITS)
        if self.grades:
            record["grades"] = {str(grade): finding.as_record() for grade, finding in self.grades.items()}
        return record


@dataclass(frozen=True)
class Row:
    """One line of the table: a statement or a step of its proof, and the function that settles it.

    The row with the bare id of a statement, such as `mcrank.lemma1`, holds its verdict under the stated premises.
    The steps `mcrank.lemma1.step1`, `.step2` follow in printed order; weaker premises and other readings are
    `mcrank.lemma1.variant-...`.

    Parameters
    ----------
    id, paper, statement, step : str
        Name; the paper; the claim; its place in the proof, or what sets it apart.
    check : function
        Settles it with a given effort.
    source : {"printed", "cited", "implied", "ours"}
        Whether the paper prints it, prints it as the work of others, implies it by an example or by what it does, or
        none of these. Only printed or cited claims have the verdict "refuted". Ours are statements that we prove, and
        controls: claims that fail, to show why a premise is needed.
    where : str
        Section of the paper, and its words; "" for ours.
    proof : str
        Where to read the proof: "docs/FILE.md, HEADING", or the module.
    kind : str
        "prose"; "smt n <= 4" if an SMT solver found no real numbers against it up to that n; "smt" if for every n.
    formal : str
        Theorems that Coq's kernel checks, "Bounds.v err_below_rr_dcg", with ", " between them; "" if there is none.
    """

    id: str
    paper: str
    statement: str
    step: str
    check: Callable[[Effort], Finding]
    source: str = OURS
    where: str = ""
    proof: str = ""
    kind: str = PROSE
    formal: str = ""

    def find(self, effort: Effort) -> Finding:
        """Settle the row: a false claim is refuted if a paper prints it, and fails otherwise."""
        finding = self.check(effort)
        grades = {max_grade: self.name_verdict(other) for max_grade, other in finding.grades.items()}
        return replace(self.name_verdict(finding), grades=grades)

    def name_verdict(self, finding: Finding) -> Finding:
        """Name the verdict on a false claim according to its source."""
        refuted = finding.verdict == REFUTED and self.source not in (PRINTED, CITED)
        return replace(finding, verdict=FAILS) if refuted else finding

    def as_record(self, finding: Finding) -> dict[str, Any]:
        """Build the object that `--json` writes for this row."""
        own = ("id", "paper", "statement", "step", "source", "where", "proof", "kind", "formal")
        return {name: getattr(self, name) for name in own} | finding.as_record()


def count_kinds(records: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the records of rows by what supports them: for true rows a theorem, a solver, prose; for false ones a case.

    >>> count_kinds([{"formal": "", "kind": "smt n <= 4", "counterexample": None}])
    {'formal': 0, 'smt': 0, 'smt up to n': 1, 'prose': 0, 'computed': 0, 'enumerated': 0}
    """
    counts = dict.fromkeys(("formal", SMT, "smt up to n", PROSE, "computed", "enumerated"), 0)
    for record in records:
        if record["counterexample"]:
            counts["computed" if record["formal"] else "enumerated"] += 1
        elif record["formal"]:
            counts["formal"] += 1
        else:
            counts[record["kind"] if record["kind"] in counts else "smt up to n"] += 1
    return counts


@dataclass(frozen=True)
class Line:
    """One row of a statement, before `table` adds what all its rows share."""

    name: str
    statement: str
    step: str
    check: Callable[[Effort], Finding]
    source: str | None = None
    where: str | None = None
    proof: str | None = None
    kind: str = PROSE


def table(
    id: str, paper: str, *lines: Line | Row, source: str = PRINTED, where: str = "", proof: str = ""
) -> list[Row]:
    """Build the rows of one statement.

    Parameters
    ----------
    id : str
        The statement, such as "mcrank.lemma1".
    paper : str
        Where it is printed, such as "McRank".
    *lines : Line, or Row
        Name is "" for the statement itself, otherwise "step1", "variant-..." and so on.
    source : str, default "printed"
        Source of the statement and its steps; variants without a source are ours.
    where, proof : str, default ""
        For the lines without their own; `where` applies to lines that are not ours.
    """
    rows = []
    for line in lines:
        if isinstance(line, Row):
            rows.append(line)
            continue
        whose = line.source or (OURS if line.name.startswith("variant-") else source)
        place = line.where if line.where is not None else where if whose != OURS else ""
        anchor = proof if line.proof is None else line.proof
        name = f"{id}.{line.name}" if line.name else id
        rows.append(Row(name, paper, line.statement, line.step, line.check, whose, place, anchor, line.kind))
    return rows
