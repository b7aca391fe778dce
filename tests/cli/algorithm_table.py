"""Write the table of the command line: `python -m tests.cli.algorithm_table` writes algorithm_table.json anew."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from refrank.estimators.fields import list_types, sort_fields
from refrank.estimators.registry import ALGORITHMS, COCR_BASES, Algorithm

FILE = Path(__file__).parents[2] / "refrank" / "cli" / "algorithm_table.json"


def write_table() -> str:
    """The table, from the estimators themselves: one line for each parameter."""
    entries = ",\n".join(f"{json.dumps(name)}: {write_algorithm(entry)}" for name, entry in ALGORITHMS.items())
    bases = {name: [*base.flags] for name, base in COCR_BASES.items()}
    return f'{{"algorithms": {{\n{entries}\n}},\n"bases": {json.dumps(bases)}}}\n'


def write_algorithm(entry: Algorithm) -> str:
    """The class of an algorithm, its first sentence, and its parameters."""
    summary = (entry.ranker.__doc__ or "").splitlines()[0]
    parameters = ",\n".join(f" {json.dumps(name)}: {json.dumps(parts)}" for name, parts in list_parameters(entry))
    return f"[{json.dumps(entry.ranker.__name__)}, {json.dumps(summary)}, {{\n{parameters}\n}}]"


def list_parameters(entry: Algorithm) -> Iterator[tuple[str, tuple[str, str, list[str], list[str]]]]:
    """The parameters that one flag sets: description, default, types and words. A command shows progress by default."""
    hints, without = get_type_hints(entry.ranker), {*entry.fixed, "base", "cost", "warm_start"}
    for field in sort_fields(entry.ranker):
        if field.init and field.name not in without:
            kinds: list[Any] = [*list_types(hints[field.name])]
            words = sorted(word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind))
            types = [(get_origin(kind) or kind).__name__ for kind in kinds if get_origin(kind) is not Literal]
            default = 1 if field.name == "verbose" else field.default
            yield field.name, (" ".join(field.metadata["doc"].split()), str(default), types, words)


if __name__ == "__main__":
    FILE.write_text(write_table(), encoding="utf-8")
