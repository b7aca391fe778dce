"""What a reproduction is told: the data, the folder for its files, the number of threads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from refrank.datasets import Fold, LetorData, load_folds
from refrank.datasets.folds import SPLITS
from refrank.datasets.letor import Unlabelled


@dataclass(frozen=True)
class Run:
    """The data, the folder and the threads of a reproduction."""

    folder: Path  # for cells, tables and figures
    data: Path | None = None  # a collection in folds, as in `load_folds`; None: artificial data
    unlabelled: Unlabelled = "error"  # what becomes of rows of label -1, as in `load_folds`
    n_threads: int | None = None  # as in `resolve_threads`; threads change no figure
    cache: bool = False  # whether to keep what was read beside the files of the collection, as in `load_folds`

    def load(self, absent: float = 0.0) -> Iterator[Fold]:
        """Load the folds of the collection, with `absent` for features that a line does not list."""
        assert self.data is not None
        return load_folds(self.data, absent=absent, unlabelled=self.unlabelled, cache=self.cache)

    def place(self, name: str) -> Path:
        """Return the path of a file in the folder, which is made if need be."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def write(self, name: str, *blocks: Iterable[str]) -> str:
        """Write blocks of lines to a file, an empty line between two of them, and return the text."""
        text = "\n\n".join("\n".join(lines) for lines in blocks)
        self.place(name).write_text(text + "\n", encoding="utf-8")
        return text


def get_splits(fold: Fold) -> dict[str, LetorData]:
    """Return the training, validation and test data of a fold by their names."""
    return {split: getattr(fold, split) for split in SPLITS}
