"""Write docs/trace.schema.json: `python -m tests.conformance.schema`."""

import json
from pathlib import Path

from refrank.conformance.traces.schema import make_schema

SCHEMA = Path(__file__).parents[2] / "docs" / "trace.schema.json"


def print_schema() -> str:
    return json.dumps(make_schema(), indent=1) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(print_schema())
