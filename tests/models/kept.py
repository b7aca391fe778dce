"""A corpus of model files: one of each kind, for each version of the format, beside the scores that it gave.

    python -m tests.models.kept     writes the files of the present version, which must not be there yet

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
    """Write a model of each kind, and the scores of its rows in hexadecimal digits."""
    folder.mkdir(parents=True)
    scores = {}
    for name in KINDS:
        ranker = train(name)
        save_model(ranker, folder / name_file(name))
        scores[name] = [float(score).hex() for score in ranker.predict(rows_for(name))]
    (folder / "scores.json").write_text(json.dumps(scores, indent=0) + "\n")


if __name__ == "__main__":
    write_corpus(PRESENT)
