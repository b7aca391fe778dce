"""The smallest case of a difference: turns, rows and features are left out while the same stage stays wrong."""

import re
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from refrank.datasets.whole_file import replace_file
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode
from yardstick.scorecard.adapters import Adapter
from yardstick.scorecard.card import Scorecard
from yardstick.scorecard.small_case import SmallestCase, count_parts, write_tests
from yardstick.scorecard.trainings import TRAININGS, ScoredTraining, train_golden
from yardstick.traces.records import index_records

MOST_RUNS, SECONDS = 40, 120.0  # of the trainings for one case
PARTS = "round", "tree", "query", "feature", "row", "feature"  # in the order in which they are left out


def find_smallest(port: Adapter, training: ScoredTraining, mode: Mode | None = None) -> SmallestCase | None:
    """Find a small case of the first difference of a port in a training; None if the training does not differ.

    Rounds, trees, whole queries, features and single rows are left out, halves of them first, then quarters, while the
    first difference stays in the same stage.
    """
    mode, n_left, end = mode or Mode(), MOST_RUNS, time.monotonic() + SECONDS
    case = run_training(port, training, mode)
    if case is None:
        return None
    for name in PARTS:
        whole, kept = case.training, [*range(count_parts(case.training)[name])]
        size = len(kept)
        while size > 1:
            size, at = -(-size // 2), 0
            while at < len(kept) > 1:
                rest = kept[:at] + kept[at + size :]
                if n_left == 0 or time.monotonic() > end:
                    return case
                n_left -= 1
                smaller = run_training(port, keep_parts(whole, name, rest), mode)
                if smaller is not None and smaller.is_like(case):
                    case, kept = smaller, rest
                else:
                    at += size
            size = min(size, len(kept))
    return case


def keep_parts(training: ScoredTraining, name: str, kept: list[int]) -> ScoredTraining:
    """Keep some rounds, trees, queries, features or rows of a training; of rounds and trees, the first ones."""
    rows, base = training.rows, training.parameters.get("base")
    if name in ("round", "tree"):
        turns = {f"n_{name}s": len(kept)}
        changed = turns if base is None else {"base": type(base)(**{**base.get_params(deep=False), **turns})}
        return training._replace(parameters={**training.parameters, **changed})
    if name == "feature":
        return training._replace(rows=rows._replace(X=rows.X[:, kept]))
    number = np.unique(rows.qid, return_inverse=True)[1] if name == "query" else np.arange(len(rows.y))
    return training._replace(rows=rows.keep(np.isin(number, kept)))


def run_training(port: Adapter, training: ScoredTraining, mode: Mode) -> SmallestCase | None:
    """Train once, and find the first difference; None if there is none, or either side refuses the training."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            golden = train_golden(training, Path(folder, "golden"))
            theirs = port.run(golden, Path(folder, "port"))
            comparison = None if theirs is None else compare_traces(golden, theirs, mode, has_hints=False)
            if theirs is None or comparison is None or comparison.passes or comparison.first is None:
                return None
            wrong = comparison.first
            records = (index_records(trace).get((wrong.stage, wrong.place)) for trace in (golden, theirs))
            fields = (None if record is None else record.values(wrong.field) for record in records)
            return SmallestCase(training, comparison.first, *fields)
        except (ValueError, OSError):
            return None


def write_smallest(port: Adapter, card: Scorecard, folder: Path) -> Iterator[str]:
    """Write the smallest case of the first training that differs in each stage; yield a sentence about each."""
    stages = set[str]()
    for line in card.lines:
        first = None if line.comparison is None or line.comparison.passes else line.comparison.first
        if first is None or first.stage in stages:
            continue
        stages.add(first.stage)
        case = find_smallest(port, TRAININGS[line.name], card.mode)
        if case is not None:
            folder.mkdir(exist_ok=True)
            path = folder / f"{re.sub('[^a-z0-9]+', '-', line.name.lower())}.json"
            for suffix, text in write_tests(case, path.stem).items():
                with replace_file(path.with_suffix(suffix)) as file:
                    file.write(text.encode())
            yield f"smallest case: {case}: {path}"
