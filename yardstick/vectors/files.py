"""The files of the vectors in the package: README.md, schema.json, a file per family, and streams.json.

`python -m generators.vectors` computes the families, and `python -m generators.streams` the streams; schema.json is
written by hand.
"""

import os
from pathlib import Path

from refrank.datasets.whole_file import replace_file

FOLDER = Path(__file__).with_name("data")
SCHEMA_FILE, STREAMS_FILE = "schema.json", "streams.json"
FORMAT, VERSION = "refrank-vectors", 1
FAMILIES = (  # in order of computation
    *("numbers", "draws", "binning", "splits", "leaves", "trees", "rounds", "regression", "probabilities"),
    *("boosting", "igbrt", "cocr", "metrics", "conventions", "lambdas"),
)
FILES = ("README.md", SCHEMA_FILE, STREAMS_FILE, *(f"{family}.json" for family in FAMILIES))


def copy_vectors(folder: str | os.PathLike[str]) -> list[Path]:
    """Copy the files of the vectors to a folder, and return the copies; each file is replaced whole."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [write_file(Path(folder, name), (FOLDER / name).read_bytes()) for name in FILES]


def write_file(path: Path, content: bytes) -> Path:
    """Replace a file whole, or leave the old one as it is after an error; return its path."""
    with replace_file(path) as file:
        file.write(content)
    return path
