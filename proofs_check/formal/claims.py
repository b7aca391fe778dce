"""The claims of the false rows, which Coq computes, and the names of the Examples that refute them.

A claim stands in a Claims*.v below a comment that begins with its row:

    (* igbrt.theorem1.variant-rearrangement: C_g(i) = C_pi(i) at every position i *)
    Definition claim_rearrangement (y : list nat) : Q * Q := ...

A parameter has the name of a value in the counterexample: `yhat`, `c`, `t_x` for T(x), `round` for round 2, `i` for the
document of F_2 or the class of p_2. A claim gives two sides, which are equal if the values do not meet the premises of
the row; or numbers between which irrational sides lie; or whether the row holds at these values. `examples.py` writes
an Example for each. Rows whose instances have exponentials are refuted by Examples of their own (`theorems.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from proofs_check.formal.theorems import FOLDER, ROW, read_sources

CLAIM = re.compile(
    rf"\(\* (?P<row>{ROW}): (?:(?!\*\)).)*\*\)\s+Definition (?P<name>claim_\w+)(?P<parameters>[^:]*(?:\([^)]*\)+\s*)*) "
    r": (?P<type>bool|Q \* Q|enclosed) :=",
    re.S,
)
PARAMETERS = re.compile(r"\(([\w\s]+?) : ((?:[^()]|\([^()]*\))+)\)")


@dataclass(frozen=True)
class RowClaim:
    """The claim of a row: its file without .v and its name, the names and types of its parameters, and its type."""

    name: str
    parameters: Mapping[str, str]
    type: str


def read_claims(folder: Path = FOLDER) -> dict[str, RowClaim]:
    """Map each row to its claim."""
    claims = {}
    for file, source in read_sources(folder).items():
        if file.startswith("Claims"):
            for match in CLAIM.finditer(source):
                listed = PARAMETERS.findall(match["parameters"])
                parameters = {name: type for names, type in listed for name in names.split()}
                claims[match["row"]] = RowClaim(f"{file.removesuffix('.v')}.{match['name']}", parameters, match["type"])
    return claims


def name_example(row: str) -> str:
    """Name the Example of a row.

    >>> name_example("mcrank.eq6.variant-sum")
    'refuted_mcrank_eq6_variant_sum'
    """
    return "refuted_" + re.sub(r"\W", "_", row)


@cache
def name_examples() -> Mapping[str, str]:
    """Map each row with a claim to the file and name of its Example: `Refuted.v refuted_mcrank_eq6_variant_sum`."""
    return {row: f"Refuted.v {name_example(row)}" for row in read_claims()}
