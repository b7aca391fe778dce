"""Deliberate deviations of a port: a list of reasons, which a scorecard shows beside its findings.

docs/port/conformance.md shows one. An entry has a reason, and a stage, of all trainings or of the one that `training`
names, a function of the vectors, or a lemma.
"""

import tomllib
from collections.abc import Mapping
from typing import Any

from refrank.checks import check_choice, print_text
from refrank.datasets.foreign_file import read_file
from yardstick.numbers.encoding import show
from yardstick.traces.stages import STAGES

MOST_DOTS = 64  # in a line: TOML's reader takes time by the square of the parts of a key
Deviation = tuple[str, str, str]  # "training", its name or "" for all, stage; or "function" or "lemma", name, ""


def read_deviations(path: str) -> Mapping[Deviation, str]:
    """Read the reasons; a ValueError names the file, if it is not TOML, or an entry lacks its reason or its place."""
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
    return dict(read_deviation(entry, f"deviation {i + 1} of {path}") for i, entry in enumerate(entries))


def read_deviation(entry: Any, name: str) -> tuple[Deviation, str]:
    """Read an entry, and its reason."""
    texts = entry if isinstance(entry, dict) and all(isinstance(text, str) for text in entry.values()) else {}
    kinds, reason = texts.keys() - {"reason", "training"}, texts.get("reason", "").strip()
    if not reason or kinds not in ({"stage"}, {"function"}, {"lemma"}):
        rule = "it must have texts: a reason, and a stage, with or without a training, or a function, or a lemma"
        raise ValueError(f"{name} is {show(entry)}: {rule}")
    if "stage" in kinds:
        stage = check_choice(f"stage of {name}", texts["stage"], STAGES)
        return ("training", texts.get("training", ""), stage), reason
    [kind] = kinds
    return (kind, texts[kind], ""), reason
