"""The rows of a shard: those of some files, in their order, which are read where the shard is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from refrank.arrays import Matrix
from refrank.cli.clusters import cut_files
from refrank.cli.inputs import check_names, open_input
from refrank.datasets import LetorData
from refrank.datasets.other_formats import OtherFormatError
from refrank.datasets.reading import Reading
from refrank.datasets.source import NoRowsError
from refrank.datasets.tables import is_table

if TYPE_CHECKING:
    from refrank.cluster.engines import Cluster
    from refrank.estimators.base import Ranker
    from refrank.estimators.sharded import ShardRows


@dataclass(frozen=True)
class FileReader:
    """How each file is read; one without rows is a part like any other."""

    reading: Reading
    n_features: int | None
    absent: float | None
    model_names: Sequence[str] = ()  # of the features, if a model has them
    to_score: bool = False

    def read(self, file: str) -> LetorData:
        """Read a file."""
        try:
            data = self.reading.load(file, self.n_features, self.absent, self.to_score)
        except NoRowsError:
            none = np.empty(0, np.int64)
            return LetorData(np.empty((0, self.n_features or 0), self.reading.dtype), none, none, ())
        except OtherFormatError as fault:  # it suggests a command of one file
            raise ValueError(str(fault)) from None
        check_names(file, data.names, self.model_names)
        return data

    def choose_filler(self, files: Sequence[str]) -> float | None:
        """Choose the value of features after the last that a file names; None for tables, which name all.

        >>> FileReader(Reading(), None, None).choose_filler(["a.txt"])
        0.0
        """
        return None if self.reading.columns is not None or any(map(is_table, files)) else self.absent or 0.0


@dataclass(frozen=True)
class TrainingReader:
    """Reads the files of a shard for a training, whose validation set has the same features."""

    reader: FileReader
    filler: float | None
    valid: str | None
    valid_names: Sequence[str]

    def __call__(self, files: Sequence[str]) -> "ShardRows":
        """Read the files; put their rows one after the other."""
        from refrank.estimators.sharded import ShardRows

        parts, names = [self.reader.read(file) for file in files], tuple[str, ...]()
        for file, part in zip(files, parts, strict=True):
            check_names(file, part.names, names)
            check_names(str(self.valid), self.valid_names, part.names)
            names = names or part.names
        y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("y", "qid"))
        counts = [(file, len(part.y)) for file, part in zip(files, parts, strict=True)]
        return ShardRows(concatenate(files, parts, self.filler), y, qid, None, names, counts)


def concatenate(files: Sequence[str], parts: list[LetorData], filler: float | None) -> Matrix:
    """Put the features of files one after the other, (n_samples, n_features); `parts` is emptied, to save memory."""
    if len(parts) == 1:
        return parts.pop().X
    n_features = max(part.X.shape[1] for part in parts)
    X = np.empty((sum(len(part.X) for part in parts), n_features), parts[0].X.dtype)
    start = 0
    for file in files:
        own = parts.pop(0).X
        if filler is None and 0 < own.shape[1] < n_features:
            raise ValueError(f"{file} has {own.shape[1]} features: it must have {n_features}, as other files")
        X[start : start + len(own), : own.shape[1]] = own
        X[start : start + len(own), own.shape[1] :] = filler or 0.0
        start += len(own)
    return X


def cut_training(
    cluster: "Cluster",
    ranker: "Ranker",
    files: Sequence[str],
    reading: Reading,
    n_features: int | None,
    valid: str | None,
    choice: Mapping[str, Any],
) -> Callable[..., object]:
    """Make the function that trains a ranker on files; read the validation set, which all shards get."""
    from refrank.estimators.sharded import check_cuttable

    check_cuttable(ranker)
    absent, held_out, valid_names = reading.choose_absent(ranker), dict[str, Any](), tuple[str, ...]()
    if valid is not None:
        of_valid = reading.load(open_input(valid), n_features, absent)
        held_out = {"X_val": of_valid.X, "y_val": of_valid.y, "qid_val": of_valid.qid, **choice}
        valid_names = of_valid.names
    reader = FileReader(reading, n_features, absent, tuple(getattr(ranker, "feature_names_in_", ())))
    filler = reader.choose_filler(files)
    sources = cut_files(cluster, files, TrainingReader(reader, filler, valid, valid_names), filler)
    return partial(ranker.fit_shards, sources, **held_out)
