"""Scores of external rankers, which the tables of a reproduction show beside ours.

    FOLDER/Fold1.txt ...         --data: a file per fold, by the name of the fold; Yahoo!: set1.txt, set2.txt
    FOLDER/artificial-0.txt ...  artificial data of mcrank and igbrt: a file per seed
    FOLDER/artificial.txt        artificial data of cocr

A file holds one number per line and per row of the fold's test set, in its order. The highest is ranked first.
"""

from dataclasses import dataclass
from pathlib import Path

from refrank.arrays import Floats
from refrank.checks import check_scores
from refrank.datasets import Fold
from refrank.datasets.scores import read_scores


@dataclass(frozen=True)
class AddedRanker:
    """An external ranker, given by its scores."""

    name: str
    folder: Path

    def place(self, fold_name: str) -> Path:
        """Return the path of the scores of a fold's test set."""
        return self.folder / f"{fold_name.replace(' ', '-')}.txt"

    def read(self, fold: Fold) -> Floats:
        """Read the scores of the test rows of a fold, (n_samples,)."""
        path, n_rows = self.place(fold.name), len(fold.test.y)
        scores = read_scores(path)
        if len(scores) != n_rows:
            rule = f"one per row of the test set of {fold.name}, in its order"
            raise ValueError(f"{path} has {len(scores)} scores: it must have {n_rows}, {rule}")
        return check_scores(scores, n_rows, str(path))


def parse_added(text: str) -> AddedRanker:
    """Parse NAME=FOLDER.

    >>> parse_added("mine=runs/7").folder.name
    '7'
    """
    name, _, folder = text.partition("=")
    if not name.strip() or not folder:
        raise ValueError(f"--add is {text!r}: it must be NAME=FOLDER")
    return AddedRanker(name.strip(), Path(folder))
