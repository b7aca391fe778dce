"""Replication of a paper's claims on several artificial training sets, and comparison with recorded verdicts.

A file of verdicts is JSON: `paper`, `setting`, `seeds`, and for each claim its difference, intervals and verdict.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from refrank.datasets.foreign_file import read_file
from refrank.datasets.strict_json import parse_json
from refrank.reproduce.intervals import MeanDifference
from refrank.reproduce.run import Reproduction
from refrank.reproduce.verdicts import ClaimVerdict, Differences, join_sets, judge_claims, write_verdicts

FEWEST_SETS = 8  # with fewer, the interval over the training sets is wide: t is 2.4 at 8, and 12.7 at 2


@dataclass(frozen=True)
class Study:
    """The measurement of the claims of a paper."""

    paper: str
    setting: str  # its sizes in words
    measure: Callable[[int, Reproduction], Differences]  # on the training set of a seed; the cells are kept
    digits: int = 4  # of the printed differences


def replicate(study: Study, seeds: range, run: Reproduction) -> tuple[str, list[ClaimVerdict]]:
    """Measure the claims on the training set of each seed, write the file of verdicts, and return text and verdicts."""
    verdicts = judge_claims([study.measure(seed, run) for seed in seeds])
    which = f"{len(seeds)} training sets, seeds {seeds[0]} to {seeds[-1]}"
    rule = "a verdict needs both 95% intervals and, over the claims, p < .05 by Holm's method over training sets"
    text = run.write(
        "verdicts.txt",
        [f"{study.paper}: {which}; {study.setting}", f"differences; {rule}"],
        write_verdicts(verdicts, study.digits),
    )
    record = {"paper": study.paper, "setting": study.setting, "seeds": [*seeds]}
    record["claims"] = [verdict.to_json() for verdict in verdicts]
    run.write("verdicts.json", json.dumps(record, indent=1).splitlines())
    return text, verdicts


class RecordedVerdict(NamedTuple):
    """The verdict of a claim in a file of verdicts, with what it rests on."""

    word: str
    sets: MeanDifference  # over the training sets
    n_sets: int


def find_flips(verdicts: list[ClaimVerdict], recorded: dict[str, RecordedVerdict]) -> list[str]:
    """Describe each recorded verdict that these training sets reverse.

    A claim that was decided flips if the interval over the recorded and these training sets together does not leave out
    0 on the recorded side. What was not decided cannot flip.
    """
    measured = {verdict.claim: verdict for verdict in verdicts}
    if {*measured} != {*recorded}:
        odd = sorted({*measured} ^ {*recorded})
        raise ValueError(f"--against has other claims than this run: {odd[0]!r} is in one of them only")
    flips = []
    for claim, (word, sets, n_sets) in recorded.items():
        new = measured[claim]
        joined = join_sets(sets, n_sets, new.sets, new.n_sets)
        if word not in ("not decided", joined.verdict):
            ends = f"{joined.mean:+.4f} [{joined.low:+.4f}, {joined.high:+.4f}]"
            flips.append(f"{claim}: recorded as {word!r}, {joined.verdict} with these {new.n_sets} sets more, {ends}")
    return flips


def read_recorded(path: Path, paper: str) -> dict[str, RecordedVerdict]:
    """Read the verdict of each claim from a file of verdicts of the paper."""
    record: Any = parse_json(read_file(path, "file of verdicts"), str(path))
    try:
        n_sets = len(record["seeds"])
        recorded = {
            str(claim["claim"]): RecordedVerdict(
                claim["verdict"], MeanDifference(float(claim["mean"]), *map(float, claim["sets"])), n_sets
            )
            for claim in record["claims"]
        }
        words = {of.word for of in recorded.values()}
        is_whole = record["paper"] == paper and n_sets > 1 and words <= {"holds", "does not hold", "not decided"}
    except (KeyError, TypeError, ValueError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{path} is not a file of verdicts of {paper}: `refrank reproduce --replicate` writes them")
    return recorded
