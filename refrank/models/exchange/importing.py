"""Import of other programs' models: the readers by name, and one sentence for each file that they refuse."""

import os
from collections.abc import Callable, Mapping

from refrank.checks import check_choice
from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange import lightgbm_reader, ranklib_reader, xgboost_reader
from refrank.models.exchange.xgboost_rounds import Rounds
from refrank.models.foreign_bytes import open_foreign, require

Reader = Callable[[bytes, Rounds | None, int | None], ImportedRanker]


def read_lightgbm(content: bytes, rounds: Rounds | None, n_features: int | None) -> ImportedRanker:
    """Read LightGBM's text, which holds the rounds it was saved with: by default, those up to the best."""
    require(n_features is None, STATED)
    require(rounds != "best", "it does not name a best iteration: --rounds must be all, the rounds that it holds")
    return lightgbm_reader.read(str(content, "utf-8"))


def read_xgboost(content: bytes, rounds: Rounds | None, n_features: int | None) -> ImportedRanker:
    """Read XGBoost's JSON or UBJSON."""
    require(n_features is None, STATED)
    return xgboost_reader.read(content, rounds)


def read_ranklib(content: bytes, rounds: Rounds | None, n_features: int | None) -> ImportedRanker:
    """Read RankLib's ensemble, which neither names a best round nor says how many features there are."""
    require(rounds != "best", "it does not name a best round: --rounds must be all, the rounds that it holds")
    return ranklib_reader.read(content, n_features)


STATED = "it states how many features there are: --n-features is for RankLib's files"
READERS: Mapping[str, tuple[str, Reader]] = {
    "lightgbm": ("a LightGBM model", read_lightgbm),
    "xgboost": ("an XGBoost model", read_xgboost),
    "ranklib": ("a RankLib ensemble", read_ranklib),
}


def import_model(
    path: str | os.PathLike[str], source: str, rounds: Rounds | None = None, n_features: int | None = None
) -> ImportedRanker:
    """Read another program's model from a regular file.

    The source is "lightgbm" (text), "xgboost" (JSON or UBJSON) or "ranklib" (XML). A model of XGBoost that stopped
    early needs `rounds`: "best" or "all". RankLib's file does not state `n_features`: by default it is the highest
    feature that a tree cuts, or the number of names in the comments that refrank writes.

    Raises a ValueError that names file and place if the file is not such a model, or has features that refrank lacks,
    and an OSError if it cannot be read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     import_model(Path(folder, "m").write_bytes(b"tree") and Path(folder, "m"), "lightgbm")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ... is not a LightGBM model: it ends before the line 'end of trees'
    """
    return read_import(path, source, rounds, n_features)[0]


def read_import(
    path: str | os.PathLike[str], source: str, rounds: Rounds | None = None, n_features: int | None = None
) -> tuple[ImportedRanker, bytes]:
    """Read a model as `import_model` does; return it with the content of its file."""
    kind, read = READERS[check_choice("source", source, READERS)]
    with open_foreign(path, kind) as content:
        return read(content, rounds, n_features), content
