"""Write Refuted.v: an Example for each false row of the table, computed by Coq from the instance in verdicts.json.

`python -m proofs_check.formal.examples FOLDER` reads each counterexample, such as "y=(0, 1), g=(2, 1): 15/32 != 1/2",
and passes its values to the claim of the row (`claims.py`). Where the claim gives two sides, these are the printed
numbers, and they contradict the row; where it says whether the row holds, it says that it does not.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proofs_check.formal.claims import RowClaim, name_example, read_claims

VERDICTS = Path(__file__).parents[1] / "tests" / "verdicts.json"
NUMBER = r"-?\d+(?:/\d+)?"
SIDES = re.compile(
    rf"(?:^|[ ,]) ?(?P<left>{NUMBER}|-?[\d.]+) (?P<sign>>|!=) (?P<right>{NUMBER})(?P<rounded> \(rounded down\))?$"
)
VALUE = re.compile(rf"(?P<name>[\w^]+(?:\(\w+\))?)=(?P<value>{NUMBER}|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))")
COUNTED = re.compile(r"\b(round) (\d+)")
HEAD = """(* The false rows of the table, refuted by computation.
   Written by python -m proofs_check.formal.examples from proofs_check/tests/verdicts.json. *)
From Coq Require Import List QArith.
From Refrank Require {files}.
Import ListNotations.
Local Open Scope Q_scope.
"""


def read_values(counterexample: str) -> dict[str, str]:
    """Map the names in a counterexample, in lower case, to the texts of their values.

    >>> read_values("x=(0, 2), T(x)=(0, 3): nu=1/2, round 7, max, 257/64 > 4")
    {'x': '(0, 2)', 't_x': '(0, 3)', 'nu': '1/2', 'round': '7'}
    """
    values = [*((m["name"], m["value"]) for m in VALUE.finditer(counterexample)), *COUNTED.findall(counterexample)]
    return {re.sub(r"\W+", "_", name.lower()).strip("_"): value for name, value in values}


def as_term(value: str, type: str) -> str:
    """Write a number or a list of a counterexample in Coq.

    >>> as_term("(0, -1/2)", "list Q"), as_term("((0), (1, 2))", "list (list nat)"), as_term("3", "nat")
    ('[0; (-1 # 2)]', '[[0]; [1; 2]]%nat', '3%nat')
    """
    text = re.sub(r",\)", ")", value).replace("(", "[").replace(")", "]").replace(",", ";")
    if "nat" in type:
        return f"{text}%nat"
    return re.sub(NUMBER, lambda number: as_fraction(number[0]), text)


def as_fraction(number: str) -> str:
    """Write a rational number in Coq."""
    return f"({number.replace('/', ' # ')})" if "/" in number or number.startswith("-") else number


def write_example(row: str, counterexample: str, claim: RowClaim) -> str:
    """Write the Example of a row.

    Raises
    ------
    ValueError
        If the counterexample lacks a value of the claim, or has no two sides.
    """
    values, sides = read_values(counterexample), SIDES.search(counterexample)
    lacking = {name for name in claim.parameters if name.lower() not in values}
    if lacking:
        raise ValueError(f"{row}: {counterexample!r} has no value of {', '.join(sorted(lacking))}")
    computed = " ".join([claim.name, *(as_term(values[name.lower()], type) for name, type in claim.parameters.items())])
    if claim.type == "bool":
        statement = f"{computed} = false"
    elif sides is None:
        raise ValueError(f"{row}: {counterexample!r} does not end with two numbers that differ")
    else:
        relation = "differ" if sides["sign"] == "!=" else "exceed_rounded" if sides["rounded"] else "exceed"
        printed = " ".join(as_fraction(sides[side]) for side in ("left", "right"))
        statement = f"Claims.{relation} ({computed}) {printed} = true"
    return f"Example {name_example(row)} : {statement}.\nProof. vm_compute; reflexivity. Qed.\n"


def write_examples(records: list[dict[str, Any]], claims: Mapping[str, RowClaim]) -> Iterator[str]:
    """Write the Examples of the false rows that have a claim."""
    for record in records:
        if record["counterexample"] and record["id"] in claims:
            yield f"(* {record['id']}: {record['counterexample']} *)"
            yield write_example(record["id"], record["counterexample"], claims[record["id"]])


def write_refuted(folder: str | Path, verdicts: Path = VERDICTS) -> Path:
    """Write Refuted.v into a folder."""
    claims = read_claims()
    files = " ".join(sorted({"Claims", *(claim.name.partition(".")[0] for claim in claims.values())}))
    records = json.loads(verdicts.read_text(encoding="utf-8"))
    path = Path(folder, "Refuted.v")
    path.write_text("\n".join([HEAD.format(files=files), *write_examples(records, claims)]), encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write_refuted(*sys.argv[1:]))
