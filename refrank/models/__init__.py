"""A trained model as a file: one documented format for every estimator, without pickle and without code.

A file is a zip whose members are stored, not compressed: `head.json`, and arrays in NumPy's .npy format 1.0 of the
types f4, f8, i4, i8 and u1, little-endian. Its bytes depend on the model only.

    head.json     {"format": "refrank model", "version": 3, "model": ESTIMATOR}
    ESTIMATOR     {"type": "GBRTRanker", "parameters": {name: VALUE}, "learned": {name: VALUE}}
                  parameters   those of the estimator, except n_threads, warm_start and verbose, which the reader sets.
                               A function is written as its table, random_state as the seed that was used. An estimator
                               of scikit-learn has those that differ from their defaults.
                  learned      n_features_in_, feature_names_in_ if X had names, and the attributes that the class
                               documents, except out-of-bag scores and the nets of epochs other than the best and the
                               last. Of `model_` and `unfinished_` only one exists. An unfitted base that is a parameter
                               has no such entry
    VALUE         null, true, false, an integer, a finite float, a string or a list is itself; a tuple is a list
                  {"float": "nan"}             nan, inf or -inf
                  {"npy": "fill_.npy"}         the member of that name: the place of the value, joined by dots
                  {"tuple": [...]}             a tuple, in a parameter
                  {"type": "Ensemble", ...}    a record, field by field; or an ESTIMATOR
                  {"records": "Tree", "shape": [n_rounds, n_outputs], "n_nodes": ..., "feature": ..., ...}
                                               records as columns: each field is one array, record after record, and
                                               n_nodes (or n_terms) is the number of entries of each; no records are []

The fields of records are those of the classes: `Ensemble`, `Tree`, `TwoLayerNet`, `COCRModel`, `M5Tree`, `LinearModel`.
In a `Tree`, a row starts at node 0. At node v it goes to left[v] if x[feature[v]] < cut[v], else to right[v], until
feature[v] is -1. Children are numbered from their tree's first node.

Every value of a file is checked before use, so a model that was read never indexes outside its arrays.
"""

import os
from typing import Any

from refrank.models.archive import read_archive, write_archive
from refrank.models.codec import Codec
from refrank.models.description import describe
from refrank.models.foreign_bytes import open_foreign, require

__all__ = ["check_savable", "describe_model", "load_model", "save_model"]


def save_model(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a trained model; a file at `path` is replaced as a whole or not at all.

    Raises a ValueError if the estimator is not fitted or no file can hold it, an OSError if the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from refrank import GBRTRanker
    >>> ranker = GBRTRanker(n_rounds=2).fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(ranker, f"{folder}/model")
    ...     load_model(f"{folder}/model").predict([[1.0]]) == ranker.predict([[1.0]])
    array([ True])
    """
    writer = Codec()
    model = writer.write_estimator(estimator)
    Codec(dict(writer.arrays)).read_estimator(model)  # never write a file that cannot be read
    write_archive(path, model, writer.arrays)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that predicts bit-for-bit like the one written, also in staged predictions except those of a net.

    Raises a ValueError that names file and field if `path` is not a model, and an OSError that names the file if it
    cannot be read. Only a regular file is read. The memory used is at most 64 times the size of the file.
    """
    estimator, _ = read_model(path)
    return estimator


def read_model(path: str | os.PathLike[str]) -> tuple[Any, int]:
    """Read a model; return it and the number of bytes of its file."""
    with open_foreign(path, "a refrank model") as content:
        model, arrays = read_archive(content)
        estimator = Codec(arrays).read_estimator(model)
        require(not arrays, f"it has a member {min(arrays, default='')}.npy that head.json does not name")
        return estimator, len(content)


def check_savable(estimator: Any) -> None:
    """Refuse, before training, an estimator whose model could not be written.

    The ValueError names the part, the reason and the remedy.
    """
    writer = Codec()
    Codec(writer.arrays).read_estimator(writer.write_estimator(estimator, trained=False), fitted=False)


def describe_model(path: str | os.PathLike[str]) -> str:
    """Describe the model file at `path` for people, on several lines; raises the errors of `load_model`."""
    return describe(*read_model(path))
