"""The committed vectors: `python -m tests.yardstick.vectors` writes refrank-vectors/ anew.

A number that changes is a change of that folder, in plain sight.
"""

from functools import cache
from pathlib import Path

from yardstick.vectors.cases import FAMILIES
from yardstick.vectors.reading import Vectors, load_vectors
from yardstick.vectors.writing import write_vectors

FOLDER = Path(__file__).parents[2] / "refrank-vectors"
REFRANK = {function.name: function.compute for family in FAMILIES for function in family.functions}


@cache
def load() -> Vectors:
    """The committed vectors, read once."""
    return load_vectors(FOLDER)


if __name__ == "__main__":
    for path in write_vectors(FOLDER):
        print(path)
