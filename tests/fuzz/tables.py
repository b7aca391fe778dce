"""Tables: any text, and Parquet where pyarrow is, is read within its bounds or refused in one sentence."""

import io
from importlib.util import find_spec

import numpy as np

from refrank.datasets import Columns
from refrank.datasets.tables import load_table
from tests.fuzz.letor import ENDS, LABELS, NUMBERS, PIECES
from tests.fuzz.target import Refusal, Target, flip, pick

SIGNS = (",", ",", "\t", ";", "|")
FIELDS = [*NUMBERS[:14], "", "NA", '"1"', '" 2,5 "', '"', '""', "x", "2026-01-01", "a\x00b", "1\n2", '"1\n2"']
COLUMNS = (Columns(), Columns("1", "2"), Columns("1", "2", ("4", "3")), Columns("b", "qid", ("label",), "tab"))


class Tables(Target):
    """`refrank.datasets.load_table`: what is read has the shapes of a table, and no gap."""

    name = "tables"

    def make(self, rng: np.random.Generator) -> bytes:
        """Write rows of fields, or Parquet, and change a few bytes of them."""
        rows = [[str(pick(rng, LABELS[:4])), f"q{rng.integers(3)}", *map(str, rng.random(2))] for _ in range(6)]
        if rng.integers(0, 4) == 0 and find_spec("pyarrow"):
            return flip(pack(rows), rng)
        sign, rare = pick(rng, SIGNS), rng.integers(0, 20) ** 2 / 400
        lines = [sign.join(pick(rng, FIELDS) if rng.random() < rare else field for field in row) for row in rows]
        text = "\n".join([sign.join(["label", "qid", "a", "b"]), *lines]) + pick(rng, ENDS)
        content = text.encode("utf-8", "surrogatepass")
        return flip(content, rng, (*PIECES, b",", b'"', b"\t")) if rng.integers(0, 2) else content

    def check(self, content: bytes) -> None:
        """Read it by each way of calling columns."""
        columns = COLUMNS[sum(content[:64]) % len(COLUMNS)]
        data = self.refuse_or_return(lambda: load_table(self.path, columns))
        if not isinstance(data, Refusal):
            assert len(data.X) == len(data.y) == len(data.qid) == len(data.comments) > 0
            assert data.X.shape[1] == len(data.names) or not data.names
            assert np.isfinite(data.X).all()
            assert data.y.min() >= 0


def pack(rows: list[list[str]]) -> bytes:
    """Write rows as Parquet."""
    import pyarrow as pa
    from pyarrow.parquet import write_table

    label, qid, a, b = zip(*rows, strict=True)
    content = io.BytesIO()
    table = {"label": [*map(int, label)], "qid": qid, "a": [*map(float, a)], "b": [*map(float, b)]}
    write_table(pa.table(table), content)
    return content.getvalue()
