"""Settings of a reproduction: the data, the output folder, the number of threads, the rankers to add."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from refrank.datasets import Fold, LetorData
from refrank.datasets.layouts import SPLITS, name_folder
from refrank.datasets.reading import PLAIN, Reading
from refrank.datasets.whole_file import replace_file
from refrank.reproduce.added import AddedRanker

COLLECTIONS = ("MQ2007", "MQ2008", "MSLR-WEB10K", "MSLR-WEB30K")  # as their authors write them


@dataclass(frozen=True)
class Reproduction:
    """The data, the folder and the threads of a reproduction."""

    folder: Path  # for cells, tables and figures
    data: Path | None = None  # a collection in folds, as in `load_folds`; None: artificial data
    reading: Reading = PLAIN  # how the files of the collection are read
    n_threads: int | None = None  # as in `resolve_threads`; threads change no figure
    added: tuple[AddedRanker, ...] = ()  # external rankers, in the order of the tables

    @property
    def collection(self) -> str:
        """The name of the collection as its authors write it, else that of its folder.

        >>> [Reproduction(Path("out"), Path(data)).collection for data in ("mq2008", "logs-2024")]
        ['MQ2008', 'logs-2024']
        """
        assert self.data is not None
        folder = name_folder(self.data)
        return {name.lower(): name for name in COLLECTIONS}.get(folder.lower(), folder)

    def make_stem(self, sizes: str) -> str:
        """Make the stem of file names: two collections, or two readings of one, do not overwrite each other.

        >>> Reproduction(Path("out"), Path("mq2008"), Reading(unlabelled="drop")).make_stem("small")
        'mq2008-small-drop'
        """
        return f"{name_folder(self.data)}-{sizes}{self.reading.suffix}" if self.data else sizes

    def load(self, tells_gaps: bool = False) -> Iterator[Fold]:
        """Load the folds of the collection; with `tells_gaps`, NaN for features that a row does not list."""
        assert self.data is not None
        return self.reading.load_folds(self.data, tells_gaps)

    def check_added(self, artificial: Iterable[str], ours: Iterable[str]) -> list[str]:
        """Return the names of the added rankers.

        Refuse, before any training, a name that one of our rankers has, and a folder that lacks a file for a fold.
        """
        taken, names = {*ours}, [*artificial]
        if self.data and self.added:
            names = self.reading.list_folds(self.data)
        for ranker in self.added:
            if ranker.name in taken:
                fault = f"--add names {ranker.name!r}, which the tables have already"
                raise ValueError(f"{fault}: each ranker needs its own name")
            taken.add(ranker.name)
            files = [ranker.place(name) for name in names]
            for path in files:
                if not path.is_file():
                    rule = f"--add needs one per fold, here {', '.join(path.name for path in files)}"
                    raise FileNotFoundError(f"{path} is not a file of scores: {rule}")
        return [ranker.name for ranker in self.added]

    def place(self, name: str) -> Path:
        """Return the path of a file in the folder, which is created if needed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def write(self, name: str, *blocks: Iterable[str]) -> str:
        """Write blocks of lines to a file, separated by empty lines, and return the text."""
        text = "\n\n".join("\n".join(lines) for lines in blocks)
        with replace_file(self.place(name)) as file:
            file.write(f"{text}\n".encode())
        return text


def get_splits(fold: Fold) -> dict[str, LetorData]:
    """Return the training, validation and test data of a fold by their names."""
    return {split: getattr(fold, split) for split in SPLITS}
