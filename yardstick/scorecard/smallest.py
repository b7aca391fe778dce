"""The smallest case of a difference: turns, rows and features are taken away while the same stage stays wrong."""

import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from refrank.datasets.whole_file import replace_file
from refrank.estimators.registry import RANKERS
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Divergence, Mode
from yardstick.numbers.encoding import encode
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.card import Scorecard
from yardstick.scorecard.training_rows import LabelledRows
from yardstick.scorecard.trainings import TRAININGS, ScoredTraining, train_golden
from yardstick.traces.records import index_records
from yardstick.traces.tracing import describe_ranker

MOST_RUNS, SECONDS = 40, 120.0  # of the trainings for one case
TURNS = "n_rounds", "n_trees"


class SmallestCase(NamedTuple):
    """A training in which a port differs, and where."""

    training: ScoredTraining
    first: Divergence
    expected: NDArray[Any] | None  # the field that differs, of refrank and of the port; None if a trace has none
    actual: NDArray[Any] | None

    def __str__(self) -> str:
        """Write its size in words."""
        rows, parameters = self.training.rows(), read_turns(self.training)
        counts = {"row": len(rows.y), "feature": rows.X.shape[1], "round": parameters.get("n_rounds", 0)}
        counts["tree"] = parameters.get("n_trees", 0)
        return ", ".join(f"{number} {name}{'s' * (number != 1)}" for name, number in counts.items() if number)


class Shrinking:
    """A case that becomes smaller, within a number of runs and a time.

    Parameters
    ----------
    port : Adapter
    case : SmallestCase
    mode : Mode
    """

    def __init__(self, port: Adapter, case: SmallestCase, mode: Mode) -> None:
        self.port, self.case, self.mode = port, case, mode
        self.n_left, self.end = MOST_RUNS, time.monotonic() + SECONDS

    def take(self, training: ScoredTraining) -> bool:
        """Try a smaller training; take it if the same stage is wrong in the same way."""
        if self.n_left == 0 or time.monotonic() > self.end:
            return False
        self.n_left -= 1
        case, before = run_training(self.port, training, self.mode), self.case.first.judgement
        if case is None or (case.first.judgement.stage, case.first.judgement.verdict) != (before.stage, before.verdict):
            return False
        self.case = case
        return True

    def take_turns(self) -> None:
        """Leave out rounds and trees, those after the difference first."""
        for name, number in read_turns(self.case.training).items():
            place = self.case.first.judgement.place
            needed = place.round if name == "n_rounds" else None if place.tree is None else place.tree + 1
            for fewer in sorted({1, needed or 1}):
                if fewer < number and self.take(set_turns(self.case.training, name, fewer)):
                    break

    def take_features(self) -> None:
        """Leave out features."""
        rows = self.case.training.rows()
        self.halve(range(rows.X.shape[1]), lambda kept: rows._replace(X=rows.X[:, kept]))

    def halve(self, units: Sequence[Any], choose: Callable[[list[Any]], LabelledRows]) -> None:
        """Leave out halves of some units, then quarters, down to single ones."""
        kept, size = list(units), len(units)
        while size > 1:
            size, at = -(-size // 2), 0
            while at < len(kept) > 1:
                rest = kept[:at] + kept[at + size :]
                if rest and self.take(self.case.training._replace(rows=hold(choose(rest)))):
                    kept = rest
                else:
                    at += size
            size = min(size, len(kept))


def find_smallest(port: Adapter, training: ScoredTraining, mode: Mode | None = None) -> SmallestCase | None:
    """Find a small case of the first difference of a port in a training.

    Turns of the training, whole queries, features and single rows are left out, in halves first, while the first
    difference stays in the same stage.

    Parameters
    ----------
    port : Adapter
    training : ScoredTraining
    mode : Mode, default bitwise

    Returns
    -------
    SmallestCase or None
        None if the training does not differ.
    """
    mode = mode or Mode()
    case = run_training(port, training, mode)
    if case is None:
        return None
    shrinking = Shrinking(port, case, mode)
    shrinking.take_turns()
    rows = training.rows()
    shrinking.halve(np.unique(rows.qid).tolist(), lambda kept: keep_rows(rows, np.isin(rows.qid, kept)))
    shrinking.take_features()
    last = shrinking.case.training.rows()
    shrinking.halve(range(len(last.y)), lambda kept: keep_rows(last, np.array(kept)))
    shrinking.take_features()
    return shrinking.case


def run_training(port: Adapter, training: ScoredTraining, mode: Mode) -> SmallestCase | None:
    """Train once, and find the first difference; None if there is none, or either side refuses the training."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            golden = train_golden(training, Path(folder, "golden"))
            theirs = port.run(golden, Path(folder, "port"))
            comparison = None if theirs is None else compare_traces(golden, theirs, mode)
            if theirs is None or comparison is None or comparison.passes or comparison.first is None:
                return None
            wrong = comparison.first.judgement
            records = (index_records(trace).get((wrong.stage, wrong.place)) for trace in (golden, theirs))
            fields = (None if record is None else record.values(wrong.field) for record in records)
            return SmallestCase(training, comparison.first, *fields)
        except (ValueError, OSError):
            return None


def hold(rows: LabelledRows) -> Callable[[], LabelledRows]:
    """Return a function that returns these rows."""
    return lambda: rows


def keep_rows(rows: LabelledRows, kept: Any) -> LabelledRows:
    """Keep some of the rows."""
    return LabelledRows(*(None if values is None else values[kept] for values in rows))  # type: ignore[arg-type]


def read_turns(training: ScoredTraining) -> dict[str, int]:
    """Return the numbers of rounds and trees, of the base in COCR."""
    ranker: Any = training.parameters.get("base") or RANKERS[training.algorithm](**training.parameters)
    return {name: number for name, number in ranker.get_params(deep=False).items() if name in TURNS}


def set_turns(training: ScoredTraining, name: str, number: int) -> ScoredTraining:
    """Return the training with another number of rounds or trees."""
    base = training.parameters.get("base")
    changed = {name: number} if base is None else {"base": clone(base).set_params(**{name: number})}
    return training._replace(parameters={**training.parameters, **changed})


def write_case(case: SmallestCase) -> str:
    """Write a case as a unit test in JSON, its arrays as in a trace (yardstick/numbers/encoding.py)."""
    training, judgement = case.training, case.first.judgement
    place, arrays = judgement.place._asdict().items(), training.rows()._asdict()
    arrays |= {"expected": case.expected, "found": case.actual}
    document = {
        **describe_ranker(RANKERS[training.algorithm](**training.parameters)),
        "stage": judgement.stage,
        "at": {name: number for name, number in place if number is not None},
        "field": judgement.field,
        **{name: None if values is None else encode(np.asarray(values)) for name, values in arrays.items()},
    }
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def write_smallest(port: Adapter, card: Scorecard, folder: Path) -> Iterator[str]:
    """Write the smallest case of the first training that differs in each stage; yield a sentence about each."""
    stages = set[str]()
    for line in card.lines:
        first = None if line.comparison is None or line.comparison.passes else line.comparison.first
        if line.kind != "training" or first is None or first.judgement.stage in stages:
            continue
        stages.add(first.judgement.stage)
        case = find_smallest(port, TRAININGS[line.name], card.mode)
        if case is not None:
            folder.mkdir(exist_ok=True)
            path = folder / f"{re.sub('[^a-z0-9]+', '-', line.name.lower())}.json"
            with replace_file(path) as file:
                file.write(write_case(case).encode())
            yield f"smallest case: {case}: {path}"
