"""Write Vectors.v: the numbers of refrank-vectors, to be computed by the functions that the theorems are about.

`python -m proofs_check.formal.vectors FOLDER [DATA]` reads the folder DATA, by default that of the package, and writes
FOLDER/Vectors.v, an Example per answer. Coq computes with exact rational numbers what refrank computes with floats:
inputs and answers are the very float64 numbers, which are rational, in the hexadecimal digits of the files. An answer
must lie as close to the exact value as docs/reference/numerics.md tells of its stage:

    dcg, ndcg, err       gamma_{2n+40} of the value, n documents
    expected_relevance   gamma_{K+1} sum of |p_k T(k)|, K classes: K products and their sum
    reduction            gamma_1: a weight times that of the row
    leaf_values          n 2^-52 m/D (1 + |beta|/4) for the grid, and gamma_8 |beta|; D the sum of p (1 - p) in the
                         leaf, m its weight over the largest
    all others           0: they are exact

gamma_m is m u / (1 - m u), u = 2^-53. Distances are rounded up to a power of two. The answers of planted faults must
lie further away. A discount is the float64 number that refrank tabulates; that it is one over a logarithm is checked
by tests/metrics/test_logarithms.py, not here. That Python, NumPy and the kernel give these answers is checked by
tests/yardstick/test_vectors.py. The families that are not read have no function that Metrics.v defines, or only one
whose numbers metrics.json has already, such as the conventions of other tools.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import frexp, inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from refrank.metrics.discounts import tabulate_discounts
from yardstick.vectors.files import FOLDER

FAMILIES = ("metrics", "cocr", "probabilities", "leaves", "rounds", "boosting")
RAISED = {"k": "of_natQ", "2^k": "powerQ 2", "2^k-1": "gainQ"}
COSTS = {"absolute": "absoluteQ", "squared": "squaredQ", "oerr": "oerrQ"}

NOT_IN_METRICS = "Metrics.v does not define it"
EXPONENTIAL = "its probabilities are exponentials, which are not rational"
EXCLUDED = {
    **dict.fromkeys(("rmse", "to_mean_one", "cocr_means", "hard_rank", "soft_rank", "grade_proba"), NOT_IN_METRICS),
    **dict.fromkeys(("cost_shape", "class_proba", "partition", "leaf_sums", "add_to_leaves"), NOT_IN_METRICS),
    **dict.fromkeys(("add_trees", "ls_boosting", "lad_boosting", "huber_boosting"), NOT_IN_METRICS),
    **dict.fromkeys(("softmax_round", "ordinal_round", "softmax_boosting", "ordinal_boosting"), EXPONENTIAL),
    "cumulative_proba": EXPONENTIAL,
}
REFUSED = "the input must be refused, without a number"
OWN_TABLE = "the table is the user's own"
ANSWERS = "the fault shows in the right answers, not in the weights"

HEAD = """(* The numbers of refrank-vectors, computed by the functions of Metrics.v over the rational numbers.
   Written by python -m proofs_check.formal.vectors, whose head says how close is close.

{counts} *)
From Coq Require Import List.
From Refrank Require Import Ranked.
Import ListNotations.
Local Open Scope Q_scope.

Definition discounts : list Q := [{discounts}].
"""


class Vector(NamedTuple):
    """A case of a function that Metrics.v defines: what Coq computes, and how far from it the answer may be."""

    computed: str  # a list of rational numbers
    output: str  # the name of the output
    distance: Fraction


def as_rational(number: float) -> str:
    """Write a float64 number in Coq: in hexadecimal digits, exactly."""
    text = float(number).hex()
    return f"({text})" if text.startswith("-") else text


def as_list(items: Sequence[str]) -> str:
    return f"[{'; '.join(items)}]"


def round_up(distance: Fraction | float) -> str:
    """Write the least power of two that is not below a distance, or 0."""
    exponent = frexp(float(distance))[1]
    return f"0x1p{exponent}" if distance else "0"


def tabulate(array: dict[str, Any]) -> np.ndarray:
    """Read an array of the vectors; floats by their hexadecimal digits."""
    if "hex" in array:
        values = np.array([float.fromhex(text) for text in array["hex"]])
    else:
        values = np.array([int(text) for text in array.get("text", array["values"])], dtype=object)
    return values.reshape(array["shape"])


def read_documents(given: dict[str, Any]) -> tuple[str, int, int]:
    """Return the documents of a query in Coq, their number, and the truncation level; infinite scores become finite."""
    labels, scores = tabulate(given["y"]), tabulate(given["score"])
    beyond = 1 + max((abs(s) for s in scores if abs(s) < inf), default=0)
    finite = [np.copysign(beyond, s) if abs(s) == inf else s for s in scores]
    k = len(labels) if given["k"] is None else tabulate(given["k"]).item()
    return as_list([f"({as_rational(s)}, {y}%nat)" for y, s in zip(labels, finite, strict=True)]), len(labels), k


def compute_metric(function: str, given: dict[str, Any], value: float) -> Vector:
    documents, n, k = read_documents(given)
    first = tabulate(given["max_grade"]).item() if function == "err" else "discounts"
    return Vector(f"[{function}_of {first} {k} {documents}]", function, bound_roundings(2 * n + 40) * Fraction(value))


def compute_costs(function: str, given: dict[str, Any]) -> Vector:
    """Compute costs, or weights of binary problems, which may be multiplied by those of the rows."""
    weights = function != "costs"
    grades, highest = tabulate(given["y"]), tabulate(given["max_grade"]).item()
    rows = [f"{'weights' if weights else 'costs'}_of {COSTS[given.get('cost', 'oerr')]} {highest} {y}" for y in grades]
    distance = Fraction(0)
    if given.get("sample_weight"):
        of_rows = tabulate(given["sample_weight"])
        rows = [f"map (mulQ {as_rational(w)}) ({row})" for w, row in zip(of_rows, rows, strict=True)]
        distance = bound_roundings(1) * Fraction(max(of_rows)) * 4**highest
    return Vector(" ++ ".join(rows) or "[]", "weights" if weights else "costs", distance)


def compute_expected(given: dict[str, Any]) -> Vector:
    rows = tabulate(given["class_proba"])
    transform = RAISED[given["transform"] or "k"]
    listed = [f"expectedQ ({transform}) 0 {as_list([as_rational(p) for p in row])}" for row in rows]
    largest = max(sum(abs(Fraction(p)) for p in row) for row in rows) * 2 ** (rows.shape[1] - 1)
    return Vector(as_list(listed), "scores", bound_roundings(rows.shape[1] + 1) * largest)


def compute_leaves(given: dict[str, Any], values: Sequence[float]) -> Vector:
    """Compute the values of leaves; weights are divided by their greatest common divisor."""
    residual, proba, leaf = (tabulate(given[name]) for name in ("residual", "proba", "leaf"))
    weight = tabulate(given["weight"]) if given["weight"] else np.ones(len(leaf))
    unit = Fraction(*as_ratio_of_gcd(weight))
    times = [int(Fraction(w) / unit) for w in weight]
    listed, distance, n_classes = [], Fraction(0), tabulate(given["n_classes"]).item()
    for j, beta in enumerate(values):
        rows = [i for i in range(len(leaf)) if leaf[i] == j]
        documents = [f"({as_rational(residual[i])}, {as_rational(proba[i])}, {times[i]}%nat)" for i in rows]
        listed.append(f"leaf_of {n_classes} {as_list(documents)}")
        curvature = sum(times[i] * Fraction(proba[i]) * (1 - Fraction(proba[i])) for i in rows)
        share = max(times) * len(rows) / curvature if curvature else 0
        grid = len(leaf) * Fraction(1, 2**52) * share * (1 + abs(Fraction(beta)) / 4)
        distance = max(distance, grid + bound_roundings(8) * abs(Fraction(beta)))
    return Vector(as_list(listed), "values", distance)


def as_ratio_of_gcd(numbers: Sequence[float]) -> tuple[int, int]:
    """Return the greatest number of which all numbers are multiples, as a numerator and a denominator."""
    exact = [Fraction(number) for number in numbers]
    denominator = int(np.lcm.reduce([number.denominator for number in exact]))
    return int(np.gcd.reduce([int(number * denominator) for number in exact])), denominator


def bound_roundings(m: int) -> Fraction:
    """Return gamma_m, which bounds the relative error of m roundings."""
    return Fraction(m, 2**53 - m)


def compute_vector(function: str, given: dict[str, Any], answer: dict[str, Any]) -> Vector | str:
    """Return how Coq computes the case, or the rule by which it is left out."""
    if function in ("dcg", "ndcg", "err"):
        return compute_metric(function, given, tabulate(answer[function]).item())
    if function in ("costs", "oerr_weights", "reduction"):
        return compute_costs(function, given)
    if function == "cost_table":
        if not isinstance(given["cost"], str):
            return OWN_TABLE
        n = tabulate(given["n_classes"]).item()
        return Vector(f"flat_map (costs_of {COSTS[given['cost']]} {n - 1}) (seq 0 {n})", "table", Fraction(0))
    if function == "expected_relevance":
        return compute_expected(given)
    if function == "transform_table":
        if not isinstance(given["transform"], str):
            return OWN_TABLE
        n = tabulate(given["n_classes"]).item()
        return Vector(f"map ({RAISED[given['transform']]}) (seq 0 {n})", "relevance", Fraction(0))
    if function == "leaf_values":
        return compute_leaves(given, tabulate(answer["values"]).tolist())
    return EXCLUDED[function]


def write_examples(data: Path, left_out: dict[str, list[str]]) -> Iterator[str]:
    """Write an Example per answer; `left_out` collects the answers without one, by the rule and then the function."""
    for family in FAMILIES:
        cases = json.loads((data / f"{family}.json").read_text(encoding="utf-8"))["cases"]
        inputs = {case["id"]: case["input"] for case in cases if "input" in case}
        for case in cases:
            given = inputs[case.get("input_of", case["id"])]
            for answer in case["answers"]:
                vector = compute_vector(case["function"], given, answer["output"])
                if isinstance(vector, str):
                    left_out.setdefault(vector, []).append(case["function"])
                elif case["function"] == "reduction" and answer.get("flag") == "question-above-k":
                    left_out.setdefault(ANSWERS, []).append(case["function"])
                else:
                    yield write_example(case, answer, vector)
            if not case["answers"]:
                left_out.setdefault(REFUSED, []).append(case["function"])


def write_example(case: dict[str, Any], answer: dict[str, Any], vector: Vector) -> str:
    numbers = tabulate(answer["output"][vector.output]).ravel()
    listed = as_list([as_rational(x) if isinstance(x, float) else str(x) for x in numbers])
    name = "".join(letter if letter.isalnum() else "_" for letter in case["id"])
    right = "false" if case["result"] == "invalid" else "true"
    return (
        f"Example {name} :\n  all_close {round_up(vector.distance)} ({vector.computed})\n    {listed} = {right}.\n"
        "Proof. vm_compute; reflexivity. Qed.\n"
    )


def write_vectors(folder: str | Path, data: str | Path = FOLDER) -> Path:
    """Write Vectors.v into a folder, from the files of a folder of vectors."""
    left_out: dict[str, list[str]] = {}
    examples = list(write_examples(Path(data), left_out))
    counts = [f"   {len(examples)} answers are computed. Left out are:"]
    for rule, functions in left_out.items():
        names = ", ".join(f"{name} {functions.count(name)}" for name in dict.fromkeys(functions))
        counts.append(f"   - {len(functions)}, because {rule}: {names}")
    # the first place is 0 in Coq; the longest query has 70 documents
    discounts = "; ".join(as_rational(c) for c in tabulate_discounts(70))
    path = Path(folder, "Vectors.v")
    path.write_text(HEAD.format(counts="\n".join(counts), discounts=discounts) + "\n" + "\n".join(examples), "utf-8")
    return path


if __name__ == "__main__":
    print(write_vectors(*sys.argv[1:]))
