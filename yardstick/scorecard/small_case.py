"""A small case of a difference as a unit test: in JSON, and in the languages of yardstick/clients/.

A test in a language is a program, made of the template case.SUFFIX there. It ends with 0 once the port, which is called
in it, computes the field that differed.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstick.divergence.judging import Judgement
from yardstick.numbers.encoding import encode
from yardstick.scorecard.trainings import ScoredTraining
from yardstick.traces.tracing import describe_ranker

CLIENTS = Path(__file__).parents[1] / "clients"


class SmallestCase(NamedTuple):
    """A training in which a port differs, and where."""

    training: ScoredTraining
    first: Judgement
    expected: NDArray[Any] | None  # the field that differs, of refrank and of the port; None if a trace has none
    actual: NDArray[Any] | None

    def __str__(self) -> str:
        """Write its size in words."""
        counts = {name: n for name, n in count_parts(self.training).items() if n and name != "query"}
        return ", ".join(f"{n} {name}{'s' * (n != 1)}" for name, n in counts.items())

    def is_like(self, other: "SmallestCase") -> bool:
        """Return whether the same stage is wrong in the same way."""
        own, others = self.first, other.first
        return (own.stage, own.verdict) == (others.stage, others.verdict)


def count_parts(training: ScoredTraining) -> dict[str, int]:
    """Count what can be left out of a training; the turns are those of the base in COCR."""
    rows, ranker = training.rows, training.parameters.get("base") or training.make_ranker()
    turns, n_queries = ranker.get_params(deep=False), len(np.unique(rows.qid))
    counts = {"row": len(rows.y), "feature": rows.X.shape[1], "query": n_queries}
    return counts | {"round": turns.get("n_rounds", 0), "tree": turns.get("n_trees", 0)}


def write_tests(case: SmallestCase, name: str) -> dict[str, str]:
    """Write a case as unit tests, by the endings of their files; `name` is the rest."""
    training, judgement = case.training, case.first
    ranker, at = describe_ranker(training.make_ranker()), judgement.place._asdict().items()
    arrays: dict[str, Any] = training.rows._asdict() | {"expected": case.expected, "found": case.actual}
    document = {
        **ranker,
        "stage": judgement.stage,
        "at": {place: number for place, number in at if number is not None},
        "field": judgement.field,
        **{key: None if values is None else encode(np.asarray(values)) for key, values in arrays.items()},
    }
    tests = {".json": json.dumps(document, indent=1, allow_nan=False) + "\n"}
    if case.expected is None:
        return tests
    expected, (n_samples, n_features) = np.asarray(case.expected), training.rows.X.shape
    of_case = {
        **{"name": name, "parameters": json.dumps(ranker), "stage": judgement.stage, "field": judgement.field},
        **{"at": f" at {judgement.place}" if str(judgement.place) else "", "shape": expected.shape},
        **{"n_samples": n_samples, "n_features": n_features, "n_expected": expected.size},
    }
    for suffix, language in tomllib.loads((CLIENTS / "case.toml").read_text(encoding="utf-8")).items():
        written = {key: write_array(arrays[key], language) for key in ("X", "y", "qid", "weight", "expected")}
        type_ = language["types"][choose_type(expected)]
        template = Template((CLIENTS / f"case.{suffix}").read_text(encoding="utf-8"))
        tests[f".{suffix}"] = template.substitute(of_case, **written, type=type_)
    return tests


def write_array(values: Any, language: Mapping[str, Any]) -> str:
    """Write an array, its entries in C order, in a language of case.toml."""
    if values is None or np.size(values) == 0:
        return str(language["empty"])
    of, special = choose_type(values), dict(zip(("nan", "inf", "-inf", "-0.0"), language["special"], strict=True))
    entries = (special.get(str(entry), f"{entry}{language['endings'][of]}") for entry in np.ravel(values).tolist())
    return str(language["array"]).format(language["types"][of], ", ".join(entries))


def choose_type(values: NDArray[Any]) -> int:
    """Return the place of the type of an array among float64, int64 and uint64."""
    return 0 if values.dtype.kind == "f" else 1 + (values.dtype == np.uint64)
