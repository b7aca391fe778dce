"""Write Refuted.v: an Example for each false row of the table, computed by Coq from the instance in verdicts.json.

`python -m proofs_check.formal.examples FOLDER` reads each counterexample, such as "y=(0, 1), g=(2, 1): 15/32 != 1/2",
and passes its values to the claim of the row (`claims.py`). Where the claim gives two sides, these are the printed
numbers, and they contradict the row: they differ, or the left one is larger. A number of six digits stands for all that
round to it. Where the claim says whether the row holds, it says that it does not. Text that is not known is refused.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from proofs_check.formal.claims import RowClaim, name_example, read_claims

VERDICTS = Path(__file__).parents[1] / "tests" / "verdicts.json"
NUMBER = r"-?\d+(?:/\d+|\.\d+)?"
SIDES = re.compile(rf"(?:^|[, ])(?P<left>{NUMBER}) (?P<sign>>|!=) (?P<right>{NUMBER})(?P<rounded> \(rounded down\))?$")
VALUE = re.compile(rf"(?P<name>[\w^]+(?:\(\w+\))?)=(?P<value>{NUMBER}|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))")
COUNTED = re.compile(r"\b(round) (\d+)")
NUMBERED = re.compile(r"\b[FPp]_(\d+)")
WORDS = re.compile(  # what else a counterexample may consist of
    r"in the order of pi|squares|times both maxima|0 <= p_\d+"
    r"|[FP]_\d+\(\w+,\w+\) and (?:[FP]_\d+\(\w+,\w+\)|position \d+)"
    r"|split_gain|SSE|\bmin\b|\bmax\b|y/10|forest of 3|prediction of row \d+|nu = log 2"
    rf"|sum of F of document \d+ is {NUMBER} nu|[\s,:]"
)
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

    Raises
    ------
    ValueError
        If a part of the counterexample cannot be read, or n is not the number of labels.
    """
    rest = SIDES.sub("", counterexample)
    pairs = [*((m["name"], m["value"]) for m in VALUE.finditer(rest)), *COUNTED.findall(rest)]
    values = {re.sub(r"\W+", "_", name.lower()).strip("_"): value for name, value in pairs}
    for number in NUMBERED.findall(rest):
        if values.setdefault("i", number) != number:
            raise ValueError(f"{counterexample!r} has two numbers {values['i']} and {number}")
    if unread := WORDS.sub("", COUNTED.sub("", VALUE.sub("", rest))):
        raise ValueError(f"{counterexample!r} has {unread!r}, which cannot be read")
    if "n" in values and "y" in values and int(values["n"]) != len(re.findall(NUMBER, values["y"])):
        raise ValueError(f"{counterexample!r} has other than {values['n']} labels")
    return values


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


def as_rounded(number: str) -> str:
    """Write a number of six digits in Coq, and how far from it the numbers are that round to it.

    >>> as_rounded("5.25"), as_rounded("0.63093")
    ('5.25 0.000005', '0.63093 0.0000005')
    """
    return f"{as_fraction(number)} {Decimal(5).scaleb(Decimal(number).adjusted() - 6):f}"


def write_example(row: str, counterexample: str, claim: RowClaim) -> str:
    """Write the Example of a row.

    Raises
    ------
    ValueError
        If the counterexample cannot be read, lacks a value of the claim, or has no two sides.
    """
    try:
        values, sides = read_values(counterexample), SIDES.search(counterexample)
    except ValueError as error:
        raise ValueError(f"{row}: {error}") from None
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
        write = as_fraction
        if claim.type == "enclosed":
            relation, write = f"{relation}_enclosed", as_rounded
        statement = f"Claims.{relation} ({computed}) {write(sides['left'])} {write(sides['right'])} = true"
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
