"""Runs and judgments written as TREC files, for the programs that read them."""

import re
from collections.abc import Iterator, Sequence
from os import PathLike
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_entries
from refrank.datasets.whole_file import replace_file

DOCUMENT = re.compile(r"\bdocid\s*=\s*(\S+)")  # as the collections of LETOR write it


def name_documents(comments: Sequence[str]) -> list[str]:
    """Name the documents of rows: by the docid of its comment, or else by its number, in as many digits as the last.

    >>> name_documents(["docid = GX008-86-4444840 inc = 1", ""])
    ['GX008-86-4444840', '1']
    """
    width = len(str(len(comments) - 1))
    matches = ((row, DOCUMENT.search(comment)) for row, comment in enumerate(comments))
    return [f"{row:0{width}}" if match is None else match[1] for row, match in matches]


def write_run(
    path: str | PathLike[str],
    qid: Sequence[object],
    doc_id: Sequence[str],
    score: ArrayLike,
    tag: str = "refrank",
) -> None:
    """Write a run, of each query its documents from the first to the last.

    Equal scores stand in the order in which trec_eval reads them, larger document id first.

    Parameters
    ----------
    path : str or path-like
        Written whole, or not at all.
    qid, doc_id : sequence of n_samples
        Ids, written as text: not empty and without white space. A query has each document once.
    score : array-like of shape (n_samples,)
        Finite, written in the fewest digits that identify the float64.
    tag : str, default "refrank"
        Name of the run.

    Raises
    ------
    ValueError
        If an id, a score or the tag is not as described.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "run.txt")
    ...     write_run(path, [7, 7, 8], ["a", "b", "a"], [0.25, 0.5, 1.0])
    ...     print(path.read_text(), end="")
    7 Q0 b 1 0.5 refrank
    7 Q0 a 2 0.25 refrank
    8 Q0 a 1 1.0 refrank
    """
    check_id("tag", tag, "of the run")
    scores = np.asarray(score, dtype=np.float64)
    check_entries("score", scores, ~np.isfinite(scores), "a score of a run must be finite")
    by_query: dict[str, list[tuple[float, str]]] = {}
    for query, document, value in pair_rows(qid, doc_id, scores.tolist()):
        by_query.setdefault(query, []).append((value, document))
    with replace_file(path) as file:
        for query, documents in by_query.items():
            for position, (value, document) in enumerate(sorted(documents, reverse=True), start=1):
                file.write(f"{query} Q0 {document} {position} {value!r} {tag}\n".encode())


def write_qrels(path: str | PathLike[str], qid: Sequence[object], doc_id: Sequence[str], y: ArrayLike) -> None:
    """Write labels as judgments, in the order of the rows.

    Parameters
    ----------
    path, qid, doc_id : as in `write_run`
    y : array-like of shape (n_samples,)
        Labels, integers.

    Raises
    ------
    ValueError
        If an id is not as in `write_run`.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "qrels.txt")
    ...     write_qrels(path, [7, 7], ["a", "b"], [0, 2])
    ...     print(path.read_text(), end="")
    7 0 a 0
    7 0 b 2
    """
    with replace_file(path) as file:
        for query, document, label in pair_rows(qid, doc_id, np.asarray(y).tolist()):
            file.write(f"{query} 0 {document} {label}\n".encode())


def pair_rows(qid: Sequence[object], doc_id: Sequence[str], values: Sequence[Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield query, document and value of each row; refuse an id that cannot be written, or that a query has twice."""
    places: dict[tuple[str, str], int] = {}
    for row, (query, document, value) in enumerate(zip(map(str, qid), doc_id, values, strict=True)):
        check_id("qid", query, f"at row {row}")
        check_id("doc_id", document, f"at row {row}")
        if (first := places.setdefault((query, document), row)) != row:
            raise ValueError(f"doc_id at row {row} is {short(document)}: query {short(query)} has it at row {first}")
        yield query, document, value


def check_id(name: str, text: str, place: str) -> None:
    """Refuse an id that readers would split, or take for a comment."""
    if text.split() != [text] or text.startswith("#"):
        raise ValueError(
            f"{name} {place} is {short(text)}: it must be a word without white space, and not begin with #"
        )
