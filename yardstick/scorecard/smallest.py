"""The smallest case of a difference: turns, rows and features are left out while the same stage stays wrong.

It becomes a unit test in JSON, and in the languages of yardstick/clients/: programs, made of the templates case.SUFFIX
there, that end with 0 once the port, which is called in them, computes the field that differed.
"""

import json
import re
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yardstick.divergence.comparing import Mode, compare_traces
from yardstick.divergence.judging import Judgement
from yardstick.divergence.reporting import describe
from yardstick.numbers.encoding import encode
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.card import CardLine, Scorecard
from yardstick.scorecard.trainings import TRAININGS, ScoredTraining, train_golden
from yardstick.traces.reader import index_records
from yardstick.traces.tracing import describe_ranker
from yardstick.vectors.files import write_file

CLIENTS = Path(__file__).parents[1] / "clients"
MOST_RUNS = 40  # of the trainings for one case
PARTS = "round", "tree", "feature", "row", "feature"  # in the order in which they are left out


class SmallestCase(NamedTuple):
    """A training in which a port differs, and where."""

    training: ScoredTraining
    first: Judgement
    expected: NDArray[Any]  # the field that differs, of refrank, and of the port
    actual: NDArray[Any]

    def __str__(self) -> str:
        """Write its size in words."""
        return ", ".join(f"{n} {name}{'s' * (n != 1)}" for name, n in count_parts(self.training).items() if n)


def write_smallest(port: Adapter, card: Scorecard, folder: Path) -> Iterator[str]:
    """Write the smallest case of the first training that differs in each stage; yield a sentence about each."""
    lines = dict[str, CardLine]()
    for line in card.lines:
        if line.comparison is not None and not line.comparison.passes and line.comparison.first is not None:
            lines.setdefault(line.comparison.first.stage, line)
    for line in lines.values():
        case = find_smallest(port, TRAININGS[line.name], card.mode)
        if case is not None:
            folder.mkdir(exist_ok=True)
            path = folder / f"{re.sub('[^a-z0-9]+', '-', line.name.lower())}.json"
            for suffix, text in write_tests(case, path.stem).items():
                write_file(path.with_suffix(suffix), text)
            yield f"smallest case: {case}: {path}"


def find_smallest(port: Adapter, training: ScoredTraining, mode: Mode) -> SmallestCase | None:
    """Find a small case of the first difference of a port in a training; None if the training does not differ.

    Rounds, trees, features and rows are left out, halves of them first, then quarters, while the first difference stays
    in the same stage, and of the same kind.
    """
    case, n_runs = run_training(port, training, mode), 0
    if case is None:
        return None
    wanted = case.first.stage, case.first.verdict
    for name in PARTS:
        size = count_parts(case.training)[name]
        while size > 1:
            size, at = -(-size // 2), 0
            while at < (n := count_parts(case.training)[name]) > size and n_runs < MOST_RUNS:
                n_runs, rest = n_runs + 1, [*range(at), *range(at + size, n)]
                smaller = run_training(port, keep_parts(case.training, name, rest), mode)
                if smaller is not None and (smaller.first.stage, smaller.first.verdict) == wanted:
                    case = smaller
                else:
                    at += size
    return case


def count_parts(training: ScoredTraining) -> dict[str, int]:
    """Count what can be left out of a training; the turns are those of the base in COCR."""
    rows, ranker = training.rows, training.parameters.get("base") or training.make_ranker()
    turns, counts = ranker.get_params(deep=False), {"row": len(rows.y), "feature": rows.X.shape[1]}
    return counts | {"round": turns.get("n_rounds", 0), "tree": turns.get("n_trees", 0)}


def keep_parts(training: ScoredTraining, name: str, kept: list[int]) -> ScoredTraining:
    """Keep some rounds, trees, features or rows of a training; of rounds and trees, the first ones."""
    rows, base = training.rows, training.parameters.get("base")
    if name in ("round", "tree"):
        turns = {f"n_{name}s": len(kept)}
        changed = turns if base is None else {"base": type(base)(**{**base.get_params(deep=False), **turns})}
        return training._replace(parameters={**training.parameters, **changed})
    if name == "feature":
        return training._replace(rows=rows._replace(X=rows.X[:, kept]))
    return training._replace(rows=rows.keep(np.isin(np.arange(len(rows.y)), kept)))


def run_training(port: Adapter, training: ScoredTraining, mode: Mode) -> SmallestCase | None:
    """Train once, and find the first difference; None if no number differs, or either side refuses the training."""
    with TemporaryDirectory() as folder, warnings.catch_warnings(), suppress(ValueError, OSError):
        warnings.simplefilter("ignore")
        golden = train_golden(training, Path(folder, "golden"))
        theirs = port.run(golden, Path(folder, "port"))
        comparison = None if theirs is None else compare_traces(golden, theirs, mode, has_hints=False)
        first = None if comparison is None or comparison.passes else comparison.first
        if theirs is not None and first is not None:
            records = (index_records(trace).get(first.key) for trace in (golden, theirs))
            expected, actual = (None if of is None else of.values(first.field) for of in records)
            if expected is not None and actual is not None:
                return SmallestCase(training, first, expected, actual)
    return None


def write_tests(case: SmallestCase, name: str) -> dict[str, str]:
    """Write a case as unit tests, by the endings of their files; `name` is the rest."""
    first, ranker = case.first, describe_ranker(case.training.make_ranker())
    arrays = case.training.rows._asdict() | {"expected": case.expected, "found": case.actual}
    written = {key: None if values is None else encode(values) for key, values in arrays.items()}
    document = {**ranker, **describe(first), **written}
    tests = {".json": json.dumps(document, indent=1, allow_nan=False) + "\n"}
    n_samples, n_features = case.training.rows.X.shape
    of_case = {
        **{"name": name, "parameters": json.dumps(ranker), "stage": first.stage, "field": first.field},
        **{"at": f" at {first.place}" if str(first.place) else "", "shape": case.expected.shape},
        **{"n_samples": n_samples, "n_features": n_features, "n_expected": case.expected.size},
    }
    for suffix, language in tomllib.loads((CLIENTS / "case.toml").read_text(encoding="utf-8")).items():
        of_language = {key: write_array(values, language) for key, values in arrays.items()}
        of_language["type"] = language["types"][choose_type(case.expected)]
        template = Template((CLIENTS / f"case.{suffix}").read_text(encoding="utf-8"))
        tests[f".{suffix}"] = template.substitute(of_case, **of_language)
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
