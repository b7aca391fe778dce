"""The chain of a trace: one number that shows whether two traces agree up to a record.

The chain of a record is the first eight bytes of

    SHA-256(chain before it, 8 bytes + its stage and place, ASCII + the digests of its compared fields, 8 bytes each)

all numbers big-endian; the first chain is eight zero bytes. Two traces of the same stages agree up to record i if, and
only if, their chains of record i are equal, so about log2(n) comparisons find the first difference.
"""

import hashlib
from dataclasses import replace
from functools import lru_cache

import numpy as np

from yardstick.numbers.digest import digest
from yardstick.traces.stages import STAGES, Field, Place, Record

BEGINNING = bytes(8)


def link(chain: bytes, record: Record) -> bytes:
    """Continue the chain by one record."""
    fields = record.fields
    digests = [fields[name].digest.to_bytes(8, "big") for name in STAGES[record.stage].fields if name in fields]
    at = f"{record.stage} {name_place(record.place)}".encode()
    return hashlib.sha256(b"".join([chain, at, *digests])).digest()[:8]


@lru_cache(16)  # the records of a tree share one place
def name_place(place: Place) -> str:
    """Write a place as text."""
    return str(place)


def complete(record: Record) -> Record:
    """Digest the histogram of each node, if the record has its sums: digests are compared, and must match the sums."""
    if record.stage != "histogram":
        return record
    sums = record.values("sums")
    if sums is None:
        return record
    sums = np.atleast_1d(sums)
    digests = np.array([digest(row) for row in sums], np.uint64)
    return replace(
        record, fields={**record.fields, "digests": Field("uint64", digests.shape, digest(digests), digests)}
    )
