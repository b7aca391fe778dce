"""Replication of a paper's claims on several artificial training sets, and comparison with recorded verdicts.

A file of verdicts is JSON: `paper`, `setting`, `seeds`, and for each claim its difference, intervals and verdict.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refrank.datasets.foreign_file import read_file
from refrank.reproduce.run import Reproduction
from refrank.reproduce.verdicts import ClaimVerdict, Differences, judge_claims, write_verdicts
from refrank.strict_json import parse_json

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


def find_flips(verdicts: list[ClaimVerdict], recorded: dict[str, str]) -> list[str]:
    """Describe each recorded verdict that these training sets reverse.

    A claim that was decided flips if its difference over the new training sets has the other sign, however wide its
    interval is. What was not decided cannot flip.
    """
    measured = {verdict.claim: verdict for verdict in verdicts}
    if {*measured} != {*recorded}:
        odd = sorted({*measured} ^ {*recorded})
        raise ValueError(f"--against has other claims than this run: {odd[0]!r} is in one of them only")
    signs = {"holds": 1, "does not hold": -1, "not decided": 0}
    return [
        f"{claim}: recorded as {word!r}, now {measured[claim].sets.mean:+.4f}, {measured[claim].word}"
        for claim, word in recorded.items()
        if signs[word] * measured[claim].sets.mean < 0
    ]


def read_recorded(path: Path, paper: str) -> dict[str, str]:
    """Read the verdict of each claim from a file of verdicts of the paper."""
    record: Any = parse_json(read_file(path, "file of verdicts"), str(path))
    try:
        recorded = {str(claim["claim"]): claim["verdict"] for claim in record["claims"]}
        is_whole = record["paper"] == paper and {*recorded.values()} <= {"holds", "does not hold", "not decided"}
    except (KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{path} is not a file of verdicts of {paper}: `refrank reproduce --replicate` writes them")
    return recorded
