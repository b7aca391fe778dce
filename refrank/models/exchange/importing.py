"""Import of other programs' models: the readers by name, and one sentence for each file that they refuse."""

import os
from collections.abc import Callable, Mapping

from refrank.checks import check_choice
from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange import lightgbm_reader, xgboost_reader
from refrank.models.exchange.xgboost_rounds import Rounds
from refrank.models.foreign_bytes import open_foreign, require

Reader = Callable[[bytes, Rounds | None], ImportedRanker]


def read_lightgbm(content: bytes, rounds: Rounds | None) -> ImportedRanker:
    """Read LightGBM's text, which holds the rounds it was saved with: by default, those up to the best."""
    require(rounds != "best", "it does not name a best iteration: --rounds must be all, the rounds that it holds")
    return lightgbm_reader.read(str(content, "utf-8"))


READERS: Mapping[str, tuple[str, Reader]] = {
    "lightgbm": ("a LightGBM model", read_lightgbm),
    "xgboost": ("an XGBoost model", xgboost_reader.read),
}


def import_model(path: str | os.PathLike[str], source: str, rounds: Rounds | None = None) -> ImportedRanker:
    """Read another program's model from a regular file: source "lightgbm" (text) or "xgboost" (JSON or UBJSON).

    A model of XGBoost that stopped early needs `rounds`: "best" or "all".

    Raises a ValueError that names file and place if the file is not such a model, or has features that refrank lacks,
    and an OSError if it cannot be read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     import_model(Path(folder, "m").write_bytes(b"tree") and Path(folder, "m"), "lightgbm")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ... is not a LightGBM model: it ends before the line 'end of trees'
    """
    return read_import(path, source, rounds)[0]


def read_import(
    path: str | os.PathLike[str], source: str, rounds: Rounds | None = None
) -> tuple[ImportedRanker, bytes]:
    """Read a model as `import_model` does; return it with the content of its file."""
    kind, read = READERS[check_choice("source", source, READERS)]
    with open_foreign(path, kind) as content:
        return read(content, rounds), content
