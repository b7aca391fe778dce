"""Write docs/port/trace.schema.json: `python -m tests.yardstick.schema`."""

import json
from pathlib import Path

from yardstick.traces.schema import make_schema

SCHEMA = Path(__file__).parents[2] / "docs" / "port" / "trace.schema.json"


def print_schema() -> str:
    return json.dumps(make_schema(), indent=1) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(print_schema())
