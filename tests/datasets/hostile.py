"""Measure the reading of hostile files, each in a process of its own: `python -m tests.datasets.hostile FOLDER`.

Prints a line of JSON for each: kind, name, the sentence about it, CPU seconds and bytes of memory per byte of it. The
process that forks trains and reads nothing, since a fork has no threads.
"""

import io
import json
import os
import resource
import sys
import time
import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from tests.datasets.foreign_kinds import KINDS

N_BYTES, FEW_BYTES = 2**19, 2**15  # of a hostile file, about
FREE_BYTES = 2**22  # of memory, which are not counted
MARK = '"@@"'


def fill(head, part, tail=b"", n_bytes=N_BYTES):
    """A text with a part repeated: `part` may have a number in it."""
    n = n_bytes // (len(part) + 4)
    parts = b"".join(part % i for i in range(n)) if b"%d" in part else part * n
    return head + parts + tail


def fill_json(document, part, ends="[]"):
    """A document of JSON with many parts in place of the mark."""
    head, tail = json.dumps(document).encode().split(MARK.encode())
    content = fill(head + ends[0].encode(), part + b",")
    return content[:-1] + ends[1].encode() + tail


def pack(members):
    """A file as np.savez writes it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, member in members:
            file.writestr(name, member)
    return content.getvalue()


def list_zips():
    """Zip files: of many members, of one head that is bulk, of members that share their bytes."""
    array = io.BytesIO()
    np.save(array, np.zeros(N_BYTES // 8))
    one = bytearray(pack([("a.npy", array.getvalue())]))
    start = one.index(b"PK\x01\x02")
    entry, end = one[start : one.index(b"PK\x05\x06")], one[one.index(b"PK\x05\x06") :]
    n = 1000
    end[8:10] = end[10:12] = n.to_bytes(2, "little")
    end[12:16] = (n * len(entry)).to_bytes(4, "little")
    return {
        "members": pack((f"{i}.npy", b"") for i in range(N_BYTES // 100)),
        "shared": bytes(one[:start] + entry * n + end),
        "cut": array.getvalue(),
        "head": pack([("head.json", fill_json({"format": "@@"}, b"[]"))]),
    }


TEXTS = {
    "lists": fill_json("@@", b"[]"),
    "objects": fill_json("@@", b'{"a":[]}'),
    "fields": fill_json("@@", b'"%d":0', "{}"),
    "floats": fill_json("@@", b"1e1"),
    "words": fill_json("@@", '"\U0001f600"'.encode()),
    "deep": b"[" * N_BYTES,
    "digits": b"9" * N_BYTES,
    "nothing": bytes(N_BYTES),
    "lines": b"\n" * N_BYTES,
}
ONE = {"dtype": "float64", "shape": [N_BYTES // 8], "values": "@@"}
EMPTY = b'{"stage":"start","at":{},"fields":{"values":{"dtype":"float64","shape":[0],"values":[]}}}\n'
RECORD = {"stage": "start", "at": {}, "fields": {"values": "@@"}}
HEAD = fill_json("@@", b'"%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}', "{}")
FILES = {
    "model": list_zips(),
    "model of LightGBM": {"trees": fill(b"tree\n", b"Tree=%d\n"), "keys": fill(b"tree\n", b"a%d=1\n")},
    "model of XGBoost": {"fields": TEXTS["fields"], "lists": fill_json({"learner": "@@"}, b"[]")},
    "cache": list_zips(),
    "cell": list_zips(),
    "manifest of a trace": {
        **TEXTS,
        "parameters": fill_json(
            {"format": "refrank-trace", "version": 1, "algorithm": "ls", "parameters": "@@"}, b'"%d":[]', "{}"
        ),
    },
    "records of a trace": {
        **TEXTS,
        "records": fill(b"", EMPTY),
        "values": fill_json({**RECORD, "fields": {"values": ONE}}, b"1"),
    },
    "tensors of a trace": {"tensors": len(HEAD).to_bytes(8, "little") + HEAD, "nothing": bytes(N_BYTES)},
    "list of deviations": {
        "dots": fill(b"a", b".a", b"=1", FEW_BYTES),
        "dotted": fill(b"", b"a%d" + b".a" * 60 + b"=1\n", b"", FEW_BYTES),
        "headers": fill(b"", b"[a%d" + b".a" * 60 + b"]\n", b"", FEW_BYTES),
        "tables": fill(b"", b"[[deviation]]\n", b"", FEW_BYTES),
        "lists": fill(b"a=[", b"[],", b"]", FEW_BYTES),
        "deep": b"a=" + b"[" * FEW_BYTES,
        "digits": b"a=" + b"9" * FEW_BYTES,
    },
    "file of verdicts": {
        **TEXTS,
        "claims": fill_json({"paper": "cocr", "claims": "@@"}, b'{"claim":"%d","verdict":"holds"}'),
    },
}


def measure(path, read):
    """Read a file; return the sentence about it, CPU seconds and the peak of memory."""
    n_bytes = path.stat().st_size  # before: a damaged cache is written anew, and shorter
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        read(path)
    except (ValueError, OSError) as fault:
        said = str(fault)
    else:
        said = ""
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return said, (time.process_time() - began) / n_bytes, max(0, memory - FREE_BYTES) / n_bytes


def run_apart(work):
    """Run a function in a process of its own; fail with it."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as fault:
            print(repr(fault), file=sys.stderr)
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def report(kind, name, path, read):
    """Print what is measured of a file."""
    print(json.dumps([kind, name, *measure(path, read)]))


def main(folder):
    """Make and read all files."""
    for kind, files in FILES.items():
        make, read = KINDS[kind]
        place = Path(folder) / kind.replace(" ", "-")
        place.mkdir()
        os.environ["XDG_CACHE_HOME"] = str(place)
        run_apart(lambda make=make, place=place: (place / "path").write_text(str(make(place))))
        path = Path((place / "path").read_text())
        for name, content in files.items():
            path.write_bytes(content)
            run_apart(partial(report, kind, name, path, read))


if __name__ == "__main__":
    main(sys.argv[1])
