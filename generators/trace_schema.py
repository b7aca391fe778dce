"""Write docs/port/trace.schema.json: `python -m generators.trace_schema`.

It describes the manifest of a trace (`#/$defs/manifest`) and each line of its records (`#/$defs/record`), as a JSON
Schema (2020-12).
"""

import json
from pathlib import Path
from typing import Any

from yardstick.numbers.encoding import FLOATS, INTEGERS, MOST_DIMENSIONS
from yardstick.traces.stages import FLOAT, STAGES, Place
from yardstick.traces.writer import FORMAT, VERSION

FILE = Path(__file__).parents[1] / "docs" / "port" / "trace.schema.json"
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
DIGEST: dict[str, Any] = {"type": "string", "pattern": "^[0-9a-f]{16}$"}
HEX = r"^(-?0[xX][0-9a-fA-F.]+([pP][+-]?[0-9]+)?|nan|-?inf)$"


def make_schema() -> dict[str, Any]:
    """Make the schema.

    >>> sorted(make_schema()["$defs"])
    ['floats', 'integers', 'manifest', 'record']
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A trace of refrank, version {VERSION}",
        "anyOf": [{"$ref": "#/$defs/manifest"}, {"$ref": "#/$defs/record"}],
        "$defs": {
            "manifest": MANIFEST,
            "record": {"type": "object", "oneOf": [describe_stage(stage) for stage in STAGES]},
            "floats": describe_field(list(FLOATS), {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}),
            "integers": describe_field(list(INTEGERS), {"type": "integer"}),
        },
    }


MANIFEST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "algorithm": {"type": "string"},
        "parameters": {"type": "object"},
        "writer": {"type": "string"},
        "n_records": COUNT,
        "n_samples": COUNT,
        "n_features": COUNT,
        "n_queries": COUNT,
        "convention": {"type": "string"},
        "model": {"type": "string", "description": "the algorithm of the model that a trace of a model is of"},
        "ended": {"type": "string", "description": "how a training ended that did not get to its end"},
    },
    "required": ["format", "version", "algorithm"],
}


def describe_stage(stage: str) -> dict[str, Any]:
    """Describe a record of one stage."""
    kinds = {**STAGES[stage].fields, **STAGES[stage].beside}
    fields = {name: {"$ref": f"#/$defs/{'floats' if kind == FLOAT else 'integers'}"} for name, kind in kinds.items()}
    place = dict.fromkeys(Place._fields, COUNT)
    return {
        "description": STAGES[stage].title,
        "properties": {
            "stage": {"const": stage},
            "at": {"type": "object", "properties": place, "additionalProperties": False},
            "fields": {"type": "object", "properties": fields, "additionalProperties": False, "minProperties": 1},
        },
        "required": ["stage", "at", "fields"],
    }


def describe_field(dtypes: list[str], entry: dict[str, Any]) -> dict[str, Any]:
    """Describe an array of one of the given types."""
    return {
        "type": "object",
        "properties": {
            "dtype": {"enum": dtypes},
            "shape": {"type": "array", "items": COUNT, "maxItems": MOST_DIMENSIONS},
            "values": {"type": "array", "items": entry},
            "hex": {"type": "array", "items": {"type": "string", "pattern": HEX}},
            "text": {"type": "array", "items": {"type": "string", "pattern": "^-?[0-9]{1,20}$"}},
            "digest": DIGEST,
            "tensors": {"type": "string", "pattern": "^[0-9]{1,12}$"},
        },
        "required": ["dtype", "shape"],
        "anyOf": [{"required": [form]} for form in ("values", "hex", "text", "digest", "tensors")],
    }


def print_schema() -> str:
    """Write the schema as JSON."""
    return json.dumps(make_schema(), indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(print_schema(), encoding="utf-8")
