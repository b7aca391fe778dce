"""Certificates of a ranking's exact errors, and of bounds on them: a file of theorems, one per query, for Coq to check.

The functions that check a certificate, and the proof that what it claims holds, are in the folder proofs_check/formal:
Checker.v and Certificates.v. Numbers are rational. Labels, grades and discounts are those of `report_bounds`; a
discount is the float64 number itself. A bound is rounded up to nine decimals.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.bounds.checks import check_loss_scores
from refrank.checks import check_integer, check_labels
from refrank.cocr.costs import LARGEST_MAX_GRADE
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.queries import check_cutoff, group_rows

DECIMALS = 9
GRID = 2**64  # Checker.v adds up multiples of 1/GRID

HEAD = """\
(* The exact errors of a ranking and bounds on them, written by refrank bounds --certify.

       proofs_check/formal/check --keep FOLDER
       coqc -R FOLDER Refrank {name}

   The first command compiles the proofs, once. The second accepts this file only if every line of it is right. What
   `holds` means is defined in Checker.v: no order of these labels has a larger DCG or ERR than the ranking by more than
   the errors, an order has that much more, and no bound is below its error. Certificates.v proves that all this holds
   where the computation accepts the numbers:

       dcg_by_errors, dcg_threshold    by the theorems of these names, of Thresholds.v
       min_pairing, regression_error   by pairing_squared of Pairings.v and dcg_error_below_misses of Bounds.v
       err_rr_dcg                      by err_below_rr_dcg of Bounds.v
       err_oerr                        by the last three of them
       err_threshold                   by err_below_rr_dcg and dcg_threshold

   A discount is the float64 number that refrank reads; places beyond the last one have the last one. *)
Set Warnings "-notation-overridden".
From Refrank Require Import Certificates.

Definition table : seq Q := [:: {discounts}]%Q.
"""

QUERY = """
(* query {qid} *)
Definition query_{number} : certificate := {{|
  highest := {max_grade}; discounts := table;
  labels := {labels};
  grades := {grades};
  predictions := {predictions};
  dcg_error := {dcg_error};
  err_error := {err_error};
  bounds := [:: {bounds}] |}}.
Theorem query_{number}_holds : holds query_{number}.
Proof. apply: certified_holds; vm_cast_no_check (erefl true). Qed.
"""


def write_certificates(
    name: str, y: ArrayLike, score: ArrayLike, qid: ArrayLike, max_grade: int = 4, k: int | None = None
) -> str:
    """Return the text of a file of Coq of this name: a theorem per query, in the order of `report_bounds`."""
    max_grade = check_integer("max_grade", max_grade, at_least=1, at_most=LARGEST_MAX_GRADE)
    labels = check_labels(y, highest=max_grade)
    scores = check_loss_scores(score, len(labels))
    queries, k, ids = group_rows(qid, len(labels)), check_cutoff(k), np.asarray(qid)
    lists = np.split(queries.rows, queries.starts[1:])
    longest = max(map(len, lists))
    table = [float(c) for c in tabulate_discounts(min(longest, (k or longest) + 1), k)]
    parts = [HEAD.format(name=name, discounts="; ".join(c.hex() for c in table))]
    for number, unranked in enumerate(lists, start=1):
        rows = unranked[np.argsort(-scores[unranked], kind="stable")]
        exact = [Fraction(table[min(place, len(table) - 1)]) for place in range(len(rows))]
        fields = _write_query(labels[rows], np.clip(scores[rows], 0, max_grade), max_grade, exact)
        comment = str(ids[unranked[0]]).replace("*", "").replace('"', "")
        parts.append(QUERY.format(qid=comment, number=number, max_grade=max_grade, **fields))
    return "".join(parts)


def _write_query(y: Ints, clipped: Floats, max_grade: int, discount: Sequence[Fraction]) -> dict[str, str]:
    """Write the fields of a certificate; labels and clipped scores are in ranked order."""
    labels, grades = y.tolist(), np.rint(clipped).astype(np.int64).tolist()
    # two powers of nearly equal scores may be rounded to floats in the other order
    predictions = np.minimum.accumulate(np.exp2(clipped) - 1.0).tolist()
    best = sorted(labels, reverse=True)
    gains, relevance = [2**label - 1 for label in labels], [_compute_stop(label, max_grade) for label in labels]
    dcg_error = sum(c * (2**ideal - 2**label) for c, ideal, label in zip(discount, best, labels, strict=True))
    reciprocal = [Fraction(1, place) for place in range(1, len(labels) + 1)]
    pairs, err_pairs = _add_squares(discount, discount[::-1]), _add_squares(reciprocal, reciprocal[::-1])
    rr_dcg = [
        c * (_compute_stop(ideal, max_grade) - of_label)
        for c, ideal, of_label in zip(reciprocal, best, relevance, strict=True)
    ]
    errors = sum(label != grade for label, grade in zip(labels, grades, strict=True))
    crossings = [_count_crossings(labels, grades, t) for t in range(max_grade)]
    bounds = {
        "dcg_by_errors": _bound_value((2**max_grade - 1) * _add_swaps(discount, errors)),
        "min_pairing": _bound_root(pairs * _add_squares(gains, [2**grade - 1 for grade in grades])),
        "dcg_threshold": _bound_value(_add_thresholds(discount, crossings)),
        "regression_error": _bound_root(pairs * _add_squares(gains, [Fraction(f) for f in predictions])),
        "err_rr_dcg": _bound_value(_add_terms(rr_dcg)),
        "err_oerr": _bound_root(
            err_pairs * _add_squares(relevance, [_compute_stop(grade, max_grade) for grade in grades])
        ),
        "err_threshold": _bound_value(_add_thresholds(reciprocal, crossings) / 2**max_grade),
    }
    return {
        "labels": _as_naturals(labels),
        "grades": _as_naturals(grades),
        "predictions": f"[:: {'; '.join(f.hex() for f in predictions)}]%Q",
        "dcg_error": _as_fraction(Fraction(dcg_error)),
        "err_error": _as_fraction(_compute_err(best, max_grade) - _compute_err(labels, max_grade)),
        "bounds": ";\n    ".join(f"({name}, {_as_decimal(bound)}%Q)" for name, bound in bounds.items()),
    }


def _compute_stop(label: int, max_grade: int) -> Fraction:
    return Fraction(2**label - 1, 2**max_grade)


def _compute_err(labels: Sequence[int], max_grade: int) -> Fraction:
    """Compute ERR from the last place to the first, as a numerator and a denominator."""
    top, bottom = 0, 1
    for place in range(len(labels), 0, -1):
        gain, all_users = 2 ** labels[place - 1] - 1, 2**max_grade
        top, bottom = gain * bottom + (all_users - gain) * place * top, all_users * place * bottom
    return Fraction(top, bottom)


def _add_terms(terms: Sequence[Fraction]) -> Fraction:
    """Add numbers, each rounded up to a multiple of 1/GRID, as Checker.v does."""
    return Fraction(sum(-((-term.numerator * GRID) // term.denominator) for term in terms), GRID)


def _add_squares(a: Sequence[int | Fraction], b: Sequence[int | Fraction]) -> Fraction:
    return _add_terms([Fraction(x - y) ** 2 for x, y in zip(a, b, strict=True)])


def _add_swaps(discount: Sequence[Fraction], m: int) -> Fraction:
    """Compute S(m), the largest gain of m swaps of documents from the two ends."""
    return _add_terms([discount[i] - discount[-1 - i] for i in range(min(m, len(discount) // 2))])


def _add_thresholds(discount: Sequence[Fraction], crossings: Sequence[int]) -> Fraction:
    return _add_terms([2**t * _add_swaps(discount, m) for t, m in enumerate(crossings)])


def _count_crossings(labels: Sequence[int], grades: Sequence[int], t: int) -> int:
    """Count the documents that are under-rated above t, and those that are over-rated, and return the larger number."""
    under = sum(grade <= t < label for label, grade in zip(labels, grades, strict=True))
    return max(under, sum(label <= t < grade for label, grade in zip(labels, grades, strict=True)))


def _bound_value(value: Fraction) -> int:
    """Return the least number of units of the last decimal that is not below a value."""
    return -((-value.numerator * 10**DECIMALS) // value.denominator)


def _bound_root(square: Fraction) -> int:
    """Return the least number of units of the last decimal that is not below the root of a number."""
    units = -((-square.numerator * 10 ** (2 * DECIMALS)) // square.denominator)
    return isqrt(units - 1) + 1 if units else 0


def _as_decimal(units: int) -> str:
    return f"{units // 10**DECIMALS}.{units % 10**DECIMALS:0{DECIMALS}}"


def _as_fraction(number: Fraction) -> str:
    return f"{number.numerator} # {number.denominator}"


def _as_naturals(numbers: Sequence[int]) -> str:
    return f"[:: {'; '.join(map(str, numbers))}]%nat"
