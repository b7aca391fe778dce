"""The scores of files that are read on a cluster, by a model, which is sent to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from refrank.arrays import Floats
from refrank.cli.clusters import cut_files, make_once, read_shards
from refrank.cli.shard_files import FileReader
from refrank.datasets import LetorData
from refrank.datasets.reading import Reading

if TYPE_CHECKING:
    from refrank.cluster.engines import Cluster
    from refrank.estimators.sharded import ShardSource

Part = tuple[LetorData, Floats]  # rows without their features, and scores (n_samples,), none without a model


@dataclass(frozen=True)
class ScoringReader:
    """Reads the files of a shard, and scores their rows by a model, if there is one."""

    reader: FileReader
    ranker: Any
    are_measured: bool  # whether labels, queries and comments are asked for

    def __call__(self, files: Sequence[str]) -> list[Part]:
        """Read and score each file."""
        return [*map(self.score, files)]

    def score(self, file: str) -> Part:
        """Read and score a file."""
        from refrank.estimators.feature_tables import drop_names

        data = self.reader.read(file)
        scores = np.empty(0) if self.ranker is None or not len(data.y) else drop_names(self.ranker).predict(data.X)
        none = data.y[:0]
        rows = (data.y, data.qid, data.comments) if self.are_measured else (none, none, ())
        return LetorData(data.X[:0, :0], *rows), scores


def rank_files(
    cluster: "Cluster",
    files: Sequence[str],
    model: str | None,
    reading: Reading,
    n_features: int | None = None,
    are_measured: bool = True,
) -> Part:
    """Read the rows of files on a cluster, and score them by a model, (n_samples,), in the order of the files.

    Labels, queries and comments come along if they are measured; then the rows of a query must be in one file.
    """

    def cut() -> list["ShardSource"]:
        from refrank.models import load_model

        ranker = None if model is None else load_model(model)
        names = tuple(getattr(ranker, "feature_names_in_", ()))
        absent = reading.choose_absent(ranker)
        width = getattr(ranker, "n_features_in_", n_features)
        reader = FileReader(reading, width, absent, names, to_score=not are_measured)
        return cut_files(cluster, files, ScoringReader(reader, ranker, are_measured))

    parts = [part for run in read_shards(cluster, make_once(cluster, cut)) for part in run]
    rows = [data for data, _ in parts]
    check_queries(files, rows)
    y, qid = (np.concatenate([getattr(data, name) for data in rows]) for name in ("y", "qid"))
    comments = tuple(comment for data in rows for comment in data.comments)
    return LetorData(rows[0].X, y, qid, comments), np.concatenate([scores for _, scores in parts])


def check_queries(files: Sequence[str], rows: Sequence[LetorData]) -> None:
    """Refuse a query whose rows are in two files, each of which may number its queries on its own."""
    first: dict[str, str] = {}
    for file, data in zip(files, rows, strict=True):
        for query in map(str, np.unique(data.qid).tolist()):
            if first.setdefault(query, file) != file:
                raise ValueError(f"query {query} is in {first[query]} and in {file}: its rows must be in one file")
