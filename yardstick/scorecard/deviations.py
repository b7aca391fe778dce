"""Deliberate deviations of a port: a list of reasons, which a scorecard shows beside its findings.

docs/port/conformance.md shows one. An entry has a reason, and a stage, of all trainings or of the one that `training`
names, a function of the vectors, or a lemma.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from refrank.checks import print_text
from refrank.datasets.foreign_file import read_file
from yardstick.traces.stages import STAGES

MOST_DOTS = 64  # in a line: TOML's reader takes time by the square of the parts of a key


@dataclass(frozen=True)
class Deviation:
    """A deliberate deviation of a port."""

    reason: str
    training: str | None = None
    stage: str | None = None
    function: str | None = None
    lemma: str | None = None


NAMES = {field.name for field in fields(Deviation)}


def read_deviations(path: str) -> tuple[Deviation, ...]:
    """Read the list; a ValueError names the file, if it is not TOML, or an entry lacks its reason or its place."""
    content = read_file(path, "list of deviations")
    if max(line.count(b".") for line in content.split(b"\n")) > MOST_DOTS:
        raise ValueError(f"{path} has a line with more than {MOST_DOTS} dots")
    try:
        document = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"{path} is not TOML: {print_text(str(fault), 200)}") from None
    entries = document.get("deviation")
    if document.keys() != {"deviation"} or not isinstance(entries, list):
        raise ValueError(f"{path} must hold tables [[deviation]], and nothing else")
    return tuple(read_deviation(entry, f"{path}, deviation {i + 1}") for i, entry in enumerate(entries))


def read_deviation(entry: Any, name: str) -> Deviation:
    """Read one entry."""
    texts = entry if isinstance(entry, dict) else {"": entry}
    if not texts.keys() <= NAMES or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(f"{name} must have texts named reason, and training, stage, function or lemma")
    if not texts.get("reason", "").strip():
        raise ValueError(f"{name} has no reason: each deviation must have one")
    if sum(place in texts for place in ("stage", "function", "lemma")) != 1:
        raise ValueError(f"{name} must have either a stage, of trainings, or a function, of vectors, or a lemma")
    if texts.get("stage", "data") not in STAGES:
        raise ValueError(f"stage of {name} is {print_text(texts['stage'], 40)}: it must be one of {', '.join(STAGES)}")
    return Deviation(**texts)


def find_reason(deviations: Sequence[Deviation], kind: str, name: str, stage: str) -> str:
    """Find the reason of a departure of a training, in a stage, or of a function or a lemma; "" if there is none."""
    for deviation in deviations:
        of_training = deviation.stage == stage and deviation.training in (None, name)
        if of_training if kind == "training" else getattr(deviation, kind) == name:
            return deviation.reason
    return ""
