"""TREC files: runs, which rank documents, and qrels, which judge them; plain or gzipped.

    run      query Q0 document rank score tag     301 Q0 FR940202-2-00150 1 2.129 mine
    qrels    query iteration document relevance   301 0 FR940202-2-00150 1

The rules are those of trec_eval: the order of a run is that of its scores, and not that of its lines or of its ranks; a
document without a judgment, or with a negative one, is not relevant.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.datasets.source import Input, open_source

MOST_RELEVANT = 53  # the highest label of the metrics
LEAST_RELEVANT = -(2**31)
MARK = b"\xef\xbb\xbf"  # of UTF-8


@dataclass(frozen=True)
class Form:
    """The form of a line: its fields, and how the number in one of them is read."""

    fields: str
    place: int  # of the number, from 0
    parse: Callable[[bytes], float | None]  # None: not lawful
    rule: str
    longer: bool  # whether more fields may follow
    other: tuple[int, str]  # the number of fields of the other kind of file, and what it is

    @property
    def n_fields(self) -> int:
        """Number of the fields."""
        return len(self.fields.split())


def parse_score(text: bytes) -> float | None:
    """Return a finite number, or None."""
    try:
        value = float(b"x" if b"_" in text else text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def parse_relevance(text: bytes) -> int | None:
    """Return an integer that a label may be, or a negative one, or None."""
    try:
        value = int(b"x" if b"_" in text else text)
    except ValueError:
        return None
    return value if LEAST_RELEVANT <= value <= MOST_RELEVANT else None


RUN = Form(
    *("query Q0 document rank score tag", 4, parse_score, "the score must be a finite number", True),
    other=(4, "it looks like qrels, which come second"),
)
QRELS = Form(
    *("query iteration document relevance", 3, parse_relevance),
    *(f"the relevance must be an integer of at most {MOST_RELEVANT}", False),
    other=(5, "it looks like a run, which comes first"),  # no more than one field beyond the fourth is split off
)


@dataclass(frozen=True, eq=False)
class TrecFile:
    """The lines of a run or of qrels, in the order of the file.

    Parameters
    ----------
    name : str
        Of the file, in messages.
    qid, doc_id : tuple of n_rows str
    values : array of shape (n_rows,)
        Of a run, the scores, float64; of qrels, the relevance, int64, negative where the file has it so.
    """

    name: str
    qid: tuple[str, ...]
    doc_id: tuple[str, ...]
    values: NDArray[Any]


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run and its judgments as the arrays of a metric: the ranked documents, then those that have no rank.

    Parameters
    ----------
    y : int64 array of shape (n_samples,)
        Relevance; 0 for a document without a judgment, or with a negative one.
    score : float64 array of shape (n_samples,)
        NaN for a judged document that the run does not rank.
    qid : list of n_samples str
    doc_id : array of shape (n_samples,)
        Of str objects.
    left_out : tuple of str
        The ranked queries without judgments, of which nothing is here.
    """

    y: Ints
    score: Floats
    qid: list[str]
    doc_id: NDArray[Any]
    left_out: tuple[str, ...]


def read_run(path: Input) -> TrecFile:
    """Read a run.

    Blank lines, lines that begin with "#", and what follows the tag are skipped.

    Parameters
    ----------
    path : str, path-like or binary file
        As in `load_letor`: a name that ends in `.gz` is decompressed, and pipes are read like files.

    Returns
    -------
    TrecFile

    Raises
    ------
    ValueError
        With file, line and rule, for: fewer than 6 fields; a score that is not a finite number; a document that a query
        ranks twice; a file without lines.
    OSError
        If the file cannot be opened or read.

    Examples
    --------
    >>> import io
    >>> run = read_run(io.BytesIO(b"q1 Q0 d7 1 2.5 mine\\nq1 Q0 d3 2 0.5 mine\\n"))
    >>> run.qid, run.doc_id, run.values
    (('q1', 'q1'), ('d7', 'd3'), array([2.5, 0.5]))
    """
    return _read_file(path, RUN, np.dtype(np.float64))


def read_qrels(path: Input) -> TrecFile:
    """Read judgments.

    Parameters
    ----------
    path : as in `read_run`

    Returns
    -------
    TrecFile

    Raises
    ------
    ValueError
        As in `read_run`, for: a line of other than 4 fields; a relevance that is not an integer of at most 53.
    OSError
        If the file cannot be opened or read.

    Examples
    --------
    >>> import io
    >>> read_qrels(io.BytesIO(b"q1 0 d3 1\\nq1 0 d9 -1\\n")).values
    array([ 1, -1])
    """
    return _read_file(path, QRELS, np.dtype(np.int64))


def _read_file(path: Input, form: Form, dtype: np.dtype[Any]) -> TrecFile:
    """Read the lines of a form; refuse the first fault, with its place."""
    values: list[float] = []
    queries: dict[bytes, str] = {}  # a query stands on many lines
    places: dict[tuple[str, str], int] = {}
    with open_source(path) as source:
        for place, fields in _split_lines(source.name, source.read_lines(), form):
            value = form.parse(fields[form.place])
            if value is None:
                raise ValueError(f"{source.name}, line {place}: {_quote(fields[form.place])}: {form.rule}")
            pair = queries.setdefault(fields[0], _decode(fields[0])), _decode(fields[2])
            if (first := places.setdefault(pair, place)) != place:
                query, document = map(short, pair)
                fault = f"query {query} has document {document} on line {first}: it may have it once"
                raise ValueError(f"{source.name}, line {place}: {fault}")
            values.append(value)
        if not values:
            raise ValueError(f"{source.name}: no line is {form.fields!r}")
        qid, doc_id = tuple(query for query, _ in places), tuple(document for _, document in places)
        return TrecFile(source.name, qid, doc_id, np.array(values, dtype))


def _split_lines(name: str, lines: Iterator[bytes], form: Form) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the number and the fields of each line that holds some."""
    for place, line in enumerate(lines, start=1):
        fields = line.removeprefix(MARK if place == 1 else b"").split(None, form.n_fields)
        if not fields or fields[0].startswith(b"#"):
            continue
        if len(fields) < form.n_fields or (len(fields) > form.n_fields and not form.longer):
            hint = f"; {form.other[1]}" if len(fields) == form.other[0] else ""
            raise ValueError(f"{name}, line {place}: {_quote(line)}: a line must be {form.fields!r}{hint}")
        yield place, fields


def _decode(text: bytes) -> str:
    """Read an id, which need not be UTF-8."""
    return text.decode("utf-8", "backslashreplace")


def _quote(text: bytes) -> str:
    return short(_decode(text.strip()))


def judge_run(run: TrecFile, qrels: TrecFile) -> JudgedRun:
    """Put a run and judgments together.

    Parameters
    ----------
    run, qrels : TrecFile
        As `read_run` and `read_qrels` return them.

    Returns
    -------
    JudgedRun

    Raises
    ------
    ValueError
        If the run ranks no query of the qrels.

    Examples
    --------
    >>> import io
    >>> run = read_run(io.BytesIO(b"q1 Q0 d7 1 2.5 mine\\nq1 Q0 d3 2 0.5 mine\\nq2 Q0 d1 1 1 mine\\n"))
    >>> judged = judge_run(run, read_qrels(io.BytesIO(b"q1 0 d3 1\\nq1 0 d9 2\\n")))
    >>> judged.doc_id.tolist(), judged.y, judged.score, judged.left_out
    (['d7', 'd3', 'd9'], array([0, 1, 2]), array([2.5, 0.5, nan]), ('q2',))
    >>> from refrank.metrics import recall
    >>> recall(judged.y, judged.score, judged.qid, 10, "trec_eval", doc_id=judged.doc_id)
    0.5
    """
    relevance = dict(zip(zip(qrels.qid, qrels.doc_id, strict=True), qrels.values.tolist(), strict=True))
    scores = dict(zip(zip(run.qid, run.doc_id, strict=True), run.values.tolist(), strict=True))
    judged = {*qrels.qid}
    ranked = [pair for pair in scores if pair[0] in judged]
    if not ranked:
        theirs = f"the first of the run is {short(run.qid[0])}, of the qrels {short(qrels.qid[0])}"
        raise ValueError(f"{run.name} ranks no query of {qrels.name}: {theirs}")
    pairs = [*ranked, *(pair for pair in relevance if pair not in scores)]
    doc_id = np.empty(len(pairs), dtype=object)
    doc_id[:] = [document for _, document in pairs]
    return JudgedRun(
        np.array([max(relevance.get(pair, 0), 0) for pair in pairs], dtype=np.int64),
        np.array([scores.get(pair, math.nan) for pair in pairs]),
        [query for query, _ in pairs],
        doc_id,
        tuple(query for query in dict.fromkeys(run.qid) if query not in judged),
    )
