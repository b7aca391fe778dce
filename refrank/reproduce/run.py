"""What a reproduction is told: the data, the folder for its files, the number of threads."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from refrank.datasets import Fold, load_folds

Unlabelled = Literal["error", "zero", "drop"]


@dataclass(frozen=True)
class Run:
    """The data, the folder and the threads of a reproduction.

    Parameters
    ----------
    folder : Path
        For cells, tables and figures.
    data : Path or None, default None
        A collection in folds, as in `load_folds`; None: artificial data.
    unlabelled : {"error", "zero", "drop"}, default "error"
        What becomes of rows of label -1, as in `load_folds`.
    n_threads : int or None, default None
        As in `resolve_threads`; threads change no figure.
    """

    folder: Path
    data: Path | None = None
    unlabelled: Unlabelled = "error"
    n_threads: int | None = None

    def load(self, absent: float = 0.0) -> Iterator[Fold]:
        """Load the folds of the collection, with `absent` for features that a line does not list."""
        assert self.data is not None
        return load_folds(self.data, absent=absent, unlabelled=self.unlabelled)

    def place(self, name: str) -> Path:
        """Return the path of a file in the folder, which is made if need be."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def write(self, name: str, lines: Iterable[str]) -> str:
        """Write lines of text to a file, and return them."""
        text = "\n".join(lines)
        self.place(name).write_text(text + "\n", encoding="utf-8")
        return text
