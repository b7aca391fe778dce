"""The form of a file of vectors, as a JSON Schema (2020-12), which goes into the folder as schema.json.

file      format, version, family, text, functions, notes, cases
case      id, function, result, paper, comment, and input or input_of, answers, flags, ulps
answer    output: an array under each name of the function's outputs; flag
"""

from typing import Any

FORMAT, VERSION = "refrank-vectors", 1
TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 2000}
NAME: dict[str, Any] = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_^-]*$", "maxLength": 80}
ID: dict[str, Any] = {"type": "string", "pattern": "^[a-z]+(/[A-Za-z0-9_^-]+)+$", "maxLength": 160}


def closed(properties: dict[str, Any], required: str) -> dict[str, Any]:
    """Describe an object that has no other fields."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def table(values: dict[str, Any]) -> dict[str, Any]:
    """Describe an object whose fields have any names."""
    return {"type": "object", "propertyNames": {"$ref": "#/$defs/name"}, "additionalProperties": values}


ARRAY = closed(
    {
        "dtype": {"enum": ["float64", "int64", "uint64"]},
        "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 4},
        "values": {
            "type": "array",
            "items": {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]},
        },
        "hex": {
            "type": "array",
            "items": {"type": "string", "pattern": r"^(-?0x[01]\.[0-9a-f]{1,13}p[+-][0-9]+|nan|-?inf)$"},
        },
    },
    "dtype shape values",
)
CASE = closed(
    {
        "id": {"$ref": "#/$defs/id"},
        "function": {"$ref": "#/$defs/name"},
        "result": {"enum": ["valid", "acceptable", "invalid"]},
        "paper": {"$ref": "#/$defs/text"},
        "comment": {"$ref": "#/$defs/text"},
        "flags": {"type": "array", "items": {"$ref": "#/$defs/name"}, "uniqueItems": True},
        "ulps": {"type": "integer", "minimum": 1},
        "input": table({"$ref": "#/$defs/value"}),
        "input_of": {"$ref": "#/$defs/id"},
        "answers": {
            "type": "array",
            "items": closed({"flag": {"$ref": "#/$defs/name"}, "output": table({"$ref": "#/$defs/array"})}, "output"),
        },
    },
    "id function result paper comment answers",
) | {
    "oneOf": [{"required": ["input"]}, {"required": ["input_of"]}],
    "allOf": [
        number_of_answers
        for result, counts in (
            ("valid", {"minItems": 1, "maxItems": 1}),
            ("acceptable", {"minItems": 2}),
            ("invalid", {"maxItems": 1}),
        )
        for number_of_answers in [
            {
                "if": {"properties": {"result": {"const": result}}},
                "then": {"properties": {"answers": counts}},
            }
        ]
    ],
}
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "refrank vectors",
    **closed(
        {
            "format": {"const": FORMAT},
            "version": {"const": VERSION},
            "family": {"$ref": "#/$defs/name"},
            "text": {"$ref": "#/$defs/text"},
            "functions": table(
                closed(
                    {
                        "text": {"$ref": "#/$defs/text"},
                        "paper": {"$ref": "#/$defs/text"},
                        "inputs": table({"$ref": "#/$defs/text"}),
                        "outputs": table({"$ref": "#/$defs/text"}),
                    },
                    "text paper inputs outputs",
                )
            ),
            "notes": table({"$ref": "#/$defs/text"}),
            "cases": {"type": "array", "items": {"$ref": "#/$defs/case"}},
        },
        "format version family text functions notes cases",
    ),
    "$defs": {
        "text": TEXT,
        "name": NAME,
        "id": ID,
        "array": ARRAY,
        "value": {"anyOf": [{"$ref": "#/$defs/array"}, TEXT, {"type": "array", "items": TEXT}, {"type": "null"}]},
        "case": CASE,
    },
}
