"""Import of other programs' models: the readers by name, and one sentence for each file that they refuse."""

import os
from collections.abc import Callable, Mapping

from refrank.checks import check_choice
from refrank.estimators.imported import ImportedRanker
from refrank.models.exchange import lightgbm_reader, xgboost_reader
from refrank.models.foreign_bytes import open_foreign

READERS: Mapping[str, tuple[str, Callable[[bytes], ImportedRanker]]] = {
    "lightgbm": ("a LightGBM model", lambda content: lightgbm_reader.read(str(content, "utf-8"))),
    "xgboost": ("an XGBoost model", xgboost_reader.read),
}


def import_model(path: str | os.PathLike[str], source: str) -> ImportedRanker:
    """Read another program's model from a regular file: source "lightgbm" (text) or "xgboost" (JSON or UBJSON).

    Raises a ValueError that names file and place if the file is not such a model, or has features that refrank lacks,
    and an OSError if it cannot be read.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     import_model(Path(folder, "m").write_bytes(b"tree") and Path(folder, "m"), "lightgbm")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ... is not a LightGBM model: it ends before the line 'end of trees'
    """
    kind, read = READERS[check_choice("source", source, READERS)]
    with open_foreign(path, kind) as content:
        return read(content)
