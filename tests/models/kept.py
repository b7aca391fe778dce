"""A corpus of model files: one of each kind, for each version of the format, beside the scores that it gave.

    python -m tests.models.kept     writes the files of the present version that are not there yet

Files of a version that was released stay as they are: a release that reads the version reads them.
"""

import json
from pathlib import Path

from refrank.models import save_model
from refrank.models.archive import VERSION
from tests.models.kinds import KINDS, rows_for, train

CORPUS = Path(__file__).parent / "corpus"
PRESENT = CORPUS / f"version-{VERSION}"


def name_file(name: str) -> str:
    """Name the file of a kind.

    >>> name_file("cocr over sgd")
    'cocr-over-sgd.model'
    """
    return f"{name.replace(' ', '-')}.model"


def write_corpus(folder: Path) -> None:
    """Write a model of each kind that has none, and the scores of its rows in hexadecimal digits."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "scores.json"
    scores = json.loads(table.read_text()) if table.exists() else {}
    for name in KINDS.keys() - scores.keys():
        ranker = train(name)
        save_model(ranker, folder / name_file(name))
        scores[name] = [float(score).hex() for score in ranker.predict(rows_for(name))]
    table.write_text(json.dumps({name: scores[name] for name in KINDS}, indent=0) + "\n")


if __name__ == "__main__":
    write_corpus(PRESENT)
